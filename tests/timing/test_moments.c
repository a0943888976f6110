/* A lone kernel is the mean over the moments of the refresh interval at which it may begin.
 *
 * Two small kernels on one TPU v2 chip with a refresh of R = 2 us, and what precharging takes,
 * every E = 20 us: a kernel that reads and writes one register waits for a refresh with its read,
 * or with its write, whose distance g from the read is below R.  The mean wait is (R^2 / 2 + g R -
 * g^2 / 2) / E, between R^2 / 2E = 0.1 us (g = 0) and R^2 / E = 0.2 us (g = R), and 1.5 % more for
 * precharging.
 */
#include <criterion/criterion.h>

#include "study/op/op.h"

#define MACHINE "tpu-v2-1"

static struct run_result run_add(const char *refresh, const char *overhead, bool exact)
{
    const char *const set[] = { "dram.rfc=2 us", "dram.refi=20 us", refresh, overhead };
    const char *const arg[] = { "shape=8x128", "dtype=f32" };
    struct op_request q = { .kind = "elementwise",
                            .arg = arg,
                            .n_args = 2,
                            .run = { .machine = MACHINE, .set = set, .n_set = 4, .exact = exact } };
    struct run_result r;
    struct err e;

    cr_assert_eq(op_run(&q, &r, &e), 0, "%s", e.msg);
    return r;
}

static double to_microseconds(const mpq_t seconds)
{
    return 1e6 * mpq_get_d(seconds);
}

Test(moments, a_short_kernel_waits_for_refreshes_as_often_as_they_hit_it)
{
    struct run_result never = run_add("dram.refresh=none", "core.op_overhead=1 us", false);
    struct run_result some = run_add("dram.refresh=all", "core.op_overhead=1 us", false);
    double alone = to_microseconds(never.seconds_per_step);
    double wait = to_microseconds(some.seconds_per_step) - alone;

    cr_expect_eq(never.moments.n, 0u);
    cr_expect_float_eq(to_microseconds(some.moments.least), alone, 0.004, "least %g, alone %g",
                       to_microseconds(some.moments.least), alone);
    cr_expect_geq(wait, 0.1 - 0.01, "waits %g us", wait);
    cr_expect_leq(wait, 0.2 * 1.015 + 0.01, "waits %g us", wait);
    cr_expect_gt(to_microseconds(some.moments.most), alone + 1.8);
    cr_expect_leq(to_microseconds(some.moments.most), alone + 2.02);
    run_result_free(&never);
    run_result_free(&some);
}

/* The number of moments doubles from 8 on until the mean changes by less than a thousandth.
 *
 * A refresh of 2 us delays the reads of 8, 16 and 32 moments by 2, 2.75 and 4.25 us in all: the
 * means are 0.25, 0.17 and 0.13 us, and they still differ by more than a thousandth of the 2 us of
 * the kernel, so 64 are run.  A refresh of 0.2 us delays none of the first 16 moments. */
Test(moments, as_many_are_run_as_the_mean_needs)
{
    struct run_result many = run_add("dram.rfc=2 us", "core.op_overhead=1 us", false);
    struct run_result few = run_add("dram.rfc=0.2 us", "core.op_overhead=1 us", false);

    cr_expect_eq(many.moments.n, 64u, "%u", many.moments.n);
    cr_expect_eq(few.moments.n, 16u, "%u", few.moments.n);
    run_result_free(&many);
    run_result_free(&few);
}

/* Another launch moves every run to another moment; the mean moves by as much as the launch. */
Test(moments, the_mean_does_not_depend_on_the_first_moment)
{
    struct run_result a = run_add("dram.refresh=all", "core.op_overhead=1 us", false);
    struct run_result b = run_add("dram.refresh=all", "core.op_overhead=4 us", false);

    cr_expect_float_eq(to_microseconds(b.seconds_per_step) - to_microseconds(a.seconds_per_step),
                       3.0, 0.03);
    run_result_free(&a);
    run_result_free(&b);
}

Test(moments, the_walk_and_the_folds_agree)
{
    struct run_result a = run_add("dram.refresh=all", "core.op_overhead=1 us", false);
    struct run_result b = run_add("dram.refresh=all", "core.op_overhead=1 us", true);

    cr_expect(mpq_equal(a.seconds_per_step, b.seconds_per_step));
    cr_expect_eq(a.moments.n, b.moments.n);
    run_result_free(&a);
    run_result_free(&b);
}

/* 64 MiB in and out take more than ten intervals of the machine as it is: one run. */
Test(moments, a_long_kernel_is_run_once)
{
    const char *const arg[] = { "shape=4096x4096", "dtype=f32" };
    struct op_request q = {
        .kind = "elementwise", .arg = arg, .n_args = 2, .run = { .machine = MACHINE }
    };
    struct run_result r;
    struct err e;

    cr_assert_eq(op_run(&q, &r, &e), 0, "%s", e.msg);
    cr_expect_eq(r.moments.n, 0u);
    run_result_free(&r);
}
