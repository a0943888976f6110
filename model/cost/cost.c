#include "cost/cost.h"

#include <stdio.h>
#include <string.h>

#include "base/exact.h"
#include "base/memory.h"
#include "base/units.h"

void cost_usd(mpq_t q, const mpq_t per_hour, const mpq_t seconds)
{
    EXACT_Q(hour);
    mpq_set_ui(hour, 3600, 1);
    mpq_mul(q, per_hour, seconds);
    mpq_div(q, q, hour);
}

bool cost_per_hour(mpq_t q, const struct machine_spec *spec, enum cost_price price)
{
    bool demand = price == COST_ON_DEMAND;

    EXACT_Q(slices);
    exact_ratio(slices, spec->dcn.slices, 1); /* a price is that of a slice */
    exact_ratio(q, demand ? spec->price.on_demand : spec->price.preemptible, NANO_USD_PER_USD);
    mpq_mul(q, q, slices);
    return spec_given(spec, "price", demand ? "on_demand" : "preemptible");
}

bool cost_verified(const struct machine_spec *spec, enum cost_price price)
{
    bool demand = price == COST_ON_DEMAND;
    const char *source = spec->source[spec_table("price")][demand ? 0 : 1];

    return spec_given(spec, "price", demand ? "on_demand" : "preemptible") && source &&
           !strstr(source, "[unverified");
}

char *cost_sources(const struct machine_spec *spec)
{
    int t = spec_table("price");
    const char *demand = spec->source[t][0], *preemptible = spec->source[t][1];

    if (!demand || !preemptible || strcmp(demand, preemptible) == 0)
        return memory_copy(demand ? demand : preemptible ? preemptible : "");
    return memory_format("on demand %s, preemptible %s", demand, preemptible);
}

bool cost_watts(mpq_t q, const struct machine_spec *spec, const mpq_t share)
{
    uint64_t idle = spec->power.idle;
    uint64_t peak = spec->power.peak > idle ? spec->power.peak : idle;

    if (spec->power.peak == 0)
        return false;
    EXACT_Q(x);
    exact_ratio(x, peak - idle, 1);
    mpq_mul(q, share, x);
    exact_ratio(x, idle, 1);
    mpq_add(q, q, x);
    exact_ratio(x, spec_chips(spec), 1);
    mpq_mul(q, q, x);
    return true;
}
