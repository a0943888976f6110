#include "run/result/price.h"

#include <stdlib.h>
#include <string.h>

#include "base/exact.h"
#include "base/memory.h"
#include "run/result/evidence.h"

bool price_decides(const char *section)
{
    return strcmp(section, "price") == 0 || strcmp(section, "power") == 0;
}

/* The share of a core's time in which it works on a kernel or a collective, without waits for
 * hosts, for other cores and for the launch of programs. */
static void active_share(mpq_t share, const struct run_result *r)
{
    static const enum cause active[] = { CAUSE_MXU,   CAUSE_VPU,  CAUSE_XLU,    CAUSE_HBM,
                                         CAUSE_ICI,   CAUSE_DCN,  CAUSE_TENSOR, CAUSE_CUDA,
                                         CAUSE_SFU,   CAUSE_SMEM, CAUSE_L2,     CAUSE_CORES,
                                         CAUSE_CACHE, CAUSE_NUMA, CAUSE_MEMORY, CAUSE_PAGES,
                                         CAUSE_SERIAL };

    mpq_set_ui(share, 0, 1);
    for (size_t i = 0; i < sizeof active / sizeof *active; i++)
        exact_sum(share, amounts_get(&r->cause, active[i]));
    mpq_div(share, share, r->seconds_per_step);
}

/* The cores of a node of CPUs are counted one by one, as threads of an operation leave some of them
 * without work; those of a chip work together. */
static void find_share(mpq_t share, const struct run_result *r)
{
    for (size_t i = 0; i < r->n_figures; i++)
        if (strcmp(r->figures[i].column, "utilization.cores") == 0 && r->figures[i].known) {
            mpq_set(share, r->figures[i].value);
            return;
        }
    active_share(share, r);
}

static void set_power(const struct machine_spec *s, struct run_result *r)
{
    struct cost_load load;

    cost_load_init(&load);
    find_share(load.share, r);
    mpq_div(load.macs, r->work.macs, r->seconds_per_step);
    mpq_div(load.fmas, r->work.fmas, r->seconds_per_step);
    mpq_div(load.bytes, r->work.bytes, r->seconds_per_step);
    mpq_div(load.link_bits, r->work.link_bytes, r->seconds_per_step);
    mpq_mul_2exp(load.link_bits, load.link_bits, 3);
    cost_power_of(&r->power, s, &load);
    cost_load_clear(&load);
    free(r->power_source);
    r->power_source = r->power.known ? cost_power_sources(s) : NULL;
}

static void set_changed(const struct machine_spec *s, struct run_result *r)
{
    for (size_t i = 0; i < r->n_changed; i++)
        free(r->changed[i]);
    free(r->changed);
    r->retimed = s->retimed;
    r->n_changed = s->n_changed;
    r->changed = memory_zeroed(s->n_changed, sizeof *r->changed);
    for (size_t i = 0; i < s->n_changed; i++)
        r->changed[i] = memory_copy(s->changed[i]);
}

void price_result(const struct machine_spec *s, struct run_result *r)
{
    r->has_price = cost_per_hour(r->usd_per_hour, s, COST_ON_DEMAND);
    cost_usd(r->usd_per_epoch, r->usd_per_hour, r->seconds_per_epoch);
    r->has_preemptible = cost_per_hour(r->usd_per_hour_preemptible, s, COST_PREEMPTIBLE);
    cost_usd(r->usd_per_epoch_preemptible, r->usd_per_hour_preemptible, r->seconds_per_epoch);
    r->price_verified = cost_verified(s, COST_ON_DEMAND);
    free(r->price_source);
    r->price_source = cost_sources(s);
    set_power(s, r);
    set_changed(s, r);
    r->machine_checksum = spec_checksum(s);
    r->unverified = spec_unverified(s);
}

int price_again(const struct machine_spec *s, struct run_result *r, struct err *err)
{
    price_result(s, r);
    run_evidence_clear(&r->evidence);
    return evidence_find(r, evidence_table(), err);
}
