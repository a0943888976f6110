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
                              .side = { 1280, 1, 1 },
                              .filter = { 1, 1, 1 },
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
        v.rank = 2; /* of a size that has no Winograd */
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
        v.side[0] = v.side[1] = 8;
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
    v.side[0] = 8;
    v.side[1] = 4;
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

/* --- Fourier transforms ------------------------------------------------------------------------
 */

/* A convolution of 3DGAN of 96 images. */
static struct gpu_conv layer_of(enum trace_kind kind, uint64_t c, uint64_t k,
                                const uint64_t side[3], const uint64_t filter[3])
{
    struct gpu_conv v = conv_of(kind, GPU_F32, c, k);

    v.images = 96;
    v.taps = filter[0] * filter[1] * filter[2];
    v.out = side[0] * side[1] * side[2];
    v.in = (side[0] + filter[0] - 1) * (side[1] + filter[1] - 1) * (side[2] + filter[2] - 1);
    if (kind == TRACE_CONV_DGRAD) {
        uint64_t whole = v.out;
        v.out = v.in;
        v.in = whole;
    }
    for (uint32_t d = 0; d < 3; d++) {
        v.side[d] = side[d];
        v.filter[d] = filter[d];
    }
    v.a_bytes = 4 * v.images * v.in * c;
    v.b_bytes = 4 * v.taps * c * k;
    v.c_bytes = 4 * v.images * v.out * k;
    v.missed = v.a_bytes + v.b_bytes;
    v.useful = v.images * v.out * v.taps * c * k;
    return v;
}

static struct gpu_plan plan_on_v100(const struct gpu_conv *v)
{
    struct machine_spec *spec;
    struct gpu_plan plan = { 0 };
    struct cap cap;
    struct err err;

    cr_assert_eq(spec_load(&spec, "v100-sxm2-16gb", NULL, 0, &err), 0, "%s", err.msg);
    spec_cap(spec, &cap);
    spec_free(spec);
    gpu_conv(&plan, v, &cap);
    return plan;
}

/* Workspaces that TensorFlow allocated on V100 for batches of 96, as its profile has them
 * [openlab-3dgan]. */
Test(gpu_conv, large_filters_of_three_dimensions_take_the_workspace_that_was_recorded)
{
    static const struct {
        enum trace_kind kind;
        uint64_t c, k, side[3], filter[3], workspace;
    } layer[] = {
        { TRACE_CONV, 16, 8, { 47, 46, 22 }, { 5, 6, 6 }, 117964800 },
        { TRACE_CONV, 8, 8, { 43, 41, 19 }, { 5, 6, 6 }, 58982400 },
        { TRACE_CONV, 8, 8, { 49, 49, 41 }, { 6, 6, 8 }, 58982400 },
        { TRACE_CONV, 8, 6, { 50, 50, 38 }, { 4, 4, 6 }, 58392576 },
        { TRACE_CONV, 6, 6, { 52, 52, 28 }, { 3, 3, 5 }, 43794432 },
        { TRACE_CONV_DGRAD, 16, 8, { 51, 51, 27 }, { 5, 6, 6 }, 117964800 },
        { TRACE_CONV_DGRAD, 8, 8, { 43, 41, 19 }, { 5, 6, 6 }, 58982400 },
    };

    for (size_t i = 0; i < sizeof layer / sizeof *layer; i++) {
        struct gpu_conv v =
            layer_of(layer[i].kind, layer[i].c, layer[i].k, layer[i].side, layer[i].filter);
        struct gpu_plan plan = plan_on_v100(&v);
        cr_assert_eq(plan.n, 5, "%zu", i);
        cr_expect_eq(plan.workspace, layer[i].workspace, "%zu: %lu", i,
                     (unsigned long)plan.workspace);
    }
}

/* 49 x 49 x 41 positions under a filter of 6 x 6 x 8 in tiles with 11 x 11 x 9 of the result: 5 x 5
 * x 5 places.  Of an image and channel (49 + 5 * 5) (49 + 5 * 5) (41 + 5 * 7) elements are read;
 * 2,304 complex values of 8 bytes are left of a tile.  Each kernel is launched 125 times: 124 times
 * 2 us more. */
Test(gpu_conv, a_transform_runs_once_for_each_place_of_a_tile)
{
    struct gpu_conv v =
        layer_of(TRACE_CONV, 8, 8, (uint64_t[]){ 49, 49, 41 }, (uint64_t[]){ 6, 6, 8 });
    struct gpu_plan plan = plan_on_v100(&v);

    cr_assert_eq(plan.n, 5);
    cr_expect_eq(plan.kernel[0].fixed_cycles, 379440, "124 of 2 us at 1.53 GHz");
    cr_expect_eq(plan.kernel[2].blocks % (125 * 2304), 0);
    /* 4 * 96 * 8 * 74 * 74 * 76 with the filter, 8 * 2304 * 8 * (96 * 125 + 8); 0.65 of the L2 */
    cr_expect_float_eq((double)plan.kernel[0].in.l2 * .65, 1278492672. + (double)v.b_bytes, 1);
    cr_expect_float_eq((double)plan.kernel[0].out.l2 * .65, 1770651648., 1);
}

Test(gpu_conv, strides_dilation_and_filters_keep_off_transforms)
{
    const uint64_t side[3] = { 49, 49, 41 }, filter[3] = { 6, 6, 8 }, wide[3] = { 17, 6, 8 };
    struct gpu_conv v[] = {
        layer_of(TRACE_CONV, 8, 8, side, filter),
        layer_of(TRACE_CONV, 8, 8, side, filter),
        layer_of(TRACE_CONV_WGRAD, 8, 8, side, filter),
        layer_of(TRACE_CONV, 8, 8, side, wide),
    };

    v[0].strided = true;
    v[1].dilated = true;
    for (size_t i = 0; i < sizeof v / sizeof *v; i++)
        cr_expect_lt(plan_on_v100(&v[i]).n, 5, "%zu", i);
}

/* The profile has the gradient of that filter at 226 ms: 0.07 of 3,243 ms. */
Test(gpu_conv, a_filter_of_three_dimensions_takes_the_kernel_of_h100)
{
    struct gpu_conv v =
        layer_of(TRACE_CONV_WGRAD, 8, 8, (uint64_t[]){ 49, 49, 41 }, (uint64_t[]){ 6, 6, 8 });
    struct gpu_plan plan = plan_on_v100(&v);
    double ms = (double)plan.kernel[0].cycles[GRID_FMA] / 1.53e6;

    cr_expect(ms > 170 && ms < 250, "%f", ms);
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
