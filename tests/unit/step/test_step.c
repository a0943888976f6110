/* A step in memory: text in, text out; who reads a value last; what the verifier finds. */
#include "step/step_build.h"
#include "tests/unit/trace/trace_helper.h"

/* Phases without operations, loops in loops, fusions with and without names, biases, notes, pairs
 * of start and done, steps that run between the others. */
static const char everything[] =
    "cyclotron-trace 1\nworkload \"all \\\"of\\\" it\"\n"
    "samples step=8 epoch=80 shared=2 cores=8 stages=2\n"
    "dtype tensors=f32 matmul=bf16 activations=narrow\nparam k=v\nprovenance \"by hand\"\n"
    "tensor %w f32[16,16] weight stage=0\ntensor %b f32[16] weight\n"
    "tensor %m f32[16,16] state\ntensor %c f32[8,16] constant\n"
    "step every=10 {\n  phase save\n  restart(%w, %m)\n}\n"
    "step {\n"
    "  phase empty\n  phase a\n"
    "  %x f32[8,16] = infeed() note=\"in \\\"q\\\" \\\\ end\"\n"
    "  phase b\n"
    "  repeat 3 {\n"
    "    phase in-loop\n"
    "    %y f32[8,16] = elementwise(%x, %c) flops=128 note=\"n\"\n"
    "    phase in-loop\n"
    "    repeat 2 {\n      %q f32[8,16] = elementwise(%y)\n    }\n"
    "    phase tail\n"
    "  }\n"
    "  fusion %h, %k name=\"fc\" stage=0 note=\"why\" {\n"
    "    %p f32[8,16] = matmul(%x, %w) bias=%b\n"
    "    %k f32[8] = reduce(%p)\n"
    "    %h f32[8,16] = elementwise(%p) fn=tanh\n"
    "  }\n"
    "  fusion {\n    optimizer(%b)\n  }\n"
    "  %t u32[] = send-start(%h) name=\"h\" stage=0 to=1 note=\"down\"\n"
    "  %g f32[8,16] gradient = send-done(%t) stage=1\n"
    "  %s u32[] = all-reduce-start(%g) stage=1\n"
    "  all-reduce-done(%s) stage=1\n"
    "  phase end\n"
    "}\n"
    "step {\n  outfeed(%c) sync=1\n}\n";

static void load_step(struct step *step, struct trace **t, const char *text, bool whole)
{
    struct err err;

    *t = open_text(text, true);
    step_init(step);
    if (whole)
        cr_assert_eq(step_read_all(step, *t, &err), 0, "%s", err.msg);
    else
        cr_assert_eq(step_read_tensors(step, *t, &err), 0, "%s", err.msg);
}

static void drop_step(struct step *step, struct trace *t)
{
    step_free(step);
    trace_close(t);
}

Test(step, prints_what_it_read)
{
    const char *text = everything;
    char *printed;
    struct step step;
    struct trace *t;
    struct err err;
    size_t size;

    load_step(&step, &t, text, true);
    cr_expect_eq(step_verify(&step, "reading", &err), 0, "%s", err.msg);
    FILE *out = open_memstream(&printed, &size);
    step_print_head(&step, out);
    step_print(&step, out);
    fclose(out);
    cr_expect_str_eq(printed, text);
    free(printed);
    drop_step(&step, t);

    /* step by step */
    load_step(&step, &t, text, false);
    out = open_memstream(&printed, &size);
    step_print_head(&step, out);
    for (int i = 0; i < 3; i++) {
        cr_assert_eq(step_read_next(&step, t, &err), 1, "%s", err.msg);
        cr_expect_eq(step_verify(&step, "reading", &err), 0, "%s", err.msg);
        cr_expect_eq(step.every, i ? 0 : 10);
        step_print(&step, out);
    }
    cr_expect_eq(step_read_next(&step, t, &err), 0);
    fclose(out);
    cr_expect_str_eq(printed, text);
    free(printed);
    drop_step(&step, t);
}

#define LOOPS                                                                                      \
    "cyclotron-trace 1\ntensor %w f32[4] weight\nstep {\n%a f32[4] = rng()\n%b f32[4] = rng()\n"   \
    "repeat 2 {\n%c f32[4] = elementwise(%a)\nrepeat 3 {\n%d f32[4] = elementwise(%c, %w)\n}\n}\n" \
    "%e f32[4] = elementwise(%b)\n}\n"

Test(step, what_a_loop_reads_from_outside_lasts_until_it_ends)
{
    struct step step;
    struct trace *t;
    struct err err;

    load_step(&step, &t, LOOPS, false);
    cr_assert_eq(step_read_next(&step, t, &err), 1, "%s", err.msg);
    /* nodes: a 0, b 1, repeat 2, c 3, repeat 4, d 5, end 6, end 7, e 8 */
    cr_assert_eq(step.n_nodes, 9);
    cr_expect_eq(step.value[0].last_use, 7, "w");
    cr_expect_eq(step.value[1].last_use, 7, "a");
    cr_expect_eq(step.value[2].last_use, 8, "b");
    cr_expect_eq(step.value[3].last_use, 6, "c");
    cr_expect_eq(step.value[4].last_use, STEP_NONE, "d");
    cr_expect_eq(step.node[2].match, 7);
    cr_expect_eq(step.node[6].match, 4);
    cr_expect_eq(step.value[4].op, 3);
    drop_step(&step, t);
}

/* One thing is broken at a time, found, and mended. */
Test(step, the_verifier_finds_what_a_pass_broke)
{
    struct step step;
    struct trace *t;
    struct err err;

    load_step(
        &step, &t,
        "cyclotron-trace 1\ntensor %w f32[4,4] weight\nstep {\nphase p\n%a f32[4,4] = rng()\n"
        "repeat 2 {\n%b f32[4,4] = elementwise(%a)\n}\n"
        "fusion %d {\n%c f32[4,4] = elementwise(%a)\n%d f32[4,4] = elementwise(%c)\n}\n"
        "%e f32[4,4] = matmul(%d, %w)\n%s u32[] = all-reduce-start(%e)\nall-reduce-done(%s)\n}\n",
        false);
    cr_assert_eq(step_read_next(&step, t, &err), 1, "%s", err.msg);
    /* values w 0, a 1, b 2, c 3, d 4, e 5, s 6; nodes a 0, repeat 1, b 2, end 3, fusion 4, ... */
#define FINDS(place, wrong, what)                                                                  \
    do {                                                                                           \
        cr_assert_eq(step_verify(&step, "cutting", &err), 0, "%s", err.msg);                       \
        __typeof__(place) was = (place);                                                           \
        (place) = (wrong);                                                                         \
        cr_expect_eq(step_verify(&step, "cutting", &err), -1, "%s", what);                         \
        cr_expect_not_null(strstr(err.msg, what), "%s: not '%s'", err.msg, what);                  \
        cr_expect_eq(strncmp(err.msg, "after cutting: ", 15), 0);                                  \
        (place) = was;                                                                             \
    } while (0)
    FINDS(step.ref[step.op[1].first_in], 5, "elementwise reads %e before it is made");
    FINDS(step.ref[step.op[4].first_in], 2, "matmul reads %b of a block that has ended");
    FINDS(step.ref[step.op[4].first_in], 3, "matmul reads %c, which does not leave its fusion");
    FINDS(step.node[4].n_listed, 0, "matmul reads %d, which does not leave its fusion");
    FINDS(step.value[1].last_use, 2, "elementwise reads %a after its last use");
    FINDS(step.value[0].last_use, STEP_NONE, "matmul reads %w after its last use");
    FINDS(step.value[4].def, 3, "elementwise makes %d at another node");
    FINDS(step.ref[step.op[6].first_in], 5, "all-reduce-done has no start");
    FINDS(step.ref[step.op[1].first_out], 1, "elementwise makes %a, which is made elsewhere");
    FINDS(step.ref[step.node[4].first_listed], 5, "lists %e, which it does not make");
    FINDS(step.ref[0], 7, "reference 0 to no value");
    FINDS(step.node[1].match, 2, "the bracket of node 1 has no other");
    FINDS(step.node[1].count, 0, "a block that never runs");
    FINDS(step.node[1].kind, STEP_BEGIN, "a loop outside a step");
    FINDS(step.node[4].n_ops, 3, "operation 4 is of another node");
    FINDS(step.node[0].n_ops, 2, "node 0: 2 operations");
    FINDS(step.node[5].stage, 1, "its phase, operations or stage");
    FINDS(step.op[0].node, 2, "operation 0 is of another node");
    FINDS(step.op[2].op.n_in, 2, "its attributes say otherwise");
    FINDS(step.value[0].persistent, false, "persistent values stand first");
    FINDS(step.value[1].stored, TRACE_F64, "kept in more bits than it has");
    FINDS(step.value[1].last_use, 9, "its last use is node 9");
    FINDS(step.value[3].op, 99, "no operation makes it");
    FINDS(step.value[5].stage, 3, "stage 3 of 1");
    FINDS(step.phase[1].before, 99, "phase 1 stands in no order");
    drop_step(&step, t);
}

Test(step, a_fusion_without_a_name_is_called_by_its_product)
{
    struct step step;
    struct trace *t;
    struct err err;

    load_step(
        &step, &t,
        "cyclotron-trace 1\ntensor %w f32[4,4] weight\nstep {\nfusion %b {\n"
        "%a f32[4,4] = matmul(%w, %w) name=\"product\"\n%b f32[4,4] = elementwise(%a)\n}\n}\n",
        false);
    cr_assert_eq(step_read_next(&step, t, &err), 1, "%s", err.msg);
    cr_expect_str_eq(step_text(&step, step.node[0].title), "product");
    cr_expect_str_eq(step_text(&step, step.node[0].kind_text), "matmul");
    cr_expect_str_eq(step_text(&step, step.node[0].name), "b");
    cr_expect(step.value[1].on_chip && !step.value[2].on_chip);
    drop_step(&step, t);
}
