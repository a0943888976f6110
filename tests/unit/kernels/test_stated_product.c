/* Products in stated windows: what their arrays push, turn and add up, worked out by hand on the
 * machine of lower_bench.h. */
#include "stated_line.h"

/* One whole product of 8 rows: `k` and `lanes` are what matters. */
static struct task_kernel lower_product(uint32_t k, const char *lanes, const struct cap *c)
{
    char line[256];

    snprintf(line, sizeof line,
             "%%y f32[8,128]{1,0:T(8,128)} = kernel(%%x, %%w) product=1x8x%ux1024 "
             "tile=1x8x%ux1024 counts=1x1x1x1 lanes=%s",
             k, k, lanes);
    return lower_line(line, c).kernel;
}

Test(stated_product, a_last_tile_of_k_pushes_the_rows_that_there_are)
{
    static const struct {
        uint32_t k;
        const char *lanes;
        uint32_t height;
    } rows[] = {
        { 168, "knn", 88 }, /* 84 on average, in whole sublanes */
        { 264, "knn", 88 }, { 1024, "knn", 0 }, { 1020, "knn", 0 },
        { 120, "knn", 0 },  { 168, "kkn", 0 }, /* a turned one pushes its columns */
    };
    struct cap c = cap;

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct array_mode mode = lower_product(rows[i].k, rows[i].lanes, &c).mode;
        cr_expect_eq(mode.height, rows[i].height, "%zu: %u", i, mode.height);
    }
    c.xla.push_rows = 1;
    cr_expect_eq(lower_product(168, "knn", &c).mode.height, 0);
}

Test(stated_product, rows_that_are_turned_begin_with_the_latency_of_the_xlu)
{
    struct cap c = cap;

    c.xla.lane_reduce_time = 120;
    cr_expect_eq(lower_product(128, "knn", &c).extra_cycles, 0);
    cr_expect_eq(lower_product(128, "mnn", &c).extra_cycles, 120);
    /* B streams; A, which stays, is turned as it is pushed */
    cr_expect_eq(lower_product(128, "kkm", &c).extra_cycles, 0);
    cr_expect_eq(lower_product(128, "knm", &c).extra_cycles, 120);
}

/* 8 tiles of k, each of 8 rows of 1,024 f32 columns: 8 registers. */
Test(stated_product, matrix_units_add_up_what_they_make_of_k_side_by_side)
{
    struct cap c = cap;

    c.mxu_count = 1;
    cr_expect_eq(lower_product(1024, "knn", &c).all.loads, 64);
    cr_expect_eq(lower_product(1024, "knn", &c).all.stores, 64);
    c.mxu_count = 4;
    cr_expect_eq(lower_product(1024, "knn", &c).all.loads, 16);
    cr_expect_eq(lower_product(1024, "knn", &c).all.stores, 16);
    cr_expect_eq(lower_product(256, "knn", &c).all.loads, 8, "two tiles, two units");
    cr_expect_eq(lower_product(128, "knn", &c).all.loads, 0, "nothing waits");
}

/* Only where both operands have 8 bits do they enter four times as fast; two types of them have
 * rates of their own here, and two that meet have that of the slower one. */
Test(stated_product, an_operand_of_eight_bits_beside_a_wider_one_is_not_faster)
{
    static const struct {
        const char *a, *b;
        uint32_t more_rows;
    } rows[] = { { "f8e4m3fn", "f8e4m3fn", 3 }, { "f8e4m3fn", "bf16", 0 },
                 { "bf16", "s8", 0 },           { "f8e5m2", "f8e5m2", 1 },
                 { "f8e4m3fn", "f8e5m2", 1 },   { "f8e4m3b11fnuz", "f8e4m3b11fnuz", 2 } };
    struct cap fast = cap;

    fast.int8_rate = fast.fp8_rate = 4;
    fast.e5m2_rate = 2;
    fast.e4m3b11_rate = 3;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct bench b = { 0 };
        char tensors[160];
        snprintf(tensors, sizeof tensors,
                 "tensor %%x %s[8,128]{1,0:T(8,128)} input\n"
                 "tensor %%w %s[128,1024]{1,0:T(8,128)} weight\n",
                 rows[i].a, rows[i].b);
        cr_assert_eq(lower_text(&b, tensors,
                                "%y f32[8,1024]{1,0:T(8,128)} = kernel(%x, %w) "
                                "product=1x8x128x1024 tile=1x8x128x1024 counts=1x1x1x1 lanes=knn\n",
                                &fast, false),
                     0, "%s", b.err.msg);
        cr_expect_eq(b.p.task[0].kernel.mode.more_rows, rows[i].more_rows, "row %zu", i);
        take_down(&b);
    }
}

/* 8 rows of 1,024 f32 sums are 8 registers.  k in 4 grid steps: three of them take up the sums of
 * the step before, 8 x 50 cycles each, 300 on average; whole, none does. */
Test(stated_product, grid_steps_that_cut_k_take_up_the_sums_of_the_step_before)
{
    struct cap c = cap;

    c.xla.resume_cycles = 50 * PPB_PER_ONE;
    cr_expect_eq(lower_product(1024, "knn", &c).joined_cycles, 0);
    struct task_kernel k = lower_line("%y f32[8,128]{1,0:T(8,128)} = kernel(%x, %w) "
                                      "product=1x8x1024x1024 tile=1x8x256x1024 counts=1x1x4x1 "
                                      "lanes=knn",
                                      &c)
                               .kernel;
    cr_expect_eq(k.grid_steps, 4);
    cr_expect_eq(k.joined_cycles, 300, "%llu", (unsigned long long)k.joined_cycles);
    c.halves = c.mxu_count = 2; /* each takes up half of them */
    cr_expect_eq(lower_line("%y f32[8,128]{1,0:T(8,128)} = kernel(%x, %w) product=1x8x1024x1024 "
                            "tile=1x8x256x1024 counts=1x1x4x1 lanes=knn",
                            &c)
                     .kernel.joined_cycles,
                 150);
}

/* 4 positions of 16 images each; k is a tile, or two taps of 64 that share one. */
Test(stated_product, positions_with_weights_of_their_own_push_them_each)
{
    static const char own[] = "%y f32[8,128]{1,0:T(8,128)} = kernel(%x, %w) product=1x64x128x128 "
                              "tile=1x64x128x128 counts=1x1x1x1 position-rows=16 lanes=knn";
    static const char summed[] = "%y f32[8,128]{1,0:T(8,128)} = kernel(%x, %w) "
                                 "product=1x64x128x128 tile=1x64x128x128 counts=1x1x1x1 taps=2 "
                                 "packed=1 position-rows=16 lanes=mnn";
    struct cap c = cap;

    /* without a model of pushes the weights are pushed once */
    c.xla.push_rows = 0;
    cr_expect_eq(lower_line(own, &c).kernel.block.m, 64);
    c.xla.push_rows = 1;
    c.mxu.weight_rows_per_cycle = 2;
    struct task_kernel k = lower_line(own, &c).kernel;
    cr_expect_eq(k.all.gemm.b, 4);
    cr_expect_eq(k.block.m, 16);
    cr_expect_eq(k.mode.pushed, 1);
    k = lower_line(summed, &c).kernel;
    cr_expect_eq(k.all.gemm.b, 4);
    cr_expect_eq(k.mode.depth, 128);
    cr_expect_eq(k.mode.pushed, 2);
}
