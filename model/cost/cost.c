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
    const struct price_params *p = &spec->price;

    EXACT_Q(units);
    if (spec_given(spec, "price", demand ? "on_demand" : "preemptible")) {
        exact_ratio(q, demand ? p->on_demand : p->preemptible, NANO_USD_PER_USD);
        exact_ratio(units, spec->dcn.slices, 1);
    } else if (spec_given(spec, "price", demand ? "chip_on_demand" : "chip_preemptible")) {
        exact_ratio(q, demand ? p->chip_on_demand : p->chip_preemptible, NANO_USD_PER_USD);
        exact_ratio(units, spec_chips(spec), 1);
    } else {
        mpq_set_ui(q, 0, 1);
        return false;
    }
    mpq_mul(q, q, units);
    return true;
}

/* The source of a price of the slice, or of its chips; NULL without a price. */
static const char *source_of(const struct machine_spec *spec, const char *slice, const char *chip)
{
    int t = spec_table("price");
    const struct param_desc *rows = spec_tables[t]->rows;
    const char *source = spec->source[t][param_find(spec_tables[t], slice) - rows];

    return source ? source : spec->source[t][param_find(spec_tables[t], chip) - rows];
}

bool cost_verified(const struct machine_spec *spec, enum cost_price price)
{
    const char *source = price == COST_ON_DEMAND
                             ? source_of(spec, "on_demand", "chip_on_demand")
                             : source_of(spec, "preemptible", "chip_preemptible");

    return source && !strstr(source, "[unverified");
}

char *cost_sources(const struct machine_spec *spec)
{
    const char *demand = source_of(spec, "on_demand", "chip_on_demand"),
               *preemptible = source_of(spec, "preemptible", "chip_preemptible");

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
