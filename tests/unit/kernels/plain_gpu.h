/* plain_gpu.h - a GPU of one SM, one multiply-accumulate a cycle of each kind, a cache in which
 * nothing stays and a memory on which nothing waits, with the library of a chip. */
#ifndef UNIT_KERNELS_PLAIN_GPU_H
#define UNIT_KERNELS_PLAIN_GPU_H

#include <criterion/criterion.h>

#include "kernels/gpu/gpu.h"
#include "machine/spec/spec.h"

/* The library of the chip of that instruction set; it stays. */
static inline struct gpu_library plain_library(enum cap_gpu_isa isa)
{
    static struct machine_spec *spec[CAP_GPU_N_ISAS];
    const char *const name[] = { "v100-sxm2-16gb", "a100-sxm4-40gb", "h100-sxm-80gb" };
    struct cap cap;
    struct err err;

    if (!spec[isa])
        cr_assert_eq(spec_load(&spec[isa], name[isa], NULL, 0, &err), 0, "%s", err.msg);
    spec_cap(spec[isa], &cap);
    return cap.gpu.library;
}

static inline struct cap plain_cap(enum cap_gpu_isa isa)
{
    return (struct cap){ .core_hz = 1000000000,
                         .hbm_bytes_per_s = UINT64_C(1) << 62,
                         .gpu = { .library = plain_library(isa),
                                  .isa = isa,
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
