/* Convolutions as matrix products: sizes, zeros and groups worked out by hand. */
#include <string.h>

#include "lowered_op.h"

struct shaped {
    const char *kind, *machine;
    const char *arg[MAX_ARGS];
    struct task_gemm gemm;
};

static const struct shaped shapes[] = {
    { "conv",
      "tpu-v2-1",
      { "in=2x3x8x8", "filter=16x3x3x3" },
      { 1, 72, 27, 16, 2 * 36 * 27 * 16 } },
    /* a dimension, and three */
    { "conv", "tpu-v2-1", { "in=2x3x8", "filter=16x3x3" }, { 1, 12, 9, 16, 12 * 9 * 16 } },
    { "conv",
      "tpu-v2-1",
      { "in=2x3x8x8x8", "filter=16x3x3x3x3", "window=stride=2x2x2" },
      { 1, 54, 81, 16, 54 * 81 * 16 } },
    /* dilated: 3 taps over 5; padded: all positions stay, and zeros at the border are useful */
    { "conv",
      "tpu-v2-1",
      { "in=2x3x8x8", "filter=16x3x3x3", "window=dilate=2x2,pad=2_2x2_2" },
      { 1, 128, 27, 16, 128 * 27 * 16 } },
    /* one position at each side left out of the first dimension, one added in the second: 1 x 5 */
    { "conv",
      "tpu-v2-1",
      { "in=4x4x5x5", "filter=4x4x3x3", "window=pad=-1_-1x1_1" },
      { 1, 20, 36, 4, 20 * 36 * 4 } },
    /* gradients: all 64 positions of the image, of 36 positions' multiply-accumulates each */
    { "conv-dgrad", "tpu-v2-1", { "in=2x3x8x8", "filter=16x3x3x3" }, { 1, 128, 144, 3, 31104 } },
    /* of the filter: 9 positions, whose 3 channels are 4 rows */
    { "conv-wgrad", "tpu-v2-1", { "in=2x3x8x8", "filter=16x3x3x3" }, { 1, 36, 72, 16, 31104 } },
    /* 7 x 7 positions to (7 - 1) * 2 + 4 - 2 = 14 x 14, each with 2 of the 4 taps each way */
    { "conv-transpose",
      "tpu-v2-1",
      { "in=8x64x7x7", "filter=64x32x4x4", "window=stride=2x2,pad=1_1x1_1" },
      { 196 * 4, 8, 64, 32, 8 * 49 * 16 * 64 * 32 } },
    /* 4 groups of 16 x 9 by 16, each with 32 images on its lanes: they stay, at 3,136 positions */
    { "conv",
      "tpu-v3-1",
      { "in=32x64x56x56", "filter=64x16x3x3", "groups=4", "window=pad=1_1x1_1" },
      { 12544, 16, 144, 32, 100352 * 144 * 64 } },
    { "conv-dgrad",
      "tpu-v3-1",
      { "in=32x64x56x56", "filter=64x16x3x3", "groups=4", "window=pad=1_1x1_1" },
      { 12544, 16, 144, 32, 100352 * 144 * 64 } },
    { "conv-wgrad",
      "tpu-v3-1",
      { "in=32x64x56x56", "filter=64x16x3x3", "groups=4", "window=pad=1_1x1_1" },
      { 4, 144, 100352, 16, 100352 * 144 * 64 } },
    /* 4 groups of 64 x 9 by 64, with the channels on lanes */
    { "conv",
      "tpu-v3-1",
      { "in=32x256x56x56", "filter=256x64x3x3", "groups=4", "window=pad=1_1x1_1" },
      { 4, 100352, 576, 64, UINT64_C(100352) * 576 * 256 } },
};

Test(conv, becomes_the_product_of_its_positions_taps_and_channels)
{
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        const struct shaped *s = &shapes[i];
        struct task_gemm g = lower_op(s->kind, s->machine, s->arg).kernel.all.gemm;
        cr_expect(g.b == s->gemm.b && g.m == s->gemm.m && g.k == s->gemm.k && g.n == s->gemm.n &&
                      g.useful == s->gemm.useful,
                  "row %zu: b %lu m %lu k %lu n %lu, %lu useful", i, g.b, g.m, g.k, g.n, g.useful);
    }
}

Test(conv, products_beyond_what_a_run_can_hold_are_refused)
{
    /* 2^40 positions of the image, of which the strides leave 2^20 */
    static const char *const arg[] = { "in=1x1024x1048576x1048576", "filter=1024x1024x1x1",
                                       "window=stride=1024x1024", NULL };
    struct op_request q = make_request("conv-dgrad", "tpu-v2-1", arg);
    struct run_result r;
    struct err e;

    cr_expect_eq(op_run(&q, &r, &e), -1);
    cr_expect(strstr(e.msg, "more than 2^61 multiply-accumulates") ||
                  strstr(e.msg, "more than 1 PiB"),
              "%s", e.msg);
}

/* 9 taps of 256 channels at 3,136 positions: 784 registers of 1,024 elements, 7,056 with their
 * taps, each with two operations; of the image three loads, of the filter one. */
Test(conv, depthwise_runs_on_the_vector_unit)
{
    static const char *const kinds[] = { "conv", "conv-dgrad", "conv-wgrad" };
    static const char *const arg[] = { "in=1x256x56x56", "filter=256x1x3x3", "groups=256",
                                       "window=pad=1_1x1_1", NULL };

    for (int i = 0; i < 3; i++) {
        struct task t = lower_op(kinds[i], "tpu-v3-1", arg);
        cr_expect_eq(t.kernel.all.gemm.b, 0, "%s", kinds[i]);
        cr_expect_eq(t.kernel.all.vpu[VECTOR_ADD], 14112, "%s: %lu", kinds[i],
                     t.kernel.all.vpu[VECTOR_ADD]);
        cr_expect_eq(t.kernel.all.loads, i < 2 ? 21168 : 7056, "%s: %lu", kinds[i],
                     t.kernel.all.loads);
    }
}

static void expect_zeros(const char *kind, const char *const *arg, unsigned long useful,
                         unsigned long zeros)
{
    struct op_request q = make_request(kind, "tpu-v2-1", arg);
    struct run_result r;
    struct err e;

    cr_assert_eq(op_run(&q, &r, &e), 0, "%s", e.msg);
    cr_expect_eq(mpq_cmp_ui(amounts_get(&r.slots.use, USE_USEFUL), useful, 1), 0, "%s", kind);
    cr_expect_eq(mpq_cmp_ui(amounts_get(&r.slots.use, USE_CONV_ZEROS), zeros, 1), 0, "%s: %f", kind,
                 mpq_get_d(amounts_get(&r.slots.use, USE_CONV_ZEROS)));
    run_result_free(&r);
}

/* Useful are positions * taps * channels * outputs, also of taps on the padding; zeros are what the
 * array multiplies beyond that. */
Test(conv, zeros_are_those_put_in_around_images)
{
    static const char *const padded[] = { "in=1x128x8x8", "filter=128x128x3x3",
                                          "window=pad=1_1x1_1", NULL };
    static const char *const unpadded[] = { "in=1x128x8x8", "filter=128x128x3x3", NULL };
    static const char *const strided[] = { "in=1x128x8x8", "filter=128x128x2x2",
                                           "window=stride=2x2", NULL };
    static const char *const grouped[] = { "in=1x64x32x32", "filter=64x16x3x3", "groups=4",
                                           "window=pad=1_1x1_1", NULL };

    expect_zeros("conv", padded, 64 * 1152 * 128, 0);
    expect_zeros("conv-dgrad", padded, 64 * 1152 * 128, 0);
    expect_zeros("conv-dgrad", strided, 16 * 512 * 128, 0);
    /* 64 positions have 9 taps each, 36 of which the forward convolution has */
    expect_zeros("conv-dgrad", unpadded, 36 * 1152 * 128, (64 - 36) * 1152 * 128);
    expect_zeros("conv", grouped, 1024 * 144 * 64, 0);
}

/* 8 groups of 32 channels fill a quarter of the lanes: with the copies there and back they take
 * longer than one of 256, as the compiler's own kernels do; two groups of 128 need no copy, and
 * fill arrays of 128. */
Test(conv, groups_that_leave_lanes_empty_cost_more_than_none)
{
    static const char *const machines[] = { "tpu-v3-1", "tpu-v5e-1", "tpu-v6e-1" };

    for (int i = 0; i < 3; i++) {
        double s[3];
        for (int j = 0; j < 3; j++) {
            static const char *const filter[] = { "filter=256x256x3x3", "filter=256x32x3x3",
                                                  "filter=256x128x3x3" };
            static const char *const groups[] = { "groups=1", "groups=8", "groups=2" };
            const char *const arg[] = { "in=32x256x58x58", filter[j], groups[j], NULL };
            struct op_request q = make_request("conv", machines[i], arg);
            struct run_result r;
            struct err e;
            cr_assert_eq(op_run(&q, &r, &e), 0, "%s", e.msg);
            s[j] = (double)r.cycles_per_step;
            run_result_free(&r);
        }
        cr_expect_gt(s[1], 1.5 * s[0], "%s: %g and %g", machines[i], s[1], s[0]);
        cr_expect(i == 2 || s[2] < s[0], "%s: %g and %g", machines[i], s[2], s[0]);
    }
}
