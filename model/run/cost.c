#include "run/cost.h"

#include "base/exact.h"

void cost_usd(mpq_t q, const mpq_t per_hour, const mpq_t seconds)
{
    EXACT_Q(hour);
    mpq_set_ui(hour, 3600, 1);
    mpq_mul(q, per_hour, seconds);
    mpq_div(q, q, hour);
}

void cost_million_samples(mpq_t q, const struct run_result *r, const mpq_t per_hour)
{
    EXACT_Q(seconds);
    mpq_set_ui(seconds, 1000000, 1);
    mpq_div(seconds, seconds, r->samples_per_second);
    cost_usd(q, per_hour, seconds);
}

void cost_run_seconds(mpq_t q, const struct run_result *r)
{
    exact_ratio(q, r->epochs, 1);
    mpq_mul(q, q, r->seconds_per_epoch);
}

bool cost_has_run(const struct run_result *r)
{
    return r->epochs > 0 && r->has_epoch;
}
