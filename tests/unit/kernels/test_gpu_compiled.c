/* Kernels of programs compiled for GPUs as tasks, worked out by hand. */
#include "lower_bench.h"

#include "kernels/gpu/gpu.h"
#include "machine/spec/spec.h"

#define PROGRAM "program compiler=\"XLA:GPU\" cores=1 scheduled=1 gpu=1\n"
#define ARRAYS                                                                                     \
    "tensor %x f32[1024,1024] input\ntensor %i s32[4096] input\ntensor %t f32[100000,32] weight\n" \
    "tensor %img f32[32,16,30,30] input\ntensor %w f32[64,16,3,3] weight\n"                        \
    "tensor %dy f32[32,8,28,28] input\ntensor %f f32[8,16,1,1] weight\n"

static struct cap cap_of(const char *machine)
{
    struct machine_spec *spec;
    struct cap c;
    struct err err;

    cr_assert_eq(spec_load(&spec, machine, NULL, 0, &err), 0, "%s", err.msg);
    spec_cap(spec, &c);
    spec_free(spec);
    return c;
}

/* The tasks of one line; at most `room` of them are kept. */
static uint32_t lower_line(const char *line, const char *machine, struct task *task, uint32_t room)
{
    struct bench b = { 0 };
    struct cap c = cap_of(machine);
    char body[1024];

    snprintf(body, sizeof body, "  %s\n", line);
    cr_assert_eq(lower_text(&b, PROGRAM ARRAYS, body, &c, false), 0, "%s", b.err.msg);
    uint32_t n = b.p.n_tasks;
    memcpy(task, b.p.task, (n < room ? n : room) * sizeof *task);
    take_down(&b);
    return n;
}

/* 2 operations on each of 1,048,576 elements, on 80 SMs with 64 lanes; an exponential is 20 more
 * and a special function, of which an SM does 16 a cycle. */
Test(gpu_compiled, a_fusion_is_one_kernel_that_moves_its_bytes_once)
{
    struct task t;
    uint32_t n = lower_line("%y f32[1024,1024] = kernel(%x) fetch=4194304 store=4194304 "
                            "vector=add:2097152+exp:1048576",
                            "v100x1", &t, 1);

    cr_assert_eq(n, 1);
    cr_assert_eq(t.kind, TASK_GRID);
    cr_expect_eq(t.grid.blocks, 1024);
    cr_expect_eq(t.grid.waves, 13);
    cr_expect_eq(t.grid.in.hbm, 4194304);
    cr_expect_eq(t.grid.out.hbm, 4194304);
    cr_expect_eq(t.grid.cycles[GRID_FMA], 4506); /* ceil(22 * 1,048,576 / 5,120) */
    cr_expect_eq(t.grid.cycles[GRID_SFU], 820);  /* ceil(1,048,576 / 1,280) */
    cr_expect_eq(t.grid.fixed_cycles, 0);
}

/* Sums along rows reach 85 % of the rate of HBM; the host launches, no framework does. */
Test(gpu_compiled, a_pattern_decides_the_rate)
{
    struct task plain, sum;
    struct cap c = cap_of("v100x1");

    lower_line("%y f32[1024] = kernel(%x) fetch=4194304 store=4096 vector=add:1048576", "v100x1",
               &plain, 1);
    lower_line("%y f32[1024] = kernel(%x) fetch=4194304 store=4096 vector=add:1048576 "
               "pattern=reduction",
               "v100x1", &sum, 1);
    cr_expect_eq(plain.grid.in.hbm, 4194304);
    cr_expect_eq(sum.grid.in.hbm, 4934475);       /* 4,194,304 / 0.85 */
    cr_expect_eq(sum.grid.cycles[GRID_FMA], 205); /* 1,048,576 / 5,120 */
    cr_expect_eq(sum.grid.host_fs, c.gpu.call_fs);
}

Test(gpu_compiled, each_pass_of_a_sort_is_a_kernel)
{
    struct task t[16];

    cr_assert_eq(lower_line("%y s32[4096] = kernel(%i) rows=1 cols=4096 form=sort fetch=16384 "
                            "store=16384 rounds=15",
                            "a100x1", t, 16),
                 15);
    for (int i = 0; i < 15; i++)
        cr_expect_eq(t[i].grid.in.l2, t[0].grid.in.l2);
}

/* 4,096 rows of 32 elements: 128 B each, four sectors; a scatter adds to what it reads. */
Test(gpu_compiled, rows_by_index_move_whole_sectors)
{
    struct task gather, odd, scatter;

    lower_line("%y f32[4096,32] = kernel(%t, %i) rows=4096 form=gather fetch=0+16384 store=524288 "
               "row-bytes=128",
               "v100x1", &gather, 1);
    lower_line("%y f32[4096] = kernel(%t, %i) rows=4096 form=gather fetch=0+16384 store=16384 "
               "row-bytes=4",
               "v100x1", &odd, 1);
    lower_line("%y f32[100000,32] at %t = kernel(%t, %i, %x) rows=4096 form=scatter "
               "fetch=0+16384+524288 store=0 row-bytes=128 row-writes=1",
               "v100x1", &scatter, 1);
    /* rows reach 90 % of HBM, and cost 512 B more each in a table of 12.8 MB, beyond the L2:
     * (16,384 + 4,096 * (128 + 512)) / 0.9; single elements do not: (16,384 + 4,096 * 32) / 0.9 */
    cr_expect_eq(gather.grid.in.hbm, 2930915);
    cr_expect_eq(odd.grid.in.hbm, 163840);
    /* 16,384 + 524,288 and the rows; the rows */
    cr_expect_eq(scatter.grid.in.hbm, 1183288);
    cr_expect_eq(scatter.grid.out.hbm, 582542);
    cr_expect_eq(scatter.grid.in.l2, 675840, "(16,384 + 524,288) / 0.8 of the L2");
    cr_expect_eq(scatter.grid.cycles[GRID_SMEM], 1024); /* 4,096 * 4 sectors / (80 * 0.2) */
}

/* The kernel that cuDNN would take for the convolution of a trace, with the same bytes. */
Test(gpu_compiled, a_convolution_takes_the_kernels_of_the_library)
{
    struct task a[4], b[4];
    uint32_t n = lower_line("%y f32[32,64,28,28] = conv(%img, %w) size=3x3", "v100x1", a, 4);
    uint32_t m = lower_line(
        "%y f32[32,64,28,28] = kernel(%img, %w) product=1x25088x144x64 taps=9 "
        "operands=f32 conv=forward image=32x16x30x30 filter=64x16x3x3 result=32x64x28x28",
        "v100x1", b, 4);

    cr_assert_eq(n, m);
    for (uint32_t i = 0; i < n; i++) {
        cr_expect_eq(a[i].grid.blocks, b[i].grid.blocks);
        cr_expect_eq(a[i].grid.cycles[GRID_FMA], b[i].grid.cycles[GRID_FMA]);
        cr_expect_eq(a[i].grid.in.l2, b[i].grid.in.l2);
        cr_expect_eq(a[i].grid.out.hbm, b[i].grid.out.hbm);
        cr_expect_eq(a[i].grid.useful, b[i].grid.useful);
    }
    cr_expect_gt(a[0].grid.useful + a[n / 2].grid.useful, 0);
    /* a program may state fewer operations than a product of that size has, two for each useful one
     */
    m = lower_line(
        "%y f32[32,64,28,28] = kernel(%img, %w) product=1x25088x144x64 taps=9 flops=2000000 "
        "operands=f32 conv=forward image=32x16x30x30 filter=64x16x3x3 result=32x64x28x28",
        "v100x1", b, 4);
    uint64_t useful = 0;
    for (uint32_t i = 0; i < m; i++)
        useful += b[i].grid.useful;
    cr_expect_eq(useful, 1000000);
}

/* Kernels of tensor cores read and write channels last: where they come first, the image of 32 x 16
 * x 900 elements of 2 B, the result and the filter are turned by a kernel each. */
Test(gpu_compiled, channels_that_come_first_are_moved)
{
#define CONV                                                                                       \
    "%y f32[32,64,28,28] = kernel(%img, %w) product=1x25088x144x64 taps=9 operands=bf16 "          \
    "conv=forward image=32x16x30x30 filter=64x16x3x3 result=32x64x28x28"
    struct task last, first[4];

    cr_assert_eq(lower_line(CONV, "h100x1", &last, 1), 1);
    cr_assert_eq(lower_line(CONV " channels-first=1", "h100x1", first, 4), 4);
    cr_expect_eq(first[0].grid.out.l2, 921600);
    cr_expect_eq(first[3].grid.cycles[GRID_TENSOR], last.grid.cycles[GRID_TENSOR]);
}

/* The gradient of 32 images of 28 x 28: 25,088 rows of 16 channels in 196 blocks of 128 rows.  Sums
 * of 8 are too short for parts. */
Test(gpu_compiled, a_gradient_of_images_has_a_row_for_each_of_their_positions)
{
    struct task t;

    cr_assert_eq(lower_line("%g f32[32,16,28,28] = kernel(%dy, %f) product=1x25088x8x16 "
                            "operands=f32 conv=dgrad image=32x16x28x28 filter=8x16x1x1 "
                            "result=32x8x28x28",
                            "v100x1", &t, 1),
                 1);
    cr_expect_eq(t.grid.blocks, 196, "%lu", t.grid.blocks);
}

/* Rows of A that are not transposed crowd the L2 of V100: 0.3 of its 4 MiB more, at 0.82 of the
 * memory instead of 0.95. */
Test(gpu_compiled, an_operand_along_m_is_transposed)
{
    struct task rows, columns;

    lower_line("%y f32[1024,1024] = kernel(%x, %x) product=1x1024x1024x1024 lanes=knn operands=f32",
               "v100x1", &rows, 1);
    lower_line("%y f32[1024,1024] = kernel(%x, %x) product=1x1024x1024x1024 lanes=mnn operands=f32",
               "v100x1", &columns, 1);
    cr_expect_float_eq((double)(rows.grid.in.hbm - columns.grid.in.hbm),
                       0.3 * 4194304 * 0.95 / 0.82, 2);
}

/* f32 operands run in TF32 on A100, unless the program asks for f32. */
Test(gpu_compiled, the_precision_of_a_product_chooses_its_unit)
{
#define CUBE(more, operands)                                                                       \
    "%y f32[1024,1024] = kernel(%x, %x)" more                                                      \
    " product=1x1024x1024x1024 lanes=knn operands=" operands
    struct task t;

    lower_line(CUBE("", "f32"), "a100x1", &t, 1);
    cr_expect_eq(t.grid.useful, UINT64_C(1) << 30);
    cr_expect_gt(t.grid.cycles[GRID_TENSOR], 0);
    cr_expect_eq(t.grid.cycles[GRID_FMA], 0);
    lower_line(CUBE(" precision=highest", "f32"), "a100x1", &t, 1);
    cr_expect_eq(t.grid.cycles[GRID_TENSOR], 0);
    cr_expect_gt(t.grid.cycles[GRID_FMA], 0);
    lower_line(CUBE("", "f32"), "v100x1", &t, 1);
    cr_expect_eq(t.grid.cycles[GRID_TENSOR], 0);
    lower_line(CUBE("", "f16"), "v100x1", &t, 1);
    cr_expect_gt(t.grid.cycles[GRID_TENSOR], 0);
}

/* C along m is C^T = B^T A^T: m = 512 of C[512, 2048] becomes n. */
Test(gpu_compiled, a_result_in_columns_is_the_transposed_product)
{
    struct task a, b;

    lower_line("%y f32[512,2048] = kernel(%x, %x) product=1x512x1024x2048 lanes=knm "
               "precision=highest operands=f32",
               "a100x1", &a, 1);
    lower_line("%y f32[2048,512] = kernel(%x, %x) product=1x2048x1024x512 lanes=mkn "
               "precision=highest operands=f32",
               "a100x1", &b, 1);
    cr_expect_eq(a.grid.blocks, b.grid.blocks);
    cr_expect_eq(a.grid.cycles[GRID_FMA], b.grid.cycles[GRID_FMA]);
    cr_expect_eq(a.grid.in.l2, b.grid.in.l2);
}

/* A product with a bias and what follows: 4 KiB more to read, an addition and an exponential on
 * each of 1,048,576 results, 21 * 1,048,576 / (64 * 64)
 * cycles of the 64 SMs that have a block. */
Test(gpu_compiled, what_is_fused_into_a_product_adds_to_it)
{
    struct task a, b;

    lower_line("%y f32[1024,1024] = kernel(%x, %x) product=1x1024x1024x1024 lanes=knn operands=f32",
               "a100x1", &a, 1);
    lower_line("%y f32[1024,1024] = kernel(%x, %x, %i) product=1x1024x1024x1024 lanes=knn "
               "fetch=4194304+4194304+4096 vector=add:1048576+exp:1048576 operands=f32",
               "a100x1", &b, 1);
    cr_expect_eq(b.grid.in.l2, a.grid.in.l2 + 4096);
    cr_expect_eq(b.grid.cycles[GRID_FMA], a.grid.cycles[GRID_FMA] + 5376);
    cr_expect_eq(b.grid.blocks, 64);
    cr_expect_eq(b.grid.cycles[GRID_TENSOR], a.grid.cycles[GRID_TENSOR]);
}

static void expect_refused(const char *head, const char *line, const char *why)
{
    struct bench b = { 0 };
    struct cap c = cap_of("v100x1");
    char body[512];

    snprintf(body, sizeof body, "  %s\n", line);
    cr_assert_eq(lower_text(&b, head, body, &c, false), -1);
    cr_expect(strstr(b.err.msg, why), "no '%s' in '%s'", why, b.err.msg);
    take_down(&b);
}

/* 1,048,576 elements in blocks of 1,024, and a time of 2 us at 1.53 GHz */
Test(gpu_compiled, kernels_that_no_compiler_has_seen_run)
{
    static const char *const heads[] = { ARRAYS, "program compiler=\"x\" scheduled=0\n" ARRAYS };
    struct cap c = cap_of("v100x1");

    for (int i = 0; i < 2; i++) {
        struct bench b = { 0 };
        cr_assert_eq(lower_text(&b, heads[i],
                                "  %y f32[1024,1024] = kernel(%x)\n"
                                "  %z u8[] = kernel(%y) time=\"2 us\" form=custom fetch=0\n",
                                &c, false),
                     0, "%s", b.err.msg);
        cr_assert_eq(b.p.n_tasks, 2);
        cr_expect_eq(b.p.task[0].kind, TASK_GRID);
        cr_expect_eq(b.p.task[0].grid.blocks, 1024);
        cr_expect_eq(b.p.task[1].kind, TASK_SCALAR);
        cr_expect_eq(b.p.task[1].scalar.cycles, 3060, "%lu", b.p.task[1].scalar.cycles);
        take_down(&b);
    }
}

Test(gpu_compiled, what_a_gpu_does_not_run_is_refused)
{
    expect_refused("program compiler=\"jax\" scheduled=1\n" ARRAYS,
                   "%y f32[1024,1024] = kernel(%x)", "compiled for a TPU");
    expect_refused("program compiler=\"unknown\" scheduled=1\n" ARRAYS,
                   "%y f32[1024,1024] = kernel(%x)", "does not say for what");
    expect_refused(PROGRAM ARRAYS, "%y f32[1024,1024] = kernel(%x) unit=sparsecore",
                   "unit=sparsecore: a GPU has none");
    expect_refused(PROGRAM ARRAYS,
                   "%y f32[1024,1024] = kernel(%x, %x) product=1x67108864x2x67108864",
                   "a product beyond what a run can hold");
}

/* 131,072 sums of 196 rows: 4,096 blocks of 32 columns, two at a time on each of 132 SMs, 16
 * rounds; 196 rows are no whole tile of 128, so each round ends 0.85 us later.  24 instructions an
 * element are ceil(24 * 25,690,112 / (132 * 128)) cycles; 7 times 32 rows of 80 ns for 16 rounds
 * less. */
Test(gpu_compiled, sums_across_rows_go_by_blocks_of_columns)
{
    struct task t;

    lower_line("%y f32[131072] = kernel(%x) fetch=51380224 store=524288 vector=add:25690112 "
               "chain=196 sums=131072 pattern=columns",
               "h100x1", &t, 1);
    cr_expect_eq(t.grid.cycles[GRID_FMA], 36491);
    cr_expect_eq(t.grid.fixed_cycles, 26928); /* 16 * 0.85 us at 1.98 GHz */
    lower_line("%y f32[131072] = kernel(%x) fetch=51380224 store=524288 vector=add:25690112 "
               "chain=256 sums=131072 pattern=columns",
               "h100x1", &t, 1);
    cr_expect_eq(t.grid.fixed_cycles, 0);
}

/* Rows of 4 B lie in a sector each: 2,875,392 of them take 132 * 0.2 a cycle; narrower elements are
 * exchanged one by one. */
Test(gpu_compiled, atomic_additions_go_by_sectors)
{
    struct task t;

    lower_line("%y f32[100000,32] at %t = kernel(%t, %i, %x) rows=2875392 form=scatter "
               "fetch=0+4096+11501568 store=0 row-bytes=4 row-writes=1",
               "h100x1", &t, 1);
    cr_expect_eq(t.grid.cycles[GRID_SMEM], 108916);
    lower_line("%y bf16[8192,729] = kernel(%t, %i, %x) rows=1000 form=scatter "
               "fetch=0+4096+1024000 store=0 row-bytes=1024 row-writes=1",
               "h100x1", &t, 1);
    cr_expect_eq(t.grid.cycles[GRID_SMEM], 19393); /* 1,000 * 512 / (132 * 0.2) */
}

/* 32 x 4 tiles of 128 x 256 on 132 SMs, one each: 128 * 256 * 64 * 64 / 2048 / 0.87 / 0.924 cycles,
 * and 0.8 of the time of writing 8 MiB.  A tile of k is 1.8 us / 4 on its way: 64 times that is
 * shorter.  Rows along k of 30,522 elements are no whole vectors. */
Test(gpu_compiled, a_product_takes_the_tile_that_its_compiler_chose)
{
    struct task t;
    struct cap c = cap_of("h100x1");

    lower_line("%y bf16[4096,1024] = kernel(%x, %w) product=1x4096x4096x1024 "
               "tile=1x128x64x256 counts=1x32x64x4 lanes=knn fetch=33554432+8388608 store=8388608 "
               "warps=8 stages=4 operands=bf16",
               "h100x1", &t, 1);
    cr_expect_eq(t.grid.blocks, 128);
    cr_expect_eq(t.grid.waves, 1);
    uint64_t writing = 8388608 * (c.core_hz / 1000) / (c.hbm_bytes_per_s / 1000);
    cr_expect_eq(t.grid.cycles[GRID_TENSOR], 81523 + writing * 8 / 10);
    cr_expect_eq(t.grid.fixed_cycles, 3366); /* 1.7 us */
    lower_line("%y bf16[4096,1024] = kernel(%x, %w) product=1x4096x30522x1024 "
               "tile=1x128x64x256 counts=1x32x477x4 lanes=knn fetch=250036224+62509056 "
               "store=8388608 warps=8 stages=4 operands=bf16",
               "h100x1", &t, 1);
    cr_expect_eq(t.grid.cycles[GRID_TENSOR], 1664692 + writing * 8 / 10);
}

/* By hand, as above: 81,523 cycles of products; then 8 MiB to read and 8 to write, of one round of
 * blocks at 0.87 of HBM's rate, of many beside the products of others.  What is read once more for
 * an operand is none of it. */
Test(gpu_compiled, an_operand_that_is_added_is_met_at_the_end_of_a_block)
{
    struct task t, plain;
    struct cap c = cap_of("h100x1");

    lower_line("%y bf16[4096,1024] = kernel(%x, %w, %t) product=1x4096x4096x1024 "
               "tile=1x128x64x256 counts=1x32x64x4 lanes=knn fetch=33554432+8388608+8388608 "
               "store=8388608 warps=8 stages=4 operands=bf16",
               "h100x1", &t, 1);
    uint64_t both = 16777216 * c.core_hz / c.hbm_bytes_per_s;
    cr_expect_eq(t.grid.cycles[GRID_TENSOR], 81523 + both * 100 / 87);
    lower_line("%y bf16[32768,1024] = kernel(%x, %w) product=1x32768x4096x1024 "
               "tile=1x128x64x256 counts=1x256x64x4 lanes=knn fetch=268435456+8388608 "
               "store=67108864 warps=8 stages=4 operands=bf16",
               "h100x1", &plain, 1);
    lower_line("%y bf16[32768,1024] = kernel(%x, %w, %t) product=1x32768x4096x1024 "
               "tile=1x128x64x256 counts=1x256x64x4 lanes=knn fetch=268435456+8388608+67108864 "
               "store=67108864 warps=8 stages=4 operands=bf16",
               "h100x1", &t, 1);
    cr_expect_eq(t.grid.cycles[GRID_TENSOR] - plain.grid.cycles[GRID_TENSOR],
                 134217728 * c.core_hz / c.hbm_bytes_per_s * 8 / 10 -
                     67108864 * c.core_hz / c.hbm_bytes_per_s * 8 / 10);
}

/* 2^63 - 1 warps of 2,048 registers and tiles of 2,048 elements are 0 in 64 bits. */
Test(gpu_compiled, warps_beyond_what_an_sm_holds_leave_one_block_at_a_time)
{
    const char *const warps[] = { "64", "9223372036854775807" };
    uint64_t cycles[2];

    for (int i = 0; i < 2; i++) {
        struct task t;
        char line[256];
        snprintf(line, sizeof line,
                 "%%y f32[8192,64] = kernel(%%x, %%w) product=1x8192x256x64 tile=1x64x64x32 "
                 "counts=1x128x4x2 lanes=knn fetch=8388608+65536 store=2097152 warps=%s stages=1 "
                 "operands=f32",
                 warps[i]);
        lower_line(line, "h100x1", &t, 1);
        cycles[i] = t.grid.sm_cycles;
    }
    cr_expect_eq(cycles[1], cycles[0]);
}

/* The host launches a graph with its first kernel. */
Test(gpu_compiled, nodes_of_a_graph_take_no_time_of_the_host)
{
    struct task t;

    lower_line("%y f32[1024] = kernel(%x) fetch=4096 store=4096 node=1", "h100x1", &t, 1);
    cr_expect(t.grid.node);
    cr_expect_eq(t.grid.host_fs, 0);
}

/* 64 heads of 4,096 queries and keys, 128 channels: 2,048 blocks of 128 queries on 132 SMs, 16 each
 * as the last has, so 2,112 / 2,048 of 2 * 64 * 4096^2 * 128 / (132 * 2048) cycles, at 0.645 of the
 * rate and 0.924 of the clock, (4,096 + 90) / 4,096 of that. */
Test(gpu_compiled, attention_runs_at_the_rate_of_its_heads)
{
    struct task t;

    lower_line("%y bf16[4,16,4096,128] = kernel(%x, %w) product=64x8192x4096x128 "
               "fetch=67108864+134217728 store=67108864 vector=exp:1073741824 queries=4096 "
               "operands=bf16 flops=549755813888",
               "h100x1", &t, 1);
    cr_expect_eq(t.grid.blocks, 2048);
    cr_expect_eq(t.grid.waves, 16);
    cr_expect_eq(t.grid.cycles[GRID_TENSOR], 1798073);
    cr_expect_eq(t.grid.cycles[GRID_FMA], 0);
    cr_expect_eq(t.grid.out.hbm, 67108864);
}

/* FlashAttention-2 has 8 pairs of blocks on each SM and 0.35 of the rate.  4,096 keys fill its
 * tiles of 64; 4,100 keys take 65 tiles, as 4,160 do. */
Test(gpu_compiled, attention_by_four_warps_needs_two_blocks_of_an_sm)
{
    struct task t;

    lower_line("%y bf16[4,16,4096,128] = kernel(%x, %w) product=64x8192x4096x128 "
               "fetch=67108864+134217728 store=67108864 queries=4096 warps=4 "
               "operands=bf16 flops=549755813888",
               "h100x1", &t, 1);
    cr_expect_eq(t.grid.blocks, 2048);
    cr_expect_float_eq((double)t.grid.cycles[GRID_TENSOR], 1048576 / .35 / .924, 10);
    lower_line("%y bf16[4,16,4096,128] = kernel(%x, %w) product=64x8192x4100x128 "
               "fetch=67108864+134217728 store=67108864 queries=4096 warps=4 "
               "operands=bf16 flops=550292684800",
               "h100x1", &t, 1);
    cr_expect_float_eq((double)t.grid.cycles[GRID_TENSOR], 1048576 / .35 / .924 * 4160 / 4096, 20);
    lower_line("%y bf16[1,1,128,128] = kernel(%x, %w) product=132x256x128x128 "
               "fetch=67108864+134217728 store=67108864 queries=128 warps=4 "
               "operands=bf16 flops=1107296256",
               "h100x1", &t, 1);
    cr_expect_float_eq((double)t.grid.cycles[GRID_TENSOR], 2 * 2048 / .35 / .924, 10,
                       "a block to each SM takes the time of two: 2 * 128^3 / 2,048 each");
}
