/* The section of the library that serves a product, and the rate of the chip. */
#include "kernels/gpu/gpu.h"

/* NULL where the library has no kernel. */
static const struct gpu_tiles *with_kernels(const struct gpu_tiles *t)
{
    return t->n ? t : NULL;
}

/* The section for a kind of product; where it lists none, that of the kind nearest to it, at the
 * rate of its own. */
const struct gpu_tiles *gpu_tiles(const struct cap_gpu *gpu, enum gpu_math math)
{
    const struct gpu_library *lib = &gpu->library;
    const struct gpu_tiles *own[GPU_N_MATHS] = {
        [GPU_F32] = &lib->product_f32,   [GPU_F64] = &lib->product_f64,
        [GPU_TF32] = &lib->product_tf32, [GPU_HALF] = &lib->product_half,
        [GPU_F8] = &lib->product_f8,     [GPU_S8] = &lib->product_f8,
    };
    bool cuda_cores = math == GPU_F32 || math == GPU_F64;

    if (!gpu_rate(gpu, math))
        return NULL;
    return own[math]->n ? own[math]
                        : with_kernels(cuda_cores ? &lib->product_f32 : &lib->product_half);
}

uint32_t gpu_rate(const struct cap_gpu *gpu, enum gpu_math math)
{
    const uint32_t rate[GPU_N_MATHS] = {
        [GPU_F32] = gpu->f32,   [GPU_F64] = gpu->f64_tensor ? gpu->f64_tensor : gpu->f64,
        [GPU_TF32] = gpu->tf32, [GPU_HALF] = gpu->f16,
        [GPU_F8] = gpu->f8,     [GPU_S8] = gpu->s8,
    };

    return rate[math];
}

/* Convolutions: n along channels, m along positions; of a gradient of the filter m along its
 * elements. */
const struct gpu_tiles *gpu_conv_tiles(const struct cap_gpu *gpu, const struct gpu_conv *v)
{
    const struct gpu_library *lib = &gpu->library;
    bool cores = v->math == GPU_F32 || v->math == GPU_F64;
    const struct gpu_tiles *special, *plain;

    if (v->kind == TRACE_CONV_WGRAD) {
        special = cores && v->rank == 3 ? &lib->wgrad_f32_3d
                  : v->math == GPU_TF32 ? &lib->wgrad_tf32
                                        : NULL;
        plain = cores ? &lib->wgrad_f32 : &lib->wgrad_half;
    } else {
        special = v->kind != TRACE_CONV_DGRAD ? NULL : cores ? &lib->dgrad_f32 : &lib->dgrad_half;
        plain = cores ? &lib->conv_f32 : &lib->conv_half;
    }
    return with_kernels(special && special->n ? special : plain);
}
