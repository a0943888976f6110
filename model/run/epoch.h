/* epoch.h - figures that follow from the time of a step: samples a second, epochs, costs, exact. */
#ifndef RUN_EPOCH_H
#define RUN_EPOCH_H

#include "cost/cost.h"
#include "run/result/result.h"

/* q = USD for a million samples at `per_hour`. */
void epoch_million_samples(mpq_t q, const struct run_result *r, const mpq_t per_hour);
/* q = seconds of r->epochs epochs, which must be known. */
void epoch_run_seconds(mpq_t q, const struct run_result *r);
/* True if the data set is smaller than a global batch: an epoch is one step, partly padding. */
bool epoch_is_short(const struct run_result *r);
/* q = samples of the data set that an epoch leaves out, because they fill no whole global batch;
 * samples that its steps have and the data set has not. */
void epoch_dropped(mpq_t q, const struct run_result *r);
void epoch_added(mpq_t q, const struct run_result *r);
/* True if a run of some epochs was asked for and the length of an epoch is known. */
bool epoch_has_run(const struct run_result *r);

#endif
