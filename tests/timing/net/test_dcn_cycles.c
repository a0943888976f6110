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
#include "kernels/net/collective.h"
#include "tests/timing/plain_hbm.h"

#define MIB 1048576

struct row {
    const char *name;
    const char *set[12]; /* NULL: no more */
    struct collective c;
    uint64_t cycles;
};

static struct machine_spec *load_machine(const char *const *more, const struct collective *c,
                                         struct task_call *call)
{
    struct machine_spec *s;
    struct cap cap;
    struct err e;
    const char *set[N_PLAIN_COSTS + 24] = { PLAIN_COSTS,
                                            "pcie.bandwidth=16 GB/s",
                                            "pcie.packet=256 B",
                                            "dcn.bandwidth=4096 MB/s",
                                            "dcn.packet=4096 B",
                                            "dcn.message=1 MiB",
                                            "dcn.message_time=0 s",
                                            "dcn.latency=10 us" };
    size_t n = N_PLAIN_COSTS + 7;

    for (size_t i = 0; more[i]; i++)
        set[n++] = more[i];
    cr_assert_eq(spec_load(&s, "tpu-v2-8", set, n, &e), 0, "%s", e.msg);
    spec_cap(s, &cap);
    cr_assert_eq(collective_plan(call, c, &cap, &e), 0, "%s", e.msg);
    return s;
}

static void expect_answer(const struct row *r)
{
    struct task_call call;
    struct machine_spec *s = load_machine(r->set, &r->c, &call);

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
        expect_answer(&rows[i]);
}

struct cards {
    uint64_t elapsed; /* fs */
    uint32_t n;
};

/* A card each way of each host: two of 4,096 MB/s could carry 8,192 bytes a microsecond. */
static void look_at_card(void *self, const char *path, const struct stat_table *table,
                         const void *counters, uint64_t times)
{
    struct cards *c = self;
    uint64_t most = (uint64_t)((u128)c->elapsed * 8192 / 1000000000);

    if (strcmp(table->section, "nic") != 0)
        return;
    cr_expect_eq(((const struct nic_stats *)counters)->capacity, most, "%s", path);
    c->n += (uint32_t)times;
}

Test(dcn, both_cards_of_a_host_could_carry_bytes_all_the_time)
{
    static const char *const set[] = { ONE_CHIP, "dcn.slices=2", "dcn.nics=2", NULL };
    struct collective sum = OF(ALL_REDUCE, AUTO, 4 * MIB);
    struct task_call call;
    struct machine_spec *s = load_machine(set, &sum, &call);
    struct task t = { .kind = TASK_COLLECTIVE, .collective.count = 1 };
    struct task_program p = { .task = &t, .n_tasks = 1, .call = &call, .n_calls = 1, .n_rows = 1 };
    struct machine *m = machine_new(s, false);
    struct err e;

    cr_assert_eq(machine_step(m, &p, NULL, &e), 0);
    struct cards c = { machine_now(m), 0 };
    machine_statistics(m, look_at_card, &c);
    cr_expect_eq(c.n, 4);
    machine_free(m);
    spec_free(s);
}

/* --- what the cores wait for --------------------------------------------------------------- */

struct amounts {
    const char *set[12];
    struct collective c;
    uint32_t count; /* in a row */
    des_time ici, dcn, sync;
};

static void expect_parts(const struct amounts *w)
{
    struct task_call call;
    struct machine_spec *s = load_machine(w->set, &w->c, &call);

    for (int how = 0; how < 3; how++) { /* folded, walked, one chip for all */
        des_time time[N_CAUSES];
        collective_causes(s, &call, w->count, how == 1, how == 2, time);
        cr_expect_eq(time[CAUSE_LAUNCH], UINT64_C(1030000000));
        cr_expect_eq(time[CAUSE_ICI], w->ici, "%d: ici %lu", how, time[CAUSE_ICI]);
        cr_expect_eq(time[CAUSE_DCN], w->dcn, "%d: dcn %lu", how, time[CAUSE_DCN]);
        cr_expect_eq(time[CAUSE_SYNC], w->sync, "%d: sync %lu", how, time[CAUSE_SYNC]);
    }
    spec_free(s);
}

/* Two messages of 1 MiB each way: called at 1.03 us; up from 1.04, by the cards from 67 to 579,
 * down from 589.008 to 654.544; up until 720.08, cards 721 to 1233, down from 1243.008 to 1308.544.
 * All of it is between slices but the rest of cycle 915980 of 700 MHz. */
Test(dcn, chips_alone_in_their_slices_wait_for_the_network)
{
    expect_parts(&(struct amounts){ { ONE_CHIP, "dcn.slices=2" },
                                    OF(ALL_REDUCE, AUTO, 4 * MIB),
                                    1,
                                    285715,
                                    UINT64_C(1307514000000),
                                    0 });
}

/* 65,536 flits of 1.9375 GHz and 1 us before and after: from edge 1996 to 35.855225807 us; between
 * slices a message of 1 MiB of each chip: up until 101.40, both by the card from 102 to 614, down
 * from 624 to 689.536; up until 755.072, cards 756 to 1268, down from 1278 to 1343.536; from edge
 * 2603101 to 1378.361032259 us, in cycle 964852 (the 964,853rd edge is at 1378.361428572). */
Test(dcn, chips_wait_for_links_within_a_slice_and_for_the_network_between)
{
    expect_parts(&(struct amounts){ { "slice.cores=2", "slice.cores_per_chip=1", "slice.mesh_x=2",
                                      "slice.mesh_y=1", "slice.chips_per_host=2", "dcn.slices=2" },
                                    OF(ALL_REDUCE, RING_ONE_WAY, 4 * MIB),
                                    1,
                                    UINT64_C(34825225807) + UINT64_C(34825428572),
                                    UINT64_C(1343536000000) - UINT64_C(35855225807),
                                    0 });
}

/* The second is called with the first, and begins at 1308.544 us: up until 1374.08, cards 1375 to
 * 1887, down from 1897.008 to 1962.544, up until 2028.08, cards 2029 to 2541, down from 2551.008 to
 * 2616.544, in cycle 1831580 of 700 MHz, which ends 285,715 fs later. */
Test(dcn, who_waits_for_two_at_once_waits_for_the_network_in_both)
{
    expect_parts(&(struct amounts){ { ONE_CHIP, "dcn.slices=2" },
                                    OF(ALL_REDUCE, AUTO, 4 * MIB),
                                    2,
                                    285715,
                                    UINT64_C(2615514000000),
                                    0 });
}

/* The first runs as above, the second from 1378.361032259 us: edges 2670575 to 1413.186322581; up
 * until 1478.736, cards 1479 to 1991, down from 2001.008 to 2066.544; up until 2132.08, cards 2133
 * to 2645, down from 2655.008 to 2720.544; edges 5271054 to 2755.369032259, and on to 2755.37. */
Test(dcn, who_waits_for_two_at_once_waits_for_links_in_both)
{
    expect_parts(&(struct amounts){
        { "slice.cores=2", "slice.cores_per_chip=1", "slice.mesh_x=2", "slice.mesh_y=1",
          "slice.chips_per_host=2", "dcn.slices=2" },
        OF(ALL_REDUCE, RING_ONE_WAY, 4 * MIB),
        2,
        UINT64_C(34825225807) + UINT64_C(34825032259) +
            (UINT64_C(1413186322581) - UINT64_C(1378361032259)) + UINT64_C(34826000000),
        UINT64_C(1307680774193) + (UINT64_C(2720544000000) - UINT64_C(1413186322581)),
        0 });
}

/* The chip of the first slice takes twice as long for its kernel, 1.4 ms more.  What the other one
 * sent is there long before it calls; from then on its two parts are on the way one right after the
 * other: 65.536 us up, four messages of 256 us, 10 us and 65.536 us down, and up to 1.032 us until
 * edges of clocks. */
Test(dcn, until_a_late_slice_calls_the_others_wait_for_it)
{
    static const char *const set[] = { ONE_CHIP, "dcn.slices=2", "fault.slow_chip=0",
                                       "fault.chip_times=2", NULL };
    struct collective sum = OF(ALL_REDUCE, AUTO, 4 * MIB);
    struct task_call call;
    struct machine_spec *s = load_machine(set, &sum, &call);
    struct task t[2] = { { .kind = TASK_KERNEL,
                           .kernel.grid_steps = 1,
                           .kernel.all.vpu[VECTOR_ADD] = 2000000,
                           .kernel.parts = { 1, 1, 1, 1 } },
                         { .kind = TASK_COLLECTIVE, .row = 1, .collective.count = 1 } };
    struct task_program p = { .task = t, .n_tasks = 2, .call = &call, .n_calls = 1, .n_rows = 2 };
    struct err e;

    for (int exact = 0; exact < 2; exact++) {
        struct machine *m = machine_new(s, exact);
        cr_assert_eq(machine_step(m, &p, NULL, &e), 0);
        des_time kernel[2] = { 0, 0 };
        for (uint32_t core = 0; core < 2; core++)
            for (int c = 0; c < N_CAUSES; c++)
                kernel[core] += machine_book(m, &p, 0, core)->time[c];
        const des_time *late = machine_book(m, &p, 1, 0)->time;
        const des_time *early = machine_book(m, &p, 1, 1)->time;
        cr_expect_gt(kernel[0] - kernel[1], UINT64_C(700000000000));
        /* and at the end of the step */
        cr_expect_geq(early[CAUSE_SYNC],
                      kernel[0] + late[CAUSE_LAUNCH] - kernel[1] - early[CAUSE_LAUNCH]);
        cr_expect_geq(early[CAUSE_DCN], UINT64_C(1165072000000), "%lu", early[CAUSE_DCN]);
        cr_expect_leq(early[CAUSE_DCN], UINT64_C(1166104000000), "%lu", early[CAUSE_DCN]);
        cr_expect_lt(early[CAUSE_ICI], 1428572, "less than a cycle");
        machine_free(m);
    }
    spec_free(s);
}

/* Links as above, without a network between: the second step begins at edge 69470, and its last
 * flit is there at 70.680516130 us, in cycle 49476, which ends at 70.681428572. */
Test(dcn, a_slice_alone_waits_for_no_network)
{
    expect_parts(&(struct amounts){ { "slice.cores=2", "slice.cores_per_chip=1", "slice.mesh_x=2",
                                      "slice.mesh_y=1", "slice.chips_per_host=2" },
                                    OF(ALL_REDUCE, RING_ONE_WAY, 4 * MIB),
                                    1,
                                    UINT64_C(70681428572) - UINT64_C(1030000000),
                                    0,
                                    0 });
}
