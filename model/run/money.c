/* Seconds and USD of an epoch, and the power of the chips. */
#include <stdio.h>
#include <string.h>

#include "base/exact.h"
#include "base/memory.h"
#include "base/units.h"
#include "run/job.h"

static void set_price(const struct job *j, struct run_result *r, const char *key, bool *has,
                      mpq_t hour, mpq_t epoch, uint64_t nano_usd)
{
    *has = spec_given(j->spec, "price", key);
    exact_ratio(hour, nano_usd, NANO_USD_PER_USD);
    EXACT_Q(slices);
    exact_ratio(slices, j->spec->dcn.slices, 1); /* a price is that of a slice */
    mpq_mul(hour, hour, slices);
    EXACT_Q(hours);
    exact_ratio(hours, 1, 3600);
    mpq_mul(hours, hours, r->seconds_per_epoch);
    mpq_mul(epoch, hour, hours);
}

/* "[ju-2020: 2020-04-07]", or both when the prices come from two places. */
static char *price_sources(const struct machine_spec *s)
{
    int t = spec_table("price");
    const char *demand = s->source[t][0], *preemptible = s->source[t][1];
    char both[256];

    if (!demand || !preemptible || strcmp(demand, preemptible) == 0)
        return memory_copy(demand ? demand : preemptible ? preemptible : "");
    snprintf(both, sizeof both, "on demand %s, preemptible %s", demand, preemptible);
    return memory_copy(both);
}

/* The share of a core's time in which it works on a kernel or a collective, without waits for
 * hosts, for other cores and for the launch of programs. */
static void active_share(mpq_t share, const struct run_result *r)
{
    static const enum cause active[] = { CAUSE_MXU, CAUSE_VPU, CAUSE_XLU,
                                         CAUSE_HBM, CAUSE_ICI, CAUSE_DCN };

    mpq_set_ui(share, 0, 1);
    for (size_t i = 0; i < sizeof active / sizeof *active; i++)
        mpq_add(share, share, r->cause[active[i]]);
    mpq_div(share, share, r->seconds_per_step);
}

/* chips * (idle + (peak - idle) * share) */
static void set_power(const struct job *j, struct run_result *r)
{
    const struct machine_spec *s = j->spec;

    r->has_power = s->power.peak > 0;
    if (!r->has_power)
        return;
    uint64_t idle = s->power.idle, peak = s->power.peak > idle ? s->power.peak : idle;
    EXACT_Q(q);
    active_share(r->watts, r);
    exact_ratio(q, peak - idle, 1);
    mpq_mul(r->watts, r->watts, q);
    exact_ratio(q, idle, 1);
    mpq_add(r->watts, r->watts, q);
    exact_ratio(q, spec_chips(s), 1);
    mpq_mul(r->watts, r->watts, q);
    const char *source = s->source[spec_table("power")][1];
    r->power_source = memory_copy(source ? source : "");
}

void job_money(const struct job *j, struct run_result *r)
{
    const struct trace_header *h = trace_head(j->trace);

    EXACT_Z(samples);
    EXACT_Z(steps);
    exact_addmul(samples, h->samples_per_step, spec_cores(j->spec) / h->shared);
    mpz_set(r->samples_per_step, samples);
    r->samples_per_epoch = h->samples_per_epoch;
    r->has_epoch = h->samples_per_epoch != 0;
    mpq_set_z(r->samples_per_second, samples);
    mpq_div(r->samples_per_second, r->samples_per_second, r->seconds_per_step);
    /* whole global batches; what is left over of an epoch is dropped, as the input pipelines do,
     * but an epoch smaller than a batch takes one step */
    exact_set_u64(steps, h->samples_per_epoch);
    mpz_fdiv_q(steps, steps, samples);
    if (mpz_sgn(steps) == 0)
        mpz_set_ui(steps, 1);
    if (h->steps_per_epoch)
        exact_set_u64(steps, h->steps_per_epoch);
    mpq_set_z(r->steps_per_epoch, steps);
    mpq_mul(r->seconds_per_epoch, r->seconds_per_step, r->steps_per_epoch);
    set_price(j, r, "on_demand", &r->has_price, r->usd_per_hour, r->usd_per_epoch,
              j->spec->price.on_demand);
    set_price(j, r, "preemptible", &r->has_preemptible, r->usd_per_hour_preemptible,
              r->usd_per_epoch_preemptible, j->spec->price.preemptible);
    r->price_source = price_sources(j->spec);
    r->epochs = j->q->epochs;
    set_power(j, r);
}
