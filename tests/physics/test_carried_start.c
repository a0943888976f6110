/* A collective that kernels carry: its start sends the first part itself, and the core waits. */
#include "replay_bench.h"

/* Microseconds of start and done of a gather of `bytes`, with a product between them. */
static void times_of_gather(uint64_t bytes, unsigned group, const char *carried,
                            const char *machine, double us[2])
{
    struct run_result r;
    struct err e;
    char body[512];

    snprintf(body, sizeof body,
             "tensor %%w f32[%lu] weight\nstep {\n  %%h u32[] = all-gather-start(%%w) "
             "group=%u%s payload=%lu\n  %%y f32[256,256] = matmul(%%x, %%x)\n"
             "  %%g f32[%lu] = all-gather-done(%%h)\n}\n",
             (unsigned long)bytes / 4 / group, group, carried, (unsigned long)bytes,
             (unsigned long)bytes / 4);
    cr_assert_eq(replay_text(&r, body, machine, "core.program_time=0 s", 1, &e), 0, "%s", e.msg);
    us[0] = 1e6 * mpq_get_d(r.ops[0].seconds);
    us[1] = 1e6 * mpq_get_d(r.ops[2].seconds);
    run_result_free(&r);
}

/* Four chips of v5p: 3 steps of a quarter, 1 us each besides, of which the start has 1.4.
 * 29,360,128 B take 220 us in all and the start 3 + 1.4 x 73.4; 8,388,608 B 63 and 3 + 1.4 x 21. */
Test(carried_start, it_takes_its_first_part_of_the_collective)
{
    double us[2];

    times_of_gather(29360128, 4, " carried=1", "tpu-v5p-8", us);
    cr_expect_float_eq(us[0], 105.8 + 0.6, 1, "%g", us[0]);
    cr_expect_float_eq(us[0] + us[1], 220 + 6, 5, "%g: the rest is waited for", us[0] + us[1]);
    times_of_gather(8388608, 4, " carried=1", "tpu-v5p-8", us);
    cr_expect_float_eq(us[0], 32.4 + 0.6, 1, "%g", us[0]);
}

Test(carried_start, others_start_at_once)
{
    double us[2];

    times_of_gather(29360128, 4, "", "tpu-v5p-8", us);
    cr_expect_lt(us[0], 1.5, "%g", us[0]);
}

/* 7 steps among 8 chips, of which the start has 1.4: a fifth; of one step at most half. */
Test(carried_start, its_part_is_smaller_among_more_chips_and_half_at_most)
{
    double all[2], part[2];

    times_of_gather(64000000, 8, "", "tpu-v6e-8", all);
    times_of_gather(64000000, 8, " carried=1", "tpu-v6e-8", part);
    cr_expect_float_eq(part[0] / (all[0] + all[1]), 0.2, 0.03, "%g of %g", part[0],
                       all[0] + all[1]);
    times_of_gather(64000000, 2, " carried=1", "tpu-v6e-8", part);
    cr_expect_float_eq(part[0] / (part[0] + part[1]), 0.5, 0.02, "%g", part[0]);
}
