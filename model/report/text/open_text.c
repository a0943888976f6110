#include "report/text/open_text.h"

#include <stdlib.h>

#include "base/exact.h"
#include "base/memory.h"
#include "base/text_write.h"

#define MOST_OPEN 3 /* machines that are named */

/* Could the epoch of a winner take longer than the deadline, by its error to expect? */
static bool is_any_late(const bool *win, const struct report_comparison *c)
{
    bool late = false;

    EXACT_Q(most);
    for (size_t i = 0; i < c->n; i++)
        if (win[i]) {
            const struct run_result *r = c->verdict[i].result;
            exact_ratio(most, UINT64_C(1000) + r->expected.permille, 1000);
            mpq_mul(most, most, r->seconds_per_epoch);
            late = late || r->expected.cases == 0 || mpq_cmp(most, c->deadline) > 0;
        }
    return late;
}

/* "; open: b and c may be it too": by the errors to expect. */
void open_text(const bool *win, const struct report_comparison *c,
               const struct report_choice *choice, FILE *out)
{
    bool *open = memory_zeroed(c->n, sizeof *open);
    size_t n = report_compare_open(open, win, c, choice), shown = 0;

    for (size_t i = 0; i < c->n && shown < MOST_OPEN; i++)
        if (open[i])
            fprintf(out, "%s%s",
                    shown++ == 0                   ? "; open: "
                    : shown == n && n <= MOST_OPEN ? " and "
                                                   : ", ",
                    report_compare_label(&c->verdict[i]));
    if (n > shown)
        fprintf(out, " and %zu more", n - shown);
    if (n > 0)
        fputs(" may be it too", out);
    if (choice->in_time && is_any_late(win, c))
        fputs("; open: by its error it may take longer", out);
    free(open);
}

/* True if another machine may be the best by this figure. */
static bool is_any_open(const struct report_comparison *c, report_figure *figure)
{
    const struct report_choice choice = { .figure = figure };
    bool *win = memory_zeroed(c->n, sizeof *win), *open = memory_zeroed(c->n, sizeof *open);

    report_compare_best(win, c, &choice);
    bool any = report_compare_open(open, win, c, &choice) > 0;
    free(win);
    free(open);
    return any;
}

const char *open_text_reason(bool all_read, bool all_measured)
{
    return !all_read      ? "some work is not known"
           : all_measured ? "closer than the errors to expect"
                          : "nobody knows all errors to expect";
}

/* The machines whose error to expect nobody knows, and what is certain all the same. */
static void print_unmeasured(const struct report_comparison *c, FILE *out)
{
    bool any = false;

    for (size_t i = 0; i < c->n; i++) {
        const struct report_verdict *v = &c->verdict[i];
        if (!v->result || v->result->expected.cases > 0 || account_is_unknown(&v->result->account))
            continue; /* what is not known is said elsewhere, and open whatever it is */
        fprintf(out, "%s%s", any ? ", " : "nobody knows the error to expect of ",
                report_compare_label(v));
        any = true;
    }
    if (any)
        fprintf(out, "; machines that are more than %d times apart are not called open\n",
                REPORT_COMPARE_APART);
}

void open_text_decides(const struct report_comparison *c, FILE *out)
{
    const struct run_result *first = NULL;
    bool all_read = true, all_measured = true;

    if (c->n > 1)
        print_unmeasured(c, out);
    if (!is_any_open(c, report_compare_time) && !is_any_open(c, report_compare_cost))
        return;
    for (size_t i = 0; i < c->n; i++) {
        const struct run_result *r = c->verdict[i].result;
        if (!r)
            continue;
        first = first ? first : r;
        all_read = all_read && !account_is_unknown(&r->account);
        all_measured = all_measured && r->expected.cases > 0;
    }
    if (first)
        fprintf(out, "open: %s; %s decides\n", open_text_reason(all_read, all_measured),
                report_compare_decides(first));
}

void open_text_in_time(const struct report_comparison *c, FILE *out)
{
    bool *win = memory_zeroed(c->n, sizeof *win), any = false;

    report_compare_in_time(win, c);
    for (size_t i = 0; i < c->n; i++)
        if (win[i] && !c->verdict[i].result->has_price) {
            fprintf(out, "%s%s, ", any ? "; " : "in time too, without a price: ",
                    report_compare_label(&c->verdict[i]));
            text_quantity(c->verdict[i].result->seconds_per_epoch, "s", out);
            any = true;
        }
    if (any)
        putc('\n', out);
    free(win);
}
