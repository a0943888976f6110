/* speed.h - the share of a slice's peak that a step reaches, from a result, exact.
 *
 *     achieved = r->model_flops / r->seconds_per_step          FLOP/s of the slice
 *     peak     = r->peak_flops * r->cores * r->model_flops / r->plain_flops
 *     model FLOP utilization (MFU) = achieved / peak
 *
 * The peak is that of the dtype of the step's products: 8 bits where the chip is faster with them,
 * else r->peak_dtype.  A step with products of both has a peak in between, in proportion to the
 * time that they take at their own peaks. */
#ifndef RUN_RESULT_SPEED_H
#define RUN_RESULT_SPEED_H

#include "run/result/result.h"

/* q = the figure of the same name, above. */
void speed_achieved(mpq_t q, const struct run_result *r);
void speed_peak(mpq_t q, const struct run_result *r);
void speed_utilization(mpq_t q, const struct run_result *r);

/* q = FLOP/s of the slice in r->peak_dtype, whatever the step has. */
void speed_plain_peak(mpq_t q, const struct run_result *r);

/* The dtype of the peak: r->peak_dtype, "8-bit", or "mixed dtypes". */
const char *speed_dtype(const struct run_result *r);

/* q = samples a second of a chip. */
void speed_samples_per_chip(mpq_t q, const struct run_result *r);

/* q = bytes a second of the HBM of a chip. */
void speed_hbm_of_chip(mpq_t q, const struct run_result *r);

#endif
