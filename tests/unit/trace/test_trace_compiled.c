/* Traces of compiled programs state layouts and their bytes, places, kernels, copies in
 * the background. */
#include <stdio.h>

#include "tests/unit/trace/trace_helper.h"

#define V "cyclotron-trace 1\n"
#define L "{1,0:T(8,128)}"

/* --- layouts ------------------------------------------------------------------------------ */

struct layout_row {
    const char *shape;
    uint64_t bytes, bare;
};

/* clang-format off */
static const struct layout_row layouts[] = {
    /* whole tiles of the first group: 24 x 256, 40 x 128 */
    { "f32[17,200]{1,0:T(8,128)}", 24576, 13600 },
    { "bf16[33,65]{1,0:T(8,128)(2,1)}", 10240, 4290 },
    /* major to minor 3,3,1,200 in tiles of 1 x 128; 3,1,3,200 in tiles of 4 x 128 */
    { "f32[3,3,1,200]{3,2,1,0:T(1,128)}", 9216, 7200 },
    { "f32[3,3,1,200]{3,1,2,0:T(4,128)}", 12288, 7200 },
    { "s8[5000]{0:T(1024)(128)(4,1)}", 5120, 5000 },
    /* four bits in a byte each, or packed */
    { "s4[5000]{0:T(1024)(128)(4,1)}", 5120, 5000 },
    { "s4[5000]{0:T(1024)(128)(8,1)E(4)}", 2560, 2500 },
    { "s4[5]", 5, 5 },
    { "u1[9]{0:E(1)}", 2, 2 },
    /* the first dimension is minor: 1 row of 9 */
    { "f32[9,1]{0,1:T(1,128)}", 512, 36 },
    /* fewer dimensions than the tile */
    { "f32[9]{0:T(8,128)}", 4096, 36 },
    { "pred[]{:T(512)}", 512, 1 },
    { "u32[]{:S(2)}", 4, 4 },
    { "f32[]{}", 4, 4 },
    /* no tiles, no padding */
    { "f32[3,5]{0,1}", 60, 60 },
    { "c128[3]{0}", 48, 48 },
    { "bf16[5,1024,256]{2,1,0:T(8,128)(2,1)S(1)}", 2621440, 2621440 },
};
/* clang-format on */

Test(trace_compiled, bytes_are_those_of_whole_tiles)
{
    char text[256];

    for (size_t i = 0; i < sizeof layouts / sizeof *layouts; i++) {
        const struct layout_row *row = &layouts[i];
        struct err err;
        struct trace_item item;
        snprintf(text, sizeof text, V "tensor %%x %s input\n", row->shape);
        struct trace *t = open_text(text, false);
        cr_assert_eq(trace_next(t, &item, &err), 0);
        cr_assert_eq(trace_next(t, &item, &err), 0, "%s: %s", row->shape, err.msg);
        const struct trace_shape *s = &trace_tensor(t, item.value)->shape;
        cr_expect_eq(trace_bytes(s), row->bytes, "%s has %lu bytes", row->shape,
                     (unsigned long)trace_bytes(s));
        cr_expect_eq(trace_bare_bytes(s), row->bare, "%s has %lu bare bytes", row->shape,
                     (unsigned long)trace_bare_bytes(s));
        trace_close(t);
    }
}

Test(trace_compiled, a_layout_is_kept_with_its_parts)
{
    struct trace *t =
        open_text(V "step {\n%x s4[2,3,4]{0,2,1:T(8,128)(2,1)S(3)E(4)} = rng()\n}\n", 0);
    struct trace_op op = next_op(t);
    const struct trace_shape *s = &trace_tensor(t, op.out[0])->shape;
    const struct trace_layout *l = &s->layout;

    cr_expect(l->given);
    cr_expect_eq(trace_space(s), TRACE_IN_CMEM);
    cr_expect_eq(l->bits, 4);
    cr_expect(l->minor_first[0] == 0 && l->minor_first[1] == 2 && l->minor_first[2] == 1);
    cr_assert_eq(l->n_tiles, 2);
    cr_expect(l->tile[0].rank == 2 && l->tile[0].dim[0] == 8 && l->tile[0].dim[1] == 128);
    cr_expect(l->tile[1].rank == 2 && l->tile[1].dim[0] == 2 && l->tile[1].dim[1] == 1);
    trace_close(t);
}

/* An asynchronous all-gather on a mesh of two axes has flags: they take no memory and are no
 * traffic of a kernel. */
Test(trace_compiled, flags_of_a_collective_take_no_memory)
{
    struct trace *t =
        open_text(V "step {\n%f s32[2]{0:S(4)} = rng()\n%y f32[8]{0:T(128)} = kernel(%f)\n}\n", 0);
    struct trace_op op = next_op(t);

    cr_expect_eq(trace_space(&trace_tensor(t, op.out[0])->shape), TRACE_IN_BARRIER);
    op = next_op(t);
    cr_expect_str_eq(trace_space_name[TRACE_IN_BARRIER], "barrier flags");
    cr_expect_eq(op.reads, 0);
    cr_expect_eq(op.writes, 512);
    trace_close(t);
}

/* --- canonical text ----------------------------------------------------------------------- */

/* Every attribute, layout and kind of line. */
static const char all[] = V
    "samples step=1\ndtype tensors=f32 matmul=bf16 activations=keep\n"
    "program compiler=\"jax 0.10.2\" machine=\"tpu-v4-8\" topology=\"v4:2x2x1\" cores=4 megacore=1 "
    "scheduled=1 peak=4096 temporaries=100\n"
    "tensor %w bf16[96,64]{1,0:T(8,128)(2,1)} weight\n"
    "tensor %x bf16[32,96]{1,0:T(8,128)(2,1)} input\n"
    "tensor %c s4[5000]{0:T(1024)(128)(8,1)E(4)S(5)} constant\n"
    "step {\n"
    "  %d bf16[96,64]{1,0:T(8,128)(2,1)S(3)} = copy-start(%w) early=1 bytes=100 source=\"a.py:1\"\n"
    "  %e bf16[96,64]{1,0:T(8,128)(2,1)S(3)} at %d = copy-done(%d) scope=\"jit(f)/x\"\n"
    "  %y bf16[32,64]{1,0:T(8,128)(2,1)}, %z f32[]{:T(128)} gradient = kernel(%x, %e) name=\"f.1\" "
    "form=custom grid=2x3x1x4 product=2x32x96x64 tile=1x16x96x64 counts=2x3x1x4 taps=3 packed=1 "
    "lanes=knm split=k split-bytes=64 fetch=6144+0 held=0+1 store=4096+0 vmem=100000 "
    "vector=add:7+select:6+cast:5+divide:4+exp:3+sine:2+sublanes:1 xlu=10 loads=11 stores=12 "
    "spread=13 lane-rows=14 row-stores=15 lane-sums=16 waits=17 idle=18 launches=19 estimate=1000 "
    "flops=5 "
    "reads=6 writes=7 "
    "scope=\"jit(f)/y\" source=\"a.py:2\" note=\"n\"\n"
    "  %s f32[32,64]" L " = kernel(%y) rows=32 cols=64 form=top-k\n"
    "  %t bf16[64]{0:T(256)(128)(2,1)} = kernel(%s) form=vector grid=4 split=m split-bytes=64 "
    "chain=7 sums=8 sum-steps=9\n"
    "  %g f32[8,64]" L ", %h u32[]{:S(2)} = kernel-start(%s, %y) rows=8 form=scatter "
    "unit=sparsecore row-bytes=256 row-writes=1\n"
    "  %i f32[8,64]" L " at %g = kernel-done(%g, %h)\n"
    "  %p bf16[32,64]{1,0:T(8,128)(2,1)} = collective-permute-start(%y)\n"
    "  %q bf16[32,64]{1,0:T(8,128)(2,1)} at %p = collective-permute-done(%p)\n"
    "  repeat 4 {\n"
    "    %j f32[8,64]" L " gradient at %i = kernel(%i, %q)\n"
    "  }\n"
    "  fusion %f name=\"k\" scope=\"s\" source=\"b.py:1\" note=\"n\" {\n"
    "    %f f32[8,64]" L " = elementwise(%i) source=\"b.py:2\"\n"
    "  }\n"
    "  %k bf16[96,64]{1,0:T(8,128)(2,1)} at %w = kernel(%w) form=scalar split=none\n"
    "  return(%i, %z, %f)\n"
    "}\n";

Test(trace_compiled, canonical_text_is_printed_as_it_is)
{
    char *printed = print_canonical(all);

    cr_assert_str_eq(printed, all, "%s", printed);
    free(printed);
}

Test(trace_compiled, what_says_nothing_is_left_out)
{
    char *printed = print_canonical(
        V "program megacore=0 compiler=x peak=0\nstep {\n"
          "%x f32[8,64]{1,0:T(8,128)S(0)} = kernel() stores=0 xlu=0 vector=add:0+exp:0 vmem=0 "
          "unit=tensorcore row-writes=0 packed=0\n"
          "%y f32[4]{0:T(256)S(1)E(32)} = kernel() product=1x2x3x4 taps=1\n}\n");

    cr_assert_str_eq(printed, V "samples step=1\ndtype tensors=f32 matmul=bf16 activations=keep\n"
                                "program compiler=\"x\" megacore=0 scheduled=0\nstep {\n"
                                "  %x f32[8,64]{1,0:T(8,128)} = kernel()\n"
                                "  %y f32[4]{0:T(256)E(32)S(1)} = kernel() product=1x2x3x4\n}\n");
    free(printed);
}

/* --- derived ------------------------------------------------------------------------------ */

#define KERNEL                                                                                     \
    V "tensor %x f32[8,128]" L " input\ntensor %v f32[8,128]{1,0:T(8,128)S(1)} input\nstep {\n"

Test(trace_compiled, a_kernel_has_what_it_states)
{
    struct trace *t = open_text(
        KERNEL "%y f32[8,100]" L ", %z f32[8]{0:T(1024)S(6)} = kernel(%x, %v, %x) grid=2x3 "
               "product=1x2x3x4 tile=1x1x3x2 counts=1x2x1x3 lanes=kkm split=none fetch=10+0+30 "
               "held=2 vector=exp:9\n}\n",
        false);
    struct trace_op op = next_op(t);
    const struct trace_compiled *c = op.compiled;

    cr_assert_not_null(c);
    cr_expect_eq(c->form, TRACE_FORM_PRODUCT);
    cr_expect_eq(c->unit, TRACE_ON_TENSORCORE);
    cr_expect(c->n_grid == 2 && c->grid[0] == 2 && c->grid[1] == 3 && c->steps == 6);
    cr_expect(op.b == 1 && op.m == 2 && op.k == 3 && op.n == 4 && op.flops == 48);
    cr_expect(c->tile[TRACE_DIM_N] == 2 && c->counts[TRACE_DIM_N] == 3);
    cr_expect(c->has_lanes && c->lanes[0] == TRACE_DIM_K && c->lanes[1] == TRACE_DIM_K &&
              c->lanes[2] == TRACE_DIM_M);
    cr_expect_eq(c->split, TRACE_SPLIT_NONE);
    cr_expect_eq(c->taps, 1);
    cr_expect(c->fetch[0] == 10 && c->fetch[1] == 0 && c->fetch[2] == 30);
    cr_expect(!c->held[0] && !c->held[1] && c->held[2]);
    /* a result in HBM is stored whole, one in SMEM not at all */
    cr_expect(c->store[0] == 4096 && c->store[1] == 0);
    cr_expect(op.reads == 40 && op.writes == 4096);
    cr_expect(c->vector[TRACE_VECTOR_EXP] == 9 && c->vector[TRACE_VECTOR_ADD] == 0);
    trace_close(t);
}

Test(trace_compiled, a_kernel_that_states_nothing_moves_its_values_once)
{
    struct trace *t = open_text(KERNEL "%y f32[8,100]" L " = kernel(%x, %v)\n"
                                       "%z f32[8,100]" L " = kernel(%y)\n}\n",
                                false);
    struct trace_op op = next_op(t);

    cr_expect_eq(op.compiled->form, TRACE_FORM_VECTOR);
    cr_expect_eq(op.compiled->split, TRACE_SPLIT_UNSAID);
    cr_expect_eq(op.compiled->steps, 0);
    cr_expect(op.compiled->fetch[0] == 4096 && op.compiled->fetch[1] == 0);
    cr_expect(op.reads == 4096 && op.writes == 4096 && op.flops == 0 && op.b == 0);
    op = next_op(t);
    cr_expect_eq(op.compiled->fetch[0], 4096, "nothing is left of the kernel before");
    trace_close(t);
}

Test(trace_compiled, a_copy_counts_where_it_starts)
{
    struct trace *t = open_text(KERNEL "%a f32[8,128]{1,0:T(8,128)S(1)} = copy-start(%x)\n"
                                       "%b f32[8,128]{1,0:T(8,128)S(1)} at %a = copy-done(%a)\n"
                                       "%c f32[4,128]" L " = copy-start(%x) bytes=2048\n"
                                       "%d f32[4,128]" L " at %c = copy-done(%c)\n"
                                       "return(%b, %d)\n}\n",
                                false);
    struct trace_op op = next_op(t);

    cr_expect(op.payload == 4096 && op.reads == 4096 && op.writes == 4096 && !op.early);
    op = next_op(t);
    cr_expect(op.payload == 4096 && op.reads == 0 && op.writes == 0);
    const struct trace_tensor *b = trace_tensor(t, op.out[0]);
    cr_expect(b->placed);
    cr_expect_str_eq(trace_tensor(t, b->at)->name, "a");
    op = next_op(t);
    cr_expect(op.payload == 2048 && op.reads == 2048);
    next_op(t);
    op = next_op(t);
    cr_expect(op.kind == TRACE_RETURN && op.reads == 0 && op.writes == 0 && op.n_in == 2);
    trace_close(t);
}

/* The done takes the destinations of its start, and the payload is known at once. */
Test(trace_compiled, a_collective_may_name_its_destination)
{
    struct trace *t = open_text(KERNEL "%a f32[16,128]" L " = all-gather-start(%x) group=2\n"
                                       "%b f32[16,128]" L " at %a = all-gather-done(%a)\n}\n",
                                false);
    struct trace_op op = next_op(t);

    cr_expect_eq(op.payload, 8192);
    op = next_op(t);
    cr_expect(op.payload == 8192 && op.group == 2);
    trace_close(t);
}

Test(trace_compiled, the_header_says_what_it_was_compiled_for)
{
    struct trace *t = open_text(all, false);
    const struct trace_program *p = &trace_head(t)->program;

    cr_expect(p->given && p->megacore && p->scheduled);
    cr_expect_str_eq(p->compiler, "jax 0.10.2");
    cr_expect_str_eq(p->machine, "tpu-v4-8");
    cr_expect_str_eq(p->topology, "v4:2x2x1");
    cr_expect(p->cores == 4 && p->peak == 4096 && p->temporaries == 100);
    trace_close(t);
}

Test(trace_compiled, a_copy_of_a_kernel_is_its_own)
{
    struct trace_compiled c = { .taps = 3 }, *copy;
    uint64_t fetch[] = { 5, 6 }, store[] = { 7 };
    bool held[] = { false, true };

    c.fetch = fetch;
    c.store = store;
    c.held = held;
    copy = trace_copy_compiled(&c, 2, 1);
    fetch[0] = store[0] = 9;
    held[1] = false;
    cr_expect(copy->fetch[0] == 5 && copy->fetch[1] == 6 && copy->store[0] == 7);
    cr_expect(!copy->held[0] && copy->held[1] && copy->taps == 3);
    free(copy);
}

/* --- the manual --------------------------------------------------------------------------- */

static char *read_file(const char *path)
{
    char *text = NULL;
    size_t size = 0;
    FILE *f = fopen(path, "r");

    cr_assert_not_null(f, "%s: run from the top of the repository", path);
    cr_assert_gt(getdelim(&text, &size, '\0', f), 0);
    fclose(f);
    return text;
}

Test(trace_compiled, the_example_of_the_manual_is_canonical)
{
    char *file = read_file("docs/examples/compiled.trace"), *printed = print_canonical(file);

    cr_expect_str_eq(printed, file);
    free(printed);
    free(file);
}
