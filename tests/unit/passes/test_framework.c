/* The framework that a trace states, and what a GPU does by it. */
#include "machine/spec/spec.h"
#include "tests/unit/kernels/lower_bench.h"
#include "tests/unit/trace/trace_helper.h"

#define FRAMEWORK(name) "framework " name "\n"

static enum trace_framework framework_of(const char *line)
{
    char text[256];

    snprintf(text, sizeof text, "cyclotron-trace 1\n%sstep {\n}\n", line);
    struct trace *t = open_text(text, false);
    enum trace_framework f = trace_head(t)->framework;
    trace_close(t);
    return f;
}

Test(framework, the_header_states_it_or_nobody_does)
{
    cr_expect_eq(framework_of(""), TRACE_UNSTATED);
    cr_expect_eq(framework_of(FRAMEWORK("pytorch")), TRACE_PYTORCH);
    cr_expect_eq(framework_of(FRAMEWORK("jax")), TRACE_JAX);
    cr_expect_eq(framework_of(FRAMEWORK("tensorflow")), TRACE_TENSORFLOW);
}

/* A product of f32 that asks for nothing, on an A100: true if the tensor cores do it. */
static bool runs_rounded(const char *framework, const char *set)
{
    struct machine_spec *spec;
    struct cap c;
    struct bench b;
    struct err err;
    char tensors[128];
    bool tensor = false;

    cr_assert_eq(spec_load(&spec, "a100x1", &set, set != NULL, &err), 0, "%s", err.msg);
    spec_cap(spec, &c);
    spec_free(spec);
    snprintf(tensors, sizeof tensors, "%stensor %%x f32[4096,4096] input\n", framework);
    cr_assert_eq(lower_text(&b, tensors, "%y f32[4096,4096] = matmul(%x, %x)\n", &c, false), 0,
                 "%s", b.err.msg);
    for (uint32_t i = 0; i < b.p.n_tasks; i++)
        tensor |= b.p.task[i].kind == TASK_GRID && b.p.task[i].grid.cycles[GRID_TENSOR] > 0;
    take_down(&b);
    return tensor;
}

Test(framework, tensorflow_and_jax_multiply_in_tf32_however_they_launch)
{
    cr_expect_not(runs_rounded("", NULL));
    cr_expect(runs_rounded(FRAMEWORK("tensorflow"), NULL));
    cr_expect(runs_rounded(FRAMEWORK("jax"), NULL));
    cr_expect(runs_rounded(FRAMEWORK("tensorflow"), "launch.framework=graph"));
}

Test(framework, pytorch_multiplies_in_f32_in_a_graph_too)
{
    cr_expect(runs_rounded("", "launch.framework=graph"));
    cr_expect_not(runs_rounded(FRAMEWORK("pytorch"), "launch.framework=graph"));
    cr_expect_not(runs_rounded(FRAMEWORK("pytorch"), NULL));
}

Test(framework, what_the_machine_is_told_wins)
{
    cr_expect(runs_rounded(FRAMEWORK("pytorch"), "launch.tf32=yes"));
    cr_expect_not(runs_rounded(FRAMEWORK("tensorflow"), "launch.tf32=no"));
}

Test(framework, published_steps_say_what_they_ran_in)
{
    static const char *const name[] = { "mlpf", "3dgan", "exatrkx" };

    for (size_t i = 0; i < sizeof name / sizeof *name; i++) {
        struct trace *t;
        struct err err;
        char path[64];
        snprintf(path, sizeof path, "traces/%s.trace.zst", name[i]);
        cr_assert_eq(trace_open(&t, path, false, &err), 0, "%s", err.msg);
        cr_expect_eq(trace_head(t)->framework, TRACE_TENSORFLOW, "%s", name[i]);
        trace_close(t);
    }
}
