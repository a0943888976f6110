/* plain_gpu.h - a GPU of one SM, one multiply-accumulate a cycle of each kind, a cache in which
 * nothing stays and a memory on which nothing waits. */
#ifndef TESTS_UNIT_PLAIN_GPU_H
#define TESTS_UNIT_PLAIN_GPU_H

#include "kernels/gpu.h"

static inline struct cap plain_cap(enum cap_gpu_isa isa)
{
    return (struct cap){ .core_hz = 1000000000,
                         .hbm_bytes_per_s = UINT64_C(1) << 62,
                         .gpu = { .isa = isa,
                                  .f32_share = 1000,
                                  .tensor_share = 1000,
                                  .sms = 1,
                                  .f16 = 1,
                                  .tf32 = 1,
                                  .f32 = 1,
                                  .l2_bytes = 1,
                                  .l2_bytes_per_s = UINT64_C(1) << 62 } };
}

#endif
