/* The kernels that cuBLAS has for matrix products, by architecture and unit.
 *
 * Shares and k_more are fitted on one half of measured products [gpu-gemm], told apart by a hash of
 * their shapes; which of a library's kernels exist is read off their names in profiles. */
#include "kernels/gpu.h"

/* volta_sgemm; the last two are for batches, the tile 64x64 for them alone */
static const struct gpu_tile volta_f32[] = {
    { 128, 128, 966, 34, 2, -100, false }, { 128, 64, 932, 20, 4, 50, false },
    { 128, 32, 868, 41, 4, 0, false },     { 128, 32, 818, 59, 4, -50, true },
    { 64, 32, 795, 84, 8, -100, true },    { 32, 32, 674, 19, 8, -150, true },
    { 32, 128, 858, 13, 4, 50, false },    { 64, 64, 829, 4, 8, 0, false },
};
/* ampere_sgemm; a batch takes 128x128 */
static const struct gpu_tile ampere_f32[] = {
    { 128, 64, 911, 9, 4, 0, false },   { 32, 128, 836, 0, 4, -50, false },
    { 128, 32, 838, 0, 4, -50, false }, { 128, 32, 805, 13, 4, -100, true },
    { 64, 32, 742, 8, 8, -50, true },   { 32, 32, 706, 18, 8, -100, true },
    { 128, 128, 983, 10, 2, 0, false },
};
/* sm80_xmma_gemm_f32f32 and cutlass_80_simt_sgemm */
static const struct gpu_tile hopper_f32[] = {
    { 128, 128, 820, 34, 2, 0, false }, { 256, 128, 811, 39, 1, 0, false },
    { 128, 256, 811, 39, 1, 0, false }, { 256, 64, 758, 30, 2, 0, false },
    { 64, 256, 758, 30, 2, 0, false },  { 128, 64, 725, 37, 4, 0, false },
    { 64, 128, 690, 20, 4, 0, false },  { 32, 128, 586, 18, 4, 0, false },
    { 64, 64, 617, 24, 8, 0, false },   { 32, 32, 452, 20, 8, 0, false },
};
static const struct gpu_tile volta_half[] = {
    { 256, 128, 950, 188, 1, 0, false },
    { 128, 128, 690, 188, 2, 0, false },
    { 64, 128, 950, 188, 2, 0, false },
    { 64, 64, 640, 188, 4, 0, false },
};
static const struct gpu_tile ampere_tf32[] = {
    { 256, 128, 770, 110, 1, 0, false },
    { 128, 128, 800, 110, 2, 0, false },
    { 64, 128, 550, 110, 2, 0, false },
    { 64, 64, 600, 110, 4, 0, false },
};
/* Not fitted: between those of V100 and of TF32. */
static const struct gpu_tile ampere_half[] = {
    { 256, 128, 850, 150, 1, 0, false },
    { 128, 128, 800, 150, 2, 0, false },
    { 64, 128, 600, 150, 2, 0, false },
    { 64, 64, 500, 150, 4, 0, false },
};
static const struct gpu_tile hopper_half[] = {
    { 128, 128, 1000, 250, 1, 0, false },
    { 64, 128, 1140, 250, 2, 0, false },
    { 64, 64, 800, 250, 4, 0, false },
};
static const struct gpu_tile hopper_tf32[] = {
    { 128, 256, 680, 72, 1, 0, false },
    { 64, 128, 620, 72, 2, 0, false },
};

#define TILES(list) .tile = list, .n = sizeof list / sizeof *list
static const struct gpu_tiles library[CAP_GPU_N_ISAS][GPU_N_MATHS] = {
    [CAP_GPU_VOLTA] = {
        [GPU_F32] = { TILES(volta_f32), .scattered = true, .single = 7, .batched = 6, .memory = 820, .more_ns = 2000,
                      .least_k = 64, .long_k = 15000, .split_blocks = 8000, .split_bytes = 2,
                      .reduce_ns = 5000, .unaligned = 1000 },
        [GPU_HALF] = { TILES(volta_half), .single = 4, .memory = 950, .thin = 420, .more_ns = 2800,
                       .least_k = 64, .split_blocks = 8000, .split_ns = 6700, .split_bytes = 2,
                       .reduce_ns = 6700, .unaligned = 1000, .turns = true },
    },
    [CAP_GPU_AMPERE] = {
        [GPU_F32] = { TILES(ampere_f32), .single = 6, .batched = 6, .memory = 880, .more_ns = 1500,
                      .least_k = 128, .long_k = 32000, .split_blocks = 500, .split_ns = 100000,
                      .split_bytes = 16, .reduce_ns = 5000, .unaligned = 1000 },
        [GPU_TF32] = { TILES(ampere_tf32), .single = 4, .memory = 800, .more_ns = 2500,
                       .least_k = 64, .split_blocks = 8000, .split_ns = 3000, .split_bytes = 1,
                       .reduce_ns = 3000, .unaligned = 480, .turns = true },
        [GPU_HALF] = { TILES(ampere_half), .single = 4, .memory = 800, .more_ns = 2500,
                       .least_k = 64, .split_blocks = 8000, .split_ns = 3000, .split_bytes = 1,
                       .reduce_ns = 3000, .unaligned = 250, .turns = true },
    },
    [CAP_GPU_HOPPER] = {
        [GPU_F32] = { TILES(hopper_f32), .swizzled = true, .both_along_k = 945, .single = 10, .memory = 800, .more_ns = 1000,
                      .least_k = 128, .split_blocks = 1000, .split_ns = 100000, .split_bytes = 16,
                      .reduce_ns = 5000, .unaligned = 1000 },
        [GPU_TF32] = { TILES(hopper_tf32), .swizzled = true, .fetched = 667, .single = 2, .memory = 950, .more_ns = 6000,
                       .least_k = 64, .split_from = 2048, .split_most = 1 << 18, .split_batches = true, .split_blocks = 8000, .unaligned = 300, .turns = true },
        [GPU_HALF] = { TILES(hopper_half), .swizzled = true, .fetched = 500, .single = 3, .memory = 1000, .more_ns = 3200,
                       .least_k = 64, .split_blocks = 8000, .split_ns = 2000, .split_bytes = 1,
                       .reduce_ns = 2000, .unaligned = 100, .turns = true },
    },
};

/* Products of 8 bits take the kernels of 16, at the rate of 8; those of f64 the ones of f32. */
static enum gpu_math library_of(enum gpu_math math)
{
    return math == GPU_F8 || math == GPU_S8 ? GPU_HALF : math == GPU_F64 ? GPU_F32 : math;
}

const struct gpu_tiles *gpu_tiles(const struct cap_gpu *gpu, enum gpu_math math)
{
    const struct gpu_tiles *t = &library[gpu->isa][library_of(math)];

    return t->n && gpu_rate(gpu, math) ? t : NULL;
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

/* --- convolutions: n along channels, m along positions ---------------------------------------- */

/* scudnn and its successors, by precomputed offsets */
static const struct gpu_tile volta_conv[] = { { 128, 128, 950, 10, 2, 0, false },
                                              { 64, 128, 930, 10, 4, 0, false },
                                              { 32, 128, 800, 10, 4, 0, false } };
static const struct gpu_tile ampere_conv[] = { { 128, 128, 720, 10, 2, 0, false },
                                               { 64, 128, 720, 10, 4, 0, false },
                                               { 32, 128, 660, 10, 4, 0, false } };
/* Not measured: between those of A100 and what products reach. */
static const struct gpu_tile hopper_conv[] = { { 128, 128, 600, 10, 2, 0, false },
                                               { 64, 128, 550, 10, 4, 0, false },
                                               { 32, 128, 500, 10, 4, 0, false } };
/* gradients of the filter, in parts of the positions; shares times those of gpu_conv.c */
static const struct gpu_tile wgrad_conv[] = { { 128, 128, 1000, 10, 2, 0, false },
                                              { 128, 64, 800, 10, 4, 0, false },
                                              { 64, 128, 500, 10, 4, 0, false },
                                              { 32, 128, 1000, 10, 4, 0, false },
                                              { 32, 32, 600, 10, 8, 0, false } };
static const struct gpu_tile volta_conv_half[] = {
    { 128, 256, 874, 25, 1, 0, false }, { 128, 128, 617, 25, 2, 0, false },
    { 64, 128, 350, 25, 2, 0, false },  { 64, 256, 826, 25, 1, 0, false },
    { 64, 64, 398, 25, 4, 0, false },   { 32, 128, 211, 25, 4, 0, false },
};
/* Not fitted. */
static const struct gpu_tile ampere_conv_half[] = {
    { 128, 256, 750, 50, 1, 0, false }, { 128, 128, 620, 50, 2, 0, false },
    { 64, 128, 400, 50, 2, 0, false },  { 64, 256, 700, 50, 1, 0, false },
    { 64, 64, 350, 50, 4, 0, false },   { 32, 128, 200, 50, 4, 0, false },
};
static const struct gpu_tile hopper_conv_half[] = {
    { 128, 128, 470, 128, 1, 0, false }, { 96, 128, 600, 128, 1, 0, false },
    { 64, 128, 360, 128, 2, 0, false },  { 64, 64, 220, 128, 4, 0, false },
    { 32, 128, 160, 128, 4, 0, false },
};

#define CONV(list, ...)                                                                            \
    {                                                                                              \
        TILES(list), .single = sizeof list / sizeof *list, .unaligned = 1000, __VA_ARGS__          \
    }
/* [isa][f32, tensor cores][gradient of the filter] */
static const struct gpu_tiles conv_library[CAP_GPU_N_ISAS][2][2] = {
    [CAP_GPU_VOLTA] = {
        { CONV(volta_conv, .memory = 850, .more_ns = 2000),
          CONV(wgrad_conv, .memory = 850, .more_ns = 10000, .least_k = 64, .most_split = 256,
               .split_ns = 3000, .split_bytes = 1, .reduce_ns = 1000) },
        { CONV(volta_conv_half, .memory = 750, .more_ns = 5400, .turns = true, .least_k = 64,
               .most_split = 8, .split_blocks = 1000, .split_ns = 2000, .split_bytes = 1),
          CONV(volta_conv_half, .memory = 750, .more_ns = 4600, .turns = true, .least_k = 64,
               .most_split = 256, .split_ns = 2000, .split_bytes = 1) },
    },
    [CAP_GPU_AMPERE] = {
        { CONV(ampere_conv, .memory = 850, .more_ns = 2000),
          CONV(wgrad_conv, .memory = 850, .more_ns = 10000, .least_k = 64, .most_split = 256,
               .split_ns = 3000, .split_bytes = 1, .reduce_ns = 1000) },
        { CONV(ampere_conv_half, .memory = 750, .more_ns = 4000, .turns = true, .least_k = 64,
               .most_split = 8, .split_blocks = 1000, .split_ns = 2000, .split_bytes = 1),
          CONV(ampere_conv_half, .memory = 750, .more_ns = 4000, .turns = true, .least_k = 64,
               .most_split = 256, .split_ns = 2000, .split_bytes = 1) },
    },
    [CAP_GPU_HOPPER] = {
        { CONV(hopper_conv, .swizzled = true, .memory = 850, .more_ns = 2000),
          CONV(wgrad_conv, .memory = 850, .more_ns = 10000, .least_k = 64, .most_split = 256,
               .split_ns = 3000, .split_bytes = 1, .reduce_ns = 1000) },
        { CONV(hopper_conv_half, .swizzled = true, .memory = 800, .more_ns = 3000, .turns = true, .fetched = 500,
               .least_k = 64, .most_split = 8, .split_blocks = 1000, .split_ns = 2000,
               .split_bytes = 1),
          CONV(hopper_conv_half, .swizzled = true, .memory = 800, .more_ns = 3000, .turns = true, .fetched = 500,
               .least_k = 64, .most_split = 256, .split_ns = 2000, .split_bytes = 1) },
    },
};

const struct gpu_tiles *gpu_conv_tiles(const struct cap_gpu *gpu, enum gpu_math math, bool wgrad)
{
    return &conv_library[gpu->isa][math != GPU_F32 && math != GPU_F64][wgrad];
}
