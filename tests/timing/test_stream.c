/* Windows of kernels without a product beside those of the compiler's kernels (tpu_v4_ops and
 * tpu_v6e_ops in model/measured): grid steps of a half, and what sums in them wait for. */
#include "lowered_op.h"

struct window {
    const char *machine, *kind, *arg[MAX_ARGS];
    uint64_t steps;
};

static const struct window windows[] = {
    /* windows of 8 x 2 x 8 tiles of 897 x 2 x 8 */
    { "tpu-v6e-1", "broadcast", { "shape=16x1x897", "to=16x1024x897" }, 113 },
    { "tpu-v6e-1", "broadcast", { "shape=4x1x860", "to=4x3862x860" }, 215 }, /* tiles of 4 rows */
    { "tpu-v6e-1", "broadcast", { "shape=32x1x1544", "to=32x64x1544" }, 1 },
    /* the operand is small beside the result */
    { "tpu-v4-2", "broadcast", { "shape=14x1x2550", "to=14x128x2550" }, 18 },
    { "tpu-v6e-1", "add", { "shape=1x1024x2040" }, 16 },
    { "tpu-v6e-1", "add", { "shape=8x64x2655" }, 1 },
    { "tpu-v4-2", "add", { "shape=8x64x11067" }, 22 },
    { "tpu-v6e-1", "slice", { "shape=32x1024x474", "to=32x1024x237" }, 60 },
    /* a fusion of pads and a maximum has windows eight times as large */
    { "tpu-v6e-1", "concatenate", { "shape=1x64x54385", "with=1x64x54386", "axis=2" }, 7 },
    { "tpu-v6e-1", "concatenate", { "shape=76x3x4719", "with=76x3x4719", "axis=2" }, 1 },
};

Test(stream, windows_are_those_of_the_compiler)
{
    for (size_t i = 0; i < sizeof windows / sizeof *windows; i++) {
        const struct window *w = &windows[i];
        struct task_kernel k = lower_op(w->kind, w->machine, w->arg).kernel;
        cr_expect_eq(k.grid_steps, w->steps, "%s %s on %s: %lu grid steps", w->kind, w->arg[0],
                     w->machine, k.grid_steps);
    }
}

/* A grid step adds `chain` tiles to each of `sums` registers.  On v6e an addition takes 2 cycles, a
 * register of sums 2; on v4 2 and 11, along lanes 3; sums that several grid steps add to 3 more,
 * along lanes the 0.06 us or 0.1 us of a sum's end. */
Test(stream, sums_wait_as_in_windows_of_the_compiler)
{
    static const struct {
        const char *machine, *shape;
        uint64_t steps, chain, sum;
    } rows[] = {
        { "tpu-v6e-1", "shape=2x256x8550", 134, 128 * 2, 1 * (2 + 3) },
        { "tpu-v6e-1", "shape=16x512x1214", 76, 64 * 2, 2 * (2 + 3) },
        { "tpu-v6e-1", "shape=13x1208x682", 86, 2 * 2, 13 * 5 * (2 + 3) },
        { "tpu-v6e-1", "shape=14x512x320", 1, 40 * 2, 14 * 4 * 2 }, /* 4.6 MB are one window */
        { "tpu-v6e-1", "shape=8x64x10393", 41, 2 * 2, 8 * 8 * 2 + 105 },
        { "tpu-v4-2", "shape=14x64x24927", 91, 15 * 2, 8 * 3 + 105 },
        { "tpu-v4-2", "shape=16x16x49270", 49, 8 * 2, 8 * 2 * 3 + 105 },
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const char *const arg[MAX_ARGS] = { rows[i].shape, "dims=2" };
        struct task_kernel k = lower_op("reduce", rows[i].machine, arg).kernel;
        cr_expect_eq(k.grid_steps, rows[i].steps, "%s: %lu grid steps", rows[i].shape,
                     k.grid_steps);
        cr_expect_eq(k.chain_cycles, rows[i].chain, "%s: chain of %lu cycles", rows[i].shape,
                     k.chain_cycles);
        cr_expect_eq(k.sum_cycles, rows[i].sum, "%s: sums of %lu cycles", rows[i].shape,
                     k.sum_cycles);
    }
}

/* A tile of two rows is a load and an addition of its own: 8,550 of 2 x 256. */
Test(stream, a_tile_of_few_rows_takes_a_register)
{
    static const char *const arg[MAX_ARGS] = { "shape=2x256x8550", "dims=2" };
    struct task_kernel k = lower_op("reduce", "tpu-v6e-1", arg).kernel;

    cr_expect_eq(k.all.loads, 8550 * 2, "%lu loads", k.all.loads);
    cr_expect_eq(k.all.vpu[VECTOR_ADD], 8550 * 2, "%lu additions", k.all.vpu[VECTOR_ADD]);
}

/* 8 rows of bf16 are half a register of 16, so that each pad takes as many as the 832 tiles. */
Test(stream, a_concatenation_pads_and_takes_the_maximum)
{
    static const char *const arg[MAX_ARGS] = { "shape=32x8x1622", "with=32x8x1622", "axis=2" };
    struct task_kernel k = lower_op("concatenate", "tpu-v6e-1", arg).kernel;

    cr_expect_eq(k.all.vpu[VECTOR_ADD], 832);
    cr_expect_eq(k.all.vpu[VECTOR_SELECT], 2 * 832);
    cr_expect_eq(k.all.vpu[VECTOR_CAST], 3 * 832);
}

/* 2,550 lanes of 14 rows become sublanes: 319 registers each, 3 cycles apart, in 18 grid steps of
 * two halves. */
Test(stream, lanes_that_become_sublanes_come_one_by_one)
{
    static const char *const arg[MAX_ARGS] = { "shape=14x1x2550", "to=14x128x2550" };
    struct task_kernel k = lower_op("broadcast", "tpu-v4-2", arg).kernel;

    cr_expect_eq(k.sum_cycles, (14 * 319 * 3 + 35) / 36, "%lu cycles", k.sum_cycles);
}

/* bf16[12,16,671] to [12,10736]: 192 rows of 6 times 128 lanes go to their places, 8 cycles for 8
 * rows. */
Test(stream, a_reshape_takes_rows_to_their_places)
{
    static const char *const arg[MAX_ARGS] = { "shape=12x16x671", "to=12x10736" };
    struct task_kernel k = lower_op("reshape", "tpu-v6e-1", arg).kernel;

    cr_expect_eq(k.sum_cycles, 192 * 6, "%lu cycles", k.sum_cycles);
    cr_expect_eq(k.grid_steps, 1);
}

/* One with its rows along the lanes already has none that move. */
Test(stream, a_dimension_of_one_changes_no_shape)
{
    static const char *const arg[MAX_ARGS] = { "shape=12x1x19418", "to=12x19418" };
    struct task_kernel k = lower_op("reshape", "tpu-v6e-1", arg).kernel;

    cr_expect_eq(k.sum_cycles, 0, "%lu cycles", k.sum_cycles);
}
