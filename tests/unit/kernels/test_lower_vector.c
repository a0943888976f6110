/* Work of kernels for the vector unit and the XLU, by class of operation. */
#include "tests/unit/kernels/lower_bench.h"

Test(lower, a_sort_is_a_bitonic_network)
{
    struct bench b = { 0 };

    /* 2 sorts of 3000 keys: 4096 = 4 registers, p = 12, 78 stages */
    cr_assert_eq(lower_text(&b, "tensor %k s32[2,3000] input\n",
                            "%o s32[2,3000] = sort(%k) rows=2 cols=3000\n", &cap, false),
                 0);
    const struct task *t = &b.p.task[0];
    cr_assert_eq(t->kernel.all.xlu, 2 * 4 * 78);
    cr_assert_eq(t->kernel.all.vpu[VECTOR_ADD], 2 * 4 * 78);
    cr_assert_eq(t->kernel.all.vpu[VECTOR_SELECT], 2 * 2 * 4 * 78);
    take_down(&b);
}

/* Tasks of 2 rows of `keys`, of which `k` are kept: registers through the XLU, and selections. */
static void expect_sort(uint64_t keys, uint64_t k, uint64_t xlu, uint64_t selects)
{
    struct bench b = { 0 };
    char head[64], body[128];

    snprintf(head, sizeof head, "tensor %%k f32[2,%lu] input\n", keys);
    snprintf(body, sizeof body, "%%o f32[2,%lu], %%at s32[2,%lu] = sort(%%k)\n", k, k);
    cr_assert_eq(lower_text(&b, head, body, &cap, false), 0, "%s", b.err.msg);
    const struct task_grid_step *all = &b.p.task[0].kernel.all;
    cr_expect_eq(all->xlu, xlu, "%lu of %lu: xlu %lu", k, keys, all->xlu);
    cr_expect_eq(all->vpu[VECTOR_SELECT], selects, "%lu of %lu: %lu", k, keys,
                 all->vpu[VECTOR_SELECT]);
    take_down(&b);
}

/* 2 rows of 4096 keys, 4 registers each, p = 12.  5 of them: blocks of 8 are sorted in 6 stages on
 * 4 registers, 24; 9 times the number of blocks is halved, on 2 registers and then 8 times on one,
 * 4 stages each: 40.  The largest alone: 12 times half are left, on 2 registers and then 11 times
 * on one.  57: 21 stages on 4 registers, 7 on 2 and 5 times 7 on one. */
Test(lower, the_largest_k_of_a_row_cost_less_than_the_whole_sort)
{
    expect_sort(4096, 5, 2 * 64, 2 * 2 * 64);
    expect_sort(4096, 1, 2 * 13, 2 * 2 * 13);
    expect_sort(4096, 57, 2 * 133, 2 * 2 * 133);
}

/* 58 of 4096 are a sort of 78 stages, and three arrays of 8 registers that are turned.  XLA has a
 * kernel for 98 of 6400, and for 77 of 5248 between both: 13 stages are 91, on 8 registers. */
Test(lower, beyond_a_limit_whole_rows_are_sorted)
{
    expect_sort(4096, 58, 2 * 312 + 3 * 8, 2 * 2 * 312);
    expect_sort(5248, 78, 2 * 728 + 3 * 11, 2 * 2 * 728);
    expect_sort(5248, 77, 2 * (28 * 8 + 8 * (4 + 2 + 4)), 2 * 2 * (28 * 8 + 8 * (4 + 2 + 4)));
    /* 601 of 65536, which pieces of 512 keys do not hold: 64 registers and 136 stages */
    expect_sort(65536, 601, 2 * 64 * 136 + 3 * 128, 2 * 2 * 64 * 136);
}

/* 261 of 65536 are found in 2 x 128 pieces of 512 keys, each a register in 45 stages, then in the
 * 33,408 keys that are left of them, 64 registers in 136 stages; 128 and 66 registers of keys are
 * turned three times.  For 260 and 513 there is the kernel. */
Test(lower, rows_are_sorted_in_pieces_that_hold_the_largest_k)
{
    expect_sort(65536, 261, 256 * 45 + 2 * 64 * 136 + 3 * (128 + 66),
                2 * (256 * 45 + 2 * 64 * 136));
    cr_expect_eq(top_k_choose(&cap.top_k, 65536, 260), TOP_K_KERNEL);
    cr_expect_eq(top_k_choose(&cap.top_k, 65536, 512), TOP_K_PIECES);
    cr_expect_eq(top_k_choose(&cap.top_k, 65536, 513), TOP_K_KERNEL);
}

/* Limits between two widths lie on a line, are those of the last width beyond it, 0 below the
 * first.  Pieces of 40,000 / 128 = 312 keys hold k up to 312, whose limit is 216 + 44 * 7232 /
 * 32768 = 225; 463 is that of longer ones. */
Test(lower, limits_of_top_k_lie_on_lines_between_widths)
{
    static const struct {
        uint64_t keys, k;
        enum top_k_way way;
    } row[] = {
        { 100, 1, TOP_K_SORT },       { 40000, 225, TOP_K_KERNEL },  { 40000, 226, TOP_K_PIECES },
        { 40000, 312, TOP_K_PIECES }, { 40000, 313, TOP_K_KERNEL },  { 40000, 462, TOP_K_KERNEL },
        { 40000, 464, TOP_K_SORT },   { 100000, 260, TOP_K_KERNEL }, { 100000, 261, TOP_K_PIECES },
        { 100000, 782, TOP_K_SORT },
    };

    for (size_t i = 0; i < sizeof row / sizeof *row; i++)
        cr_expect_eq(top_k_choose(&cap.top_k, row[i].keys, row[i].k), row[i].way, "%zu", i);
}

/* Register operations of the last task of `body`, by class, and registers through the XLU; operands
 * are %a f32[64,4096], %h bf16[64,4096] (256 registers each), %w f32[2048] weight and %s state. */
static void expect_classes(const char *body, const uint64_t ops[N_VECTOR_OPS], uint64_t xlu)
{
    struct bench b = { 0 };

    cr_assert_eq(lower_text(&b,
                            "tensor %a f32[64,4096] input\ntensor %h bf16[64,4096] input\n"
                            "tensor %w f32[2048] weight\ntensor %s f32[2048] state\n",
                            body, &cap, false),
                 0, "%s: %s", body, b.err.msg);
    const struct task *t = &b.p.task[b.p.n_tasks - 1];
    for (int op = 0; op < N_VECTOR_OPS; op++)
        cr_expect_eq(t->kernel.all.vpu[op], ops[op], "%s: class %d: %lu, expected %lu", body, op,
                     t->kernel.all.vpu[op], ops[op]);
    cr_expect_eq(t->kernel.all.xlu, xlu, "%s: xlu %lu", body, t->kernel.all.xlu);
    take_down(&b);
}

Test(lower, bf16_is_cast_unless_the_vector_unit_computes_on_it)
{
    for (int packed = 0; packed < 2; packed++) {
        struct bench b = { 0 };
        struct cap tiles = cap;
        tiles.xla.layout = XLA_COMPACT;
        tiles.packed16 = packed;
        cr_assert_eq(lower_text(&b, "tensor %h bf16[64,4096] input\n",
                                "%y bf16[64,4096] = elementwise(%h)\n", &tiles, false),
                     0, "%s", b.err.msg);
        const uint64_t *vpu = b.p.task[0].kernel.all.vpu;
        cr_expect_eq(vpu[VECTOR_ADD], packed ? 128 : 256);
        cr_expect_eq(vpu[VECTOR_CAST], packed ? 0 : 256);
        cr_expect_eq(vpu[VECTOR_PACK], packed ? 0 : 128);
        take_down(&b);
    }
}

/* 256 registers of bf16 in tiles of 16 rows: each part is padded, 2 x 128, and converted, 2 x 256,
 * their maximum converted back. */
Test(lower, parts_before_a_product_are_padded_and_their_maximum_taken)
{
    struct cap c = cap;

    c.xla.layout = XLA_COMPACT;
    for (int narrow = 0; narrow < 2; narrow++) {
        struct bench b = { 0 };
        cr_assert_eq(lower_text(&b,
                                "tensor %x f32[1024,128] input\ntensor %z f32[1024,128] input\n"
                                "tensor %w f32[256,128] weight\n",
                                "fusion %y {\n%a f32[1024,256] = copy(%x, %z)\n"
                                "%y f32[1024,128] = matmul(%a, %w)\n}\n",
                                &c, narrow),
                     0, "%s", b.err.msg);
        const struct task_grid_step *all = &b.p.task[0].kernel.all;
        cr_expect_eq(all->vpu[VECTOR_SELECT], narrow ? 256 : 512);
        cr_expect_eq(all->vpu[VECTOR_CAST], narrow ? 512 : 0);
        cr_expect_eq(all->vpu[VECTOR_PACK], narrow ? 128 : 0);
        take_down(&b);
    }
}

Test(lower, each_kind_asks_for_its_classes_of_vector_operations)
{
#define OPS(...) (const uint64_t[N_VECTOR_OPS]){ __VA_ARGS__ }
    /* 262,144 elements of 1024 a register; with no flops= an addition each */
    expect_classes("%y f32[64,4096] = elementwise(%a)\n", OPS([VECTOR_ADD] = 256), 0);
    expect_classes("%y f32[64,4096] = elementwise(%a) flops=1310720\n", OPS([VECTOR_ADD] = 5 * 256),
                   0);
    /* of five operations one is a tanh; a quotient, a power and a sigmoid alone */
    expect_classes("%y f32[64,4096] = elementwise(%a) fn=tanh flops=1310720\n",
                   OPS([VECTOR_ADD] = 4 * 256, [VECTOR_EXP] = 256), 0);
    expect_classes("%y f32[64,4096] = elementwise(%a) fn=divide flops=262144\n",
                   OPS([VECTOR_DIVIDE] = 256), 0);
    expect_classes("%y f32[64,4096] = elementwise(%a) fn=power\n",
                   OPS([VECTOR_ADD] = 6 * 256, [VECTOR_EXP] = 256, [VECTOR_DIVIDE] = 3 * 256), 0);
    /* of 16 bits a quotient is as short as an exponential */
    expect_classes("%y bf16[64,4096] = elementwise(%a) fn=divide flops=262144\n",
                   OPS([VECTOR_EXP] = 256, [VECTOR_PACK] = 128), 0);
    expect_classes("%y f32[64,4096] = elementwise(%a) fn=logistic\n",
                   OPS([VECTOR_EXP] = 256, [VECTOR_DIVIDE] = 256), 0);
    expect_classes("%y f32[64,4096] = elementwise(%a) fn=erf\n",
                   OPS([VECTOR_ADD] = 9 * 256, [VECTOR_DIVIDE] = 2 * 256), 0);
    expect_classes("%y f32[64,4096] = elementwise(%a) fn=select\n", OPS([VECTOR_SELECT] = 256), 0);
    /* 16-bit elements are widened, and narrowed again */
    expect_classes("%y bf16[64,4096] = elementwise(%h)\n",
                   OPS([VECTOR_ADD] = 256, [VECTOR_CAST] = 256, [VECTOR_PACK] = 128), 0);
    /* a copy moves them as they are, unless it changes their dtype */
    expect_classes("%y bf16[64,4096] = copy(%h)\n", OPS([VECTOR_SELECT] = 256), 0);
    expect_classes("%y bf16[64,4096] = copy(%a)\n", OPS([VECTOR_SELECT] = 256, [VECTOR_PACK] = 128),
                   0);
    /* inside a fusion they are wide: only %h and %z cross its border */
    expect_classes("fusion %z {\n%y bf16[64,4096] = elementwise(%h)\n"
                   "%z bf16[64,4096] = elementwise(%y)\n}\n",
                   OPS([VECTOR_ADD] = 512, [VECTOR_CAST] = 256, [VECTOR_PACK] = 128), 0);
    /* over rows: 256 registers become 32 of one row each, whose 8 sublanes are added up; along a
     * row: 64 sums across the lanes, 8 a register; over all: one of both */
    expect_classes("%y f32[4096] = reduce(%a)\n", OPS([VECTOR_ADD] = 256, [VECTOR_SUBLANES] = 32),
                   0);
    expect_classes("%y f32[64] = reduce(%a)\n", OPS([VECTOR_ADD] = 256), 8);
    expect_classes("%y f32[1,4096] = reduce(%a)\n", OPS([VECTOR_ADD] = 256, [VECTOR_SUBLANES] = 32),
                   0);
    expect_classes("%y f32[64,1] = reduce(%a)\n", OPS([VECTOR_ADD] = 256), 8);
    expect_classes("%y f32[] = reduce(%a)\n", OPS([VECTOR_ADD] = 256, [VECTOR_SUBLANES] = 1), 1);
    expect_classes("%y f32[] = reduce(%w)\n", OPS([VECTOR_ADD] = 2, [VECTOR_SUBLANES] = 1), 1);
    /* 2048 weights are 2 registers: 8 operations each, of which one is a root */
    expect_classes(
        "%g f32[2048] gradient = elementwise(%w)\noptimizer(%w, %g, %s) flops=16384 fn=rsqrt\n",
        OPS([VECTOR_ADD] = 14, [VECTOR_DIVIDE] = 2), 0);
    expect_classes("%y f32[64,4096] = rng() flops=524288\n", OPS([VECTOR_ADD] = 512), 0);
    /* of 12 operations 9 are an exponential, of a sum 1 on each element that is read */
    expect_classes("%y f32[64,4096] = elementwise(%a) fn=exponential fn-flops=9 flops=3145728\n",
                   OPS([VECTOR_ADD] = 3 * 256, [VECTOR_EXP] = 256), 0);
    expect_classes("%y f32[64,4096] = elementwise(%a) fn=power fn-flops=20 flops=5242880\n",
                   OPS([VECTOR_ADD] = 6 * 256, [VECTOR_EXP] = 256, [VECTOR_DIVIDE] = 3 * 256), 0);
    expect_classes("%y f32[64,4096] = elementwise(%a) fn=power fn-flops=99 flops=5242880\n",
                   OPS([VECTOR_ADD] = 6 * 256, [VECTOR_EXP] = 256, [VECTOR_DIVIDE] = 3 * 256), 0);
    expect_classes("%y f32[64] = reduce(%a) fn=exponential dims=1 flops=1310720\n",
                   OPS([VECTOR_ADD] = 4 * 256, [VECTOR_EXP] = 256), 8);
#undef OPS
}

/* Two elements of a row are added up across the lanes, 4096 sums of 8 a register; two rows along
 * the sublanes, 128 sums a register. */
Test(lower, a_sum_of_two_is_one_as_well)
{
    struct bench b = { 0 };

    cr_assert_eq(
        lower_text(&b, "tensor %p f32[4096,2] input\n", "%y f32[4096] = reduce(%p)\n", &cap, false),
        0, "%s", b.err.msg);
    cr_expect_eq(b.p.task[0].kernel.all.xlu, 512);
    cr_expect_eq(b.p.task[0].kernel.all.vpu[VECTOR_SUBLANES], 0);
    take_down(&b);
    cr_assert_eq(
        lower_text(&b, "tensor %p f32[2,4096] input\n", "%y f32[4096] = reduce(%p)\n", &cap, false),
        0, "%s", b.err.msg);
    cr_expect_eq(b.p.task[0].kernel.all.xlu, 0);
    cr_expect_eq(b.p.task[0].kernel.all.vpu[VECTOR_SUBLANES], 32);
    take_down(&b);
    /* of one there is nothing to add up, even if the trace names it */
    cr_assert_eq(lower_text(&b, "tensor %p f32[4096,1] input\n", "%y f32[] = reduce(%p) dims=0+1\n",
                            &cap, false),
                 0, "%s", b.err.msg);
    cr_expect_eq(b.p.task[0].kernel.all.xlu, 0);
    cr_expect_eq(b.p.task[0].kernel.all.vpu[VECTOR_SUBLANES], 1);
    take_down(&b);
}

/* 512 x 512 are 256 registers.  Over rows 512 sums, 4 registers of 8 sublanes; along them 512 sums
 * across the lanes, 8 a register.  Which, dims= says; without it the last dimension stays. */
Test(lower, a_sum_over_a_square_is_over_the_dimension_that_the_trace_names)
{
    static const struct {
        const char *dims;
        uint64_t sublanes, xlu;
    } cases[] = { { "", 4, 0 }, { " dims=0", 4, 0 }, { " dims=1", 0, 64 }, { " dims=0+1", 1, 1 } };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct bench b = { 0 };
        char body[128];
        snprintf(body, sizeof body, "%%y f32[%s] = reduce(%%q)%s\n", i == 3 ? "" : "512",
                 cases[i].dims);
        cr_assert_eq(lower_text(&b, "tensor %q f32[512,512] input\n", body, &cap, false), 0, "%s",
                     b.err.msg);
        const struct task *t = &b.p.task[0];
        cr_expect_eq(t->kernel.all.vpu[VECTOR_ADD], 256);
        cr_expect_eq(t->kernel.all.vpu[VECTOR_SUBLANES], cases[i].sublanes, "%s", body);
        cr_expect_eq(t->kernel.all.xlu, cases[i].xlu, "%s", body);
        take_down(&b);
    }
}

Test(lower, an_optimizer_reads_all_and_writes_weights_and_state)
{
    struct bench b = { 0 };

    cr_assert_eq(lower_text(&b, "tensor %w f32[1000] weight\ntensor %s f32[1000] state\n",
                            "%g f32[1000] gradient = elementwise(%w)\n"
                            "optimizer(%w, %g, %s) flops=8000\n",
                            &cap, false),
                 0);
    cr_assert_eq(total_in(&b.p.task[1]), 12000);
    cr_assert_eq(total_out(&b.p.task[1]), 8000);
    take_down(&b);
}

/* A row times a matrix is no work for the array: multiply and add each product, in registers of
 * 1024 elements, the last one in part. */
Test(lower, a_product_with_a_dimension_of_one_is_vector_work)
{
    struct bench b = { 0 };
    struct cap on = cap;

    on.xla.vector_dot = true;
    on.xla.dot_time = 50;
    on.xla.dot_small_time = 7;
    cr_assert_eq(lower_text(&b, "tensor %x f32[1,100] input\ntensor %w f32[100,11] weight\n",
                            "%y f32[1,11] = matmul(%x, %w)\n", &on, false),
                 0);
    const struct task *t = &b.p.task[0];
    cr_assert_eq(t->kernel.all.gemm.b, 0);
    cr_assert_eq(t->kernel.all.vpu[VECTOR_ADD], 3); /* 2200 / 1024 */
    cr_assert_eq(t->kernel.all.loads, 2);           /* 100 + 1100 elements */
    cr_assert_eq(t->kernel.all.stores, 1);
    cr_assert_eq(t->kernel.extra_cycles, 7);
    take_down(&b);
    /* an array holds 128 of each dimension, not 129 */
    for (unsigned n = 128; n < 130; n++) {
        char places[96], line[64];
        snprintf(places, sizeof places,
                 "tensor %%x f32[1,128] input\ntensor %%w f32[128,%u] weight\n", n);
        snprintf(line, sizeof line, "%%y f32[1,%u] = matmul(%%x, %%w)\n", n);
        cr_assert_eq(lower_text(&b, places, line, &on, false), 0);
        cr_expect_eq(b.p.task[0].kernel.extra_cycles, n == 128 ? 7 : 50, "%u", n);
        take_down(&b);
        snprintf(places, sizeof places,
                 "tensor %%x f32[%u,128] input\ntensor %%w f32[128,1] weight\n", n);
        snprintf(line, sizeof line, "%%y f32[%u,1] = matmul(%%x, %%w)\n", n);
        cr_assert_eq(lower_text(&b, places, line, &on, false), 0);
        cr_expect_eq(b.p.task[0].kernel.extra_cycles, n == 128 ? 7 : 50, "%u", n);
        take_down(&b);
    }
}

Test(lower, an_operation_has_up_to_2_to_the_60_flop)
{
    static const char tensors[] = "tensor %x f32[8,128] input\n";
    struct bench b = { 0 };

    cr_expect_eq(lower_text(&b, tensors,
                            "%y f32[8,128] = elementwise(%x) flops=1152921504606846976\n", &cap,
                            false),
                 0, "%s", b.err.msg);
    take_down(&b);
    cr_expect_eq(lower_text(&b, tensors,
                            "%y f32[8,128] = elementwise(%x) flops=1152921504606846977\n", &cap,
                            false),
                 -1);
    take_down(&b);
}

/* A result of 64 bits is computed in 64 bits, whatever its operand has. */
Test(lower, a_wide_result_is_refused)
{
    struct bench b = { 0 };

    cr_expect_eq(lower_text(&b, "tensor %x f32[8,128] input\n", "%y f64[8,128] = elementwise(%x)\n",
                            &cap, false),
                 -1);
    cr_expect_not_null(strstr(b.err.msg, "result 'y' is f64, a TensorCore computes in 32 bits"),
                       "%s", b.err.msg);
    take_down(&b);
}
