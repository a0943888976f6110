/* Operations of a result as a tree with what they waste, and as a graph of what they read. */
#include <criterion/criterion.h>
#include <string.h>

#include "base/exact.h"
#include "run/result/op_tree.h"
#include "run/result/result.h"

#define HEAD "cyclotron-trace 1\nworkload w\nsamples step=1\n"
#define V "{1,0:T(8,128)}"

static void replay_text(struct run_result *r, const char *text, const char *machine)
{
    struct run_request q = {
        .trace = "w", .text = text, .text_size = strlen(text), .machine = machine, .steps = 1
    };
    struct err e;

    cr_assert_eq(run_replay(&q, r, &e), 0, "%s", e.msg);
}

/* name, depth, operations of its own, operations below */
struct wanted {
    const char *name;
    uint32_t depth;
    size_t own;
    uint64_t count;
};

static void expect_tree(const struct run_result *r, const struct wanted *want, size_t n)
{
    cr_assert_eq(r->n_tree, n, "%zu branches", r->n_tree);
    for (size_t i = 0; i < n; i++) {
        const struct run_branch *b = &r->tree[i];
        cr_expect_str_eq(b->name, want[i].name, "branch %zu: %s", i, b->name);
        cr_expect_eq(b->depth, want[i].depth, "branch %zu: %u", i, b->depth);
        cr_expect_eq(b->n_ops, want[i].own, "branch %zu: %zu", i, b->n_ops);
        cr_expect_eq(b->count, want[i].count, "branch %zu: %llu", i, (unsigned long long)b->count);
    }
}

/* Phases are the first branches, then parts of names; the longest come first. */
Test(op_tree, a_trace_by_hand_has_phases_and_parts_of_names)
{
    static const struct wanted want[] = {
        { "", 0, 0, 4 },      { "fwd", 1, 1, 3 }, { "net", 2, 0, 2 },
        { "block", 3, 1, 1 }, { "a", 3, 1, 1 },   { "bwd", 1, 1, 1 },
    };
    struct run_result r;

    replay_text(&r,
                HEAD "tensor %x f32[1024,1024] input\nstep {\nphase fwd\n"
                     "  %a f32[1024,1024] = elementwise(%x) name=\"net.a.add\"\n"
                     "  %b f32[65536,1024] = elementwise(%a) name=\"net.block.mul\"\n"
                     "  %c f32[1024,1024] = elementwise(%b) name=\"sum\"\nphase bwd\n"
                     "  %d f32[8,128] = elementwise(%c) name=\"(a.b)\"\n}\n",
                "v100x1");
    expect_tree(&r, want, 6);
    cr_expect_eq(mpq_cmp(r.tree[0].seconds, r.seconds_per_step), 0);
    run_result_free(&r);
}

/* A copy without a scope hangs on the step itself. */
Test(op_tree, a_program_has_the_parts_of_its_scopes)
{
    static const struct wanted want[] = { { "", 0, 1, 3 },
                                          { "jit(a/b)", 1, 0, 2 },
                                          { "jvp(m)", 2, 2, 2 } };
    struct run_result r;

    replay_text(&r,
                HEAD "tensor %x f32[512,128]" V " input\nstep {\n"
                     "  %a f32[512,128]" V
                     " = kernel(%x) fetch=262144 store=262144 scope=\"jit(a/b)/jvp(m)/add\"\n"
                     "  %b f32[512,128]" V
                     " = kernel(%a) fetch=262144 store=262144 scope=\"jit(a/b)/jvp(m)/mul\"\n"
                     "  %c f32[512,128]" V " = kernel(%b) form=copy fetch=262144 store=262144\n}\n",
                "tpu-v3-1");
    expect_tree(&r, want, 3);
    run_result_free(&r);
}

/* 10 s of 40 FLOP at 10 FLOP/s and of 12 B at 2 B/s: 4 s and 6 s, so that 4 s are wasted; none are
 * where the FLOPs would take longer than it took. */
Test(op_tree, seconds_beyond_the_roof_are_wasted)
{
    struct run_result r = { 0 };
    struct run_row op;

    EXACT_Q(q);
    mpq_inits(r.peak_flops, r.hbm_bytes_per_second, NULL);
    mpq_set_ui(r.peak_flops, 10, 1);
    mpq_set_ui(r.hbm_bytes_per_second, 2, 1);
    run_row_init(&op, 0, "a", NULL, NULL);
    mpq_set_ui(op.seconds, 10, 1);
    mpz_set_ui(op.flops, 40);
    mpz_set_ui(op.hbm_bytes, 12);
    op_tree_wasted(q, &r, &op);
    cr_expect_eq(mpq_cmp_ui(q, 4, 1), 0);
    mpz_set_ui(op.flops, 140);
    op_tree_wasted(q, &r, &op);
    cr_expect_eq(mpq_sgn(q), 0);
    run_row_clear(&op);
    mpq_clears(r.peak_flops, r.hbm_bytes_per_second, NULL);
}

/* Tensors inside a fusion make no edge; a tensor that one operation reads twice makes one edge. */
Test(op_tree, what_crosses_a_border_is_an_edge)
{
    static const struct run_edge want[] = {
        { RUN_BEFORE, 0, "x", 4096 }, { 0, 1, "a", 4096 }, { RUN_BEFORE, 1, "w", 4096 },
        { 1, 2, "c", 8192 },          { 0, 2, "a", 4096 },
    };
    struct run_result r;

    replay_text(&r,
                HEAD "tensor %x f32[8,128] input\ntensor %w f32[8,128] weight\nstep {\n"
                     "  %a f32[8,128] = elementwise(%x, %x)\n"
                     "  fusion %c {\n    %b f32[8,128] = elementwise(%a, %w)\n"
                     "    %c f32[16,128] = elementwise(%b, %a)\n  }\n"
                     "  %d f32[16,128] = elementwise(%c, %a)\n}\n",
                "v100x1");
    cr_assert_eq(r.flow.n, 5, "%zu edges", r.flow.n);
    for (size_t i = 0; i < 5; i++) {
        const struct run_edge *e = &r.flow.edge[i];
        cr_expect_eq(e->from, want[i].from, "edge %zu: %u", i, e->from);
        cr_expect_eq(e->to, want[i].to, "edge %zu: %u", i, e->to);
        cr_expect_str_eq(e->tensor, want[i].tensor, "edge %zu: %s", i, e->tensor);
        cr_expect_eq(e->bytes, want[i].bytes, "edge %zu", i);
    }
    run_result_free(&r);
}

/* bf16[9,100] in tiles of 8 x 128 takes 16 x 128 x 2 bytes, its elements 1,800; f32[8,128] has no
 * padding.  Buffers of a trace by hand are told as those of a program. */
Test(op_tree, buffers_have_the_size_of_their_elements_beside_the_padded_one)
{
    static const char *const text[] = {
        HEAD "tensor %x bf16[9,100]{1,0:T(8,128)(2,1)} input\ntensor %w f32[8,128]" V " weight\n"
             "step {\n  %y bf16[9,100]{1,0:T(8,128)(2,1)} = kernel(%x, %w) fetch=4096+4096 "
             "store=4096\n}\n",
        HEAD "tensor %x bf16[9,100] input\ntensor %w f32[8,128] weight\n"
             "step {\n  %y bf16[9,100] = elementwise(%x, %w)\n}\n"
    };

    for (int k = 0; k < 2; k++) {
        struct run_result r;
        uint64_t padding = 0;
        replay_text(&r, text[k], "tpu-v3-1");
        cr_assert_eq(r.owners.n_buffers, 3, "%zu", r.owners.n_buffers);
        for (size_t i = 0; i < 3; i++) {
            const struct run_buffer *b = &r.owners.buffer[i];
            cr_expect_eq(b->bytes, 4096, "%s: %llu", b->name, (unsigned long long)b->bytes);
            cr_expect_eq(b->logical, *b->name == 'w' ? 4096 : 1800, "%s", b->name);
            padding += b->bytes - b->logical;
        }
        cr_expect_eq(padding, r.memory.padding);
        run_result_free(&r);
    }
}
