/* The ledger of the matrix units as a table. */
#include <stdlib.h>

#include "base/err.h"
#include "base/exact.h"
#include "base/text_write.h"
#include "report/run_report.h"
#include "report/text/group_name.h"
#include "report/text/result_text.h"
#include "run/result/advised.h"

#define NAMES 32

static void print_share(const mpq_t part, const struct run_slots *s, FILE *out)
{
    text_percent(part, s->capacity, 7, out);
}

/* `f32`: with the column of further passes, which only f32 products have. */
static void print_slots(const struct run_slots *s, bool f32, FILE *out)
{
    /* the columns of the head, in its order */
    static const enum use column[] = { USE_USEFUL, USE_PRECISION, USE_CONV_ZEROS,  USE_PAD_M,
                                       USE_PAD_N,  USE_PAD_K,     USE_WEIGHT_LOAD, USE_FILL_DRAIN };

    for (size_t i = 0; i < sizeof column / sizeof *column; i++)
        if (f32 || column[i] != USE_PRECISION)
            print_share(amounts_get(&s->use, column[i]), s, out);
    EXACT_Q(waiting);
    run_slots_waiting(waiting, s);
    exact_sum(waiting, s->not_issued);
    print_share(waiting, s, out);
    putc('\n', out);
}

void result_text_ledger(const struct run_row *rows, size_t n, const struct run_result *r, FILE *out)
{
    const struct run_slots *step = &r->slots;
    const struct run_row **order = advised_order(rows, n, true);
    bool f32 = mpq_sgn(amounts_get(&step->use, USE_PRECISION)) > 0;

    if (n > 0 && mpq_sgn(step->capacity) > 0) {
        fprintf(out, "\n%-34s%6s%7s%s%7s%7s%7s%7s%7s%7s%7s\n",
                "all " RUN_LEDGER_NAME ", % of their slots", "waste", "useful",
                f32 ? "    f32" : "", "zeros", "pad m", "pad n", "pad k", "load", "drain", "wait");
        if (n > 1) {
            fprintf(out, "  %-32s%6s", "step", "100.0");
            print_slots(step, f32, out);
        }
    }
    EXACT_Q(wasted);
    EXACT_Q(all);
    advised_wasted(all, step);
    for (size_t i = 0; i < n && i < ADVISED_MOST; i++) {
        advised_wasted(wasted, &order[i]->slots);
        if (mpq_sgn(wasted) == 0)
            break;
        fputs("  ", out);
        group_name(order[i], NAMES, out);
        text_percent(wasted, all, 6, out);
        print_slots(&order[i]->slots, f32, out);
        if (advised_is_worth(order[i], r))
            fprintf(out, "    %s\n", order[i]->advice[0]);
    }
    free(order);
}
