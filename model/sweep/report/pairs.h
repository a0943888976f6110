/* pairs.h - what one step along an axis does, all else equal.
 *
 * Points that differ in one parameter alone, by neighbouring values, are pairs; the effect of the
 * step is the geometric mean of their ratios.  Grids have pairs, samples have none. */
#ifndef SWEEP_REPORT_PAIRS_H
#define SWEEP_REPORT_PAIRS_H

#include "sweep/report/sweep_table.h"

struct pairs_step {
    size_t parameter;
    const char *from, *to; /* values as text, of the table */
    size_t n;              /* pairs */
    double *ratio;         /* of each of the columns that were asked for */
};

/* The steps of all axes in order; zips are one axis, named by its first parameter.
 * Returns the array, to be freed by pairs_free.  O(p * n log n). */
struct pairs_step *pairs_steps(const struct sweep_table *t, const size_t *rows, size_t n,
                               const size_t *columns, size_t n_columns, size_t *n_steps);
void pairs_free(struct pairs_step *s, size_t n);

/* The rows in lines along parameter p: those that are equal in all else stand together, in the
 * order of its values.  To be freed; NULL if p has no values, or goes along with another. */
size_t *pairs_order(const struct sweep_table *t, const size_t *rows, size_t n, size_t p);
/* True if rows i and k are equal in all but p and what goes along with it. */
bool pairs_same_line(const struct sweep_table *t, size_t p, size_t i, size_t k);

#endif
