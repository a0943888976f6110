/* Does a sweep draw the points beside its best one? */
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "run/result/result.h"
#include "sweep/neighbours.h"

static const char plan[] = "[sweep]\ntrace = traces/mlpf.trace.zst\nmachine = tpu-v3-8\n\n[axis]\n";

static double swing_of(const char *axis)
{
    char *text = memory_format("%s%s\n", plan, axis);
    double swing = neighbours_swing(text, 0);

    free(text);
    return swing;
}

/* Seconds of a step on a v3-8 with this clock. */
static double seconds_at(const char *clock)
{
    struct run_request q = { .trace = "traces/mlpf.trace.zst",
                             .machine = "tpu-v3-8",
                             .steps = 1,
                             .set = &clock,
                             .n_set = 1 };
    struct run_result r;
    struct err e;

    cr_assert_eq(run_replay(&q, &r, &e), 0, "%s", e.msg);
    double seconds = mpq_get_d(r.seconds_per_step);
    run_result_free(&r);
    return seconds;
}

/* 672, 686, 700, 714 and 728 MHz, replayed one by one: where the step turns, the nearer neighbour.
 */
Test(neighbours, a_swing_is_that_of_four_points_beside_it)
{
    static const char *const clock[] = { "core.clock=672 MHz", "core.clock=686 MHz",
                                         "core.clock=700 MHz", "core.clock=714 MHz",
                                         "core.clock=728 MHz" };
    double s[5], most = 0;

    for (int i = 0; i < 5; i++)
        s[i] = seconds_at(clock[i]);
    for (int i = 1; i < 4; i++)
        if ((s[i] - s[i - 1]) * (s[i + 1] - s[i]) < 0)
            most = fmax(most, fmin(fabs(log(s[i] / s[i - 1])), fabs(log(s[i + 1] / s[i]))));
    cr_expect_float_eq(swing_of("core.clock = 700,940 MHz"), expm1(most), 1e-9);
}

/* Counts have no neighbours so near, nor have plans that cannot be read. */
Test(neighbours, what_cannot_be_varied_has_no_swing)
{
    cr_expect_eq(swing_of("mxu.count = 1,2"), 0);
    cr_expect_eq(neighbours_swing("no plan", 0), 0);
    cr_expect_eq(neighbours_swing(plan, 7), 0);
}
