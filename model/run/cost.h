/* cost.h - costs that follow from the hourly price of a slice and the time it is used, exact. */
#ifndef RUN_COST_H
#define RUN_COST_H

#include "run/result.h"

/* q = USD for `seconds` at `per_hour`. */
void cost_usd(mpq_t q, const mpq_t per_hour, const mpq_t seconds);
/* q = USD for a million samples at `per_hour`. */
void cost_million_samples(mpq_t q, const struct run_result *r, const mpq_t per_hour);
/* q = seconds of r->epochs epochs, which must be known. */
void cost_run_seconds(mpq_t q, const struct run_result *r);
/* True if a run of some epochs was asked for and the length of an epoch is known. */
bool cost_has_run(const struct run_result *r);

#endif
