/* Products to grids: bytes, blocks and grid steps worked out by hand. */
#include "tests/unit/kernels/lower_bench.h"

Test(lower, a_matmul_keeps_the_weights_and_streams_the_rows)
{
    struct bench b = { 0 };

    cr_assert_eq(lower_text(&b, "tensor %x f32[4096,64] input\ntensor %w f32[64,32] weight\n",
                            "%y f32[4096,32] = matmul(%x, %w)\n", &cap, false),
                 0);
    const struct task *t = &b.p.task[0];
    cr_assert_eq(t->kind, TASK_KERNEL);
    cr_assert_eq(t->kernel.resident_in, 64 * 32 * 4);
    cr_assert_eq(total_in(t), 4096 * 64 * 4 + 64 * 32 * 4);
    cr_assert_eq(total_out(t), 4096 * 32 * 4);
    /* 15,811 cycles of HBM; 4096 + 164 T of compute for T steps stay below it up to T = 71, and
     * more steps expose less: 64 steps of 64 rows */
    cr_assert_eq(t->kernel.grid_steps, 64);
    cr_assert_eq(t->kernel.block.m, 64);
    cr_expect_eq(t->kernel.windows, 64 * 32 * 4 + 2 * 64 * 64 * 4 + 2 * 64 * 32 * 4);
    struct task_grid_step sum = sum_of_steps(t);
    cr_assert_eq(sum.gemm.m, UINT64_C(4096) * 64 * 32);
    cr_assert_eq(sum.gemm.useful, UINT64_C(4096) * 64 * 32);
    cr_assert_eq(sum.in.bytes, 4096 * 64 * 4);
    cr_assert_arr_eq(sum.vpu, t->kernel.all.vpu, sizeof sum.vpu);
    take_down(&b);
}

Test(lower, matrix_units_round_to_dtypes_of_numbers)
{
    cr_expect(lower_multiplies(TRACE_F32) && lower_multiplies(TRACE_BF16));
    cr_expect(lower_multiplies(TRACE_S8) && lower_multiplies(TRACE_U8));
    cr_expect(lower_multiplies(TRACE_F8E4M3FN) && lower_multiplies(TRACE_F8E5M2));
    cr_expect_not(lower_multiplies(TRACE_PRED) || lower_multiplies(TRACE_F16) ||
                  lower_multiplies(TRACE_F64) || lower_multiplies(TRACE_S32));
}

/* The tile that stays in the arrays has elements of the second operand, whatever the result has. */
Test(lower, weights_of_two_bytes_stay_as_they_are)
{
    struct bench b = { 0 };

    cr_assert_eq(lower_text(&b, "tensor %x f32[4096,64] input\ntensor %w bf16[64,32] weight\n",
                            "%y f32[4096,32] = matmul(%x, %w)\n", &cap, false),
                 0);
    cr_expect_eq(b.p.task[0].kernel.resident_in, 64 * 32 * 2);
    cr_expect_eq(b.p.task[0].kernel.stationary, 2);
    take_down(&b);
}

/* The product above takes 15,810 cycles of HBM and 4096 + 164 T of compute for T steps, and its
 * ends 82 + 15,729 / T. */
Test(lower, tiles_grow_with_what_transfers_wait_for)
{
    struct bench b = { 0 };
    struct cap slow = cap, shared = cap;

    /* each transfer is known of after 100 cycles: the way of a buffer takes 9953 + 182 T, which is
     * below HBM up to T = 32 */
    slow.dma_cycles = 100;
    cr_assert_eq(lower_text(&b, "tensor %x f32[4096,64] input\ntensor %w f32[64,32] weight\n",
                            "%y f32[4096,32] = matmul(%x, %w)\n", &slow, false),
                 0);
    cr_expect_eq(b.p.task[0].kernel.grid_steps, 32);
    take_down(&b);
    /* the other core's transfers come between: 13,906 + 82 T, 16,530 for 32 steps and 573 of ends,
     * but no more than HBM for 16, and 1065 */
    shared.hbm_cores = 2;
    cr_assert_eq(lower_text(&b, "tensor %x f32[4096,64] input\ntensor %w f32[64,32] weight\n",
                            "%y f32[4096,32] = matmul(%x, %w)\n", &shared, false),
                 0);
    cr_expect_eq(b.p.task[0].kernel.grid_steps, 16);
    take_down(&b);
}

Test(lower, a_filter_gradient_keeps_the_result_and_streams_the_contraction)
{
    struct bench b = { 0 };

    cr_assert_eq(lower_text(&b, "tensor %x f32[65536,16] input\ntensor %d f32[65536,16] input\n",
                            "%w f32[16,16] gradient = matmul(%x, %d) ta=1\n", &cap, false),
                 0);
    const struct task *t = &b.p.task[0];
    cr_assert_eq(t->kernel.resident_out, 16 * 16 * 4);
    cr_assert_eq(t->kernel.resident_in, 0);
    cr_assert_eq(total_in(t), 2 * 65536 * 16 * 4);
    /* 83,897 cycles of HBM; 512 tiles of 64 + 16 cycles and 100 a step: 256 steps of two tiles */
    cr_assert_eq(t->kernel.block.k, 256);
    cr_assert_eq(t->kernel.grid_steps, 256);
    /* two tiles of each operand, the result, and its sums while k is cut */
    cr_expect_eq(t->kernel.windows, 2 * 2 * 256 * 16 * 4 + 16 * 16 * 4 + 16 * 16 * 4);
    cr_assert_eq(sum_of_steps(t).gemm.m, UINT64_C(65536) * 16 * 16);
    take_down(&b);
}

Test(lower, a_stream_holds_two_tiles_each_way)
{
    struct bench b = { 0 };

    cr_assert_eq(lower_text(&b, "tensor %x f32[4096,64] input\n",
                            "%y f32[4096,64] = elementwise(%x) flops=262144\n", &cap, false),
                 0);
    const struct task *t = &b.p.task[0];
    /* 2 MiB at 10,000 B a grid step: the root of 209.7; 4,194,304 / 14 = 299,593.1 */
    cr_assert_eq(t->kernel.grid_steps, 14);
    cr_expect_eq(t->kernel.windows, 299594);
    take_down(&b);
}

Test(lower, writes_that_wait_for_each_other_make_larger_tiles)
{
    struct bench b = { 0 };
    struct cap waits = cap;

    /* 300 cycles more are 40,000 B a grid step: the root of 52.4 */
    waits.write_cycles = 300;
    cr_assert_eq(lower_text(&b, "tensor %x f32[4096,64] input\n",
                            "%y f32[4096,64] = elementwise(%x) flops=262144\n", &waits, false),
                 0);
    cr_expect_eq(b.p.task[0].kernel.grid_steps, 7);
    take_down(&b);
}

Test(lower, an_element_wise_kernel_has_the_windows_of_the_compiler)
{
    static const struct {
        uint64_t whole, window;
        uint32_t halves;
        uint64_t steps;
    } rows[] = {
        /* 2 MiB in all, of 262,144 elements */
        { 2097152, 1024, 1, 1 },
        { 2097151, 131072, 1, 2 },
        { 2097151, 100000, 1, 3 },
        /* each half has as much */
        { 1048576, 1024, 2, 1 },
        { 1048575, 32768, 2, 4 },
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct bench b = { 0 };
        struct cap windows = cap;
        windows.xla.whole_stream = rows[i].whole;
        windows.xla.stream_window = rows[i].window;
        windows.halves = rows[i].halves;
        windows.vmem_bytes = 16 << 20;
        cr_assert_eq(lower_text(&b, "tensor %x f32[4096,64] input\n",
                                "%y f32[4096,64] = elementwise(%x) flops=262144\n", &windows,
                                false),
                     0);
        cr_expect_eq(b.p.task[0].kernel.grid_steps, rows[i].steps, "%zu: %lu", i,
                     b.p.task[0].kernel.grid_steps);
        take_down(&b);
    }
}

Test(lower, weights_beyond_vmem_stream_past_the_rows)
{
    struct bench b = { 0 };

    /* B is 2 MiB, A 128 KiB: A stays, B and C pass by in blocks of 128 columns, nothing twice */
    cr_assert_eq(lower_text(&b, "tensor %x f32[64,512] input\ntensor %w f32[512,1024] weight\n",
                            "%y f32[64,1024] = matmul(%x, %w)\n", &cap, false),
                 0);
    const struct task *t = &b.p.task[0];
    cr_assert_eq(total_in(t), (64 * 512 + 512 * 1024) * 4);
    cr_assert_eq(t->kernel.resident_in, 64 * 512 * 4);
    cr_assert_eq(t->kernel.block.n, 128);
    cr_expect_eq(t->kernel.windows, 64 * 512 * 4 + 2 * 512 * 128 * 4 + 2 * 64 * 128 * 4);
    cr_assert_eq(total_out(t), 64 * 1024 * 4);
    take_down(&b);
}

Test(lower, a_product_beyond_vmem_reads_an_operand_again)
{
    struct bench b = { 0 };

    /* 1024^3 f32: 4 MiB each, 1 MiB of VMEM: no blocking reads either operand once */
    cr_assert_eq(lower_text(&b, "tensor %x f32[1024,1024] input\ntensor %w f32[1024,1024] weight\n",
                            "%y f32[1024,1024] = matmul(%x, %w)\n", &cap, false),
                 0);
    const struct task *t = &b.p.task[0];
    /* 256 x 128 x 128: A for each of 8 blocks of columns, B for each of 4 of rows */
    cr_assert_eq(total_in(t), (8 + 4) * 1024 * 1024 * 4);
    uint64_t tiles =
        2 * (t->kernel.block.m * t->kernel.block.k + t->kernel.block.k * t->kernel.block.n) * 4;
    cr_assert_leq(tiles, cap.vmem_bytes);
    cr_assert_eq(total_out(t), 1024 * 1024 * 4);
    cr_assert_eq(sum_of_steps(t).gemm.m, UINT64_C(1) << 30);
    cr_assert_eq(sum_of_steps(t).gemm.useful, UINT64_C(1) << 30);
    take_down(&b);
}

Test(lower, the_operand_of_the_outer_loop_is_read_once)
{
    struct bench b = { 0 };

    cr_assert_eq(lower_text(&b, "tensor %x f32[4096,256] input\ntensor %w f32[256,8192] weight\n",
                            "%y f32[4096,8192] = matmul(%x, %w)\n", &cap, false),
                 0);
    const struct task *t = &b.p.task[0];
    /* 132 MiB take 1.4 million cycles, the products half of that: least is read when A, the smaller
     * one, stays in its blocks of 256 rows, once, and B passes by for each of the 16 */
    cr_assert_eq(t->kernel.block.m, 256);
    cr_assert_eq(t->kernel.block.n, 128);
    cr_assert_eq(t->kernel.block.k, 256);
    cr_assert(t->kernel.block.m_outer);
    cr_assert_eq(total_in(t), 4096 * 256 * 4 + 16 * 256 * 8192 * 4);
    take_down(&b);
}

Test(lower, what_a_fusion_carries_along_does_not_shrink_the_blocks)
{
    struct bench b = { 0 };

    /* a filter gradient whose fusion also writes the 4 MiB activation gradient: cut along k */
    cr_assert_eq(lower_text(&b, "tensor %x f32[65536,16] input\ntensor %d f32[65536,16] input\n",
                            "fusion %e, %w {\n%e f32[65536,16] gradient = elementwise(%d)\n"
                            "%w f32[16,16] gradient = matmul(%x, %e) ta=1\n}\n",
                            &cap, false),
                 0);
    const struct task *t = &b.p.task[0];
    cr_assert_leq(t->kernel.grid_steps, 512);
    cr_assert_eq(total_in(t), 2 * 65536 * 16 * 4);
    cr_assert_eq(total_out(t), 65536 * 16 * 4 + 16 * 16 * 4);
    take_down(&b);
}

Test(lower, a_batch_of_products_streams_everything)
{
    struct bench b = { 0 };

    cr_assert_eq(lower_text(&b, "tensor %x f32[10,64,32] input\ntensor %y f32[10,32,64] input\n",
                            "%z f32[10,64,64] = matmul(%x, %y)\n", &cap, false),
                 0);
    const struct task *t = &b.p.task[0];
    cr_assert_eq(t->kernel.resident_in + t->kernel.resident_out, 0);
    cr_assert_eq(sum_of_steps(t).gemm.m, 10 * 64 * 32 * 64);
    cr_assert_eq(t->kernel.block.m, 64);
    take_down(&b);
}

Test(lower, inside_a_fusion_only_what_crosses_its_border_moves)
{
    struct bench b = { 0 };

    cr_assert_eq(lower_text(&b, "tensor %x f32[256,64] input\ntensor %w f32[64,32] weight\n",
                            "fusion %r {\n%y f32[256,32] = matmul(%x, %w)\n"
                            "%r f32[256,32] = elementwise(%y) flops=8192\n}\n",
                            &cap, false),
                 0);
    cr_assert_eq(b.p.n_tasks, 1);
    const struct task *t = &b.p.task[0];
    cr_assert_eq(total_in(t), (256 * 64 + 64 * 32) * 4);
    cr_assert_eq(total_out(t), 256 * 32 * 4);
    /* 8 vectors of the ReLU, and 1 pass of 256 rows of 128 padded columns = 32 partial sums */
    cr_assert_eq(t->kernel.all.vpu[VECTOR_ADD], 8 + 32);
    /* the ReLU reads what the array gave from registers and stores it; of one pass no sums wait */
    cr_assert_eq(t->kernel.all.loads, 0);
    cr_assert_eq(t->kernel.all.stores, 8);
    take_down(&b);
}

Test(lower, what_a_fusion_makes_and_keeps_is_not_read_again)
{
    struct bench b = { 0 };

    /* the table and the weights are made in the fusion and also leave it */
    cr_assert_eq(lower_text(&b, "tensor %x f32[64,64] input\ntensor %a f32[256,64] input\n",
                            "fusion %w, %y {\n%w f32[64,64] = elementwise(%x)\n"
                            "%y f32[256,64] = matmul(%a, %w)\n}\n",
                            &cap, false),
                 0);
    cr_assert_eq(total_in(&b.p.task[0]), (64 * 64 + 256 * 64) * 4);
    cr_assert_eq(total_out(&b.p.task[0]), (64 * 64 + 256 * 64) * 4);
    take_down(&b);
}

Test(lower, endless_repeats_are_refused)
{
    struct bench b = { 0 };

    cr_assert_eq(lower_text(&b, "tensor %x f32[8] input\n",
                            "repeat 100000 {\nrepeat 100000 {\n%a f32[8] = elementwise(%x)\n}\n}\n",
                            &cap, false),
                 -1);
    cr_assert_str_eq(b.err.msg, "t:8: repeat: more than 1000000000 turns in all");
    take_down(&b);
}

Test(lower, two_matmuls_in_a_fusion_are_refused_by_name)
{
    struct bench b = { 0 };

    cr_assert_eq(lower_text(&b, "tensor %x f32[8,8] input\n",
                            "fusion %z name=\"pair\" {\n%y f32[8,8] = matmul(%x, %x)\n"
                            "%z f32[8,8] = matmul(%y, %x)\n}\n",
                            &cap, false),
                 -1);
    cr_assert_eq(b.err.code, ERR_FIT);
    cr_assert_str_eq(b.err.msg,
                     "t:7: fusion 'pair': a fusion holds at most one matmul or convolution");
    take_down(&b);
}

Test(lower, what_a_precise_product_reads_is_not_rounded)
{
    struct bench b = { 0 };

    cr_assert_eq(lower_text(&b, "tensor %x f32[256,64] input\ntensor %w f32[64,32] weight\n",
                            "%a f32[256,64] = elementwise(%x)\n"
                            "%y f32[256,32] = matmul(%a, %w) precision=highest\n",
                            &cap, true),
                 0);
    cr_assert_eq(total_out(&b.p.task[0]), 256 * 64 * 4);
    cr_assert_eq(b.p.task[1].kernel.mode.more_passes, 5);
    take_down(&b);
}

/* 65,536 B each way: what is not hidden of them at 100 B a cycle. */
Test(lower, a_vector_kernel_shows_the_smaller_of_what_it_reads_and_writes)
{
    struct bench b = { 0 };
    struct cap shows = cap;

    shows.xla.exposed_bytes = 1 << 20;
    cr_assert_eq(lower_text(&b, "tensor %x f32[256,64] input\n",
                            "%y f32[256,64] = elementwise(%x) flops=16384\n", &shows, false),
                 0);
    cr_expect_eq(b.p.task[0].kernel.extra_cycles, 1310);
    take_down(&b);
}

/* A row by a matrix on the vector unit: 7,000 cycles, 500 more where the sum is longer than one
 * array of 128, and 10 for the 1,000 B that nothing hides. */
Test(lower, a_long_sum_on_the_vector_unit_takes_longer)
{
    static const struct {
        const char *tensors;
        uint64_t cycles;
    } rows[] = {
        { "tensor %x f32[1,128] input\ntensor %w f32[128,256] weight\n", 7010 },
        { "tensor %x f32[1,129] input\ntensor %w f32[129,256] weight\n", 7510 },
    };
    struct cap v = cap;

    v.xla.vector_dot = true;
    v.xla.dot_time = 7000;
    v.xla.dot_small_time = 70;
    v.xla.dot_reduce_time = 500;
    v.xla.dot_tile = 1000;
    for (size_t i = 0; i < 2; i++) {
        struct bench b = { 0 };
        cr_assert_eq(lower_text(&b, rows[i].tensors, "%y f32[1,256] = matmul(%x, %w)\n", &v, false),
                     0);
        cr_expect_eq(b.p.task[0].kernel.extra_cycles, rows[i].cycles, "%zu: %lu", i,
                     b.p.task[0].kernel.extra_cycles);
        take_down(&b);
    }
}

Test(lower, halves_meet_where_nothing_is_read)
{
    static const struct {
        uint64_t streamed, rows, resident, cycles;
    } rows[] = { { 0, 0, 0, 70 }, { 100, 0, 100, 0 }, { 0, 100, 100, 0 }, { 0, 0, 100, 0 } };
    struct cap two = cap;

    two.halves = 2;
    two.meet_cycles = 70;
    for (size_t i = 0; i < 4; i++) {
        struct task_kernel k = { .resident_in = rows[i].resident };
        k.all.in = (struct task_move){ .bytes = rows[i].streamed, .rows = rows[i].rows };
        lower_meet(&k, &two);
        cr_expect_eq(k.extra_cycles, rows[i].cycles, "row %zu", i);
    }
}

Test(lower, a_step_may_be_fed_a_pebibyte)
{
    struct bench b = { 0 };

    cr_expect_eq(lower_text(&b, "", "%x f32[16777216,16777216] = infeed()\n", &cap, false), 0, "%s",
                 b.err.msg);
    take_down(&b);
    b = (struct bench){ 0 };
    cr_expect_eq(lower_text(&b, "", "%x f32[16777217,16777216] = infeed()\n", &cap, false), -1);
    take_down(&b);
}

/* No unit computes in 64 bits, but they can be moved. */
Test(lower, arithmetic_is_refused_for_its_own_values_alone)
{
    struct bench b = { 0 };

    cr_expect_eq(lower_text(&b, "tensor %x f32[1024] input\ntensor %i s64[1024] input\n",
                            "%y f32[1024] = elementwise(%x)\n%z s64[1024] = copy(%i)\n", &cap,
                            false),
                 0, "%s", b.err.msg);
    take_down(&b);
    b = (struct bench){ 0 };
    cr_expect_eq(lower_text(&b, "tensor %i s64[1024] input\n", "%z s64[1024] = elementwise(%i)\n",
                            &cap, false),
                 -1);
    take_down(&b);
}

Test(lower, operands_of_eight_bits_meet_as_they_can)
{
    static const struct {
        const char *a, *b;
        uint32_t more_rows, more_passes;
    } rows[] = {
        { "s8", "u8", 1, 0 },     { "s8", "bf16", 0, 0 }, { "f8e4m3fn", "f8e5m2", 3, 0 },
        { "s8", "f8e5m2", 0, 0 }, { "f32", "s8", 0, 0 },  { "f32", "f32", 0, 0 },
    };
    struct cap fast = cap;

    fast.int8_rate = 2;
    fast.fp8_rate = 4;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct bench b = { 0 };
        char tensors[96];
        snprintf(tensors, sizeof tensors,
                 "tensor %%x %s[256,64] input\ntensor %%w %s[64,32] weight\n", rows[i].a,
                 rows[i].b);
        cr_assert_eq(lower_text(&b, tensors, "%y f32[256,32] = matmul(%x, %w)\n", &fast, false), 0);
        cr_expect_eq(b.p.task[0].kernel.mode.more_rows, rows[i].more_rows, "row %zu", i);
        cr_expect_eq(b.p.task[0].kernel.mode.more_passes, rows[i].more_passes, "row %zu", i);
        take_down(&b);
    }
}

/* Out and in, on a host that copies at 2 GB/s: 4,000 B take 4 us, less than the 0.1 ms of a
 * message; 1,000,000 B, the most that a message carries, take 1 ms.  4 B more need three messages.
 * 4,000,000 B take 4 ms and three messages; 5,000,000 B need fresh memory, mapped at 10 GB/s. */
Test(lower, a_variable_between_loops_takes_messages_and_bytes_by_its_size)
{
    static const struct {
        unsigned elements;
        uint64_t ns;
    } rows[] = {
        { 1000, 100000 },
        { 250000, 1000000 },
        { 250001, 300000 + 1000004 },
        { 1000000, 300000 + 4000000 },
        { 1250000, 300000 + 5000000 + 1000000 },
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct bench b = { 0 };
        char tensor[64];
        snprintf(tensor, sizeof tensor, "tensor %%w f32[%u] weight\n", rows[i].elements);
        cr_assert_eq(lower_text(&b, tensor, "restart(%w)\n", &cap, false), 0);
        const struct task *t = &b.p.task[0];
        cr_assert_eq(t->kind, TASK_HOST);
        cr_expect_eq(t->host.copied, 8 * (uint64_t)rows[i].elements);
        cr_expect_eq(t->host.copy_fs, rows[i].ns * 1000000, "row %zu", i);
        take_down(&b);
    }
}

/* 0.1 ms, and 0.3 + 4 ms. */
Test(lower, variables_between_loops_are_copied_one_after_the_other)
{
    struct bench b = { 0 };

    cr_assert_eq(lower_text(&b, "tensor %b f32[1000] weight\ntensor %w f32[1000,1000] weight\n",
                            "restart(%b, %w)\n", &cap, false),
                 0);
    cr_expect_eq(b.p.task[0].host.copied, 2 * (4000 + 4000000));
    cr_expect_eq(b.p.task[0].host.copy_fs, UINT64_C(4400) * 1000000000);
    take_down(&b);
}

/* Two variables of 1,801 s each. */
Test(lower, variables_that_are_copied_for_more_than_an_hour_are_refused)
{
    struct bench b = { 0 };
    struct cap slow = cap;

    slow.variable.message_fs = UINT64_C(1801) * 1000000000000000;
    cr_expect_neq(lower_text(&b, "tensor %b f32[8] weight\ntensor %c f32[8] state\n",
                             "restart(%b, %c)\n", &slow, false),
                  0);
    cr_expect(strstr(b.err.msg, "copies variables for more than an hour"), "%s", b.err.msg);
    take_down(&b);
}
