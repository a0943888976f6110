#include "report/text/evidence_text.h"

#include "base/text_write.h"
#include "run/result/evidence.h"
#include "run/result/expected.h"

/* Nobody measured a machine that was changed. */
void evidence_text_expected(const struct run_result *r, FILE *out)
{
    char percent[EXPECTED_TEXT];

    if (r->expected.cases)
        fprintf(out, "  expect   an error of %s either way",
                expected_percent(&r->expected, percent));
    else
        fputs("  expect   an error that nobody knows", out);
    fputs(r->retimed && !account_is_unknown(&r->account)
              ? ", of the machine as it stands:\n           "
              : ": ",
          out);
    expected_write(r, out);
    putc('\n', out);
}

/* The measurements that the prediction was held against, and its errors there. */
static void print_evidence(const struct run_result *r, FILE *out)
{
    const struct run_evidence *e = &r->evidence;

    fprintf(out, "  checked  %s", evidence_words(e->cover));
    if (e->cover == RUN_COVER_NONE && r->retimed)
        fputs(": parameters of the machine were changed", out);
    for (size_t i = 0; i < e->n; i++) {
        const struct run_evidence_line *l = &e->line[i];
        fprintf(out, "\n           %s: ", l->class);
        text_count(l->rows, "figure", out);
        fprintf(out, " on %s, error ", l->machine);
        if (l->rows > 1) {
            fputs("median ", out);
            text_share(l->median, 0, out);
            fputs(" %, worst ", out);
        }
        text_signed_share(l->worst, 0, out);
        fputs(" %", out);
    }
    putc('\n', out);
}

void evidence_text(const struct run_result *r, FILE *out)
{
    evidence_text_expected(r, out);
    print_evidence(r, out);
}

void evidence_text_cell(const struct run_result *r, int width, FILE *out)
{
    char text[EXPECTED_TEXT];

    fprintf(out, "%*s", width, r->expected.cases ? expected_percent(&r->expected, text) : "none");
}
