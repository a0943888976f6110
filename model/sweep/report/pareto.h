/* pareto.h - the Pareto front of a sweep: the points that no other point beats in all goals, by
 * more than noise. */
#ifndef SWEEP_REPORT_PARETO_H
#define SWEEP_REPORT_PARETO_H

#include "sweep/report/goal.h"

/* Find the rows that no other row beats: no other is at least as good in all goals and better in
 * one by more than the noise of that goal.  Of equal rows the first is kept; rows in which a goal
 * is unknown are left out.  Returns their indices in the order of the first goal, to be freed, and
 * how many.  O(n^2 * goals) at worst. */
size_t *pareto_front(const struct sweep_table *t, const size_t *rows, size_t n,
                     const struct goal *goals, const double *noise, size_t n_goals,
                     size_t *n_front);

/* True if no row of a front beats another by less than noise: to gain in one goal is to lose in
 * another.  O(n^2 * goals). */
bool pareto_strict(const struct sweep_table *t, const size_t *front, size_t n,
                   const struct goal *goals, size_t n_goals);

#endif
