/* What an epoch takes and costs. */
#include <stdio.h>
#include <string.h>

#include "run/job.h"

static char *copy(const char *s)
{
    char *c = strdup(s ? s : "");

    BUG_ON(!c);
    return c;
}

static void price(const struct job *j, struct run_result *r, const char *key, bool *has, mpq_t hour,
                  mpq_t epoch, uint64_t nano_usd)
{
    mpq_t hours;

    *has = spec_given(j->spec, "price", key);
    exact_ratio(hour, nano_usd, 1000000000);
    mpq_init(hours);
    exact_ratio(hours, 1, 3600);
    mpq_mul(hours, hours, r->seconds_per_epoch);
    mpq_mul(epoch, hour, hours);
    mpq_clear(hours);
}

/* "[ju-2020: 2020-04-07]", or both when the prices come from two places. */
static char *price_sources(const struct machine_spec *s)
{
    int t = spec_table("price");
    const char *demand = s->source[t][0], *preemptible = s->source[t][1];
    char both[256];

    if (!demand || !preemptible || strcmp(demand, preemptible) == 0)
        return copy(demand ? demand : preemptible);
    snprintf(both, sizeof both, "on demand %s, preemptible %s", demand, preemptible);
    return copy(both);
}

void job_money(const struct job *j, struct run_result *r)
{
    const struct trace_header *h = trace_head(j->trace);
    mpz_t samples, steps;

    mpz_inits(samples, steps, NULL);
    exact_addmul(samples, h->samples_per_step, j->spec->slice.cores / h->shared);
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
    mpz_clears(samples, steps, NULL);
    mpq_mul(r->seconds_per_epoch, r->seconds_per_step, r->steps_per_epoch);
    price(j, r, "on_demand", &r->has_price, r->usd_per_hour, r->usd_per_epoch,
          j->spec->price.on_demand);
    price(j, r, "preemptible", &r->has_preemptible, r->usd_per_hour_preemptible,
          r->usd_per_epoch_preemptible, j->spec->price.preemptible);
    r->price_source = price_sources(j->spec);
}
