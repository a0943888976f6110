/* Convolutions of GPUs on a chip of one SM, one multiply-accumulate a cycle and a memory without
 * end: the time of each pass, of Winograd's transforms, and of a strided gradient.
 *
 * A block of n x m over k takes n m (k + k_more) / share of its kernel / share of the pass. */
#include <criterion/criterion.h>

#include "base/units.h"
#include "plain_gpu.h"

/* 1,280 positions of an image in three dimensions, where there is no Winograd. */
static struct gpu_conv conv_of(enum trace_kind kind, enum gpu_math math, uint64_t c, uint64_t k)
{
    return (struct gpu_conv){ .kind = kind,
                              .math = math,
                              .images = 1,
                              .groups = 1,
                              .c = c,
                              .k = k,
                              .in = 1280,
                              .out = 1280,
                              .taps = 1,
                              .rank = 3,
                              .element = math == GPU_HALF ? 2 : 4 };
}

static uint64_t cycles_of(enum cap_gpu_isa isa, const struct gpu_conv *v)
{
    struct cap cap = plain_cap(isa);
    struct gpu_plan plan = { 0 };

    gpu_conv(&plan, v, &cap);
    cr_assert_eq(plan.n, 1);
    return plan.kernel[0].cycles[v->math == GPU_HALF ? GRID_TENSOR : GRID_FMA];
}

/* 10 blocks of 128 x 128 over 128 channels, and 10 steps more, at 0.95, 0.72 of V100, A100;
 * gradients of the image at 0.88 of that.  Those of the filter sum over the 1,280 positions
 * at a share of their own, with one tap and, in 3 blocks, with three. */
Test(gpu_conv, each_pass_in_f32_has_its_share)
{
    static const uint64_t cycles[CAP_GPU_HOPPER][4] = {
        [CAP_GPU_VOLTA] = { 23799915, 27045357, 32023272, 73728000 },  /* 0.66, 0.86 */
        [CAP_GPU_AMPERE] = { 31402666, 35684847, 42270720, 97547815 }, /* 0.5, 0.65 */
    };

    for (enum cap_gpu_isa isa = 0; isa < CAP_GPU_HOPPER; isa++) {
        struct gpu_conv v = conv_of(TRACE_CONV, GPU_F32, 128, 128);
        cr_expect_eq(cycles_of(isa, &v), cycles[isa][0], "%d", isa);
        v.kind = TRACE_CONV_DGRAD;
        cr_expect_eq(cycles_of(isa, &v), cycles[isa][1], "%d", isa);
        v.kind = TRACE_CONV_WGRAD;
        cr_expect_eq(cycles_of(isa, &v), cycles[isa][2], "%d", isa);
        v.taps = 3;
        cr_expect_eq(cycles_of(isa, &v), cycles[isa][3], "%d", isa);
    }
}

/* On V100, 256 channels of the result in blocks of 128 x 256: 5 over the 128 channels, and 25 steps
 * more; gradients of the image over 256 at 0.855, of the filter over 1,280 at 0.905.  129 channels
 * are padded to 136, at 0.214. */
Test(gpu_conv, each_pass_in_half_has_its_share)
{
    struct gpu_conv v = conv_of(TRACE_CONV, GPU_HALF, 128, 256);

    cr_expect_eq(cycles_of(CAP_GPU_VOLTA, &v), 57362745);
    v.c = 129;
    cr_expect_eq(cycles_of(CAP_GPU_VOLTA, &v), 282065911);
    v.c = 256;
    v.kind = TRACE_CONV_WGRAD;
    cr_expect_eq(cycles_of(CAP_GPU_VOLTA, &v), 108126072);
    v.kind = TRACE_CONV_DGRAD;
    cr_expect_eq(cycles_of(CAP_GPU_VOLTA, &v), 123219291);
}

/* Channels first, 27 taps: image, result and filter change their layout, as they do on H100. */
Test(gpu_conv, layouts_change_on_a100_as_on_h100)
{
    for (enum cap_gpu_isa isa = CAP_GPU_AMPERE; isa < CAP_GPU_N_ISAS; isa++) {
        struct gpu_conv v = conv_of(TRACE_CONV, GPU_HALF, 64, 64);
        struct cap cap = plain_cap(isa);
        struct gpu_plan plan = { 0 };
        v.taps = 27;
        v.channels_first = true;
        gpu_conv(&plan, &v, &cap);
        cr_expect_eq(plan.n, 4, "%d", isa);
    }
}

/* 16 images of 8 x 8, 64 channels to 64, 5 x 5: 256 tiles of 2 x 2 with 36 values each.  The
 * transforms read 1,024 positions, the filter's 25 values and 36 of each tile, in so many passes
 * over memory; 36 products of 64 x 256 over 64 take a share of what others take. */
Test(gpu_conv, transforms_of_an_unfused_winograd_pass_over_memory)
{
    static const struct {
        uint64_t image, filter, cycles, result, odd;
    } rows[CAP_GPU_HOPPER] = {
        [CAP_GPU_VOLTA] = { 393423, 573923, 42589102, 3305798, 2120930 },
        [CAP_GPU_AMPERE] = { 419960, 860884, 116387435, 2597139, 807079 },
    };

    for (enum cap_gpu_isa isa = 0; isa < CAP_GPU_HOPPER; isa++) {
        struct gpu_conv v = conv_of(TRACE_CONV, GPU_F32, 64, 64);
        struct cap cap = plain_cap(isa);
        struct gpu_plan plan = { 0 };
        v.images = 16;
        v.in = v.out = 64;
        v.first = v.second = 8;
        v.rank = 2;
        v.size = 5;
        v.taps = 25;
        gpu_conv(&plan, &v, &cap);
        cr_assert_eq(plan.n, 4);
        cr_expect_eq(plan.kernel[0].in.hbm, rows[isa].image, "%d", isa);
        cr_expect_eq(plan.kernel[1].in.hbm, rows[isa].filter, "%d", isa);
        cr_expect_eq(plan.kernel[2].cycles[GRID_FMA], rows[isa].cycles, "%d", isa);
        cr_expect_eq(plan.kernel[3].in.hbm, rows[isa].result, "%d", isa);
        cr_expect_eq(plan.kernel[0].out.l2, 4 * 36 * 256 * 64);
        plan = (struct gpu_plan){ 0 };
        v.c = 60; /* no multiple of 8 */
        gpu_conv(&plan, &v, &cap);
        cr_assert_eq(plan.n, 4);
        cr_expect_eq(plan.kernel[1].in.hbm, rows[isa].odd, "%d", isa);
    }
}

/* 4 images of 8 x 4, 32 channels to 32, 3 x 3: one block of 4 images by 8 x 4, of 4,096 (72 * 4 +
 * 110) multiply-accumulates. */
Test(gpu_conv, a_fused_winograd_of_a100_has_blocks_of_several_images)
{
    struct gpu_conv v = conv_of(TRACE_CONV, GPU_F32, 32, 32);

    v.images = 4;
    v.in = v.out = 32;
    v.first = 8;
    v.second = 4;
    v.rank = 2;
    v.size = 3;
    v.taps = 9;
    cr_expect_eq(cycles_of(CAP_GPU_AMPERE, &v), 1038349, "/ 1.57");
}

/* 1,280 positions of a result of 5,120: the slow kernel goes through those of the result, 10 blocks
 * instead of 40 at 0.76, and clears 1,000,000 bytes at 0.75 of HBM's rate before. */
Test(gpu_conv, a_strided_gradient_clears_its_image)
{
    struct cap cap = plain_cap(CAP_GPU_VOLTA);
    struct gpu_conv v = conv_of(TRACE_CONV_DGRAD, GPU_F32, 128, 128);
    struct gpu_plan plan = { 0 };

    v.in = 5120;
    v.strided = true;
    v.c_bytes = 1000000;
    gpu_conv(&plan, &v, &cap);
    cr_assert_eq(plan.n, 2);
    cr_expect_eq(plan.kernel[0].in.hbm, 0);
    cr_expect_eq(plan.kernel[0].out.hbm, 1266666);
    cr_expect_eq(plan.kernel[1].cycles[GRID_FMA], 31315677);
}

/* --- kernels that go tap by tap --------------------------------------------------------------- */

/* A chip whose only kernels for tensor cores are those of 64 x 128 at half of the rate, which pad
 * the channels of each tap to 32, and of 16 x 128 at a tenth, which do not tell taps apart. */
static struct cap by_tap(void)
{
    struct cap cap = plain_cap(CAP_GPU_HOPPER);
    struct gpu_tiles *lib = &cap.gpu.library.conv_half;

    *lib = (struct gpu_tiles){ .memory = 950000000,
                               .split_memory = 920000000,
                               .unaligned = 1000000000,
                               .both_along_k = 1000000000,
                               .fetched = 1000000000,
                               .rate = 1000000000,
                               .one_tap = 1000000000,
                               .gradient = 1000000000,
                               .strided = 500000000,
                               .change = 950000000,
                               .change_pad = 475000000,
                               .pad = 190000000,
                               .n = 2 };
    lib->tile[0] = (struct gpu_tile){
        .n = 64, .m = 128, .share = 500000000, .resident = 1, .believed = 1000000000, .step = 32
    };
    lib->tile[1] = (struct gpu_tile){
        .n = 16, .m = 128, .share = 100000000, .resident = 1, .believed = 1000000000
    };
    cap.gpu.library.dgrad_half = cap.gpu.library.wgrad_half = *lib;
    cap.gpu.library.dgrad_half.n = cap.gpu.library.wgrad_half.n = 1;
    return cap;
}

static struct gpu_plan plan_by_tap(const struct gpu_conv *v, uint64_t masked)
{
    struct cap cap = by_tap();
    struct gpu_plan plan = { 0 };

    cap.gpu.library.conv_half.masked = cap.gpu.library.dgrad_half.masked = masked;
    gpu_conv(&plan, v, &cap);
    return plan;
}

/* 9 taps of 40 channels count as 9 of 64: 10 blocks of 64 x 128 over 576, at 0.5. */
Test(gpu_conv, channels_of_each_tap_are_padded)
{
    struct gpu_conv v = conv_of(TRACE_CONV, GPU_HALF, 40, 64);

    v.rank = 2;
    v.taps = 9;
    cr_expect_eq(plan_by_tap(&v, 0).kernel[0].cycles[GRID_TENSOR], 10 * 64 * 128 * 576 * 2);
}

/* 8 channels of the result: a block of 16 x 128 over 9 x 8 takes 16 * 128 * 72 / 0.1, one of 64 x
 * 128 over 9 x 32 three times that. */
Test(gpu_conv, few_channels_take_the_narrow_kernel)
{
    struct gpu_conv v = conv_of(TRACE_CONV, GPU_HALF, 8, 8);

    v.rank = 2;
    v.taps = 9;
    cr_expect_eq(plan_by_tap(&v, 0).kernel[0].cycles[GRID_TENSOR], 10 * 16 * 128 * 72 * 10);
}

/* 36 taps in three dimensions: kernels that go by taps keep 0.4 of their rate, or cannot. */
Test(gpu_conv, more_taps_than_a_mask_has_bits_are_slower)
{
    struct gpu_conv v = conv_of(TRACE_CONV, GPU_HALF, 64, 64);

    v.taps = 36;
    cr_expect_eq(plan_by_tap(&v, 400000000).kernel[0].cycles[GRID_TENSOR],
                 UINT64_C(10) * 64 * 128 * 36 * 64 * 5);
    cr_expect_eq(plan_by_tap(&v, 0).kernel[0].cycles[GRID_TENSOR],
                 UINT64_C(10) * 4 * 16 * 128 * 36 * 64 * 10);
    v.taps = 32;
    cr_expect_eq(plan_by_tap(&v, 0).kernel[0].cycles[GRID_TENSOR],
                 UINT64_C(10) * 64 * 128 * 32 * 64 * 2);
}

/* A gradient of the filter: blocks lie in one tap, 9 of 128 for 9 x 40 elements by 64. */
Test(gpu_conv, blocks_of_a_filter_lie_in_one_tap)
{
    struct gpu_conv v = conv_of(TRACE_CONV_WGRAD, GPU_HALF, 40, 64);

    v.rank = 2;
    v.taps = 9;
    cr_expect_eq(plan_by_tap(&v, 0).kernel[0].cycles[GRID_TENSOR],
                 UINT64_C(9) * 64 * 128 * 1280 * 2);
}

/* Channels first: image, result and filter are turned, 1,280 x 64 elements of 2 bytes each way; 6
 * channels of the image are padded to 8 on the way, at half of the rate. */
Test(gpu_conv, channels_first_are_turned_before_and_after)
{
    struct gpu_conv v = conv_of(TRACE_CONV, GPU_HALF, 64, 64);
    v.taps = 9;
    cr_expect_eq(plan_by_tap(&v, 0).n, 1, "channels last");
    v.channels_first = true;

    struct gpu_plan plan = plan_by_tap(&v, 0);
    cr_assert_eq(plan.n, 4);
    cr_expect_eq(plan.kernel[0].in.hbm, 163840);
    cr_expect_eq(plan.kernel[0].out.hbm, 163840);
    cr_expect_eq(plan.kernel[1].in.hbm, 163840);
    cr_expect_eq(plan.kernel[2].in.hbm, 73728);
    v.c = 6;
    plan = plan_by_tap(&v, 0);
    cr_expect_eq(plan.kernel[0].in.hbm, 2 * 15360);
    cr_expect_eq(plan.kernel[0].out.hbm, 2 * 20480);
    v.channels_first = false;
    plan = plan_by_tap(&v, 0);
    cr_assert_eq(plan.n, 2, "padded alone, at a fifth");
    cr_expect_eq(plan.kernel[0].in.hbm, 5 * 15360);
}

/* A strided gradient of an image goes through positions of the result, at half of the rate. */
Test(gpu_conv, a_strided_gradient_on_tensor_cores_goes_through_the_result)
{
    struct gpu_conv v = conv_of(TRACE_CONV_DGRAD, GPU_HALF, 64, 64);

    v.in = 5120;
    v.rank = 2;
    v.taps = 9;
    v.strided = true;
    cr_expect_eq(plan_by_tap(&v, 0).kernel[0].cycles[GRID_TENSOR],
                 UINT64_C(10) * 64 * 128 * 9 * 64 * 4);
}
