/* Shapes and work derived for each kind of operation, by hand. */
#include <criterion/criterion.h>
#include <criterion/parameterized.h>

#include "tests/unit/trace/trace_helper.h"

#define HEAD                                                                                       \
    "cyclotron-trace 1\n"                                                                          \
    "tensor %x f32[8,16] input\n"                                                                  \
    "tensor %w f32[16,32] weight\n"                                                                \
    "tensor %s f32[16,32] state\n"                                                                 \
    "tensor %q bf16[3,8,16] input\n"                                                               \
    "tensor %k bf16[3,5,16] input\n"                                                               \
    "tensor %i s32[10] input\n"                                                                    \
    "tensor %c f32[7,4] constant\n"                                                                \
    "tensor %img bf16[2,3,9,10] input\n"                                                           \
    "tensor %f bf16[5,3,3,2] weight\n"                                                             \
    "tensor %b f32[32] weight\n"                                                                   \
    "step {\n"
#define FOOT "}\n"

/* The operation in `line`, which stands alone in a step; the reader is left open. */
static struct trace_op read_line(struct trace **t, const char *line)
{
    static char text[2048]; /* the reader borrows it */

    snprintf(text, sizeof text, "%s%s\n%s", HEAD, line, FOOT);
    *t = open_text(text, false);
    return next_op(*t);
}

struct gemm {
    char line[120];
    uint64_t b, m, k, n, flops, reads, writes;
};

ParameterizedTestParameters(trace_rule, gemm_by_hand)
{
    static struct gemm rows[] = {
        { "%y f32[8,32] = matmul(%x, %w)", 1, 8, 16, 32, 8192, 512 + 2048, 1024 },
        { "%y f32[8,32] = matmul(%x, %w) bias=%b", 1, 8, 16, 32, 8192, 2560, 1024 },
        { "%y f32[8,32] = matmul(%x, %w) flops=5 reads=6 writes=7", 1, 8, 16, 32, 5, 6, 7 },
        /* A stored [k, m]: 16 rows, a sum over 8 */
        { "%y f32[16,16] = matmul(%x, %x) ta=1", 1, 16, 8, 16, 4096, 1024, 1024 },
        /* B stored [n, k] */
        { "%y f32[8,8] = matmul(%x, %x) tb=1", 1, 8, 16, 8, 2048, 1024, 256 },
        { "%y f32[16,16] = matmul(%w, %w) tb=1", 1, 16, 32, 16, 16384, 4096, 1024 },
        { "%y f32[32,32] = matmul(%w, %w) ta=1", 1, 32, 16, 32, 32768, 4096, 4096 },
        /* a batch of 3: 2*3*8*16*5 = 3840; %q 768 B, %k 480 B, 3*8*5*2 = 240 B */
        { "%y bf16[3,8,5] = matmul(%q, %k) tb=1", 3, 8, 16, 5, 3840, 1248, 240 },
        /* the batch of A counts as rows: 24 */
        { "%y f32[3,8,32] = matmul(%q, %w)", 1, 24, 16, 32, 24576, 768 + 2048, 3072 },
        /* the batch is summed over: k = 24 */
        { "%y f32[16,16] = matmul(%q, %q) ta=1", 1, 16, 24, 16, 12288, 1536, 1024 },
        { "%y f32[3,16,16] = matmul(%q, %q) ta=1", 3, 16, 8, 16, 12288, 1536, 3072 },
        /* image 2x3x9x10, filter 5x3x3x2: positions (9-3+1)*(10-2+1) = 63;
         * m = 126, k = 6*3 = 18, n = 5; 2*126*18*5 = 22680; 1080 + 180 B, 1260 B */
        { "%y bf16[2,5,7,9] = conv(%img, %f) size=3x2", 1, 126, 18, 5, 22680, 1260, 1260 },
        /* stride 2, pad 1: (9+2-3)/2+1 = 5; dilate 3 over 2: (10-3-1)/1+1 = 7 */
        { "%y bf16[2,5,5,7] = conv(%img, %f) size=3x2 stride=2x1 pad=1_1x0_0 dilate=1x3", 1, 70, 18,
          5, 12600, 1260, 700 },
        /* one more on the low side only: (9+1-3)/2+1 = 4 (3.5 rounded down) */
        { "%y bf16[2,5,4,9] = conv(%img, %f) size=3x2 stride=2x1 pad=1_0x0_0", 1, 72, 18, 5, 12960,
          1260, 720 },
    };
    return cr_make_param_array(struct gemm, rows, sizeof rows / sizeof *rows);
}

ParameterizedTest(struct gemm *g, trace_rule, gemm_by_hand)
{
    struct trace *t;
    struct trace_op op = read_line(&t, g->line);

    cr_assert_eq(op.b, g->b, "%s: b = %lu", g->line, op.b);
    cr_assert_eq(op.m, g->m, "%s: m = %lu", g->line, op.m);
    cr_assert_eq(op.k, g->k, "%s: k = %lu", g->line, op.k);
    cr_assert_eq(op.n, g->n, "%s: n = %lu", g->line, op.n);
    cr_assert_eq(op.flops, g->flops, "%s: flops = %lu", g->line, op.flops);
    cr_assert_eq(op.reads, g->reads, "%s: reads = %lu", g->line, op.reads);
    cr_assert_eq(op.writes, g->writes, "%s: writes = %lu", g->line, op.writes);
    trace_close(t);
}

Test(trace_rule, gradients_of_a_strided_convolution)
{
    /* forward: x[2,3,9] w[5,3,3] stride 2 pad 1_1: (9+2-3)/2+1 = 5 positions */
    struct trace *t =
        open_text("cyclotron-trace 1\n"
                  "tensor %x f32[2,3,9] input\n"
                  "tensor %w f32[5,3,3] weight\n"
                  "step {\n"
                  "%y f32[2,5,5] = conv(%x, %w) size=3 stride=2 pad=1_1\n"
                  "%dx f32[2,3,9] gradient = conv-dgrad(%y, %w) size=3 stride=2 pad=1_1\n"
                  "%dw f32[5,3,3] gradient = conv-wgrad(%x, %y) size=3 stride=2 pad=1_1\n"
                  "}\n",
                  false);
    struct trace_op op = next_op(t);

    cr_assert(op.m == 10 && op.k == 9 && op.n == 5 && op.flops == 900);
    cr_assert(op.win.rank == 1 && op.win.size[0] == 3 && op.win.stride[0] == 2);
    cr_assert(op.win.pad_lo[0] == 1 && op.win.pad_hi[0] == 1 && op.win.dilate[0] == 1);
    op = next_op(t); /* m = 2*9, k = 3*5, n = 3; the useful work is that of the forward */
    cr_assert(op.b == 1 && op.m == 18 && op.k == 15 && op.n == 3 && op.flops == 900);
    cr_assert_eq(trace_tensor(t, op.out[0])->role, TRACE_GRADIENT);
    op = next_op(t); /* m = 3*3, k = 2*5, n = 5 */
    cr_assert(op.b == 1 && op.m == 9 && op.k == 10 && op.n == 5 && op.flops == 900);
    trace_close(t);
}

Test(trace_rule, groups_see_their_own_channels_and_paddings_may_be_negative)
{
    /* 6 channels and 10 outputs in 2 groups: 3 and 5 each; 9 - 1 + 2 positions padded, less 2 */
    struct trace *t = open_text("cyclotron-trace 1\n"
                                "tensor %x f32[2,6,9] input\n"
                                "tensor %w f32[10,3,3] weight\n"
                                "tensor %b f32[10] weight\n"
                                "step {\n"
                                "%y f32[2,10,8] = conv(%x, %w) size=3 pad=-1_2 groups=2 bias=%b\n"
                                "%dx f32[2,6,9] = conv-dgrad(%y, %w) size=3 pad=-1_2 groups=2\n"
                                "%dw f32[10,3,3] = conv-wgrad(%x, %y) size=3 pad=-1_2 groups=2\n"
                                "}\n",
                                false);
    struct trace_op op = next_op(t);

    cr_assert(op.b == 2 && op.m == 16 && op.k == 9 && op.n == 5 && op.flops == 2 * 2 * 16 * 9 * 5);
    cr_assert(op.groups == 2 && op.win.pad_lo[0] == -1 && op.win.pad_hi[0] == 2);
    op = next_op(t);
    cr_assert(op.b == 2 && op.m == 18 && op.k == 15 && op.n == 3 && op.flops == 2880);
    op = next_op(t);
    cr_assert(op.b == 2 && op.m == 9 && op.k == 16 && op.n == 5 && op.flops == 2880);
    trace_close(t);
}

Test(trace_rule, three_dimensional_convolution_of_the_gan)
{
    struct trace *t =
        open_text("cyclotron-trace 1\n"
                  "tensor %x f32[128,1,51,51,25] input\n"
                  "tensor %w f32[16,1,5,6,6] weight\n"
                  "step {\n"
                  "%y f32[128,16,51,51,25] = conv(%x, %w) size=5x6x6 pad=2_2x2_3x2_3\n"
                  "}\n",
                  false);
    struct trace_op op = next_op(t);

    /* m = 128 * 51*51*25 = 8323200, k = 180, n = 16; flops = 2 * 8323200 * 2880 */
    cr_assert(op.m == 8323200 && op.k == 180 && op.n == 16);
    cr_assert_eq(op.flops, UINT64_C(47941632000));
    trace_close(t);
}

Test(trace_rule, rows_of_sort_gather_and_scatter)
{
    struct trace *t;
    struct trace_op op = read_line(&t, "%y f32[8,16] = sort(%x)");

    cr_assert(op.rows == 8 && op.cols == 16);
    trace_close(t);
    op = read_line(&t, "%y f32[8,16] = sort(%x) rows=1");
    cr_assert(op.rows == 1 && op.cols == 128);
    trace_close(t);
    /* ten rows of 4 out of 7: 40 B of indices and 160 B of rows are read */
    op = read_line(&t, "%y f32[10,4] = gather(%c, %i) sorted=1");
    cr_assert(op.rows == 10 && op.cols == 4 && op.table_rows == 7);
    cr_assert(op.reads == 200 && op.writes == 160 && op.sorted && !op.unique);
    trace_close(t);
    /* two indices make a row: 5 rows of 2, in a table of 14 */
    op = read_line(&t, "%y f32[5,2] = gather(%c, %i) rows=5 table-rows=3");
    cr_assert(op.rows == 5 && op.cols == 2 && op.table_rows == 3);
    trace_close(t);
    /* 7x4 elements, 7 rows of 4 into a table of 9 */
    op = read_line(&t, "%y f32[9,4] = scatter(%c, %i) rows=7 unique=1");
    cr_assert(op.rows == 7 && op.cols == 4 && op.table_rows == 9);
    cr_assert(op.reads == 112 + 40 && op.writes == 144 && op.unique);
    trace_close(t);
}

Test(trace_rule, an_optimizer_writes_its_weights_and_state)
{
    struct trace *t;
    struct trace_op op = read_line(&t, "optimizer(%w, %x, %s, %b)");

    cr_assert_eq(op.n_out, 0);
    cr_assert_eq(op.reads, 2048 + 512 + 2048 + 128);
    cr_assert_eq(op.writes, 2048 + 2048 + 128);
    cr_assert_str_eq(op.name, "optimizer");
    trace_close(t);
}

Test(trace_rule, collectives_infeed_and_outfeed_have_a_payload)
{
    struct trace *t;
    struct trace_op op = read_line(&t, "all-reduce(%w, %b)");

    cr_assert(op.payload == 2176 && op.group == 0 && op.reads == 2176 && op.writes == 2176);
    trace_close(t);
    op = read_line(&t, "%r f32[16,32] = all-reduce(%w) group=4");
    cr_assert(op.payload == 2048 && op.group == 4 && op.writes == 2048);
    trace_close(t);
    op = read_line(&t, "%r f32[4,32] = reduce-scatter(%w) group=4");
    cr_assert(op.payload == 2048 && op.writes == 512);
    trace_close(t);
    op = read_line(&t, "%r f32[64,32] = all-gather(%w) group=4");
    cr_assert(op.payload == 8192 && op.reads == 2048 && op.writes == 8192);
    trace_close(t);
    op = read_line(&t, "%r f32[4], %r2 u8[3] = infeed()");
    cr_assert(op.payload == 19 && op.reads == 0 && op.writes == 19);
    trace_close(t);
    op = read_line(&t, "outfeed(%b) sync=1");
    cr_assert(op.payload == 128 && op.reads == 128 && op.writes == 0 && op.sync);
    trace_close(t);
}

Test(trace_rule, a_done_carries_what_its_start_said)
{
    struct trace *t = open_text("cyclotron-trace 1\ntensor %w f32[16,32] weight\nstep {\n"
                                "%a u32[] = all-reduce-start(%w) group=2\n"
                                "%b u32[] = all-gather-start(%w) payload=4096\n"
                                "%c u32[] = infeed-start() payload=16\n"
                                "%d u32[] = outfeed-start(%w) sync=1\n"
                                "outfeed-done(%d)\n"
                                "%x f32[4] = infeed-done(%c)\n"
                                "%g f32[32,32] = all-gather-done(%b)\n"
                                "all-reduce-done(%a)\n"
                                "}\n",
                                false);
    struct trace_op op = next_op(t);

    cr_assert(op.kind == TRACE_ALL_REDUCE && op.async == TRACE_START);
    cr_assert(op.payload == 2048 && op.reads == 2048 && op.writes == 0);
    cr_assert_str_eq(op.kind_text, "all-reduce-start");
    op = next_op(t);
    cr_assert(op.kind == TRACE_ALL_GATHER && op.payload == 4096 && op.reads == 2048);
    op = next_op(t);
    cr_assert(op.kind == TRACE_INFEED && op.async == TRACE_START && op.payload == 16);
    op = next_op(t);
    cr_assert(op.kind == TRACE_OUTFEED && op.sync);
    op = next_op(t);
    cr_assert(op.async == TRACE_DONE && op.payload == 2048 && op.sync && op.reads == 0);
    op = next_op(t);
    cr_assert(op.async == TRACE_DONE && op.payload == 16 && op.writes == 16 && op.reads == 0);
    op = next_op(t);
    cr_assert(op.payload == 4096 && op.writes == 4096);
    op = next_op(t);
    cr_assert(op.payload == 2048 && op.group == 2 && op.writes == 2048);
    trace_close(t);
}

Test(trace_rule, host_time_is_read_in_femtoseconds)
{
    struct trace *t;
    struct trace_op op = read_line(&t, "host(%x) time=\"2.35 ms\" calls=3");

    cr_assert_eq(op.work.call_fs, UINT64_C(2350000000000));
    cr_assert_eq(op.work.calls, 3);
    trace_close(t);
    op = read_line(&t, "host() time=\"1 fs\"");
    cr_assert(op.work.call_fs == 1 && op.work.calls == 1);
    trace_close(t);
}

Test(trace_rule, the_other_kinds_count_their_bytes)
{
    static const char *const lines[] = { "%y f32[8,16] = elementwise(%x, %x) flops=9",
                                         "%y f32[8,16] = reduce(%x, %x) flops=9",
                                         "%y f32[8,16] = copy(%x, %x) flops=9",
                                         "%y f32[8,16] = pool(%x, %x) flops=9",
                                         "%y f32[8,16] = rng(%x, %x) flops=9" };
    static const enum trace_kind kinds[] = { TRACE_ELEMENTWISE, TRACE_REDUCE, TRACE_COPY,
                                             TRACE_POOL, TRACE_RNG };

    for (unsigned i = 0; i < 5; i++) {
        struct trace *t;
        struct trace_op op = read_line(&t, lines[i]);
        cr_assert_eq(op.kind, kinds[i]);
        cr_assert(op.reads == 1024 && op.writes == 512 && op.flops == 9 && op.m == 0);
        trace_close(t);
    }
}
