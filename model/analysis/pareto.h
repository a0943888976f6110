/* pareto.h - the points that nothing beats in every respect. */
#ifndef ANALYSIS_PARETO_H
#define ANALYSIS_PARETO_H

#include "analysis/goal.h"

/* Of n rows those where no other one is at least as good in all goals and better in one, in order
 * of the first goal; of equals the first.  Rows in which a goal is unknown are left out.  Returns
 * the array, to be freed, and its length.  O(n * front * goals). */
size_t *pareto_front(const struct sweep_table *t, const size_t *rows, size_t n,
                     const struct goal *goals, size_t n_goals, size_t *n_front);

#endif
