/* validate_figure.h - figures of a result, by the names that tables use for them.
 *
 *     step, epoch                  seconds
 *     sample                       seconds per sample, on the whole slice
 *     samples per second
 *     epoch, validating 1/11 in fwd_*; samples per second, validating 1/11 in fwd_*
 *                                  the same where for 11 samples that are trained on one is
 *                                  validated, which takes those phases
 *     usd per epoch
 *     phase a+b* /N                seconds of phases a and all that begin with b, divided by N
 *     share phase a of b+c*        seconds of phase a, divided by those of phases b and c...
 *     traffic                      GB on all links, per step
 *     utilization.hbm, ...         columns of the report
 *
 * and three words: "bound by", "limited by", and "grows most", the cause whose seconds per sample
 * exceed those of another run by most. */
#ifndef STUDY_VALIDATE_VALIDATE_FIGURE_H
#define STUDY_VALIDATE_VALIDATE_FIGURE_H

#include "run/result/result.h"

/* Set `q` to the figure.  0, or -1 if the result has no such figure. */
int validate_figure(mpq_t q, const char *name, const struct run_result *r);
/* "s", "GB", "1/s", "USD" or "ratio". */
const char *validate_figure_unit(const char *name);
/* Convert `q` from its base unit to "ms", "us" or "%"; another unit leaves it as it is. */
void validate_scale(mpq_t q, const char *unit);

/* One of the three words; NULL if `name` is none.  `base` is the other run, or NULL. */
const char *validate_word(const char *name, const struct run_result *r,
                          const struct run_result *base);

#endif
