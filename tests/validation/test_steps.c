/* Predicted against measured: 3DGAN training steps on TPU v2 and v3, batch 128 per core.
 *
 * Measured medians of the in-graph loop: 8.679 s on v2-8, 3.412 s on v3-8, 8.708 s on v2-32
 * and 3.439 s on v3-32 [openlab-3dgan].  No constant of any machine file was fitted to them. */
#include <criterion/criterion.h>

#include "base/err.h"
#include "run/result/result.h"

static double seconds_of_step(const char *trace, const char *machine)
{
    struct run_result r;
    struct err e;
    struct run_request q = { .trace = trace, .machine = machine, .steps = 1 };

    cr_assert_eq(run_replay(&q, &r, &e), 0, "%s", e.msg);
    double s = mpq_get_d(r.seconds_per_step);
    run_result_free(&r);
    return s;
}

Test(validation, steps_of_3dgan_are_within_ten_percent)
{
    static const struct {
        const char *machine;
        double measured;
    } rows[] = {
        { "tpu-v2-8", 8.679 }, { "tpu-v3-8", 3.412 }, { "tpu-v2-32", 8.708 }, { "tpu-v3-32", 3.439 }
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        double s = seconds_of_step("traces/3dgan.trace.zst", rows[i].machine);
        cr_log_info("%s: %.3f s, measured %.3f s, %+.1f %%", rows[i].machine, s, rows[i].measured,
                    100 * (s / rows[i].measured - 1));
        cr_expect(s > 0.9 * rows[i].measured && s < 1.1 * rows[i].measured, "%s: %g s",
                  rows[i].machine, s);
    }
}

Test(validation, one_event_as_one_graph_fits_no_core)
{
    static const char *const machines[] = { "tpu-v2-8", "tpu-v3-8" };
    static const uint64_t capacity[] = { UINT64_C(7662) << 20, UINT64_C(15854) << 20 };

    for (size_t i = 0; i < 2; i++) {
        struct run_result r;
        struct err e;
        struct run_request q = { .trace = "traces/exatrkx.trace.zst",
                                 .machine = machines[i],
                                 .steps = 1 };
        cr_assert_eq(run_replay(&q, &r, &e), 0, "%s", e.msg);
        cr_expect_not(r.fits);
        cr_expect_eq(r.capacity_bytes_per_core, capacity[i]);
        /* published estimate for what the eight iterations keep: 22 to 55 GB */
        cr_expect(r.peak_bytes_per_core > UINT64_C(22000000000) &&
                      r.peak_bytes_per_core < UINT64_C(55000000000),
                  "%llu", (unsigned long long)r.peak_bytes_per_core);
        run_result_free(&r);
    }
}

Test(validation, what_really_ran_on_a_v2_core_fits_one)
{
    struct run_result r;
    struct err e;
    struct run_request q = { .trace = "traces/3dgan.trace.zst", .machine = "tpu-v2-8", .steps = 1 };

    cr_assert_eq(run_replay(&q, &r, &e), 0, "%s", e.msg);
    cr_expect(r.fits);
    run_result_free(&r);
}
