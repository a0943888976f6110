#include "run/speed.h"

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
    EXACT_Q(rate);
    exact_ratio(rate, r->product_rate, 1);
    speed_plain_peak(q, r);
    mpq_mul(q, q, rate);
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
    return r->product_rate > 1 ? "8-bit" : r->peak_dtype;
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
