/* The time between programs: a step pays it once, however many kernels it has; a lone kernel does
 * not, nor does a step that the host starts. */
#include "replay_bench.h"
#include "study/op/op.h"

#define ONE "  %a f32[256,256] = elementwise(%x)\n"
#define THREE ONE "  %b f32[256,256] = reduce(%a)\n  %c f32[256,256] = elementwise(%b)\n"
#define NONE "core.program_time=0 s"

/* Nanoseconds that the program constant adds to a step.  Refreshes fall at other times, which moves
 * the result by some hundred. */
static double measure_added(const char *body, const char *machine)
{
    struct run_result with, without;
    struct err e;

    cr_assert_eq(replay_text(&with, body, machine, NULL, 2, &e), 0, "%s", e.msg);
    cr_assert_eq(replay_text(&without, body, machine, NONE, 2, &e), 0, "%s", e.msg);
    double ns = 1e9 * (mpq_get_d(with.seconds_per_step) - mpq_get_d(without.seconds_per_step));
    run_result_free(&with);
    run_result_free(&without);
    return ns;
}

Test(program_time, a_step_pays_it_once)
{
    cr_expect_float_eq(measure_added("step {\n" ONE "}\n", "tpu-v6e-1"), 110e3, 1e3);
    cr_expect_float_eq(measure_added("step {\n" THREE "}\n", "tpu-v6e-1"), 110e3, 1e3);
    cr_expect_float_eq(measure_added("step {\n" THREE "}\n", "tpu-v7-2"), 110e3, 1e3, "taken over");
    cr_expect_float_eq(measure_added("step {\n" THREE "}\n", "tpu-v4-2"), 65e3, 1e3);
    cr_expect_float_eq(measure_added("step {\n" THREE "}\n", "tpu-v3-1"), 0, 1, "not known");
}

Test(program_time, it_is_a_row_of_its_own)
{
    struct run_result r;
    struct err e;

    cr_assert_eq(replay_text(&r, "step {\n" THREE "}\n", "tpu-v6e-1", NULL, 1, &e), 0);
    cr_assert_eq(r.n_ops, 4);
    cr_expect_str_eq(r.ops[3].kind, "program");
    cr_expect_float_eq(1e6 * mpq_get_d(r.ops[3].seconds), 110, 0.01);
    cr_expect_float_eq(1e6 * mpq_get_d(amounts_get(&r.ops[3].cause, CAUSE_LAUNCH)), 110, 0.01);
    run_result_free(&r);
}

Test(program_time, a_lone_kernel_has_none)
{
    static const char *const arg[] = { "shape=256x256" };
    struct op_request q = { .kind = "elementwise", .arg = arg, .n_args = 1 };
    struct run_result r;
    struct err e;

    q.run.machine = "tpu-v6e-1";
    cr_assert_eq(op_run(&q, &r, &e), 0, "%s", e.msg);
    cr_expect_lt(mpq_get_d(r.seconds_per_step), 20e-6);
    run_result_free(&r);
}

Test(program_time, a_step_that_the_host_starts_has_the_time_of_the_host)
{
    const char *body = "step {\n  launch()\n" ONE "}\n";

    cr_expect_float_eq(measure_added(body, "tpu-v6e-1"), 0, 1);
}
