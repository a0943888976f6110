/* Convolutions as they lie in the arrays: which operand stays, which taps share a pass, and the
 * cycles of both, worked out by hand. */
#include "lowered_op.h"

struct lying {
    const char *what, *kind, *arg[MAX_ARGS];
    uint64_t b, m, k, n;
    uint32_t depth, height; /* of a tile of weights; height 0: as high as the array */
    bool turned;
};

static const struct lying rows[] = {
    /* the filter stays: 28 x 28 positions of 32 rows each, 9 taps of two passes of 128 channels */
    { "channels on lanes",
      "conv",
      { "in=32x256x28x28", "filter=128x256x3x3", "window=pad=1_1x1_1" },
      1,
      784 * 32,
      9 * 256,
      128,
      128,
      128,
      false },
    /* its gradient sums over the outputs, which are on the lanes of the filter */
    { "turned",
      "conv-dgrad",
      { "in=32x128x28x28", "filter=256x128x3x3", "window=pad=1_1x1_1" },
      1,
      784 * 32,
      9 * 256,
      128,
      128,
      0,
      true },
    /* two taps of 64 channels fit, so the three along x take two passes of 96 each */
    { "taps share a pass",
      "conv",
      { "in=8x64x56x56", "filter=128x64x3x3", "window=pad=1_1x1_1" },
      1,
      3136 * 8,
      9 * 64,
      128,
      96,
      128,
      false },
    /* a stride parts the taps */
    { "not with strides",
      "conv",
      { "in=8x64x56x56", "filter=128x64x3x3", "window=pad=0_1x0_1,stride=2x2" },
      1,
      784 * 8,
      9 * 64,
      128,
      64,
      64,
      false },
    /* 3 images would take 4 rows at each position; 28 positions along x take 32 for each image */
    { "few rows",
      "conv",
      { "in=3x256x28x28", "filter=128x256x3x3", "window=pad=1_1x1_1" },
      1,
      28 * 32 * 3,
      9 * 256,
      128,
      128,
      128,
      false },
    /* the image stays: 8 channels by 64 images at each of 24 positions a side; 25 taps of 8 rows in
     * two passes, 13 taps the larger */
    { "batch on lanes",
      "conv",
      { "in=64x8x24x24", "filter=8x8x5x5", "window=pad=2_2x2_2" },
      576,
      8,
      25 * 8,
      64,
      100,
      104,
      false },
    /* its gradient has the outputs on the lanes of the filter that streams: 5 taps a pass */
    { "taps of the last dimension",
      "conv-dgrad",
      { "in=64x8x24x24", "filter=8x8x5x5", "window=pad=2_2x2_2" },
      576,
      8,
      25 * 8,
      64,
      40,
      40,
      false },
    /* one channel: all 27 taps are rows of one pass, without padding */
    { "one channel",
      "conv",
      { "in=64x1x20x20x20", "filter=8x1x3x3x3" },
      18 * 18 * 18,
      8,
      27,
      64,
      27,
      27,
      false },
    /* channels on the lanes of the image, the batch on those of the result: the image is turned,
     * as many rows as it has columns */
    { "batch on lanes of the result",
      "conv",
      { "in=32x128x20x20", "filter=1x128x3x3", "window=pad=1_1x1_1" },
      400,
      1,
      9 * 128,
      32,
      128,
      32,
      true },
    /* between strides each position has the taps that hit it: 4 of 9 on average 9 / 4 */
    { "between strides",
      "conv-dgrad",
      { "in=32x128x56x56", "filter=128x128x3x3", "window=pad=0_1x0_1,stride=2x2" },
      56 * 56 / 4 * 9,
      32,
      128,
      128,
      128,
      0,
      true },
    /* ... with the batch on lanes */
    { "between strides, batch on lanes",
      "conv-dgrad",
      { "in=128x16x28x28", "filter=16x16x3x3", "window=pad=0_1x0_1,stride=2x2" },
      28 * 28 / 4 * 9,
      16,
      16,
      128,
      16,
      16,
      false },
    /* of the filter: 9 positions of 128 channels sum over 28 x 28 taps of 32 images, 4 taps a pass
     */
    { "gradient of the filter",
      "conv-wgrad",
      { "in=32x128x28x28", "filter=256x128x3x3", "window=pad=1_1x1_1" },
      1,
      9 * 128,
      784 * 32,
      256,
      128,
      128,
      false },
    /* four images by three channels take as many bytes either way, and the gradient has its four
     * images on the lanes: those of the image are its three channels, and the 30 taps along x, of
     * eight rows each, take two passes of 15 */
    { "one operand with the batch on lanes",
      "conv-wgrad",
      { "in=4x3x59x59", "filter=2x3x5x5", "window=pad=2_2x2_2,stride=2x2" },
      25,
      2,
      900 * 4,
      3,
      60,
      120,
      false },
    /* the window of 25 is larger than the 16 positions of dy: the 28 images are outputs, the 155
     * channels stay, and 4 taps of 22, on 24 sublanes each, share a pass */
    { "operands change places",
      "conv-dgrad",
      { "in=28x155x8x8", "filter=22x155x5x5" },
      64,
      28,
      16 * 22,
      155,
      88,
      96,
      false },
};

Test(orientation, lies_as_worked_out)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct lying *r = &rows[i];
        struct task_kernel k = lower_op(r->kind, "tpu-v3-1", r->arg).kernel;
        const struct task_gemm *g = &k.all.gemm;

        cr_expect(g->b == r->b && g->m == r->m && g->k == r->k && g->n == r->n,
                  "%s: b %lu m %lu k %lu n %lu", r->what, g->b, g->m, g->k, g->n);
        cr_expect(k.mode.depth == r->depth && array_height(&k.mode) == r->height,
                  "%s: depth %u, height %u", r->what, k.mode.depth, array_height(&k.mode));
        cr_expect_eq(k.mode.turned, r->turned, "%s", r->what);
    }
}

/* 25 taps of 8 rows fit in an array of 256 rows.  64 images fill half of its columns, so two rows
 * are pushed side by side. */
Test(orientation, wide_arrays_hold_more_taps)
{
    static const char *const arg[] = { "in=64x8x24x24", "filter=8x8x5x5", "window=pad=2_2x2_2",
                                       NULL };
    struct task_kernel k = lower_op("conv", "tpu-v6e-1", arg).kernel;

    cr_expect_eq(k.mode.depth, 200, "depth %u", k.mode.depth);
    cr_expect_eq(k.mode.columns, 128, "columns %u", k.mode.columns);
    cr_expect_eq(array_height(&k.mode), 100, "height %u", array_height(&k.mode));
}

/* The gradient, whose filter has its outputs on the lanes: not only the 5 taps along x. */
Test(orientation, wide_arrays_hold_taps_of_all_dimensions)
{
    static const char *const arg[] = { "in=64x8x24x24", "filter=8x8x5x5", "window=pad=2_2x2_2",
                                       NULL };
    struct task_kernel k = lower_op("conv-dgrad", "tpu-v6e-1", arg).kernel;

    cr_expect_eq(k.mode.depth, 200, "depth %u", k.mode.depth);
    cr_expect_eq(array_height(&k.mode), 100, "height %u", array_height(&k.mode));
}

/* Two images of 32 x 32 are 16 of 32 x 5 in eight parts, so that 36 positions with the rim of a
 * window of 5 are 40: 16 rows at each of 160 positions, where v3 has 4 rows at each of 1,024. */
Test(orientation, few_images_are_cut_from_tpu_v4_on)
{
    static const struct {
        const char *machine, *kind, *arg[MAX_ARGS];
        uint64_t rows;
    } cases[] = {
        { "tpu-v3-1",
          "conv-dgrad",
          { "in=2x16x32x32", "filter=16x16x5x5", "window=pad=2_2x2_2" },
          1024 * 2 },
        { "tpu-v4-2",
          "conv-dgrad",
          { "in=2x16x32x32", "filter=16x16x5x5", "window=pad=2_2x2_2" },
          32 * 5 * 16 },
        { "tpu-v4-2",
          "conv",
          { "in=2x16x32x32", "filter=16x16x5x5", "window=pad=2_2x2_2" },
          32 * 5 * 16 },
        /* a stride of 2: 34 columns are eight parts of 6, with 3 results each */
        { "tpu-v6e-1",
          "conv",
          { "in=2x16x33x32", "filter=16x16x3x3", "window=pad=1_1x1_1,stride=2x2" },
          17 * 3 * 16 },
        /* the rim of a window of 9 is wider than a part of 5 */
        { "tpu-v4-2",
          "conv",
          { "in=2x16x32x32", "filter=16x16x9x9", "window=pad=4_4x4_4" },
          1024 * 2 },
        /* eight images fill a register */
        { "tpu-v4-2",
          "conv",
          { "in=8x16x32x32", "filter=16x16x5x5", "window=pad=2_2x2_2" },
          1024 * 8 },
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct task_kernel k = lower_op(cases[i].kind, cases[i].machine, cases[i].arg).kernel;
        const struct task_gemm *g = &k.all.gemm;
        cr_expect_eq(g->b * g->m, cases[i].rows, "%zu: %lu rows", i, g->b * g->m);
    }
}

/* 105 channels of 40 images in a register each way: the array holds the tile twice and turns it at
 * two rows a cycle of both. */
Test(orientation, a_turned_tile_that_is_held_twice_is_pushed_once)
{
    static const char *const arg[] = { "in=40x105x55x28", "filter=7x105x7x7", NULL };
    struct task_kernel k = lower_op("conv", "tpu-v6e-1", arg).kernel;

    cr_expect(k.mode.twin && k.mode.turned);
    cr_expect_eq(array_height(&k.mode), 20, "height %u", array_height(&k.mode));
}
