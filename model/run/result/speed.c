#include "run/result/speed.h"

#include "base/exact.h"

void speed_achieved(mpq_t q, const struct run_result *r)
{
    mpq_div(q, r->model_flops, r->seconds_per_step);
}

void speed_plain_peak(mpq_t q, const struct run_result *r)
{
    EXACT_Q(cores);
    exact_ratio(cores, r->cores, 1);
    mpq_mul(q, r->peak_flops, cores);
}

void speed_peak(mpq_t q, const struct run_result *r)
{
    speed_plain_peak(q, r);
    if (mpq_sgn(r->plain_flops) == 0)
        return;
    mpq_mul(q, q, r->model_flops);
    mpq_div(q, q, r->plain_flops);
}

void speed_utilization(mpq_t q, const struct run_result *r)
{
    EXACT_Q(peak);
    speed_peak(peak, r);
    speed_achieved(q, r);
    mpq_div(q, q, peak);
}

const char *speed_dtype(const struct run_result *r)
{
    return !r->has_fast ? r->peak_dtype : r->has_plain ? "mixed dtypes" : "8-bit";
}

void speed_samples_per_chip(mpq_t q, const struct run_result *r)
{
    EXACT_Q(chips);
    exact_ratio(chips, r->chips, 1);
    mpq_div(q, r->samples_per_second, chips);
}

void speed_hbm_of_chip(mpq_t q, const struct run_result *r)
{
    EXACT_Q(cores);
    exact_ratio(cores, r->cores, r->chips);
    mpq_mul(q, r->hbm_bytes_per_second, cores);
}
