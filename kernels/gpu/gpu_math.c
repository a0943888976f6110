/* Units of a GPU that multiply operands of each number type; types that it refuses. */
#include "kernels/gpu/gpu.h"

/* 8-bit floats of the tensor cores.  f8e4m3 differs from f8e4m3fn in its infinities alone. */
static bool is_f8(enum trace_dtype d)
{
    return d == TRACE_F8E4M3FN || d == TRACE_F8E4M3 || d == TRACE_F8E5M2;
}

static bool is_other_small_float(enum trace_dtype d)
{
    return d == TRACE_F4E2M1FN || d == TRACE_F8E3M4 || d == TRACE_F8E4M3B11FNUZ ||
           d == TRACE_F8E4M3FNUZ || d == TRACE_F8E5M2FNUZ || d == TRACE_F8E8M0FNU;
}

static bool is_small_integer(enum trace_dtype d)
{
    return d == TRACE_S1 || d == TRACE_S2 || d == TRACE_S4 || d == TRACE_U1 || d == TRACE_U2 ||
           d == TRACE_U4;
}

bool gpu_widens(const struct cap_gpu *gpu, enum trace_dtype d)
{
    return d == TRACE_BF16 && !gpu->bf16;
}

bool gpu_is_complex(enum trace_dtype d)
{
    return d == TRACE_C64 || d == TRACE_C128;
}

const char *gpu_refuses(const struct cap_gpu *gpu, enum trace_dtype d)
{
    if (is_other_small_float(d))
        return "no unit of this GPU multiplies such operands; 8-bit floating point is f8e4m3fn "
               "and f8e5m2";
    if (is_small_integer(d))
        return "no kernel of the libraries multiplies integers of less than 8 bits; those of 8 "
               "bits "
               "are s8 and u8";
    if (is_f8(d) && !gpu->f8)
        return "the tensor cores of this GPU have no products of 8-bit floating point (sm.f8 = 0); "
               "take bf16 or f16 operands";
    return NULL;
}

enum gpu_math gpu_math_of(const struct cap_gpu *gpu, enum trace_dtype d)
{
    enum gpu_math f32 = gpu->tf32 && !gpu->strict ? GPU_TF32 : GPU_F32;

    if (is_f8(d))
        return GPU_F8;
    switch (d) {
    case TRACE_F64:
    case TRACE_C128: return GPU_F64;
    case TRACE_F16: return gpu->f16 ? GPU_HALF : GPU_F32;
    case TRACE_BF16: return gpu->bf16 ? GPU_HALF : GPU_F32;
    case TRACE_S8:
    case TRACE_U8: return gpu->s8 ? GPU_S8 : GPU_F32;
    default: return f32;
    }
}

enum gpu_math gpu_math_of_product(const struct cap_gpu *gpu, enum trace_dtype d,
                                  enum trace_precision precision, uint64_t m, uint64_t n)
{
    enum gpu_math math = gpu_math_of(gpu, d);

    return math == GPU_TF32 && (m == 1 || n == 1 || precision == TRACE_HIGHEST) ? GPU_F32 : math;
}
