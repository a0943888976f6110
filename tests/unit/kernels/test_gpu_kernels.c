/* Kernels of GPUs: which of a library's a product or convolution takes, in how many blocks and
 * cycles, and what is in the L2. */
#include <criterion/criterion.h>
#include <string.h>

#include "base/units.h"
#include "kernels/gpu/gpu.h"
#include "machine/spec/spec.h"

#define MIB (UINT64_C(1) << 20)

static struct cap cap_of(const char *machine)
{
    struct machine_spec *spec;
    struct cap cap;
    struct err err;

    cr_assert_eq(spec_load(&spec, machine, NULL, 0, &err), 0, "%s", err.msg);
    spec_cap(spec, &cap);
    spec_free(spec);
    return cap;
}

static struct gpu_plan plan_product(const char *machine, uint64_t b, uint64_t m, uint64_t n,
                                    uint64_t k, enum gpu_math math, bool tb)
{
    struct cap cap = cap_of(machine);
    uint32_t bytes = math == GPU_HALF ? 2 : 4;
    struct gpu_product p = { .b = b,
                             .m = m,
                             .n = n,
                             .k = k,
                             .math = math,
                             .element = bytes,
                             .tb = tb,
                             .useful = b * m * n * k,
                             .a_bytes = b * m * k * bytes,
                             .b_bytes = b * n * k * bytes,
                             .c_bytes = b * m * n * bytes };
    struct gpu_plan plan = { 0 };

    p.missed = p.a_bytes + p.b_bytes;
    gpu_product(&plan, &p, gpu_tiles(&cap.gpu, math), &cap);
    return plan;
}

/* 1,024 blocks of 128 x 128, 13 on the SM with the most; each 16,384 (4,096 + 34)
 * multiply-accumulates of 64 a cycle at 0.966 of the rate, 0.915 of the clock: 13 * 16,384 * 4,130
 * / 0.966 / 64 / 0.915. */
Test(gpu_kernels, a_large_product_on_v100_is_blocks_of_128)
{
    struct gpu_plan plan = plan_product("v100-sxm2-16gb", 1, 4096, 4096, 4096, GPU_F32, true);
    const struct task_grid *g = &plan.kernel[0];

    cr_expect_eq(plan.n, 1);
    cr_expect_eq(g->blocks, 1024);
    cr_expect_eq(g->waves, 13);
    cr_expect_float_eq((double)g->cycles[GRID_FMA], 15550170.0, 1.0);
    cr_expect_eq(g->cycles[GRID_TENSOR], 0);
    cr_expect_eq(g->useful, UINT64_C(68719476736));
    /* blocks fetch 256 rows of 4,096 elements each */
    cr_expect_eq(g->in.l2, UINT64_C(1024) * 256 * 4096 * 4);
}

/* Few blocks: k goes in parts, which a second kernel adds up. */
Test(gpu_kernels, a_long_sum_is_split)
{
    struct gpu_plan plan = plan_product("v100-sxm2-16gb", 1, 41, 262, 63194, GPU_F32, true);

    cr_assert_eq(plan.n, 2);
    /* 64 x 32, ceil(262 / 64) * ceil(41 / 32) = 10 blocks, in 8 parts: one for each SM */
    cr_expect_eq(plan.kernel[0].blocks, 80);
    cr_expect_eq(plan.kernel[0].waves, 1);
    cr_expect_eq(plan.kernel[1].in.l2, UINT64_C(41) * 262 * 4 * 8);
    cr_expect_eq(plan.workspace, UINT64_C(41) * 262 * 4 * 8);
}

/* Parts stay in the cache if they fill at most half of its 6 MiB: 200 x 400 sums of 4 B in 8 parts
 * do, 200 x 600 do not. */
Test(gpu_kernels, parts_of_a_sum_stay_in_half_of_the_cache)
{
    struct gpu_plan small = plan_product("v100-sxm2-16gb", 1, 200, 400, 63194, GPU_F32, true);
    struct gpu_plan large = plan_product("v100-sxm2-16gb", 1, 200, 600, 63194, GPU_F32, true);

    cr_expect_eq(small.workspace, 2560000);
    cr_expect_eq(small.kernel[0].out.l2, 2560000);
    cr_expect_eq(small.kernel[0].out.hbm, 0);
    cr_expect_eq(small.kernel[1].in.hbm, 0);
    cr_expect_eq(large.workspace, 3840000);
    cr_expect_eq(large.kernel[0].out.hbm, 3840000);
    cr_expect_eq(large.kernel[1].in.hbm, 3840000);
}

/* A copy stays in the L2 if its reads and writes together fill at most half of the 6 MiB. */
Test(gpu_kernels, both_sides_of_a_copy_stay_in_half_of_the_cache)
{
    struct cap cap = cap_of("v100-sxm2-16gb");
    struct gpu_plan plan = { 0 };

    gpu_plan_copy(&plan, MIB, 2 * MIB, 1000, &cap);
    gpu_plan_copy(&plan, 2 * MIB, 2 * MIB, 1000, &cap);
    cr_expect_eq(plan.kernel[0].in.hbm, 0);
    cr_expect_eq(plan.kernel[0].out.hbm, 0);
    cr_expect_eq(plan.kernel[1].in.l2, 2 * MIB);
    cr_expect_gt(plan.kernel[1].in.hbm, 0);
    cr_expect_gt(plan.kernel[1].out.hbm, 0);
}

/* Blocks are whole rows of the tensor cores' results, an SM holds a power of two of them and its
 * 65,536 registers their sums, and none is faster than the unit; Hopper's shares may be of a clock
 * that is not kept. */
static void check_tiles(const struct gpu_tiles *lib)
{
    for (uint32_t i = 0; lib && i < lib->n; i++) {
        const struct gpu_tile *t = &lib->tile[i];
        cr_expect(t->n % 16 == 0 && t->m % 32 == 0, "%u x %u", t->n, t->m);
        cr_expect_eq(t->resident & (t->resident - 1), 0, "%u blocks", t->resident);
        cr_expect(t->resident > 0 && t->n * t->m * t->resident <= 65536);
        cr_expect(t->share > 0 && t->share <= 1200000000);
    }
}

Test(gpu_kernels, tiles_of_all_libraries_are_ones_that_an_sm_holds)
{
    const char *machines[] = { "v100x1", "a100x1", "h100-sxm-80gb" };

    for (uint32_t i = 0; i < 3; i++) {
        struct cap cap = cap_of(machines[i]);
        for (enum gpu_math math = 0; math < GPU_N_MATHS; math++)
            check_tiles(gpu_tiles(&cap.gpu, math));
        for (int kind = 0; kind < 3; kind++)
            for (enum gpu_math math = 0; math < GPU_N_MATHS; math++) {
                static const enum trace_kind kinds[] = { TRACE_CONV, TRACE_CONV_DGRAD,
                                                         TRACE_CONV_WGRAD };
                struct gpu_conv v = { .kind = kinds[kind], .math = math, .rank = 2 };
                check_tiles(gpu_conv_tiles(&cap.gpu, &v));
                v.rank = 3;
                check_tiles(gpu_conv_tiles(&cap.gpu, &v));
            }
    }
}

/* B of 4 MiB is more than half of the cache: 160 blocks in flight are 20 rows of 8, so it comes
 * again for each 20 of 128 rows, seven times.  A of 64 MiB meets all columns at once. */
Test(gpu_kernels, an_operand_beyond_half_of_the_cache_comes_again)
{
    struct gpu_plan plan = plan_product("v100-sxm2-16gb", 1, 16384, 1024, 1024, GPU_F32, true);

    cr_expect_eq(plan.kernel[0].blocks, 1024);
    /* at 820 of the 950 thousandths that a stream reaches */
    cr_expect_eq(plan.kernel[0].in.hbm, (64 + 7 * 4) * MIB * 950 / 820);
}

/* PyTorch's batched products take one kernel on A100, of 128 x 128, even where half of it is empty.
 */
Test(gpu_kernels, a_batch_on_a100_takes_128_by_128)
{
    struct gpu_plan plan = plan_product("a100-pcie-40gb", 24, 361, 119, 801, GPU_F32, false);

    cr_expect_eq(plan.kernel[0].blocks, 72);
    plan = plan_product("v100-pcie-32gb", 24, 361, 119, 801, GPU_F32, false);
    cr_expect_eq(plan.kernel[0].blocks, 288, "64 x 64 on V100");
}

/* 132 blocks in flight on H100: as 8 x 16 each operand comes up to 16 times for 64 x 128 of them;
 * in a row one of them would come 128 times. */
static bool is_streamed(uint64_t b, uint64_t m, uint64_t n, uint64_t k)
{
    return gpu_is_streamed(&(struct gpu_product){ .b = b, .m = m, .n = n, .k = k });
}

/* Profiles name gemv for a batch by vectors and gemmk1 where nothing is summed. */
Test(gpu_kernels, a_batch_by_vectors_has_no_tiles)
{
    cr_expect(is_streamed(1024, 32, 1, 32));
    cr_expect(is_streamed(1024, 1, 32, 32));
    cr_expect(is_streamed(1024, 640, 640, 1));
    cr_expect_not(is_streamed(1024, 32, 2, 32));
    cr_expect_not(is_streamed(1, 32, 1, 32), "a lone product");
}

/* 1,024 x 32 x 32 multiplications over 108 SMs of 64; every operand once; ten blocks on an SM, 0.85
 * us each at 1.41 GHz. */
Test(gpu_kernels, products_by_vectors_read_each_operand_once)
{
    struct cap cap = cap_of("a100-sxm4-40gb");
    struct gpu_product p = { .b = 1024,
                             .m = 32,
                             .n = 1,
                             .k = 32,
                             .math = GPU_F32,
                             .element = 4,
                             .a_bytes = 4194304,
                             .b_bytes = 131072,
                             .c_bytes = 131072,
                             .missed = 4325376 };
    struct gpu_plan plan = { 0 };

    gpu_product_streamed(&plan, &p, &cap);
    cr_assert_eq(plan.n, 1);
    cr_expect_eq(plan.kernel[0].blocks, 1024);
    cr_expect_eq(plan.kernel[0].cycles[GRID_FMA], 152);
    cr_expect_eq(plan.kernel[0].cycles[GRID_SMEM], 11985);
    cr_expect_eq(plan.kernel[0].in.hbm, 4325376);
    cr_expect_eq(plan.kernel[0].out.hbm, 131072);
}

Test(gpu_kernels, blocks_in_flight_on_h100_lie_as_a_rectangle)
{
    struct gpu_plan plan = plan_product("h100-sxm-80gb", 1, 16384, 16384, 16384, GPU_HALF, false);
    uint64_t operand = UINT64_C(2) * 16384 * 16384;

    cr_expect_leq(plan.kernel[0].in.hbm, 26 * operand); /* at 0.89 of the memory, not 0.95 */
    cr_expect_geq(plan.kernel[0].in.hbm, 4 * operand);
}

Test(gpu_kernels, each_dtype_has_its_unit)
{
    struct cap v100 = cap_of("v100x1"), a100 = cap_of("a100x1"), h100 = cap_of("h100-sxm-80gb");

    cr_expect_eq(gpu_math_of(&v100.gpu, TRACE_F32), GPU_F32);
    cr_expect_eq(gpu_math_of(&a100.gpu, TRACE_F32), GPU_TF32);
    a100.gpu.strict = true;
    cr_expect_eq(gpu_math_of(&a100.gpu, TRACE_F32), GPU_F32);
    cr_expect_eq(gpu_math_of(&v100.gpu, TRACE_F16), GPU_HALF);
    cr_expect_eq(gpu_math_of(&h100.gpu, TRACE_F8E4M3FN), GPU_F8);
    cr_expect_eq(gpu_math_of(&v100.gpu, TRACE_F64), GPU_F64);
    cr_expect_eq(gpu_rate(&h100.gpu, GPU_HALF), 2048);
    cr_expect_null(gpu_tiles(&v100.gpu, GPU_TF32));
}

/* --- convolutions ----------------------------------------------------------------------------- */

/* 32 images of 56 x 56, 64 channels to 64, 3 x 3. */
static struct gpu_conv conv_of_resnet(enum trace_kind kind)
{
    struct gpu_conv v = { .kind = kind,
                          .math = GPU_F32,
                          .images = 32,
                          .groups = 1,
                          .c = 64,
                          .k = 64,
                          .in = 3136,
                          .out = 3136,
                          .taps = 9,
                          .side = { 56, 56, 1 },
                          .filter = { 3, 3, 1 },
                          .rank = 2,
                          .size = 3,
                          .element = 4 };

    v.a_bytes = v.c_bytes = UINT64_C(4) * 32 * 64 * 3136;
    v.b_bytes = 4 * 64 * 64 * 9;
    v.missed = v.a_bytes + v.b_bytes;
    v.useful = UINT64_C(32) * 3136 * 64 * 64 * 9;
    return v;
}

/* Blocks of 8 x 16 positions and 32 channels: 32 * 7 * 4 * 2, 23 on the SM with the most; each
 * 4,096 (8
 * * 72 + 110) multiply-accumulates at twice the rate of a direct one. */
Test(gpu_kernels, a_convolution_of_3_by_3_is_a_fused_winograd)
{
    struct cap cap = cap_of("v100-sxm2-16gb");
    struct gpu_conv v = conv_of_resnet(TRACE_CONV);
    struct gpu_plan plan = { 0 };

    gpu_conv(&plan, &v, &cap);
    cr_expect_eq(plan.n, 1);
    cr_expect_eq(plan.kernel[0].blocks, 1792);
    cr_expect_float_eq((double)plan.kernel[0].cycles[GRID_FMA], 23.0 * 4096 * 686 / 2 / 64 / .915,
                       4.0);
}

Test(gpu_kernels, its_filter_gradient_is_an_unfused_winograd)
{
    struct cap cap = cap_of("v100-sxm2-16gb");
    struct gpu_conv v = conv_of_resnet(TRACE_CONV_WGRAD);
    struct gpu_plan plan = { 0 };

    gpu_conv(&plan, &v, &cap);
    cr_expect_eq(plan.n, 4, "two transforms, the products, the last transform");
    /* 32 * 14 * 14 tiles of 64 channels of the image and of the result, and the filter, 36 values
     */
    cr_expect_eq(plan.workspace, UINT64_C(4) * 36 * 64 * (6272 + 6272 + 64));
}

/* In three dimensions there is no Winograd; 8 channels leave three quarters of a tile of 32 empty.
 */
Test(gpu_kernels, a_convolution_in_three_dimensions_is_an_implicit_product)
{
    struct cap cap = cap_of("v100-sxm2-16gb");
    struct gpu_conv v = { .kind = TRACE_CONV,
                          .math = GPU_F32,
                          .images = 128,
                          .groups = 1,
                          .c = 16,
                          .k = 8,
                          .in = 51 * 51 * 25,
                          .out = 51 * 51 * 25,
                          .taps = 180,
                          .side = { 51, 51, 25 },
                          .filter = { 5, 6, 6 },
                          .rank = 3,
                          .element = 4 };
    struct gpu_plan plan = { 0 };

    cap.gpu.library.convolution.fourier = 0; /* as cuDNN 9 has none for three dimensions */
    v.a_bytes = v.missed = UINT64_C(4) * 128 * 16 * v.in;
    v.c_bytes = v.a_bytes / 2;
    v.b_bytes = 4 * 8 * 16 * 180;
    gpu_conv(&plan, &v, &cap);
    cr_expect_eq(plan.n, 1);
    cr_expect_eq(plan.kernel[0].blocks, 65025, "128 * 65,025 positions in blocks of 128");
    /* 813 blocks of 128 * 32 * (2,880 + 10) at 0.8 of the rate, 0.915 of the clock */
    cr_expect_float_eq((double)plan.kernel[0].cycles[GRID_FMA],
                       813.0 * 4096 * 2890 / .8 / 64 / .915, 100.0);
}

/* 64 groups of one channel: an implicit product would compute 32 columns for one. */
Test(gpu_kernels, a_convolution_of_each_channel_by_itself_is_direct)
{
    struct cap cap = cap_of("v100-sxm2-16gb");
    struct gpu_conv v = conv_of_resnet(TRACE_CONV);
    struct gpu_plan plan = { 0 };

    v.groups = 64;
    v.c = v.k = 1;
    v.b_bytes = 4 * 64 * 9;
    v.useful = UINT64_C(32) * 3136 * 64 * 9;
    gpu_conv(&plan, &v, &cap);
    cr_assert_eq(plan.n, 1);
    /* four times its multiply-accumulates at 64 a cycle of each SM, 0.915 of the clock */
    cr_expect_float_eq((double)plan.kernel[0].cycles[GRID_FMA], 4.0 * 57802752 / 5120 / .915, 3.0);
}

/* The gradient of the image that 3DGAN's discriminator reads: an implicit product would compute 32
 * columns for one.  Twenty times its multiply-accumulates at 64 a cycle of each SM. */
Test(gpu_kernels, a_gradient_of_one_channel_in_three_dimensions_is_direct)
{
    struct cap cap = cap_of("v100-sxm2-16gb");
    struct gpu_conv v = { .kind = TRACE_CONV_DGRAD,
                          .math = GPU_F32,
                          .images = 96,
                          .groups = 1,
                          .c = 1,
                          .k = 16,
                          .in = 51 * 51 * 25,
                          .out = 51 * 51 * 25,
                          .taps = 180,
                          .side = { 51, 51, 25 },
                          .filter = { 5, 6, 6 },
                          .rank = 3,
                          .element = 4,
                          .useful = UINT64_C(96) * 65025 * 180 * 16 };
    struct gpu_plan plan = { 0 };

    cap.gpu.library.convolution.fourier = 0; /* as cuDNN 9 has none for three dimensions */
    v.a_bytes = v.missed = UINT64_C(4) * 96 * 16 * v.out;
    v.c_bytes = v.a_bytes / 16;
    v.b_bytes = 4 * 16 * 180;
    gpu_conv(&plan, &v, &cap);
    cr_assert_eq(plan.n, 1);
    cr_expect_float_eq((double)plan.kernel[0].cycles[GRID_FMA],
                       20.0 * 96 * 65025 * 180 * 16 / 5120 / .915, 3.0);
}

/* --- the L2 ------------------------------------------------------------------------------------
 */

Test(gpu_kernels, values_stay_in_the_cache_until_as_many_bytes_have_passed)
{
    struct gpu_cache c;

    gpu_cache_init(&c, 4, 1000, false);
    cr_expect_eq(gpu_cache_read(&c, 0, 400), 400, "nobody has read it");
    cr_expect_eq(gpu_cache_read(&c, 0, 400), 0);
    cr_expect_eq(gpu_cache_write(&c, 1, 500), 500);
    cr_expect_eq(gpu_cache_read(&c, 1, 500), 0, "it has just been written");
    cr_expect_eq(gpu_cache_read(&c, 0, 400), 400, "1,000 bytes have passed since");
    cr_expect_eq(gpu_cache_write(&c, 2, 700), 700);
    cr_expect_eq(gpu_cache_read(&c, 0, 400), 100, "its first 100 bytes are replaced");
    cr_expect_eq(gpu_cache_read(&c, 3, 2000), 2000);
    cr_expect_eq(gpu_cache_read(&c, 3, 2000), 1000, "half of it is still there");
    gpu_cache_free(&c);
}

Test(gpu_kernels, a_kernel_that_runs_again_and_again_finds_what_fits)
{
    struct gpu_cache c;

    gpu_cache_init(&c, 3, 1000, true);
    cr_expect_eq(gpu_cache_read(&c, 0, 400), 0);
    cr_expect_eq(gpu_cache_write(&c, 1, 400), 0);
    gpu_cache_free(&c);
    gpu_cache_init(&c, 3, 1000, true);
    cr_expect_eq(gpu_cache_read(&c, 0, 4000), 3000);
    gpu_cache_free(&c);
}
