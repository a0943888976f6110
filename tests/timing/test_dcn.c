/* Collectives over several slices: the cycle they end on, with PCIe, the cards of the hosts and the
 * network in between, all chips simulated and one for all.
 *
 * Worked out outside this program with exact fractions.  An operation pays 721 cycles of 700 MHz.
 * A step between slices takes, message after message, ceil(bytes / 256) cycles of 62.5 MHz up, a
 * round of the cards (all chips of the host: ceil(bytes / 4096) cycles of 1 MHz each, and what a
 * message takes besides), 10 us, what the cards of the other side still take in, and PCIe down.
 * Within a slice a step is as in test_collective.c. */
#include <criterion/criterion.h>

#include "collective_bench.h"
#include "kernels/collective.h"
#include "plain_hbm.h"

#define MIB 1048576

struct row {
    const char *name;
    const char *set[12]; /* NULL: no more */
    struct collective c;
    uint64_t cycles;
};

static void expect(const struct row *r)
{
    struct machine_spec *s;
    struct task_call call;
    struct cap cap;
    struct err e;
    const char *set[N_PLAIN_HBM + 24] = { PLAIN_HBM,
                                          "pcie.bandwidth=16 GB/s",
                                          "pcie.packet=256 B",
                                          "dcn.bandwidth=4096 MB/s",
                                          "dcn.packet=4096 B",
                                          "dcn.message=1 MiB",
                                          "dcn.message_time=0 s",
                                          "dcn.latency=10 us" };
    size_t n = N_PLAIN_HBM + 7;

    for (size_t i = 0; r->set[i]; i++)
        set[n++] = r->set[i];
    cr_assert_eq(spec_load(&s, "tpu-v2-8", set, n, &e), 0, "%s", e.msg);
    spec_cap(s, &cap);
    cr_assert_eq(collective_plan(&call, &r->c, &cap, &e), 0, "%s", e.msg);
    for (int exact = 0; exact < 2; exact++) {
        uint64_t cycles = collective_cycles(s, &call, exact, false);
        cr_expect_eq(cycles, r->cycles, "%s: %lu, not %lu", r->name, cycles, r->cycles);
    }
    uint64_t cycles = collective_cycles(s, &call, false, true);
    cr_expect_eq(cycles, r->cycles, "%s alike: %lu, not %lu", r->name, cycles, r->cycles);
    spec_free(s);
}

#define OF(kind_, algorithm_, bytes_)                                                              \
    {                                                                                              \
        .kind = SCHEDULE_##kind_, .algorithm = SCHEDULE_##algorithm_, .bytes = bytes_,             \
        .element = 4,                                                                              \
    }
#define ONE_CHIP                                                                                   \
    "slice.cores=1", "slice.cores_per_chip=1", "slice.mesh_x=1", "slice.mesh_y=1",                 \
        "slice.chips_per_host=1"

Test(dcn, collectives_over_slices)
{
    static const struct row rows[] = {
        { "two slices of one chip",
          { ONE_CHIP, "dcn.slices=2" },
          OF(ALL_REDUCE, AUTO, 4 * MIB),
          915981 },
        { "a ring of four slices of one chip",
          { ONE_CHIP, "dcn.slices=4" },
          OF(ALL_REDUCE, AUTO, 4 * MIB),
          1671981 },
        { "messages of 256 KiB that take 3 us besides",
          { ONE_CHIP, "dcn.slices=2", "dcn.message=256 KiB", "dcn.message_time=3 us" },
          OF(ALL_REDUCE, AUTO, 4 * MIB),
          811575 },
        { "a barrier of three slices of one chip",
          { ONE_CHIP, "dcn.slices=3", "dcn.message_time=3 us" },
          OF(BARRIER, AUTO, 0),
          37800 },
        { "two slices of 2 x 2 chips on one host each",
          { "dcn.slices=2" },
          OF(ALL_REDUCE, TORUS, 16 * MIB),
          3302270 },
        { "the same through half of a network",
          { "dcn.slices=2", "dcn.bisection=0.5" },
          OF(ALL_REDUCE, TORUS, 16 * MIB),
          6169470 },
        { "two hosts a slice through half of a network",
          { "dcn.slices=2", "slice.chips_per_host=2", "dcn.bisection=0.5" },
          OF(ALL_REDUCE, TORUS, 16 * MIB),
          3302270 },
        { "two hosts of two cards each",
          { "dcn.slices=2", "slice.chips_per_host=2", "dcn.nics=2" },
          OF(ALL_REDUCE, TORUS, 16 * MIB),
          1151523 },
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        expect(&rows[i]);
}
