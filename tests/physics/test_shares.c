/* Sharded weight updates through a whole replay: what is less, and what stays. */
#include <criterion/criterion.h>
#include <string.h>

#include "run/result/result.h"

static struct run_result replay_step(const char *text)
{
    struct run_request q = {
        .trace = "t", .text = text, .text_size = strlen(text), .machine = "tpu-v2-8", .steps = 1
    };
    struct run_result r;
    struct err e;

    cr_assert_eq(run_replay(&q, &r, &e), 0, "%s", e.msg);
    return r;
}

#define HEAD                                                                                       \
    "cyclotron-trace 1\nsamples step=1\ntensor %w f32[1024,1024] weight\n"                         \
    "tensor %s f32[1024,1024] state\n"
#define FIRST "step {\n%g f32[1024,1024] gradient = elementwise(%w)\n"

/* w, s and the gradient have 4 MiB each; of the state a core of eight keeps 512 KiB, also where
 * only the second step says so. */
Test(shares, of_the_state_count_in_every_step)
{
    static const struct {
        const char *text;
        uint64_t state;
    } rows[] = {
        { HEAD FIRST "all-reduce(%g)\noptimizer(%w, %g, %s)\n}\n", 4 << 20 },
        { HEAD FIRST "all-reduce(%g) sharded=1\noptimizer(%w, %g, %s) sharded=1\n}\n", 512 << 10 },
        { HEAD FIRST "outfeed(%g)\n}\nstep {\noptimizer(%w, %s) sharded=1\n}\n", 512 << 10 },
        { HEAD FIRST "outfeed(%g)\n}\nstep {\noptimizer(%w, %s) sharded=1\n}\n"
                     "step every=2 {\noptimizer(%w, %s)\n}\n",
          4 << 20 },
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct run_result r = replay_step(rows[i].text);
        cr_expect_eq(r.memory.role[FOOTPRINT_OPTIMIZER], rows[i].state, "row %zu: %lu", i,
                     r.memory.role[FOOTPRINT_OPTIMIZER]);
        cr_expect_eq(r.peak_bytes_per_core, (8 << 20) + rows[i].state, "row %zu: %lu", i,
                     r.peak_bytes_per_core);
        run_result_free(&r);
    }
}
