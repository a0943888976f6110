/* Steps of PyTorch 2.11 that were recorded on an H100 (tests/profiles), replayed there and
 * elsewhere.  Measured are medians of steps without a profiler; none of the recorded times of
 * kernels is used. */
#include <criterion/criterion.h>
#include <gmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "import/kineto/kineto_import.h"
#include "import/open.h"
#include "run/result/result.h"
#include "study/validate/packed.h"

static void replay_recording(struct run_result *r, const char *name, const char *machine)
{
    char path[80];
    struct err err;

    snprintf(path, sizeof path, "tests/profiles/h100_%s.kineto.json.gz", name);
    struct run_request q = { .trace = path, .machine = machine, .steps = 1 };
    cr_assert_eq(run_replay(&q, r, &err), 0, "%s", err.msg);
}

/* Steps within 15 % of what was measured, and what the core waits for is no launch. */
Test(gpu_recorded, steps_on_the_machine_that_they_come_from)
{
    static const struct {
        const char *name;
        double seconds;
    } row[] = { { "mlp", 4.8376e-3 },
                { "gnn", 19.0927e-3 },
                { "bert", 80.5106e-3 },
                { "resnet", 30.1643e-3 } };

    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        struct run_result r;
        replay_recording(&r, row[i].name, "h100x1");
        double error = mpq_get_d(r.seconds_per_step) / row[i].seconds - 1;
        cr_log_info("%-8s %+.1f %%", row[i].name, 100 * error);
        cr_expect(error > -0.15 && error < 0.15, "%s is off by %.1f %%", row[i].name, 100 * error);
        run_result_free(&r);
    }
}

/* Slower chips take longer, and CPUs longest. */
Test(gpu_recorded, steps_elsewhere)
{
    static const char *const machine[] = { "h200x1", "h100x1", "a100x1", "v100x1", "xeon-6148" };

    for (int i = 0; i < 2; i++) {
        double last = 0;
        for (size_t m = 0; m < sizeof machine / sizeof *machine; m++) {
            struct run_result r;
            replay_recording(&r, i ? "bert" : "mlp", machine[m]);
            double seconds = mpq_get_d(r.seconds_per_step);
            cr_expect_gt(seconds, last, "%s", machine[m]);
            last = seconds;
            run_result_free(&r);
        }
    }
}

/* Validation replays exactly what the import makes of the recordings that are there
 * (scripts/pack-recorded). */
Test(gpu_recorded, kept_steps_are_those_that_the_import_makes)
{
    static const char *const name[] = { "mlp", "gnn", "bert", "resnet" };
    struct packed packed;
    struct err err;

    cr_assert_eq(packed_open(&packed, "recorded_h100", &err), 0, "%s", err.msg);
    for (size_t i = 0; i < sizeof name / sizeof *name; i++) {
        char *path = memory_format("tests/profiles/h100_%s.kineto.json.gz", name[i]), *data;
        char *module = memory_format("h100_%s", name[i]);
        struct kineto_import x = { 0 };
        struct memory_text text;
        size_t size;
        cr_assert_eq(import_read(&data, &size, path, &err), 0, "%s", err.msg);
        memory_text_begin(&text);
        cr_assert_eq(kineto_import(path, data, size, &x, text.out, &err), 0, "%s", err.msg);
        char *now = memory_text_end(&text);
        const struct packed_module *kept = packed_find(&packed, module);
        cr_assert_not_null(kept, "%s", module);
        cr_expect(kept->size == text.size && memcmp(kept->text, now, text.size) == 0, "%s", module);
        free(now);
        free(data);
        free(module);
        free(path);
    }
    packed_close(&packed);
}
