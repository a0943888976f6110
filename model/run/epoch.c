#include "run/epoch.h"

#include "base/exact.h"
#include "run/job/job.h"
#include "run/result/padding.h"

void epoch_million_samples(mpq_t q, const struct run_result *r, const mpq_t per_hour)
{
    EXACT_Q(seconds);
    mpq_set_ui(seconds, 1000000, 1);
    mpq_div(seconds, seconds, r->samples_per_second);
    cost_usd(q, per_hour, seconds);
}

void epoch_run_seconds(mpq_t q, const struct run_result *r)
{
    exact_ratio(q, r->epochs, 1);
    mpq_mul(q, q, r->seconds_per_epoch);
}

bool epoch_has_run(const struct run_result *r)
{
    return r->epochs > 0 && r->has_epoch;
}

/* Whole global batches; what is left over of an epoch is dropped, as the input pipelines do, but an
 * epoch smaller than a batch takes one step. */
static void count_steps(const struct trace_header *h, struct run_result *r)
{
    EXACT_Z(steps);
    exact_set_u64(r->samples_left, h->samples_per_epoch);
    mpz_fdiv_q(steps, r->samples_left, r->samples_per_step);
    if (mpz_sgn(steps) == 0)
        mpz_set_ui(steps, 1);
    if (h->steps_per_epoch)
        exact_set_u64(steps, h->steps_per_epoch);
    mpq_set_z(r->steps_per_epoch, steps);
    mpq_mul(r->seconds_per_epoch, r->seconds_per_step, r->steps_per_epoch);
    mpz_submul(r->samples_left, steps, r->samples_per_step);
}

bool epoch_is_short(const struct run_result *r)
{
    return r->has_epoch && mpz_sgn(r->samples_left) < 0 &&
           mpq_cmp_ui(r->steps_per_epoch, 1, 1) == 0;
}

void epoch_dropped(mpq_t q, const struct run_result *r)
{
    mpq_set_ui(q, 0, 1);
    if (mpz_sgn(r->samples_left) > 0)
        mpq_set_z(q, r->samples_left);
}

void epoch_added(mpq_t q, const struct run_result *r)
{
    mpq_set_ui(q, 0, 1);
    if (mpz_sgn(r->samples_left) < 0)
        mpq_set_z(q, r->samples_left);
    mpq_abs(q, q);
}

/* Set the samples a second: what the steps of an epoch hold beyond the data set is padding. */
static void set_rate(struct run_result *r)
{
    bool padded = r->has_epoch && mpz_sgn(r->samples_left) < 0;

    if (padded)
        exact_ratio(r->samples_per_second, r->samples_per_epoch, 1);
    else
        mpq_set_z(r->samples_per_second, r->samples_per_step);
    mpq_div(r->samples_per_second, r->samples_per_second,
            padded ? r->seconds_per_epoch : r->seconds_per_step);
}

void job_epoch(const struct job *j, struct run_result *r)
{
    const struct trace_header *h = trace_head(j->trace);

    exact_addmul(r->samples_per_step, h->samples_per_step, spec_cores(j->spec) / h->shared);
    padding_real_samples(h, r->samples_per_step);
    r->samples_unknown = h->samples_unknown;
    r->samples_per_epoch = h->samples_per_epoch;
    r->has_epoch = h->samples_per_epoch != 0;
    r->unfed = job_is_unfed(j);
    count_steps(h, r);
    set_rate(r);
    r->epochs = j->q->epochs;
}
