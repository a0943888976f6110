/* moments.h - a lone kernel at many moments of the interval between refreshes of HBM.
 *
 *     refresh |##|-----------------|##|-----------------|##|
 *     kernel        k=0  ====
 *                       k=1  ====            n starts, equally spaced
 *
 * A refresh stops HBM for a tenth of the interval, so a kernel that is short against it takes
 * longer or not, by the moment at which it happens to begin.  Its figures are means over n such
 * moments: 8, or twice as many until that changes the mean time by less than a thousandth, at
 * most 64.  A step of MOMENTS_LONG intervals and more is run once: a refresh more or less is at
 * most 1 % of it. */
#ifndef RUN_MOMENTS_H
#define RUN_MOMENTS_H

#include "run/job/job.h"

#define MOMENTS_LONG 10 /* intervals between refreshes */

/* True if a step of `fs` of a lone kernel is to be run at many moments. */
bool moments_matter(const struct job *j, const struct machine *m, uint64_t fs);

/* Run the step of `j` at all moments; statistics of `m` were reset and its last step has just
 * ended. r->moments is set, and *fs to the time of all runs.  `first` is called after the first of
 * them. Errors: those of machine_step(). */
int moments_run(struct job *j, struct machine *m, void (*first)(struct job *j, struct machine *m),
                uint64_t *fs, struct run_result *r, struct err *err);

#endif
