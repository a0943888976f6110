/* Operations to grids: bytes, residency and grid steps worked out by hand, on a machine of round
 * numbers: 1 GHz, 100 GB/s per core, 100 cycles a step (10,000 B of streaming), 1 MiB of VMEM. */
#include <criterion/criterion.h>
#include <string.h>

#include "kernels/lower.h"
#include "kernels/memory.h"

static const struct cap cap = {
    .replicas = 8,
    .core_hz = 1000000000,
    .halves = 1,
    .mxu_count = 1,
    .mxu_issue = 1000000000,
    .mxu = { 128, 1, 2, 257, ARRAY_EXPOSED, 2 },
    .mxu_row_granule = 8,
    .vector_elements = 1024,
    .sublanes = 8,
    .lanes = 128,
    .vmem_bytes = 1 << 20,
    .smem_bytes = 1 << 20,
    .hbm_bytes_per_s = 100000000000,
    .dma_granule = 512,
    .step_cycles = 100,
    .net = { .mesh = { { 2, 2, 1 }, { false, false, false } },
             .cores_per_chip = 2,
             .latency_fs = 1000000000,
             .bytes_per_s = 62000000000 },
};

struct bench {
    struct trace *t;
    struct graph g;
    struct task_program p;
    struct err err;
};

static int lower(struct bench *b, const char *tensors, const char *body, const struct cap *c,
                 bool narrow)
{
    char text[4096];

    snprintf(text, sizeof text,
             "cyclotron-trace 1\nworkload \"w\"\nsamples step=1\n"
             "dtype tensors=f32 matmul=bf16 activations=narrow\n%sstep {\n%s}\n",
             tensors, body);
    char *kept = strdup(text); /* the reader borrows it */
    cr_assert_eq(trace_open_memory(&b->t, "t", kept, strlen(kept), false, &b->err), 0, "%s",
                 b->err.msg);
    graph_init(&b->g);
    cr_assert_eq(graph_read_tensors(&b->g, b->t, &b->err), 0, "%s", b->err.msg);
    cr_assert_eq(graph_read_step(&b->g, b->t, &b->err), 1, "%s", b->err.msg);
    if (narrow)
        graph_narrow(&b->g, TRACE_BF16);
    int rc = lower_step(&b->p, &b->g, c, "t", &b->err);
    free(kept);
    return rc;
}

static void down(struct bench *b)
{
    lower_free(&b->p);
    graph_free(&b->g);
    trace_close(b->t);
}

static uint64_t total_in(const struct task *t)
{
    return t->all.in.bytes + t->resident_in;
}

static uint64_t total_out(const struct task *t)
{
    return t->all.out.bytes + t->resident_out;
}

/* Sum over all grid steps of what each one takes. */
static struct task_step sum_of_steps(const struct task *t)
{
    struct task_step sum = { 0 };

    for (uint64_t i = 0; i < t->steps; i++) {
        struct task_step s = task_step(t, i);
        sum.in.bytes += s.in.bytes;
        sum.in.rows += s.in.rows;
        sum.out.bytes += s.out.bytes;
        for (int op = 0; op < N_VECTOR_OPS; op++)
            sum.vpu[op] += s.vpu[op];
        sum.xlu += s.xlu;
        sum.gemm.useful += s.gemm.useful;
        sum.gemm.m += s.gemm.b * s.gemm.m * s.gemm.n * s.gemm.k; /* all multiply-accumulates */
    }
    return sum;
}

Test(lower, a_matmul_keeps_the_weights_and_streams_the_rows)
{
    struct bench b = { 0 };

    cr_assert_eq(lower(&b, "tensor %x f32[4096,64] input\ntensor %w f32[64,32] weight\n",
                       "%y f32[4096,32] = matmul(%x, %w)\n", &cap, false),
                 0);
    const struct task *t = &b.p.task[0];
    cr_assert_eq(t->kind, TASK_KERNEL);
    cr_assert_eq(t->resident_in, 64 * 32 * 4);
    cr_assert_eq(total_in(t), 4096 * 64 * 4 + 64 * 32 * 4);
    cr_assert_eq(total_out(t), 4096 * 32 * 4);
    /* 15,811 cycles of HBM; 4096 + 164 T of compute for T steps stay below it up to T = 71, and
     * more steps expose less: 64 steps of 64 rows */
    cr_assert_eq(t->steps, 64);
    cr_assert_eq(t->block.m, 64);
    struct task_step sum = sum_of_steps(t);
    cr_assert_eq(sum.gemm.m, UINT64_C(4096) * 64 * 32);
    cr_assert_eq(sum.gemm.useful, UINT64_C(4096) * 64 * 32);
    cr_assert_eq(sum.in.bytes, 4096 * 64 * 4);
    cr_assert_arr_eq(sum.vpu, t->all.vpu, sizeof sum.vpu);
    down(&b);
}

/* Bytes in and out of the one kernel of `body`, on tensors of 64 KiB (%a, %b), 768 KiB (%t) and
 * 4 KiB (%i, 1024 indices into %t). */
static void traffic(const char *body, uint64_t in, uint64_t out)
{
    struct bench b = { 0 };

    cr_assert_eq(lower(&b,
                       "tensor %a f32[128,128] input\ntensor %b f32[128,128] input\n"
                       "tensor %t f32[1536,128] input\ntensor %i s32[1024] input\n",
                       body, &cap, false),
                 0, "%s: %s", body, b.err.msg);
    const struct task *t = &b.p.task[0];
    cr_expect_eq(total_in(t) + t->all.in.rows * t->all.in.row_bytes, in, "%s: %lu in", body,
                 total_in(t));
    cr_expect_eq(total_out(t), out, "%s: %lu out", body, total_out(t));
    down(&b);
}

Test(lower, what_is_resident_does_not_cross_hbm)
{
    traffic("%y f32[128,128] = matmul(%a, %b)\n", 131072, 65536);
    traffic("%y f32[128,128] = matmul(%a, %b) resident=lhs\n", 65536, 65536);
    traffic("%y f32[128,128] = matmul(%a, %b) resident=rhs+out\n", 65536, 0);
    traffic("%y f32[128,128] = matmul(%a, %a) resident=rhs\n", 0, 65536);
    traffic("%y f32[128,128] = elementwise(%a, %b) resident=rhs\n", 65536, 65536);
    traffic("%y f32[], %z f32[128,128] = reduce(%a) resident=out\n", 65536, 0);
    /* a table beyond half of VMEM is read row by row, 512 B each, unless it is there already */
    traffic("%y f32[1024,128] = gather(%t, %i)\n", 4096 + 1024 * 512, 524288);
    traffic("%y f32[1024,128] = gather(%t, %i) resident=lhs\n", 4096, 524288);
}

Test(lower, what_one_member_finds_on_chip_all_of_its_kernel_do)
{
    traffic("fusion %y {\n%s f32[128,128] = elementwise(%a)\n"
            "%y f32[128,128] = matmul(%s, %a) resident=rhs\n}\n",
            0, 65536);
    traffic("fusion %y, %s {\n%s f32[128,128] = elementwise(%a) resident=lhs\n"
            "%y f32[128,128] = matmul(%a, %b) resident=out\n}\n",
            65536, 65536);
    /* and only of that kernel: %a again for the second */
    struct bench b = { 0 };
    cr_assert_eq(lower(&b, "tensor %a f32[128,128] input\n",
                       "%y f32[128,128] = elementwise(%a) resident=lhs+out\n"
                       "%z f32[128,128] = elementwise(%a, %y)\n",
                       &cap, false),
                 0);
    cr_expect_eq(total_in(&b.p.task[0]), 0);
    cr_expect_eq(total_in(&b.p.task[1]), 131072);
    down(&b);
}

Test(lower, what_is_resident_must_fit_vmem)
{
    struct bench b = { 0 };

    /* 512 KiB + 512 KiB + 4 B is one word too many for 1 MiB */
    const char *fits = "%y f32[256,512] = elementwise(%a) resident=lhs+out\n";
    const char *not = "%y f32[256,512], %z f32[] = elementwise(%a) resident=lhs+out\n";
    cr_expect_eq(lower(&b, "tensor %a f32[256,512] input\n", fits, &cap, false), 0);
    down(&b);
    cr_expect_eq(lower(&b, "tensor %a f32[256,512] input\n", not, &cap, false), -1);
    cr_expect_str_eq(b.err.msg, "t:7: elementwise 'y': what is resident does not fit on chip: "
                                "1048576 B of VMEM");
    cr_expect_eq(b.err.code, ERR_FIT);
    down(&b);
}

/* With 640 KiB of common memory a core. */
static struct cap with_cmem(void)
{
    struct cap c = cap;

    c.cmem_bytes = 640 << 10;
    return c;
}

Test(lower, what_is_resident_is_in_common_memory_first_and_streams_from_there)
{
    struct bench b = { 0 };
    struct cap c = with_cmem();

    /* 512 KiB each: one fits there, the other takes half of VMEM */
    cr_assert_eq(lower(&b, "tensor %a f32[256,512] input\n",
                       "%y f32[256,512] = elementwise(%a) resident=lhs+out\n", &c, false),
                 0);
    cr_expect_eq(b.p.task[0].all.feed, 512 << 10);
    cr_expect_eq(total_in(&b.p.task[0]) + total_out(&b.p.task[0]), 0);
    down(&b);
    /* without it both are in VMEM, and nothing streams */
    cr_assert_eq(lower(&b, "tensor %a f32[256,512] input\n",
                       "%y f32[256,512] = elementwise(%a) resident=lhs+out\n", &cap, false),
                 0);
    cr_expect_eq(b.p.task[0].all.feed, 0);
    down(&b);
    /* 768 KiB fit neither what is left of it nor that beside the other in VMEM, 1 MiB */
    cr_assert_eq(lower(&b, "tensor %a f32[384,512] input\n",
                       "%y f32[384,512] = elementwise(%a) resident=lhs+out\n", &c, false),
                 -1);
    cr_expect_str_eq(b.err.msg, "t:7: elementwise 'y': what is resident does not fit on chip: "
                                "1703936 B of VMEM and CMEM");
    down(&b);
}

Test(lower, tiles_have_the_vmem_that_residents_leave)
{
    static const struct {
        const char *resident;
        uint64_t steps;
    } cases[] = {
        /* %s, 512 KiB, is read with the others: 2 * 2 * 1.25 MiB / 1 MiB = 5 */
        { "", 5 },
        /* it takes half of VMEM: of 2 * 2 MiB pass 512 KiB at a time */
        { " resident=rhs", 8 },
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct bench b = { 0 };
        struct cap c = cap;
        char body[128];
        c.step_cycles = 100000000; /* as few steps as there can be */
        snprintf(body, sizeof body, "%%y f32[512,512] = elementwise(%%a, %%s)%s\n",
                 cases[i].resident);
        cr_assert_eq(lower(&b, "tensor %a f32[512,512] input\ntensor %s f32[256,512] input\n", body,
                           &c, false),
                     0);
        cr_expect_eq(b.p.task[0].steps, cases[i].steps, "%lu", b.p.task[0].steps);
        down(&b);
    }
}

Test(lower, a_resident_operand_is_multiplied_where_it_is)
{
    struct bench b = { 0 };

    struct cap c = cap;

    /* B, one tile of 64 KiB, is half of VMEM and needs no second place: A and C pass through the
     * other half, 2 * (m * 128 + m * 128) * 4 B: 32 rows */
    c.vmem_bytes = 128 << 10;
    cr_assert_eq(lower(&b, "tensor %x f32[4096,128] input\ntensor %w f32[128,128] weight\n",
                       "%y f32[4096,128] = matmul(%x, %w) resident=rhs\n", &c, false),
                 0);
    cr_expect_eq(b.p.task[0].block.m, 32);
    cr_expect_eq(b.p.task[0].all.in.bytes + b.p.task[0].resident_in, 4096 * 128 * 4);
    down(&b);
}

Test(lower, residents_leave_room_for_tiles)
{
    struct bench b = { 0 };

    /* 1 MiB - 4 KiB of VMEM; the result streams */
    cr_assert_eq(lower(&b, "tensor %a f32[511,512] input\n",
                       "%y f32[511,512] = elementwise(%a) resident=lhs\n", &cap, false),
                 -1);
    cr_expect_str_eq(b.err.msg, "t:7: elementwise 'y': what is resident leaves 2048 B of VMEM for "
                                "tiles, 65536 are needed");
    cr_expect_eq(b.err.code, ERR_FIT);
    down(&b);
}

Test(lower, a_filter_gradient_keeps_the_result_and_streams_the_contraction)
{
    struct bench b = { 0 };

    cr_assert_eq(lower(&b, "tensor %x f32[65536,16] input\ntensor %d f32[65536,16] input\n",
                       "%w f32[16,16] gradient = matmul(%x, %d) ta=1\n", &cap, false),
                 0);
    const struct task *t = &b.p.task[0];
    cr_assert_eq(t->resident_out, 16 * 16 * 4);
    cr_assert_eq(t->resident_in, 0);
    cr_assert_eq(total_in(t), 2 * 65536 * 16 * 4);
    /* 83,897 cycles of HBM; 512 tiles of 64 + 16 cycles and 100 a step: 256 steps of two tiles */
    cr_assert_eq(t->block.k, 256);
    cr_assert_eq(t->steps, 256);
    cr_assert_eq(sum_of_steps(t).gemm.m, UINT64_C(65536) * 16 * 16);
    down(&b);
}

Test(lower, weights_beyond_vmem_stream_past_the_rows)
{
    struct bench b = { 0 };

    /* B is 2 MiB, A 128 KiB: A stays, B and C pass by in blocks of 128 columns, nothing twice */
    cr_assert_eq(lower(&b, "tensor %x f32[64,512] input\ntensor %w f32[512,1024] weight\n",
                       "%y f32[64,1024] = matmul(%x, %w)\n", &cap, false),
                 0);
    const struct task *t = &b.p.task[0];
    cr_assert_eq(total_in(t), (64 * 512 + 512 * 1024) * 4);
    cr_assert_eq(t->resident_in, 64 * 512 * 4);
    cr_assert_eq(t->block.n, 128);
    cr_assert_eq(total_out(t), 64 * 1024 * 4);
    down(&b);
}

Test(lower, a_product_beyond_vmem_reads_an_operand_again)
{
    struct bench b = { 0 };

    /* 1024^3 f32: 4 MiB each, 1 MiB of VMEM: no blocking reads either operand once */
    cr_assert_eq(lower(&b, "tensor %x f32[1024,1024] input\ntensor %w f32[1024,1024] weight\n",
                       "%y f32[1024,1024] = matmul(%x, %w)\n", &cap, false),
                 0);
    const struct task *t = &b.p.task[0];
    cr_assert_gt(total_in(t), 2 * 1024 * 1024 * 4);
    uint64_t tiles = 2 * (t->block.m * t->block.k + t->block.k * t->block.n) * 4;
    cr_assert_leq(tiles, cap.vmem_bytes);
    cr_assert_eq(total_out(t), 1024 * 1024 * 4);
    cr_assert_eq(sum_of_steps(t).gemm.m, UINT64_C(1) << 30);
    cr_assert_eq(sum_of_steps(t).gemm.useful, UINT64_C(1) << 30);
    down(&b);
}

Test(lower, what_a_fusion_carries_along_does_not_shrink_the_blocks)
{
    struct bench b = { 0 };

    /* a filter gradient whose fusion also writes the 4 MiB activation gradient: cut along k */
    cr_assert_eq(lower(&b, "tensor %x f32[65536,16] input\ntensor %d f32[65536,16] input\n",
                       "fusion %e, %w {\n%e f32[65536,16] gradient = elementwise(%d)\n"
                       "%w f32[16,16] gradient = matmul(%x, %e) ta=1\n}\n",
                       &cap, false),
                 0);
    const struct task *t = &b.p.task[0];
    cr_assert_leq(t->steps, 512);
    cr_assert_eq(total_in(t), 2 * 65536 * 16 * 4);
    cr_assert_eq(total_out(t), 65536 * 16 * 4 + 16 * 16 * 4);
    down(&b);
}

Test(lower, a_batch_of_products_streams_everything)
{
    struct bench b = { 0 };

    cr_assert_eq(lower(&b, "tensor %x f32[10,64,32] input\ntensor %y f32[10,32,64] input\n",
                       "%z f32[10,64,64] = matmul(%x, %y)\n", &cap, false),
                 0);
    const struct task *t = &b.p.task[0];
    cr_assert_eq(t->resident_in + t->resident_out, 0);
    cr_assert_eq(sum_of_steps(t).gemm.m, 10 * 64 * 32 * 64);
    cr_assert_eq(t->block.m, 64);
    down(&b);
}

Test(lower, inside_a_fusion_only_what_crosses_its_border_moves)
{
    struct bench b = { 0 };

    cr_assert_eq(lower(&b, "tensor %x f32[256,64] input\ntensor %w f32[64,32] weight\n",
                       "fusion %r {\n%y f32[256,32] = matmul(%x, %w)\n"
                       "%r f32[256,32] = elementwise(%y) flops=8192\n}\n",
                       &cap, false),
                 0);
    cr_assert_eq(b.p.n_tasks, 1);
    const struct task *t = &b.p.task[0];
    cr_assert_eq(total_in(t), (256 * 64 + 64 * 32) * 4);
    cr_assert_eq(total_out(t), 256 * 32 * 4);
    /* 8 vectors of the ReLU, and 1 pass of 256 rows of 128 padded columns = 32 partial sums */
    cr_assert_eq(t->all.vpu[VECTOR_ADD], 8 + 32);
    /* the ReLU reads what the array gave from registers and stores it; of one pass no sums wait */
    cr_assert_eq(t->all.loads, 0);
    cr_assert_eq(t->all.stores, 8);
    down(&b);
}

Test(lower, what_a_fusion_makes_and_keeps_is_not_read_again)
{
    struct bench b = { 0 };

    /* the table and the weights are made in the fusion and also leave it */
    cr_assert_eq(lower(&b, "tensor %x f32[64,64] input\ntensor %a f32[256,64] input\n",
                       "fusion %w, %y {\n%w f32[64,64] = elementwise(%x)\n"
                       "%y f32[256,64] = matmul(%a, %w)\n}\n",
                       &cap, false),
                 0);
    cr_assert_eq(total_in(&b.p.task[0]), (64 * 64 + 256 * 64) * 4);
    cr_assert_eq(total_out(&b.p.task[0]), (64 * 64 + 256 * 64) * 4);
    down(&b);
}

Test(lower, endless_repeats_are_refused)
{
    struct bench b = { 0 };

    cr_assert_eq(lower(&b, "tensor %x f32[8] input\n",
                       "repeat 100000 {\nrepeat 100000 {\n%a f32[8] = elementwise(%x)\n}\n}\n",
                       &cap, false),
                 -1);
    cr_assert_str_eq(b.err.msg, "t:8: repeat: more than 1000000000 turns in all");
    down(&b);
}

Test(lower, an_activation_that_a_matmul_reads_is_kept_in_bf16)
{
    struct bench b = { 0 };

    cr_assert_eq(lower(&b, "tensor %x f32[256,64] input\ntensor %w f32[64,32] weight\n",
                       "%a f32[256,64] = elementwise(%x)\n%y f32[256,32] = matmul(%a, %w)\n"
                       "%z f32[256,32] = elementwise(%y)\n",
                       &cap, true),
                 0);
    cr_assert_eq(total_in(&b.p.task[0]), 256 * 64 * 4, "an input stays f32");
    cr_assert_eq(total_out(&b.p.task[0]), 256 * 64 * 2);
    cr_assert_eq(total_in(&b.p.task[1]), 256 * 64 * 2 + 64 * 32 * 4, "weights stay f32");
    cr_assert_eq(total_out(&b.p.task[1]), 256 * 32 * 4, "nobody rounds the result");
    down(&b);
}

Test(lower, an_update_is_in_place_where_nobody_needs_what_was_there)
{
    static const char dead[] = "%a f32[64,256] = rng()\n"
                               "%b f32[64,256] = dynamic-update-slice(%a, %u)\n";
    static const char read[] = "%a f32[64,256] = rng()\n"
                               "%b f32[64,256] = dynamic-update-slice(%a, %u)\n"
                               "%c f32[64,256] = elementwise(%a)\n";
    struct bench b = { 0 };

    cr_assert_eq(lower(&b, "tensor %u f32[2,256] input\n", dead, &cap, false), 0);
    cr_expect_eq(total_in(&b.p.task[1]), 2 * 256 * 4);
    cr_expect_eq(total_out(&b.p.task[1]), 2 * 256 * 4);
    down(&b);
    cr_assert_eq(lower(&b, "tensor %u f32[2,256] input\n", read, &cap, false), 0);
    cr_expect_eq(total_in(&b.p.task[1]), (64 + 2) * 256 * 4);
    cr_expect_eq(total_out(&b.p.task[1]), 64 * 256 * 4);
    down(&b);
}

Test(lower, what_a_precise_product_reads_is_not_rounded)
{
    struct bench b = { 0 };

    cr_assert_eq(lower(&b, "tensor %x f32[256,64] input\ntensor %w f32[64,32] weight\n",
                       "%a f32[256,64] = elementwise(%x)\n"
                       "%y f32[256,32] = matmul(%a, %w) precision=highest\n",
                       &cap, true),
                 0);
    cr_assert_eq(total_out(&b.p.task[0]), 256 * 64 * 4);
    cr_assert_eq(b.p.task[1].mode.more_passes, 5);
    down(&b);
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
        cr_assert_eq(lower(&b, tensors, "%y f32[256,32] = matmul(%x, %w)\n", &fast, false), 0);
        cr_expect_eq(b.p.task[0].mode.more_rows, rows[i].more_rows, "row %zu", i);
        cr_expect_eq(b.p.task[0].mode.more_passes, rows[i].more_passes, "row %zu", i);
        down(&b);
    }
}

Test(lower, rows_of_a_large_table_are_accesses_of_their_own)
{
    struct bench b = { 0 };

    /* the table is 1 MiB, more than half of VMEM; rows of 64 B are padded to 512 */
    cr_assert_eq(lower(&b, "tensor %t f32[16384,16] input\ntensor %i s32[1000] input\n",
                       "%r f32[1000,16] = gather(%t, %i) rows=1000 cols=16 table-rows=16384\n",
                       &cap, false),
                 0);
    const struct task *t = &b.p.task[0];
    cr_assert_eq(sum_of_steps(t).in.rows, 1000);
    cr_assert_eq(t->all.in.row_bytes, 512);
    cr_assert_eq(total_in(t), 1000 * 4);
    down(&b);
}

Test(lower, rows_of_a_small_table_are_picked_on_chip)
{
    struct bench b = { 0 };

    cr_assert_eq(lower(&b, "tensor %t f32[1024,16] input\ntensor %i s32[1000] input\n",
                       "%r f32[1000,16] = gather(%t, %i) rows=1000 cols=16 table-rows=1024\n", &cap,
                       false),
                 0);
    const struct task *t = &b.p.task[0];
    cr_assert_eq(t->all.in.rows, 0);
    cr_assert_eq(total_in(t), 1024 * 16 * 4 + 4000);
    down(&b);
}

Test(lower, two_gathers_of_one_table_in_a_fusion_move_their_rows_only)
{
    struct bench b = { 0 };

    cr_assert_eq(lower(&b, "tensor %t f32[16384,16] input\ntensor %i s32[1000] input\n",
                       "fusion %r {\n"
                       "%p f32[1000,16] = gather(%t, %i) rows=1000 cols=16 table-rows=16384\n"
                       "%q f32[1000,16] = gather(%t, %i) rows=1000 cols=16 table-rows=16384\n"
                       "%r f32[1000,16] = elementwise(%p, %q) flops=16000\n}\n",
                       &cap, false),
                 0);
    const struct task *t = &b.p.task[0];
    cr_assert_eq(t->all.in.rows, 2000);
    cr_assert_eq(total_in(t), 4000, "the indices once");
    cr_assert_eq(total_out(t), 64000);
    down(&b);
}

Test(lower, unsorted_scatter_adds_read_and_write_each_row)
{
    struct bench b = { 0 };

    cr_assert_eq(lower(&b, "tensor %v f32[1000,16] input\ntensor %i s32[1000] input\n",
                       "%t f32[16384,16] = scatter(%v, %i) rows=1000 cols=16 table-rows=16384\n",
                       &cap, false),
                 0);
    const struct task *t = &b.p.task[0];
    cr_assert_eq(t->all.in.rows, 1000);
    cr_assert_eq(t->all.out.rows, 1000);
    cr_assert_eq(total_out(t), 1 << 20, "the table is cleared first");
    down(&b);
}

Test(lower, indices_of_a_grid_step_fit_scalar_memory_twice)
{
    static const struct {
        uint64_t smem, steps;
    } cases[] = {
        { 1 << 20, 20 }, /* 2 * (5,120,000 B of rows in and out + 40,000 B) / 1 MiB of VMEM: 19.6 */
        { 2048, 40 },    /* 2 * 40,000 B / 2 KiB: 39.1 */
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct bench b = { 0 };
        struct cap c = cap;
        c.smem_bytes = cases[i].smem;
        c.step_cycles = 1000000;
        cr_assert_eq(lower(&b, "tensor %t f32[16384,128] input\ntensor %i s32[10000] input\n",
                           "%r f32[10000,128] = gather(%t, %i)\n", &c, false),
                     0);
        cr_expect_eq(b.p.task[0].steps, cases[i].steps, "%lu", b.p.task[0].steps);
        down(&b);
    }
}

Test(lower, a_sort_is_a_bitonic_network)
{
    struct bench b = { 0 };

    /* 2 sorts of 3000 keys: 4096 = 4 registers, p = 12, 78 stages */
    cr_assert_eq(lower(&b, "tensor %k s32[2,3000] input\n",
                       "%o s32[2,3000] = sort(%k) rows=2 cols=3000\n", &cap, false),
                 0);
    const struct task *t = &b.p.task[0];
    cr_assert_eq(t->all.xlu, 2 * 4 * 78);
    cr_assert_eq(t->all.vpu[VECTOR_ADD], 2 * 4 * 78);
    cr_assert_eq(t->all.vpu[VECTOR_SELECT], 2 * 2 * 4 * 78);
    down(&b);
}

/* Register operations of the last task of `body`, by class, and registers through the XLU; operands
 * are %a f32[64,4096], %h bf16[64,4096] (256 registers each), %w f32[2048] weight and %s state. */
static void classes(const char *body, const uint64_t ops[N_VECTOR_OPS], uint64_t xlu)
{
    struct bench b = { 0 };

    cr_assert_eq(lower(&b,
                       "tensor %a f32[64,4096] input\ntensor %h bf16[64,4096] input\n"
                       "tensor %w f32[2048] weight\ntensor %s f32[2048] state\n",
                       body, &cap, false),
                 0, "%s: %s", body, b.err.msg);
    const struct task *t = &b.p.task[b.p.n_tasks - 1];
    for (int op = 0; op < N_VECTOR_OPS; op++)
        cr_expect_eq(t->all.vpu[op], ops[op], "%s: class %d: %lu, expected %lu", body, op,
                     t->all.vpu[op], ops[op]);
    cr_expect_eq(t->all.xlu, xlu, "%s: xlu %lu", body, t->all.xlu);
    down(&b);
}

Test(lower, each_kind_asks_for_its_classes_of_vector_operations)
{
#define OPS(...) (const uint64_t[N_VECTOR_OPS]){ __VA_ARGS__ }
    /* 262,144 elements of 1024 a register; with no flops= an addition each */
    classes("%y f32[64,4096] = elementwise(%a)\n", OPS([VECTOR_ADD] = 256), 0);
    classes("%y f32[64,4096] = elementwise(%a) flops=1310720\n", OPS([VECTOR_ADD] = 5 * 256), 0);
    /* of five operations one is a tanh; a quotient, a power and a sigmoid alone */
    classes("%y f32[64,4096] = elementwise(%a) fn=tanh flops=1310720\n",
            OPS([VECTOR_ADD] = 4 * 256, [VECTOR_EXP] = 256), 0);
    classes("%y f32[64,4096] = elementwise(%a) fn=divide flops=262144\n",
            OPS([VECTOR_DIVIDE] = 256), 0);
    classes("%y f32[64,4096] = elementwise(%a) fn=power\n", OPS([VECTOR_EXP] = 512), 0);
    classes("%y f32[64,4096] = elementwise(%a) fn=logistic\n",
            OPS([VECTOR_EXP] = 256, [VECTOR_DIVIDE] = 256), 0);
    classes("%y f32[64,4096] = elementwise(%a) fn=erf\n", OPS([VECTOR_SINE] = 256), 0);
    classes("%y f32[64,4096] = elementwise(%a) fn=select\n", OPS([VECTOR_SELECT] = 256), 0);
    /* 16-bit elements are widened, and narrowed again */
    classes("%y bf16[64,4096] = elementwise(%h)\n", OPS([VECTOR_ADD] = 256, [VECTOR_CAST] = 512),
            0);
    /* a copy moves them as they are, unless it changes their dtype */
    classes("%y bf16[64,4096] = copy(%h)\n", OPS([VECTOR_SELECT] = 256), 0);
    classes("%y bf16[64,4096] = copy(%a)\n", OPS([VECTOR_SELECT] = 256, [VECTOR_CAST] = 256), 0);
    /* inside a fusion they are wide: only %h and %z cross its border */
    classes("fusion %z {\n%y bf16[64,4096] = elementwise(%h)\n"
            "%z bf16[64,4096] = elementwise(%y)\n}\n",
            OPS([VECTOR_ADD] = 512, [VECTOR_CAST] = 512), 0);
    /* over rows: 256 registers become 32 of one row each, whose 8 sublanes are added up; along a
     * row: 64 sums across the lanes, 8 a register; over all: one of both */
    classes("%y f32[4096] = reduce(%a)\n", OPS([VECTOR_ADD] = 256, [VECTOR_SUBLANES] = 32), 0);
    classes("%y f32[64] = reduce(%a)\n", OPS([VECTOR_ADD] = 256), 8);
    classes("%y f32[1,4096] = reduce(%a)\n", OPS([VECTOR_ADD] = 256, [VECTOR_SUBLANES] = 32), 0);
    classes("%y f32[64,1] = reduce(%a)\n", OPS([VECTOR_ADD] = 256), 8);
    classes("%y f32[] = reduce(%a)\n", OPS([VECTOR_ADD] = 256, [VECTOR_SUBLANES] = 1), 1);
    classes("%y f32[] = reduce(%w)\n", OPS([VECTOR_ADD] = 2, [VECTOR_SUBLANES] = 1), 1);
    /* 2048 weights are 2 registers: 8 operations each, of which one is a root */
    classes("%g f32[2048] gradient = elementwise(%w)\noptimizer(%w, %g, %s) flops=16384 fn=rsqrt\n",
            OPS([VECTOR_ADD] = 14, [VECTOR_DIVIDE] = 2), 0);
    classes("%y f32[64,4096] = rng() flops=524288\n", OPS([VECTOR_ADD] = 512), 0);
#undef OPS
}

Test(lower, each_gradient_is_a_collective_of_its_own_unless_combined)
{
    struct bench b = { 0 };
    struct cap combined = cap;
    const char *tensors = "tensor %x f32[100] input\ntensor %y f32[10,10] input\n";
    const char *body = "%a f32[100] gradient = elementwise(%x)\n"
                       "%b f32[10,10] gradient = elementwise(%y)\nall-reduce(%a, %b)\n";

    cr_assert_eq(lower(&b, tensors, body, &cap, false), 0);
    cr_assert_eq(b.p.task[2].count, 2);
    cr_assert_eq(b.p.call[b.p.task[2].first + 1].bytes, 400);
    down(&b);
    b = (struct bench){ 0 };
    combined.combine_all_reduce = true;
    cr_assert_eq(lower(&b, tensors, body, &combined, false), 0);
    cr_assert_eq(b.p.task[2].count, 1);
    cr_assert_eq(b.p.call[b.p.task[2].first].bytes, 800);
    down(&b);
}

Test(lower, a_group_parts_the_replicas_evenly_or_is_refused)
{
    struct bench b = { 0 };
    const char *tensors = "tensor %x f32[100] input\n";

    cr_assert_eq(lower(&b, tensors,
                       "%a f32[100] gradient = elementwise(%x)\nall-reduce(%a) group=4\n", &cap,
                       false),
                 0);
    cr_expect_eq(b.p.call[0].schedule.group.size, 2, "two chips of two cores");
    cr_expect_eq(b.p.call[0].before.read, 800, "each chip adds its two cores' copies first");
    down(&b);
    b = (struct bench){ 0 };
    cr_assert_eq(lower(&b, tensors,
                       "%a f32[100] gradient = elementwise(%x)\nall-reduce(%a) group=3\n", &cap,
                       false),
                 -1);
    cr_assert_str_eq(b.err.msg, "t:8: all-reduce 'all-reduce': groups of 3 cores, 1 apart, do not "
                                "part 8 cores evenly");
    down(&b);
}

Test(lower, an_optimizer_reads_all_and_writes_weights_and_state)
{
    struct bench b = { 0 };

    cr_assert_eq(lower(&b, "tensor %w f32[1000] weight\ntensor %s f32[1000] state\n",
                       "%g f32[1000] gradient = elementwise(%w)\n"
                       "optimizer(%w, %g, %s) flops=8000\n",
                       &cap, false),
                 0);
    cr_assert_eq(total_in(&b.p.task[1]), 12000);
    cr_assert_eq(total_out(&b.p.task[1]), 8000);
    down(&b);
}

Test(lower, two_matmuls_in_a_fusion_are_refused_by_name)
{
    struct bench b = { 0 };

    cr_assert_eq(lower(&b, "tensor %x f32[8,8] input\n",
                       "fusion %z name=\"pair\" {\n%y f32[8,8] = matmul(%x, %x)\n"
                       "%z f32[8,8] = matmul(%y, %x)\n}\n",
                       &cap, false),
                 -1);
    cr_assert_eq(b.err.code, ERR_FIT);
    cr_assert_str_eq(b.err.msg,
                     "t:7: fusion 'pair': a fusion holds at most one matmul or convolution");
    down(&b);
}

/* Bytes of the elements that are alive at the peak, without padding. */
static uint64_t peak_elements(const struct bench *b, uint32_t *at)
{
    struct cap tiles = cap;
    struct memory m;

    tiles.lanes = 128;
    memory_peak(&m, &b->g, &tiles, NULL, &(struct memory_change){ 0 }, NULL);
    *at = m.at;
    return m.total - m.padding;
}

Test(graph, memory_peaks_where_most_is_alive)
{
    struct bench b = { 0 };
    uint32_t at;

    /* x 400 persistent; a 400 until b, b 800 until c, c 40: at b 400 + 400 + 800 */
    cr_assert_eq(lower(&b, "tensor %x f32[100] input\n",
                       "%a f32[100] = elementwise(%x)\n%b f32[200] = elementwise(%a)\n"
                       "%c f32[10] = reduce(%b)\n",
                       &cap, false),
                 0);
    cr_assert_eq(peak_elements(&b, &at), 1600);
    cr_assert_str_eq(graph_text(&b.g, b.g.node[at].name), "b");
    down(&b);
}

Test(graph, what_a_loop_reads_from_outside_lives_until_the_loop_ends)
{
    struct bench b = { 0 };
    uint32_t at;

    /* a 400 is read by the first line of the loop and still there at the second: 400 + 400 + 2000
     */
    cr_assert_eq(lower(&b, "tensor %x f32[100] input\n",
                       "%a f32[100] = elementwise(%x)\nrepeat 3 {\n%b f32[10] = reduce(%a)\n"
                       "%c f32[500] = elementwise(%x)\n}\n",
                       &cap, false),
                 0);
    cr_assert_eq(peak_elements(&b, &at), 2800);
    down(&b);
}

Test(graph, the_operands_of_a_start_live_until_its_done)
{
    struct bench b = { 0 };
    uint32_t at;

    /* a 4000 must outlast c 4000, which starts after it was handed to the network: 400 + 4000 + 4 +
     * 4000 at c, and at the done 400 + 4000 + 4 + 4000 for its result, c being gone */
    cr_assert_eq(lower(&b, "tensor %x f32[100] input\n",
                       "%a f32[1000] gradient = elementwise(%x)\n%h u32[] = all-reduce-start(%a)\n"
                       "%c f32[1000] = elementwise(%x)\n"
                       "%s f32[1000] gradient = all-reduce-done(%h)\n",
                       &cap, false),
                 0);
    cr_assert_eq(peak_elements(&b, &at), 400 + 4000 + 4 + 4000);
    down(&b);
}

Test(lower, gradients_go_in_buckets)
{
    struct bench b = { 0 };
    const char *tensors = "tensor %x f32[100] input\ntensor %y f32[200] input\n";
    const char *body = "%a f32[100] gradient = elementwise(%x)\n"
                       "%b f32[100] gradient = elementwise(%x)\n"
                       "%c f32[200] gradient = elementwise(%y)\n"
                       "%d f32[100] gradient = elementwise(%x)\n"
                       "all-reduce(%a, %b, %c, %d) combine=800\n";

    /* 400 + 400 fit, 800 alone, and 400 is left */
    cr_assert_eq(lower(&b, tensors, body, &cap, false), 0);
    cr_assert_eq(b.p.task[4].count, 3);
    cr_expect_eq(b.p.call[0].bytes, 800);
    cr_expect_eq(b.p.call[1].bytes, 800);
    cr_expect_eq(b.p.call[2].bytes, 400);
    cr_expect_eq(b.p.call[0].schedule.kind, SCHEDULE_ALL_REDUCE);
    down(&b);
}

Test(lower, replicas_update_a_share_each_and_gather_the_weights)
{
    struct bench whole = { 0 }, part = { 0 };
    const char *tensors = "tensor %w f32[8000] weight\ntensor %s f32[8000] state\n";
    const char *plain = "%g f32[8000] gradient = elementwise(%w)\nall-reduce(%g)\n"
                        "optimizer(%w, %g, %s) flops=64000\n";
    const char *sharded = "%g f32[8000] gradient = elementwise(%w)\nall-reduce(%g) sharded=1\n"
                          "optimizer(%w, %g, %s) flops=64000 sharded=1\n";

    cr_assert_eq(lower(&whole, tensors, plain, &cap, false), 0);
    cr_assert_eq(lower(&part, tensors, sharded, &cap, false), 0);
    cr_expect_eq(part.p.call[0].schedule.kind, SCHEDULE_REDUCE_SCATTER);
    cr_expect_eq(part.p.call[0].bytes, 32000);
    /* of 8 replicas: an eighth of three tensors read and two written */
    cr_expect_eq(part.p.task[2].all.in.bytes, 12000);
    cr_expect_eq(part.p.task[2].all.out.bytes, 8000);
    cr_expect_eq(whole.p.task[2].all.in.bytes, 96000);
    cr_assert_eq(part.p.n_tasks, 4);
    cr_expect_eq(part.p.call[1].schedule.kind, SCHEDULE_ALL_GATHER);
    cr_expect_eq(part.p.call[1].bytes, 32000, "the weights, not their state");
    down(&whole);
    down(&part);
}

Test(lower, a_weight_is_gathered_when_no_more_shares_of_it_are_updated)
{
    const char *tensors = "tensor %w f32[8000] weight\ntensor %v f32[800] weight\n"
                          "tensor %s f32[8000] state\n";
    static const struct {
        const char *body;
        uint64_t bytes[3]; /* that each optimizer gathers; 0: nothing */
    } rows[] = {
        { "optimizer(%w, %v, %s) sharded=1\noptimizer(%w, %s) sharded=1\n", { 3200, 32000 } },
        { "optimizer(%w, %s) sharded=1\noptimizer(%v, %w) sharded=1\n", { 0, 35200 } },
        { "optimizer(%w, %s) sharded=1\n%x f32[8000] = elementwise(%w)\n"
          "optimizer(%w, %s) sharded=1\n",
          { 32000, 32000 } },
        { "optimizer(%w, %s) sharded=1\noptimizer(%w, %s)\n", { 32000 } },
        /* the next turn may need it first */
        { "repeat 2 {\noptimizer(%w, %s) sharded=1\n}\noptimizer(%w, %s) sharded=1\n",
          { 32000, 32000 } },
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct bench b = { 0 };
        uint32_t n = 0;
        cr_assert_eq(lower(&b, tensors, rows[i].body, &cap, false), 0);
        for (size_t k = 0; k < 3; k++)
            if (rows[i].bytes[k]) {
                cr_assert_lt(n, b.p.n_calls, "row %zu", i);
                cr_expect_eq(b.p.call[n].schedule.kind, SCHEDULE_ALL_GATHER);
                cr_expect_eq(b.p.call[n].bytes, rows[i].bytes[k], "row %zu: %lu", i,
                             b.p.call[n].bytes);
                n++;
            }
        cr_expect_eq(b.p.n_calls, n, "row %zu", i);
        down(&b);
    }
}

Test(lower, algorithms_have_the_names_that_traces_give_them)
{
    for (int a = 0; a < SCHEDULE_N_ALGORITHMS; a++)
        cr_expect_str_eq(schedule_algorithm_name[a], trace_algorithm_name[a]);
}
