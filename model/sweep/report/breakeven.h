/* breakeven.h - from which value of a parameter on some points beat a rival.
 *
 * The rival is the best point where a condition holds, its figure taken `times` (four slices side
 * by side have four times the samples a second).  The challengers are points where another
 * condition holds; those that are equal in all but the parameter make a line. */
#ifndef SWEEP_REPORT_BREAKEVEN_H
#define SWEEP_REPORT_BREAKEVEN_H

#include "sweep/report/goal.h"

struct breakeven {
    size_t parameter;
    struct goal goal;
    double rival; /* to be beaten, `times` included */
    size_t rival_row;
    struct breakeven_line {
        size_t row;  /* one of its points, for its other parameters */
        size_t best; /* of its points the best */
        bool always, never;
        double below, above,
            at; /* the last value that loses, the first that wins, and about where */
        const char *below_text, *above_text;
    } * line;
    size_t n_lines;
};

/* Errors: ERR_UNKNOWN or ERR_FORMAT for names and conditions; ERR_RANGE when no point holds one of
 * them or the parameter has no numbers. */
int breakeven_init(struct breakeven *b, const struct sweep_table *t, const char *parameter,
                   const char *goal, const char *challengers, const char *rival, double times,
                   struct err *err);
void breakeven_clear(struct breakeven *b);

#endif
