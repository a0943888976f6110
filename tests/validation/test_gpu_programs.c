/* Steps of programs that XLA compiled on an H100: how far are predictions from measured times?
 *
 * tests/validation/h100/NAME.hlo.zst is the program as XLA:GPU of JAX 0.11.2 optimised it on that
 * GPU.  NAME.kernels.csv has the time of each kernel of a step; fusions that share a kernel have
 * equal parts of its time, kernels of libraries their own names.  No constant is fitted on these.
 */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "run/result.h"

/* Seconds of a step, mean of 3 to 20, and the error in percent above which a change has made things
 * worse.  The aim is 15 (docs/gpu.md says why most miss it). */
static const struct measured {
    const char *name;
    double seconds, most;
} steps[] = {
    { "fc", 0.0037053, 10 },        { "gpt", 0.0376388, 36 },     { "resnet50", 0.0247727, 49 },
    { "mlpf", 0.0118824, 38 },      { "exatrkx", 0.0352687, 82 }, { "gan3d", 1.1318963, 14 },
    { "gan3d_f32", 2.8035061, 60 },
};

Test(gpu_programs, steps_on_an_h100_keep_to_their_bars)
{
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        char path[80];
        struct run_result r;
        struct err e;
        struct run_request q = { .trace = path, .machine = "h100x1", .steps = 1, .brief = true };

        snprintf(path, sizeof path, "tests/validation/h100/%s.hlo.zst", steps[i].name);
        cr_assert_eq(run_replay(&q, &r, &e), 0, "%s", e.msg);
        double error = 100 * (mpq_get_d(r.seconds_per_step) / steps[i].seconds - 1);
        run_result_free(&r);
        fprintf(stderr, "%-12s %+6.1f %%\n", steps[i].name, error);
        cr_expect_leq(fabs(error), steps[i].most, "%s: %.1f %%", steps[i].name, error);
    }
}
