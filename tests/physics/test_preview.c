/* Is a preview, which runs one of each operation, as long as the step? */
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "run/preview.h"
#include "traces/gen.h"

static const char *const workloads[] = { "3dgan", "mlpf", "exatrkx" };
static const char *const machines[] = { "tpu-v3-8", "tpu-v4-8", "tpu-v6e-4", "tpu-v7-8",
                                        "a100x4",   "h100x1",   "v100x1",    "xeon-6148" };
enum { N = sizeof machines / sizeof *machines };

/* A preview of `q` is within 1 % of the replay, and does half of its work or less. */
static void compare_both(struct run_request q)
{
    struct preview p;
    struct run_result r;
    struct err e;

    q.brief = true;
    cr_assert_eq(preview_run(&q, false, NULL, &p, &e), 0, "%s", e.msg);
    q.brief = false;
    cr_assert_eq(run_replay(&q, &r, &e), 0, "%s", e.msg);
    double off = mpq_get_d(p.samples_per_second) / mpq_get_d(r.samples_per_second) - 1;
    cr_expect(!p.whole && fabs(off) < 0.01, "%s on %s: %.4f", q.trace, q.machine, off);
    cr_expect_leq(2 * p.events, r.events, "%s on %s", q.trace, q.machine);
    cr_expect_eq(p.fits, r.fits);
    mpq_clear(p.samples_per_second);
    run_result_free(&r);
}

Test(preview, a_step_takes_as_long_as_one_of_each_operation_says)
{
    for (size_t w = 0; w < sizeof workloads / sizeof *workloads; w++)
        for (size_t m = 0; m < N; m++) {
            char *path = memory_format("traces/%s.trace.zst", workloads[w]);
            compare_both((struct run_request){ .trace = path, .machine = machines[m], .steps = 1 });
            free(path);
        }
}

/* 3DGAN on a v3-8 streams products for 96.7 % of the step, and twice the batch takes twice as long:
 * a preview that knows the step at half the batch leaves products out. */
Test(preview, operations_that_take_twice_as_long_are_not_run)
{
    static const char *const set[] = { "batch=256", "cores=8" };
    struct run_request q = { .trace = "traces/3dgan.trace.zst", .machine = "tpu-v3-8", .steps = 1 };
    struct run_result base;
    struct preview all, some;
    struct memory_text text;
    struct err e;

    cr_assert_eq(run_replay(&q, &base, &e), 0, "%s", e.msg);
    memory_text_begin(&text);
    cr_assert_eq(gen_write("3dgan", set, 2, text.out, &e), 0, "%s", e.msg);
    char *twice = memory_text_end(&text);
    q.text = twice;
    q.text_size = text.size;
    q.brief = true;
    cr_assert_eq(preview_run(&q, true, NULL, &all, &e), 0, "%s", e.msg);
    cr_assert_eq(preview_run(&q, true, &base, &some, &e), 0, "%s", e.msg);
    double off = mpq_get_d(some.samples_per_second) / mpq_get_d(all.samples_per_second) - 1;
    cr_expect(fabs(off) < 0.005, "%.4f", off);
    cr_expect_lt(some.rows, all.rows);
    mpq_clears(all.samples_per_second, some.samples_per_second, NULL);
    run_result_free(&base);
    free(twice);
}

/* Nothing is simulated of a step that does not fit, nor of one whose hosts work for it. */
Test(preview, what_it_does_not_run)
{
    struct run_request q = {
        .trace = "traces/exatrkx.trace.zst", .machine = "tpu-v3-8", .steps = 1, .brief = true
    };
    struct preview p;
    struct err e;

    cr_assert_eq(preview_run(&q, true, NULL, &p, &e), 0, "%s", e.msg);
    cr_expect(!p.fits && !p.whole);
    cr_expect_eq(p.events, 0);
    cr_expect_eq(mpq_sgn(p.samples_per_second), 0);
    mpq_clear(p.samples_per_second);
}
