/* validate_figure.h - figures of a result by the names that tables use.
 *
 *     step, epoch                  seconds
 *     sample                       seconds a sample, of the whole slice
 *     samples per second
 *     usd per epoch
 *     phase a+b* /N                seconds of phases a and all that begin with b, divided by N
 *     share phase a of b+c*        the same, divided by those of others
 *     traffic                      GB on all links, per step
 *     utilization.hbm, ...         as the report has them
 * and in words: "bound by", "limited by" and "grows most", the cause of which a sample has most
 * more seconds than in another run. */
#ifndef STUDY_VALIDATE_FIGURE_H
#define STUDY_VALIDATE_FIGURE_H

#include "run/result.h"

/* 0, or -1 where the result has no such figure. */
int validate_figure(mpq_t q, const char *name, const struct run_result *r);
/* "s", "GB", "1/s", "USD" or "ratio". */
const char *validate_figure_unit(const char *name);
/* `q` in that unit to one of "ms", "us" and "%"; any other leaves it as it is. */
void validate_scale(mpq_t q, const char *unit);

/* NULL: no such word.  `base` may be NULL. */
const char *validate_word(const char *name, const struct run_result *r,
                          const struct run_result *base);

#endif
