/* Collectives of GPUs on the simulator: times of NCCL's own predictor (src/graph/tuning.cc),
 * walked, folded and with one GPU for all; and what links and cards move meanwhile. */
#include <criterion/criterion.h>
#include <math.h>

#include "collective_bench.h"
#include "kernels/net/collective.h"

#define KIB UINT64_C(1024)
#define MIB (KIB * 1024)

static struct machine_spec *load_box(const char *machine, const char *const *set, size_t n,
                                     const struct collective *c, struct task_call *call)
{
    struct machine_spec *s;
    struct cap cap;
    struct err e;

    cr_assert_eq(spec_load(&s, machine, set, n, &e), 0, "%s", e.msg);
    spec_cap(s, &cap);
    cr_assert_eq(collective_plan(call, c, &cap, &e), 0, "%s", e.msg);
    return s;
}

/* us, walked; the other ways to run it must end on the same cycle. */
static double run_us(const char *machine, const char *const *set, size_t n,
                     const struct collective *c, bool alike)
{
    struct task_call call;
    struct machine_spec *s = load_box(machine, set, n, c, &call);
    uint64_t cycles = collective_cycles(s, &call, true, false);

    cr_expect_eq(collective_cycles(s, &call, false, false), cycles, "folded");
    if (alike)
        cr_expect_eq(collective_cycles(s, &call, false, true), cycles, "one for all");
    spec_free(s);
    return (double)cycles / 700;
}

/* All-reduces of 6 rings of 20 GB/s, latency and bytes as NCCL reckons them, in us. */
Test(nccl_cycles, all_reduces_take_what_nccl_predicts)
{
    static const uint64_t bytes[] = { 8, 64 * KIB, MIB, 16 * MIB, 512 * MIB };
    static const struct {
        const char *machine;
        double us[5];
    } rows[] = { { "v100x4", { 10.2, 12.7, 39.6, 239, 6740 } },
                 { "v100x8", { 15.0, 17.9, 57.2, 301, 7885 } } };

    for (size_t m = 0; m < 2; m++)
        for (size_t i = 0; i < 5; i++) {
            struct collective c = { .kind = SCHEDULE_ALL_REDUCE, .bytes = bytes[i], .element = 4 };
            double us = run_us(rows[m].machine, NULL, 0, &c, true);
            cr_expect_float_eq(us, rows[m].us[i], 0.006 * rows[m].us[i], "%s, %lu B: %g us",
                               rows[m].machine, (unsigned long)bytes[i], us);
        }
}

/* Two boxes by a ring of 16 in Simple, 32 MiB: 2 x 15/16 S = 60 MiB, an eighth of them, 7.5 MiB, by
 * each GPU over the network.  Base 8.4 us, 30 - 4 steps of 3.4 us and 4 of 14 + 36 us make 296.8
 * us, of which the model's own empty steps take 8 x 0.3 + 2 x 36 us.  Cards of 4 GB/s for 8
 * GPUs: 62.9 MB take 15,728.6 us; PCIe and HBM take the first of two messages up and the last one
 * down, 4 MiB and 3.5 MiB at 16 GB/s: 262.1 + 229.4 us, and 10.6 us of HBM.  So 16,517 us. */
Test(nccl_cycles, nodes_wait_for_their_cards)
{
    static const char *const set[] = { "nccl.algorithm=ring", "nccl.protocol=simple" };
    struct collective c = { .kind = SCHEDULE_ALL_REDUCE, .bytes = 32 * MIB, .element = 4 };
    double us = run_us("v100x16", set, 2, &c, true);

    cr_expect_float_eq(us, 16517, 20, "%g us", us);
}

/* 64 MiB between 8 GPUs of 150 GB/s: each sends 58.72 MB at 0.8 of that, 489.3 us behind 8.4.  The
 * buffers of all channels hold 40 MB here, so that 18.72 of another 40 MB wait: 0.468 of 20 us,
 * 9.4 us.  1 KiB goes by LL: 6.6 us, and 128 B to each at 3 GB/s. */
Test(nccl_cycles, an_all_to_all_waits_for_emptied_buffers)
{
    static const char *const set[] = { "nccl.exchange_buffer=40MB", "nccl.exchange_wait=20us" };
    struct collective c = { .kind = SCHEDULE_ALL_TO_ALL, .bytes = 64 * MIB, .element = 4 };
    double us = run_us("v100x8", set, 2, &c, true);

    cr_expect_float_eq(us, 507.1, 1, "%g us", us);
    us = run_us("v100x8", NULL, 0, &c, true);
    cr_expect_float_eq(us, 497.7, 1, "%g us", us);
    c.bytes = KIB;
    us = run_us("v100x8", NULL, 0, &c, true);
    cr_expect_float_eq(us, 6.64, 0.02, "%g us", us);
}

/* Groups of four side by side, each over links of its own, and two groups between each other's
 * members take no longer than one of a box of four. */
Test(nccl_cycles, groups_do_not_share_links)
{
    struct collective alone = { .kind = SCHEDULE_ALL_REDUCE, .bytes = 16 * MIB, .element = 4 };
    struct collective beside = alone, between = alone;
    beside.group = between.group = 4;
    beside.stride = 1;
    between.stride = 2;
    double box = run_us("v100x4", NULL, 0, &alone, true);

    cr_expect_float_eq(run_us("v100x8", NULL, 0, &beside, false), box, 1);
    cr_expect_float_eq(run_us("v100x8", NULL, 0, &between, false), box, 2.5);
}

/* 3/4 x 16 MiB over 0.8 of 150 GB/s and 8.4 us. */
Test(nccl_cycles, an_all_to_all_sends_to_each_gpu)
{
    struct collective c = { .kind = SCHEDULE_ALL_TO_ALL, .bytes = 16 * MIB, .element = 4 };
    double us = run_us("v100x4", NULL, 0, &c, true);

    cr_expect_float_eq(us, 8.4 + 104.86, 0.2, "%g us", us);
}
