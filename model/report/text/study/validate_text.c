/* Predictions beside published figures as text. */
#include <string.h>

#include "base/exact.h"
#include "base/text_write.h"
#include "report/validate_report.h"

#define FEW 100 /* rows of a class that are shown one by one, unless all are */

static void print_number(const mpq_t q, int width, FILE *out)
{
    char buf[256];

    fprintf(out, "%*s", width, exact_decimal(buf, sizeof buf, q, 4));
}

static void print_summary(const struct validate_result *v, FILE *out)
{
    fprintf(out, "%-58s%7s%10s%8s%8s%8s%9s\n", "error of predictions", "rows", "median %", "mean %",
            "worst %", "bias %", "hits");
    for (size_t i = 0; i < v->n_classes; i++) {
        const struct validate_class *c = &v->class[i];
        char hits[32] = "-";
        text_column(c->name, 58, out);
        fprintf(out, "%7zu", c->n);
        if (report_validate_has_errors(c)) {
            text_share(c->median, 10, out);
            text_share(c->mean, 8, out);
            text_signed_share(c->worst, 8, out);
            text_signed_share(c->bias, 8, out);
        } else {
            fprintf(out, "%10s%8s%8s%8s", "-", "-", "-", "-");
        }
        if (c->with_tolerance || c->claims)
            snprintf(hits, sizeof hits, "%zu", c->hits + c->held);
        fprintf(out, "%9s\n", hits);
    }
}

static void print_head(const char *title, FILE *out)
{
    putc('\n', out);
    text_column(title, 64, out);
    fprintf(out, "%10s%10s %-6s%8s  %s\n", "predicted", "measured", "unit", "error %", "source");
}

static void print_name(const struct validate_row *r, FILE *out)
{
    char text[512];

    snprintf(text, sizeof text, "%s, %s: %s", r->machine, r->what, r->metric);
    fputs("  ", out);
    text_column(text, 62, out);
}

static void print_checked(const struct validate_row *r, FILE *out)
{
    print_name(r, out);
    print_number(r->predicted, 10, out);
    print_number(r->measured, 10, out);
    fprintf(out, " %-6s", r->unit);
    text_signed_share(r->error, 8, out);
    fprintf(out, "  %s%s%s%s\n", r->source, *r->note ? ", " : "", r->note,
            report_validate_hit(r) ? "" : ", MISS");
}

/* Classes of few rows whole, of many the misses alone. */
static void print_class(const struct validate_result *v, const struct validate_class *c, bool all,
                        FILE *out)
{
    char title[160];
    bool whole = all || c->n <= FEW, begun = false;

    for (size_t i = 0; i < v->n_rows; i++) {
        const struct validate_row *r = &v->row[i];
        if (r->status != VALIDATE_CHECKED || strcmp(r->class, c->name) != 0 ||
            (!whole && report_validate_hit(r)))
            continue;
        if (!begun) {
            snprintf(title, sizeof title, "%.100s%s", c->name, whole ? "" : ": misses");
            print_head(title, out);
        }
        begun = true;
        print_checked(r, out);
    }
}

/* Words are not cut: a line says what is claimed, the next what is predicted. */
static void print_claim(const struct validate_row *r, FILE *out)
{
    fprintf(out, "  %-5s%s [%s]\n", r->holds ? "yes" : "MISS", r->claim, r->source);
    fprintf(out, "       %s, %s: %s %s\n", r->machine, r->what, r->metric, r->answer);
}

/* One question after the other, each with all its answers. */
static void print_question(const struct validate_row *r, const char **asked, FILE *out)
{
    if (!*asked || strcmp(*asked, r->claim) != 0)
        fprintf(out, "  %s [%s]\n", r->claim, r->source);
    *asked = r->claim;
    fprintf(out, "       %s, %s: %s %s\n", r->machine, r->what, r->metric, r->answer);
}

static void print_words(const struct validate_result *v, const struct validate_class *c, FILE *out)
{
    const char *asked = NULL;

    if (c->claims + c->asked > 0)
        fprintf(out, "\n%s\n", c->name);
    for (size_t i = 0; i < v->n_rows; i++) {
        const struct validate_row *r = &v->row[i];
        if (strcmp(r->class, c->name) != 0)
            continue;
        if (r->status == VALIDATE_CLAIM)
            print_claim(r, out);
        else if (r->status == VALIDATE_ASKED)
            print_question(r, &asked, out);
    }
}

static void print_others(const struct validate_result *v, enum validate_status status,
                         const char *title, FILE *out)
{
    bool begun = false;

    for (size_t i = 0; i < v->n_rows; i++) {
        const struct validate_row *r = &v->row[i];
        if (r->status != status)
            continue;
        if (!begun)
            fprintf(out, "\n%-64s%10s%10s %-6s %s\n", title, "", "measured", "unit", "source, why");
        begun = true;
        print_name(r, out);
        fprintf(out, "%10s", "");
        print_number(r->measured, 10, out);
        fprintf(out, " %-6s %s, %s\n", r->unit, r->source, r->note);
    }
}

void report_validate_text(const struct validate_result *v, bool all, FILE *out)
{
    print_summary(v, out);
    fputs("hits: rows within the error that their table asks for, and claims that hold; the others "
          "are listed as MISS\n",
          out);
    for (size_t i = 0; i < v->n_classes; i++)
        print_class(v, &v->class[i], all, out);
    for (size_t i = 0; i < v->n_classes; i++)
        print_words(v, &v->class[i], out);
    print_others(v, VALIDATE_FAILED, "could not be predicted", out);
    print_others(v, VALIDATE_EXCLUDED, "left out", out);
    print_others(v, VALIDATE_LATER, "not modelled yet", out);
}

void report_validate_detail(const struct validate_result *v, const struct validate_detail *detail,
                            FILE *out)
{
    print_summary(v, out);
    report_validate_groups(detail, out);
}
