/* A step that states what a compiler has decided: in memory, as text, checked, folded. */
#include <stdio.h>

#include "step/signature.h"
#include "step/step_build.h"
#include "tests/unit/trace/trace_helper.h"

#define L "{1,0:T(8,128)}"

static const char everything[] =
    "cyclotron-trace 1\nsamples step=1\ndtype tensors=f32 matmul=bf16 activations=keep\n"
    "program compiler=\"jax 0.10.2\" megacore=0 scheduled=1 peak=9\n"
    "tensor %x f32[8,128]" L " input\n"
    "step {\n"
    "  %d f32[8,128]{1,0:T(8,128)S(1)} = copy-start(%x) early=1 bytes=64 scope=\"s\"\n"
    "  %e f32[8,128]{1,0:T(8,128)S(1)} at %d = copy-done(%d)\n"
    "  %y f32[8,128]" L " gradient = kernel(%x, %e) name=\"k\" grid=2x4 fetch=8192+0 held=0 "
    "store=4096 vmem=77 vector=add:3+sine:4 estimate=5 scope=\"a\" source=\"b:1\" note=\"c\"\n"
    "  repeat 4 {\n"
    "    %z f32[8,128]" L " at %y = kernel(%y)\n"
    "  }\n"
    "  fusion %f scope=\"fs\" source=\"fb:1\" {\n"
    "    %f f32[8,128]" L " = elementwise(%y)\n"
    "  }\n"
    "  %h f32[8,128]" L " = kernel-start(%f) unit=sparsecore\n"
    "  %i f32[8,128]" L " at %h = kernel-done(%h)\n"
    "  %w f32[8,128]" L " at %x = kernel(%i)\n"
    "  return(%y)\n"
    "}\n";

static void load_step(struct step *step, struct trace **t, const char *text)
{
    struct err err;

    *t = open_text(text, false);
    step_init(step);
    cr_assert_eq(step_read_all(step, *t, &err), 0, "%s", err.msg);
    cr_assert_eq(step_verify(step, "reading", &err), 0, "%s", err.msg);
}

static void drop_step(struct step *step, struct trace *t)
{
    step_free(step);
    trace_close(t);
}

Test(step_compiled, prints_what_it_read)
{
    char *printed;
    struct step step;
    struct trace *t;
    size_t size;

    load_step(&step, &t, everything);
    cr_expect(step.compiled);
    FILE *out = open_memstream(&printed, &size);
    step_print_head(&step, out);
    step_print(&step, out);
    fclose(out);
    cr_expect_str_eq(printed, everything);
    free(printed);
    drop_step(&step, t);
}

/* values: x 0, d 1, e 2, y 3; operations: start 0, done 1, kernel 2 */
Test(step_compiled, keeps_what_a_kernel_states)
{
    struct step step;
    struct trace *t;

    load_step(&step, &t, everything);
    const struct trace_compiled *c = step.op[2].op.compiled;
    cr_assert_not_null(c);
    cr_expect(c->steps == 8 && c->fetch[0] == 8192 && c->fetch[1] == 0 && c->held[0]);
    cr_expect(c->store[0] == 4096 && c->vmem == 77);
    cr_expect_null(step.op[1].op.compiled);
    cr_expect(step.value[2].placed && step.value[2].at == 1 && !step.value[3].placed);
    cr_expect_eq(step_space(&step, 1), TRACE_IN_VMEM);
    cr_expect_eq(step_space(&step, 0), TRACE_IN_HBM);
    cr_expect_eq(step_bytes(&step, 3), 4096);
    cr_expect_str_eq(step_optional(&step, step.op[2].scope), "a");
    cr_expect_null(step_optional(&step, step.op[1].scope));
    drop_step(&step, t);
}

Test(step_compiled, another_trace_is_a_step_like_any_other)
{
    struct step step;
    struct trace *t;
    struct err err;

    load_step(&step, &t, everything);
    trace_close(t);
    t = open_text("cyclotron-trace 1\nstep {\n%a f32[4] = rng()\n}\n", false);
    cr_assert_eq(step_read_all(&step, t, &err), 0, "%s", err.msg);
    cr_expect_not(step.compiled);
    drop_step(&step, t);
}

/* One thing is broken at a time, found, and mended. */
Test(step_compiled, the_verifier_finds_what_a_pass_broke)
{
    const struct trace_compiled other = { 0 };
    struct step step;
    struct trace *t;
    struct err err;

    load_step(&step, &t, everything);
#define FINDS(place, wrong, what)                                                                  \
    do {                                                                                           \
        __typeof__(place) was = (place);                                                           \
        (place) = (wrong);                                                                         \
        cr_expect_eq(step_verify(&step, "cutting", &err), -1, "%s", what);                         \
        cr_expect_str_eq(err.msg, "after cutting: " what);                                         \
        (place) = was;                                                                             \
        cr_assert_eq(step_verify(&step, "cutting", &err), 0, "%s", err.msg);                       \
    } while (0)
    FINDS(step.value[2].at, 2, "%e takes the place of a value that is not made before it");
    FINDS(step.value[0].placed, true, "%x takes the place of a value that is not made before it");
    FINDS(step.value[2].shape.dim[0], 9, "%e takes the place of %d, which is smaller");
    FINDS(step.value[3].stored, TRACE_BF16, "%y: kept in another dtype than its layout states");
    FINDS(step.op[2].op.compiled, NULL, "kernel: a kernel, and nothing else, states its work");
    FINDS(step.op[1].op.compiled, &other, "copy-done: a kernel, and nothing else, states its work");
    FINDS(step.op[0].source, step.n_text, "operation 0 has a scope or source without text");
    drop_step(&step, t);
}

/* The signature of node `n`; to be freed. */
static char *signature_of(const struct step *step, uint32_t n)
{
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);

    signature_write(step, &step->node[n], out);
    fclose(out);
    return text;
}

/* Kernels 0 and 1 differ in what reports alone show; each of the others in one thing that they do.
 */
Test(step_compiled, kernels_that_do_the_same_fold_together)
{
    static const char text[] =
        "cyclotron-trace 1\ntensor %x f32[8,128]" L " input\nstep {\n"
        "%a f32[8,128]" L " = kernel(%x) name=\"a\" grid=2 vector=add:8 estimate=5 scope=\"a\" "
        "source=\"a:1\" note=\"a\"\n"
        "%b f32[8,128]" L " at %a = kernel(%a) grid=2 vector=add:8 estimate=6 source=\"b:1\"\n"
        "%c f32[8,128]" L " = kernel(%x) grid=3 vector=add:8\n"
        "%d f32[8,128]" L " = kernel(%x) grid=2 vector=add:9\n"
        "%e f32[8,128]{0,1:T(8,128)} = kernel(%x) grid=2 vector=add:8\n"
        "%f f32[8,128]" L " = kernel(%x) grid=2 vector=add:8 fetch=0\n"
        "%g f32[8,128]" L " = kernel(%x) grid=2 vector=add:8 flops=1\n"
        "}\n";
    struct step step;
    struct trace *t;

    load_step(&step, &t, text);
    /* node 0 is the begin of the step */
    char *a = signature_of(&step, 1);
    cr_expect_str_eq(a, "kernel f32[8,128]" L " -> f32[8,128]" L " grid=2 vector=add:8\n");
    for (uint32_t n = 2; n <= 7; n++) {
        char *other = signature_of(&step, n);
        cr_expect_eq(strcmp(a, other) == 0, n == 2, "node %u", n);
        free(other);
    }
    free(a);
    drop_step(&step, t);
}
