/* Passes from step to step: their list, that they keep what the verifier checks, dumps. */
#include "passes/passes.h"
#include "tests/unit/trace/trace_helper.h"

static const char net[] =
    "cyclotron-trace 1\nsamples step=8\ndtype tensors=f32 matmul=bf16 activations=narrow\n"
    "tensor %w f32[128,128] weight\ntensor %v f32[128,128] weight\ntensor %m f32[128,128] state\n"
    "step every=5 {\n  phase save\n  restart(%w)\n}\n"
    "step {\n  phase fwd\n  %x f32[8,128] = infeed()\n  %h f32[8,128] = matmul(%x, %w)\n"
    "  fusion %r {\n    %p f32[8,128] = elementwise(%h)\n    %r f32[8,128] = elementwise(%p)\n  }\n"
    "  %y f32[8,128] = matmul(%r, %v)\n"
    "  phase bwd\n  %d f32[8,128] gradient = elementwise(%y)\n"
    "  %dv f32[128,128] gradient = matmul(%r, %d) ta=1\n"
    "  %dr f32[8,128] gradient = matmul(%d, %v) tb=1\n"
    "  %dh f32[8,128] gradient = elementwise(%dr, %h)\n"
    "  %dw f32[128,128] gradient = matmul(%x, %dh) ta=1\n"
    "  all-reduce(%dv, %dw)\n  optimizer(%v, %dv, %m)\n  optimizer(%w, %dw)\n}\n";

/* The text of a step, which must pass the verifier and the reader. */
static char *print_checked(const struct step *step, const char *pass)
{
    struct err err;
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);

    cr_expect_eq(step_verify(step, pass, &err), 0, "%s", err.msg);
    step_print_head(step, out);
    step_print(step, out);
    fclose(out);
    cr_expect_eq(read_all(text, size, false, &err), 0, "%s: %s", pass, err.msg);
    return text;
}

static void read_net(struct step *step)
{
    struct trace *t = open_text(net, false);
    struct err err;

    step_init(step);
    cr_assert_eq(step_read_all(step, t, &err), 0, "%s", err.msg);
    trace_close(t);
}

Test(passes, cuts_keep_what_the_verifier_checks)
{
    static const char *const plans[][4] = {
        { "data=2", NULL },
        { "data=2", "model=4", NULL },
        { "server=sync", NULL },
        { "server=async", "staleness=2", NULL },
        { "pipeline=2", "microbatches=4", NULL },
        { "pipeline=2", "microbatches=2", "schedule=gpipe", NULL },
    };
    struct step from, to;

    read_net(&from);
    free(print_checked(&from, "load"));
    step_init(&to);
    for (size_t i = 0; i < sizeof plans / sizeof *plans; i++) {
        struct shard_plan plan;
        struct err err;
        size_t n = 0;
        while (plans[i][n])
            n++;
        cr_assert_eq(shard_plan_read(&plan, plans[i], n, &err), 0, "%s", err.msg);
        struct pipeline_plan stages = shard_pipeline(&plan, &trace_limits_usual);
        int rc = plan.pipeline > 1 ? pipeline_step(&to, &from, &stages, &err)
                                   : shard_step(&to, &from, &plan, &err);
        cr_assert_eq(rc, 0, "%s: %s", plans[i][0], err.msg);
        free(print_checked(&to, plans[i][0]));
    }
    step_free(&from);
    step_free(&to);
}

Test(passes, rematerialisation_keeps_it_too)
{
    static const struct remat_plan plan = { .cut = REMAT_PARTS, .segments = 1 };
    struct trace *t = open_text(net, false);
    struct step from, to;
    struct err err;
    bool some = false;

    step_init(&from);
    step_init(&to);
    cr_assert_eq(step_read_tensors(&from, t, &err), 0, "%s", err.msg);
    cr_assert_eq(step_read_next(&from, t, &err), 1, "%s", err.msg);
    cr_assert_eq(step_read_next(&from, t, &err), 1, "%s", err.msg);
    cr_assert_eq(remat_step(&to, &from, &plan, &some, &err), 0, "%s", err.msg);
    char *text = print_checked(&to, "remat");
    cr_expect(some);
    cr_expect_not_null(strstr(text, "phase remat"));
    cr_expect_not_null(strstr(text, "%h.again f32[8,128] = matmul(%x, %w) name=\"h\""));
    free(text);
    /* once is enough */
    cr_expect_eq(remat_step(&from, &to, &plan, &some, &err), -1);
    step_free(&from);
    step_free(&to);
    trace_close(t);
}

static char *dump_prepare(const char *pass, bool narrow)
{
    struct passes_machine machine = { .narrow = narrow, .core = { { 128, 8 }, 1 } };
    struct trace *t = open_text(net, false);
    struct err err;
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);

    cr_assert_eq(passes_dump_prepare(t, &machine, pass, out, &err), 0, "%s", err.msg);
    fclose(out);
    trace_close(t);
    return text;
}

Test(passes, a_dump_is_the_step_after_that_pass)
{
    char *load = dump_prepare("load", true), *narrow = dump_prepare("narrow", true);
    char *wide = dump_prepare("narrow", false), *lives = dump_prepare("liveness", true);
    char *bytes = dump_prepare("footprint", false), *text = print_canonical(net);

    cr_expect_str_eq(load, text);
    cr_expect_str_eq(wide, text);
    cr_expect_not_null(strstr(narrow, "%x bf16[8,128] = infeed()"));
    cr_expect_not_null(strstr(narrow, "%h f32[8,128] = matmul(%x, %w)"));
    /* nodes: infeed 0, h 1, the fusion 2, y 3, d 4, dv 5, dr 6, dh 7, dw 8, ... */
    cr_expect_not_null(strstr(lives, "# %h 1 to 7\n"));
    cr_expect_not_null(strstr(lives, "# %r 2 to 5\n"));
    cr_expect_null(strstr(lives, "# %p "), "it stays inside its fusion");
    /* three tensors of 128 x 128 f32 */
    cr_expect_not_null(strstr(bytes, "# weights 131072 B\n# optimizer 65536 B\n"));
    free(load);
    free(narrow);
    free(wide);
    free(lives);
    free(bytes);
    free(text);
}

Test(passes, each_command_knows_its_own)
{
    const char *names[PASSES_MAX];

    cr_expect_eq(passes_names(PASSES_PREPARE, names), 6);
    cr_expect_str_eq(names[0], "load");
    cr_expect_str_eq(names[3], "placement");
    cr_expect_str_eq(names[5], "footprint");
    cr_expect_eq(passes_names(PASSES_SHARD, names), 3);
    cr_expect_str_eq(names[2], "pipeline");
    cr_expect_eq(passes_names(PASSES_REMAT, names), 2);
}
