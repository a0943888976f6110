/* The energy of a step and an epoch, and the power it comes of, as text. */
#include "report/text/energy_text.h"

#include <string.h>

#include "base/exact.h"
#include "base/text_write.h"
#include "report/text/result_text.h"
#include "run/result/words.h"

#define INDENT "           "

/* "12 J", or "10 J to 12 J" of a power of which only a range is known. */
static void print_joules(const struct run_result *r, const mpq_t seconds, FILE *out)
{
    EXACT_Q(joules);
    mpq_mul(joules, r->power.by_work ? r->power.watts : r->power.least, seconds);
    text_quantity(joules, "J", out);
    if (r->power.by_work)
        return;
    fputs(" to ", out);
    mpq_mul(joules, r->power.most, seconds);
    text_quantity(joules, "J", out);
}

/* At least 0.5 % of the whole. */
static bool counts_of(const mpq_t part, const mpq_t whole)
{
    EXACT_Q(q);
    mpq_set_ui(q, 1, 200);
    mpq_mul(q, q, whole);
    return mpq_sgn(part) > 0 && mpq_cmp(part, q) >= 0;
}

/* Parts of the power, or why only its bounds are known. */
static void print_power(const struct cost_power *p, FILE *out)
{
    if (!p->by_work) {
        text_quantity(p->least, "W", out);
        fputs(" to ", out);
        text_quantity(p->most, "W", out);
        fputs(": idle, or at its peak at any work; nobody published what work takes", out);
        return;
    }
    text_quantity(p->watts, "W", out);
    fputs(p->limited ? ", their limit: " : ": ", out);
    bool any = false;
    for (int i = 0; i < COST_N_PARTS; i++)
        if (counts_of(p->part[i], p->watts)) {
            fputs(any ? ", " : "", out);
            fprintf(out, "%s ", cost_part_name[i]);
            text_quantity(p->part[i], "W", out);
            any = true;
        }
}

/* "[a] [b: c]", broken between sources where a line is full. */
static void print_sources(const char *text, FILE *out)
{
    size_t width = 0, room = RESULT_TEXT_WIDTH - strlen(INDENT);

    while (*text) {
        const char *close = strchr(text, ']');
        size_t length = close ? (size_t)(close - text) + 1 : strlen(text);
        if (width > 0 && width + 1 + length > room)
            width = 0;
        fputs(width > 0 ? " " : "\n" INDENT, out);
        fwrite(text, 1, length, out);
        width += length + (width > 0);
        text += length;
        text += *text == ' ';
    }
    putc('\n', out);
}

void energy_text(const struct run_result *r, FILE *out)
{
    if (!r->power.known)
        return;
    fprintf(out, "  energy   %s", r->account.at_least ? "at least " : "");
    print_joules(r, r->seconds_per_step, out);
    fputs("/step", out);
    if (r->has_epoch) {
        fputs(", ", out);
        print_joules(r, r->seconds_per_epoch, out);
        fputs("/epoch", out);
    }
    fprintf(out, " of the %ss\n" INDENT, words_of_result(r)->device);
    print_power(&r->power, out);
    print_sources(r->power_source ? r->power_source : "", out);
}
