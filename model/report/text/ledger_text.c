/* The ledger of the matrix units as a table. */
#include <stdlib.h>

#include "base/err.h"
#include "base/exact.h"
#include "base/memory.h"
#include "base/text_write.h"
#include "report/run_report.h"
#include "report/text/group.h"
#include "report/text/result_text.h"

#define NAMES 32

struct wasteful {
    const struct run_row *row;
    mpq_t wasted;
};

static void subtract_useful(mpq_t q, const struct run_slots *s)
{
    mpq_sub(q, s->capacity, s->use[USE_USEFUL]);
}

/* Most first; of equals the earlier one. */
static int compare_wasted(const void *a, const void *b)
{
    const struct wasteful *x = a, *y = b;
    int order = mpq_cmp(y->wasted, x->wasted);

    return order ? order : (x->row > y->row) - (x->row < y->row);
}

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
            print_share(s->use[column[i]], s, out);
    EXACT_Q(waiting);
    run_slots_waiting(waiting, s);
    mpq_add(waiting, waiting, s->not_issued);
    print_share(waiting, s, out);
    putc('\n', out);
}

static bool is_worth_saying(const struct wasteful *w, const mpq_t all)
{
    EXACT_Q(least);
    mpq_set_ui(least, 1, 100);
    mpq_mul(least, least, all);
    bool enough = w->row->n_advice > 0 && mpq_cmp(w->wasted, least) >= 0;
    return enough;
}

void result_text_ledger(const struct run_row *rows, size_t n, const struct run_slots *step,
                        FILE *out)
{
    struct wasteful *order = memory_zeroed(n + 1, sizeof *order);
    bool f32 = mpq_sgn(step->use[USE_PRECISION]) > 0;

    for (size_t i = 0; i < n; i++) {
        order[i].row = &rows[i];
        mpq_init(order[i].wasted);
        subtract_useful(order[i].wasted, &rows[i].slots);
    }
    qsort(order, n, sizeof *order, compare_wasted);
    if (n > 0 && mpq_sgn(step->capacity) > 0) {
        fprintf(out, "\n%-34s%6s%7s%s%7s%7s%7s%7s%7s%7s%7s\n",
                "all " RUN_LEDGER_NAME ", % of their slots", "waste", "useful",
                f32 ? "    f32" : "", "zeros", "pad m", "pad n", "pad k", "load", "drain", "wait");
        if (n > 1) {
            fprintf(out, "  %-32s%6s", "step", "100.0");
            print_slots(step, f32, out);
        }
    }
    for (size_t i = 0; i < n && i < RESULT_TEXT_WASTEFUL && mpq_sgn(order[i].wasted) > 0; i++) {
        EXACT_Q(all);
        subtract_useful(all, step);
        fputs("  ", out);
        group_name(order[i].row, NAMES, out);
        text_percent(order[i].wasted, all, 6, out);
        print_slots(&order[i].row->slots, f32, out);
        if (is_worth_saying(&order[i], step->capacity)) {
            fputs("    ", out);
            fputs(order[i].row->advice[0], out);
            putc('\n', out);
        }
    }
    for (size_t i = 0; i < n; i++)
        mpq_clear(order[i].wasted);
    free(order);
}
