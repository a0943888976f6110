/* Windows of matrix products, worked out by hand on the machine of lower_bench.h: 100 bytes of HBM
 * and a row of the array a cycle, 64 cycles to load a tile, 1 MiB of VMEM; a transfer counts 1,000
 * cycles besides its bytes. */
#include "lower_bench.h"

#include "kernels/tpu/window.h"

static struct cap window_cap(void)
{
    struct cap c = cap;

    c.xla.window_time = 1000;
    c.xla.window_memory = 1 << 20;
    return c;
}

static struct trace_compiled choose_windows_of(uint64_t m, uint64_t k, uint64_t n,
                                               const struct window_operands *o, const struct cap *c)
{
    struct trace_compiled p = {
        .product = { [TRACE_DIM_B] = 1, [TRACE_DIM_M] = m, [TRACE_DIM_K] = k, [TRACE_DIM_N] = n },
        .taps = 1,
        .has_lanes = true,
        .lanes = { TRACE_DIM_K, TRACE_DIM_N, TRACE_DIM_N },
    };

    window_choose(&p, o, c);
    return p;
}

static struct trace_compiled choose_windows(uint64_t m, uint64_t k, uint64_t n, bool a_near,
                                            const struct cap *c)
{
    struct window_operands o = { .element = { 4, 4, 4 }, .on_chip = { a_near, false, false } };

    return choose_windows_of(m, k, n, &o, c);
}

Test(window, a_small_product_is_one_window)
{
    struct cap c = window_cap();
    struct trace_compiled p = choose_windows(128, 128, 128, false, &c);

    for (int d = 0; d < TRACE_N_DIMS; d++)
        cr_expect_eq(p.counts[d], 1, "%d: %lu", d, p.counts[d]);
    cr_expect_eq(p.vmem, 3 * 65536);
    cr_expect(window_stays(&p, 0) && window_stays(&p, 1));
}

/* Sums of 4 bytes have a place of their own beside results of 2. */
Test(window, a_narrow_result_has_its_sums_beside_it)
{
    struct cap c = window_cap();
    struct window_operands o = { .element = { 4, 4, 2 } };
    struct trace_compiled p = choose_windows_of(128, 128, 128, &o, &c);

    cr_expect_eq(p.vmem, 2 * 65536 + 32768 + 65536);
}

/* A is on chip and B stays, so only C moves: S windows take 1,000 S + 20,972 cycles to store and
 * 4,096 / S + 16 of the last grid step.  Two would be best, but C has two buffers of 512 bytes a
 * row in 983,040 bytes: at most 960 rows.  512 groups of 8 rows in five windows are 103 groups
 * each. */
Test(window, the_least_estimate_that_fits_wins_and_the_last_window_is_padded)
{
    struct cap c = window_cap();
    struct trace_compiled p = choose_windows(4096, 128, 128, true, &c);

    cr_expect_eq(p.counts[TRACE_DIM_M], 5, "%lu", p.counts[TRACE_DIM_M]);
    cr_expect_eq(p.tile[TRACE_DIM_M], 824, "%lu", p.tile[TRACE_DIM_M]);
    cr_expect_eq(p.counts[TRACE_DIM_N] * p.counts[TRACE_DIM_K], 1);
    cr_expect_eq(p.vmem, 65536 + 2 * 824 * 512);
    cr_expect_not(window_stays(&p, 0));
    cr_expect_eq(window_reads(&p, 0, &c), 1);
    cr_expect_eq(window_reads(&p, 1, &c), 1);
    /* in 4 MiB the windows are those of least time: two of 2,048 rows */
    c.xla.window_memory = c.vmem_bytes = 4 << 20;
    p = choose_windows(4096, 128, 128, true, &c);
    cr_expect_eq(p.counts[TRACE_DIM_M], 2, "%lu", p.counts[TRACE_DIM_M]);
}

/* Registers of 256 lanes and 16 sublanes: n is on lanes and takes 256, so B is 131,072 bytes.  C
 * has two buffers of 1,024 bytes a row in the other 917,504: at most 448 rows.  4096 rows are 256
 * groups of 16, in ten windows 26 groups each, the last one 22. */
Test(window, units_of_windows_are_the_registers_of_the_machine)
{
    struct cap c = window_cap();

    c.lanes = 256;
    c.sublanes = 16;
    struct trace_compiled p = choose_windows(4096, 128, 128, true, &c);
    cr_expect_eq(p.counts[TRACE_DIM_M], 10, "%lu", p.counts[TRACE_DIM_M]);
    cr_expect_eq(p.tile[TRACE_DIM_M], 416, "%lu", p.tile[TRACE_DIM_M]);
    cr_expect_eq(p.tile[TRACE_DIM_N], 128, "%lu", p.tile[TRACE_DIM_N]);
    cr_expect_eq(p.vmem, 131072 + 2 * 416 * 1024, "%lu", p.vmem);
}

/* 19 of k are 24 rows of B, 98,304 bytes, though they take all lanes of A, 65,536 bytes: with
 * 524,288 of C all fits.  As many rows as lanes would not. */
Test(window, a_dimension_that_is_not_cut_has_no_more_rows_than_it_needs)
{
    struct cap c = window_cap();
    struct trace_compiled p = choose_windows(128, 19, 1024, false, &c);

    cr_expect_eq(p.counts[TRACE_DIM_N] * p.counts[TRACE_DIM_M], 1);
    cr_expect_eq(p.tile[TRACE_DIM_K], 24, "%lu", p.tile[TRACE_DIM_K]);
    cr_expect_eq(p.vmem, 98304 + 65536 + 524288, "%lu", p.vmem);
}

/* With 1,000 bytes of HBM a cycle the matrix unit limits this product, whose rows are cut to
 * shorten its ends: S windows show 33,554 / S cycles of the first of A and the last of C.  Each
 * costs the 1,000 cycles of its transfer and 16 a tile of weights, 256: best are 5.  Where the
 * transfer is hidden, and a grid step takes 100 cycles besides, 18 would be best, but 16 divide the
 * rows. */
Test(window, windows_are_smaller_where_transfers_are_hidden)
{
    struct cap c = window_cap();

    c.xla.window_memory = c.vmem_bytes = 1ULL << 30;
    c.hbm_bytes_per_s *= 10;
    struct trace_compiled p = choose_windows(8192, 512, 512, false, &c);
    cr_expect_eq(p.counts[TRACE_DIM_M], 5, "%lu", p.counts[TRACE_DIM_M]);
    c.xla.window_step = 100;
    p = choose_windows(8192, 512, 512, false, &c);
    cr_expect_eq(p.counts[TRACE_DIM_M], 16, "%lu", p.counts[TRACE_DIM_M]);
}

/* The halves of a device take halves of the loop: one window each, of which each is fetched once.
 */
Test(window, halves_divide_a_loop)
{
    struct cap c = window_cap();

    c.halves = 2;
    c.mxu_count = 2;
    struct trace_compiled p = choose_windows(1024, 128, 128, true, &c);
    cr_expect_eq(p.split, TRACE_SPLIT_M, "%d", p.split);
    cr_expect_eq(p.counts[TRACE_DIM_M] % 2, 0);
    p.counts[TRACE_DIM_N] = 4;
    p.counts[TRACE_DIM_M] = 2;
    cr_expect_eq(window_reads(&p, 0, &c), 1, "a half has one window of A");
    p.split = TRACE_SPLIT_N;
    cr_expect_eq(window_reads(&p, 0, &c), 2, "each half goes through A twice");
}

Test(window, a_matmul_runs_in_the_windows_that_are_chosen)
{
    struct bench b = { 0 };
    struct cap c = window_cap();

    cr_assert_eq(lower_text(&b, "tensor %a f32[4096,128] input\ntensor %w f32[128,128] weight\n",
                            "%y f32[4096,128] = matmul(%a, %w)\n", &c, false),
                 0, "%s", b.err.msg);
    const struct task_kernel *k = &b.p.task[0].kernel;
    /* A streams as well, in two buffers: at most 480 rows; nine windows of 57 groups */
    cr_expect_eq(k->grid_steps, 9, "%lu", k->grid_steps);
    cr_expect_eq(k->block.m, 456, "%lu", k->block.m);
    cr_expect_eq(k->all.gemm.m, 9 * 456, "padded rows are executed");
    cr_expect_eq(k->all.gemm.useful, UINT64_C(4096) * 128 * 128);
    cr_expect_eq(k->resident_in, 65536, "the weights come before the first grid step");
    cr_expect_eq(k->all.in.bytes, 4096 * 512);
    cr_expect_eq(k->all.out.bytes, 4096 * 512);
    take_down(&b);
}

/* The first and the last member of a kernel read and write with the windows of the product, whose
 * rows are as many as if its operand and its result were in memory. */
Test(window, windows_of_a_fusion_are_those_of_what_it_makes)
{
    static const char *const body[] = {
        "fusion %y {\n%a f32[4096,128] = copy(%x, %x)\n%y f32[4096,128] = matmul(%a, %w)\n}\n",
        "fusion %y {\n%z f32[4096,128] = matmul(%b, %w)\n%y f32[4096,128] = elementwise(%z)\n}\n",
    };
    struct cap c = window_cap();

    for (int i = 0; i < 2; i++) {
        struct bench b = { 0 };
        cr_assert_eq(lower_text(&b,
                                "tensor %x f32[4096,64] input\ntensor %b f32[4096,128] input\n"
                                "tensor %w f32[128,128] weight\n",
                                body[i], &c, false),
                     0, "%s", b.err.msg);
        const struct task_kernel *k = &b.p.task[0].kernel;
        cr_expect_eq(k->grid_steps, 9, "%d: %lu", i, k->grid_steps);
        cr_expect_eq(k->block.m, 456, "%d: %lu", i, k->block.m);
        cr_expect_eq(k->resident_in, 65536);
        /* x comes once for both of its places */
        cr_expect_eq(k->all.in.bytes, i ? 4096 * 512 : 4096 * 256);
        take_down(&b);
    }
}

/* 4 MiB of operands each: A comes by with each window of B, and with it what it is made of. */
Test(window, what_an_operand_is_made_of_comes_as_often_as_its_windows)
{
    struct bench b = { 0 };
    struct cap c = window_cap();

    cr_assert_eq(lower_text(&b, "tensor %x f32[4096,256] input\ntensor %w f32[256,4096] weight\n",
                            "fusion %y {\n%a f32[4096,256] = elementwise(%x)\n"
                            "%y f32[4096,4096] = matmul(%a, %w)\n}\n",
                            &c, false),
                 0, "%s", b.err.msg);
    const struct task_kernel *k = &b.p.task[0].kernel;
    uint64_t turns = 4096 / k->block.n + (4096 % k->block.n != 0);
    cr_expect_gt(turns, 2);
    cr_expect_eq(k->all.in.bytes + k->resident_in, turns * 4096 * 1024 + 256 * 16384, "%lu",
                 k->all.in.bytes);
    take_down(&b);
}

/* A is one window that stays, with k on its rows: the XLU turns it once, in 19,200 cycles, which
 * are spread over all grid steps, whose transfers take longer.  B and C have two buffers of 512
 * bytes a column in 983,040: at most 480, three groups of 128 of 32. */
Test(window, an_operand_that_stays_is_turned_once_for_all_grid_steps)
{
    struct cap c = window_cap();

    for (int i = 0; i < 2; i++) {
        struct trace_compiled p = {
            .product = { [TRACE_DIM_B] = 1,
                         [TRACE_DIM_M] = 128,
                         [TRACE_DIM_K] = 128,
                         [TRACE_DIM_N] = 4096 },
            .taps = 1,
            .has_lanes = true,
            .lanes = { TRACE_DIM_M, TRACE_DIM_N, TRACE_DIM_N },
        };
        c.xlu_cycles = i ? 1200 : 0;
        window_choose(&p, &(struct window_operands){ .element = { 4, 4, 4 } }, &c);
        cr_expect_eq(p.counts[TRACE_DIM_N], 11, "%lu", p.counts[TRACE_DIM_N]);
        cr_expect_eq(p.counts[TRACE_DIM_M] * p.counts[TRACE_DIM_K], 1);
    }
}
