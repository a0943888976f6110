/* Which section of the library serves a product, and at which rate the chip does it. */
#include "kernels/gpu.h"

/* NULL where the library has no kernel. */
static const struct gpu_tiles *with_kernels(const struct gpu_tiles *t)
{
    return t->n ? t : NULL;
}

/* Products of 8 bits take the kernels of 16, at the rate of 8, and so do those in TF32 where it has
 * none of their own; those of f64 the ones of f32. */
const struct gpu_tiles *gpu_tiles(const struct cap_gpu *gpu, enum gpu_math math)
{
    const struct gpu_library *lib = &gpu->library;

    if (!gpu_rate(gpu, math))
        return NULL;
    if (math == GPU_F32 || math == GPU_F64)
        return with_kernels(&lib->product_f32);
    return with_kernels(math == GPU_TF32 && lib->product_tf32.n ? &lib->product_tf32
                                                                : &lib->product_half);
}

uint32_t gpu_rate(const struct cap_gpu *gpu, enum gpu_math math)
{
    const uint32_t rate[GPU_N_MATHS] = {
        [GPU_F32] = gpu->f32,  [GPU_F64] = gpu->f64, [GPU_TF32] = gpu->tf32,
        [GPU_HALF] = gpu->f16, [GPU_F8] = gpu->f8,   [GPU_S8] = gpu->s8,
    };

    return rate[math];
}

enum gpu_math gpu_math_of(const struct cap_gpu *gpu, enum trace_dtype d)
{
    switch (d) {
    case TRACE_F64: return GPU_F64;
    case TRACE_F16: return gpu->f16 ? GPU_HALF : GPU_F32;
    case TRACE_BF16: return gpu->bf16 ? GPU_HALF : gpu->f16 ? GPU_HALF : GPU_F32;
    case TRACE_S8:
    case TRACE_U8: return gpu->s8 ? GPU_S8 : GPU_F32;
    case TRACE_F8E4M3FN:
    case TRACE_F8E5M2: return gpu->f8 ? GPU_F8 : gpu->f16 ? GPU_HALF : GPU_F32;
    default: return gpu->tf32 && !gpu->strict ? GPU_TF32 : GPU_F32;
    }
}

enum gpu_math gpu_math_of_product(const struct cap_gpu *gpu, enum trace_dtype d, uint64_t m,
                                  uint64_t n)
{
    enum gpu_math math = gpu_math_of(gpu, d);

    return math == GPU_TF32 && (m == 1 || n == 1) ? GPU_F32 : math;
}

/* Convolutions: n along channels, m along positions. */
const struct gpu_tiles *gpu_conv_tiles(const struct cap_gpu *gpu, enum gpu_math math, bool wgrad)
{
    const struct gpu_library *lib = &gpu->library;

    if (math == GPU_F32 || math == GPU_F64)
        return with_kernels(wgrad ? &lib->wgrad_f32 : &lib->conv_f32);
    return with_kernels(wgrad ? &lib->wgrad_half : &lib->conv_half);
}
