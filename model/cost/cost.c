#include "cost/cost.h"

#include <stdio.h>
#include <stdlib.h>
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

const char *const cost_part_name[COST_N_PARTS] = { "idle",   "busy",   "products",
                                                   "vector", "memory", "links" };

void cost_load_init(struct cost_load *l)
{
    mpq_inits(l->share, l->macs, l->fmas, l->bytes, l->link_bits, NULL);
}

void cost_load_clear(struct cost_load *l)
{
    mpq_clears(l->share, l->macs, l->fmas, l->bytes, l->link_bits, NULL);
}

void cost_power_init(struct cost_power *p)
{
    *p = (struct cost_power){ .known = false };
    mpq_inits(p->least, p->most, p->watts, NULL);
    for (int i = 0; i < COST_N_PARTS; i++)
        mpq_init(p->part[i]);
}

void cost_power_clear(struct cost_power *p)
{
    mpq_clears(p->least, p->most, p->watts, NULL);
    for (int i = 0; i < COST_N_PARTS; i++)
        mpq_clear(p->part[i]);
}

/* q = n x picojoules of each, these in parts per 1e9. */
static void set_work(mpq_t q, const mpq_t n, uint64_t picojoules)
{
    EXACT_Q(joules);
    exact_ratio(joules, picojoules, UINT64_C(1000000000));
    mpq_mul(q, n, joules);
    exact_ratio(joules, 1, UINT64_C(1000000000000));
    mpq_mul(q, q, joules);
}

/* q = chips x (base + more x share) watts. */
static void set_watts(mpq_t q, uint64_t chips, uint64_t base, uint64_t more, const mpq_t share)
{
    EXACT_Q(x);
    exact_ratio(x, chips * more, 1);
    mpq_mul(q, x, share);
    exact_ratio(x, chips * base, 1);
    exact_sum(q, x);
}

void cost_power_of(struct cost_power *p, const struct machine_spec *spec,
                   const struct cost_load *load)
{
    const struct power_params *w = &spec->power;
    uint64_t chips = spec_chips(spec), peak = w->peak > w->idle ? w->peak : w->idle;

    p->known = w->peak != 0;
    p->by_work = p->known && w->busy != 0;
    p->limited = false;
    if (!p->known)
        return;
    EXACT_Q(none);
    set_watts(p->least, chips, w->idle, 0, none);
    set_watts(p->most, chips, w->idle, peak - w->idle, load->share);
    if (!p->by_work)
        return;
    set_watts(p->part[COST_IDLE], chips, w->idle, 0, none);
    set_watts(p->part[COST_BUSY], chips, 0, w->busy, load->share);
    set_work(p->part[COST_PRODUCT], load->macs, w->mac);
    set_work(p->part[COST_VECTOR], load->fmas, w->fma);
    set_work(p->part[COST_MEMORY], load->bytes, w->byte);
    set_work(p->part[COST_LINK], load->link_bits, w->link_bit);
    mpq_set_ui(p->watts, 0, 1);
    for (int i = 0; i < COST_N_PARTS; i++)
        exact_sum(p->watts, p->part[i]);
    EXACT_Q(limit);
    set_watts(limit, chips, peak, 0, none);
    p->limited = mpq_cmp(p->watts, limit) > 0;
    if (p->limited)
        mpq_set(p->watts, limit);
    if (mpq_cmp(p->watts, p->most) > 0) /* as memory works while cores wait */
        mpq_set(p->most, p->watts);
}

char *cost_power_sources(const struct machine_spec *spec)
{
    static const char *const name[] = { "idle", "peak", "busy", "mac", "fma", "byte", "link_bit" };
    int t = spec_table("power");
    char *text = memory_copy("");

    for (size_t i = 0; i < sizeof name / sizeof *name; i++) {
        const struct param_desc *d = param_find(spec_tables[t], name[i]);
        const char *source = spec->source[t][d - spec_tables[t]->rows];
        if (!spec_given(spec, "power", name[i]) || !source || strstr(text, source))
            continue;
        char *longer = memory_format("%s%s%s", text, *text ? " " : "", source);
        free(text);
        text = longer;
    }
    return text;
}
