/* cost.h - what things cost: prices an hour and watts times the time they take, exact. */
#ifndef RUN_COST_H
#define RUN_COST_H

#include "run/result.h"

/* q = USD for `seconds` at `per_hour`. */
void cost_usd(mpq_t q, const mpq_t per_hour, const mpq_t seconds);
/* q = USD at `per_hour` for a million samples. */
void cost_million_samples(mpq_t q, const struct run_result *r, const mpq_t per_hour);
/* q = seconds of r->epochs epochs, which must be known. */
void cost_run_seconds(mpq_t q, const struct run_result *r);
/* Is there a run whose length is known? */
bool cost_has_run(const struct run_result *r);

#endif
