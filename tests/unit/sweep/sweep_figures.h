/* sweep_figures.h - tables of sweeps whose figures a test gives. */
#ifndef UNIT_SWEEP_SWEEP_FIGURES_H
#define UNIT_SWEEP_SWEEP_FIGURES_H

#include "sweep/report/sweep_table.h"

/* A sweep of `axes`, lines of a plan, whose point i takes time[i] seconds a step and costs cost[i]
 * dollars.  `fits`: 0 of each point beyond the memory of its machine. */
void sweep_figures(struct sweep_table *t, const char *axes, const double *time, const double *cost);
void sweep_figures_fitting(struct sweep_table *t, const char *axes, const double *time,
                           const double *cost, const double *fits);
/* With one more figure, of which point i has value[i]. */
void sweep_figures_with(struct sweep_table *t, const char *axes, const double *time,
                        const double *cost, const char *name, const double *value);

#endif
