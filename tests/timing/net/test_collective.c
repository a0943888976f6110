/* Collectives where nothing contends: the cycle they end on a slice of TPU v2, which is that of the
 * closed forms (docs/model/collectives.md), step after step with every rounding to an edge.
 *
 * Worked out outside this program with exact fractions: every operation pays 721 cycles of 700 MHz;
 * a step takes ceil(bytes / 32) flits at 1,937,500,000 a second and then 1 us, or what HBM does
 * meanwhile at 251,953,125 bursts of 2,048 B a second, if that is longer.  A chip of two cores of
 * one group reads both copies and writes the sum first (B each), and writes a copy last; of an
 * all-gather it reads the result and writes it for both last. */
#include <criterion/criterion.h>

#include "collective_bench.h"
#include "kernels/net/collective.h"
#include "tests/timing/plain_hbm.h"

#define B 2000000

struct row {
    const char *name;
    const char *machine;
    const char *set[8]; /* NULL: no more */
    struct collective c;
    uint64_t cycles;
};

static void expect_answer(const struct row *r)
{
    struct machine_spec *s;
    struct task_call call;
    struct cap cap;
    struct err e;
    const char *set[N_PLAIN_COSTS + 16] = { PLAIN_COSTS };
    size_t n = N_PLAIN_COSTS;

    for (size_t i = 0; r->set[i]; i++)
        set[n++] = r->set[i];
    cr_assert_eq(spec_load(&s, r->machine, set, n, &e), 0, "%s", e.msg);
    spec_cap(s, &cap);
    cr_assert_eq(collective_plan(&call, &r->c, &cap, &e), 0, "%s", e.msg);
    for (int exact = 0; exact < 2; exact++) {
        uint64_t cycles = collective_cycles(s, &call, exact, false);
        cr_expect_eq(cycles, r->cycles, "%s: %lu, not %lu", r->name, cycles, r->cycles);
    }
    if (schedule_uniform(&call.schedule)) {
        uint64_t cycles = collective_cycles(s, &call, false, true);
        cr_expect_eq(cycles, r->cycles, "%s alike: %lu, not %lu", r->name, cycles, r->cycles);
    }
    spec_free(s);
}

#define OF(kind_, algorithm_, bytes_, ...)                                                         \
    {                                                                                              \
        .kind = SCHEDULE_##kind_, .algorithm = SCHEDULE_##algorithm_, .bytes = bytes_,             \
        .element = 4, __VA_ARGS__                                                                  \
    }
#define CHIPS(cores, x, y, z, least)                                                               \
    "slice.cores=" cores, "slice.mesh_x=" x, "slice.mesh_y=" y, "slice.mesh_z=" z,                 \
        "slice.wrap_least=" least, "slice.wrap_together=no"

Test(collective, all_reduce_on_rings_lines_and_tori)
{
    static const struct row rows[] = {
        { "a ring of 8, one way",
          "tpu-v2-8",
          { CHIPS("16", "8", "1", "1", "4") },
          OF(ALL_REDUCE, RING_ONE_WAY, B, .group = 0),
          60903 },
        { "a ring of 8, both ways",
          "tpu-v2-8",
          { CHIPS("16", "8", "1", "1", "4") },
          OF(ALL_REDUCE, RING, B, .group = 0),
          41147 },
        { "a line of 4",
          "tpu-v2-8",
          { CHIPS("8", "4", "1", "1", "0") },
          OF(ALL_REDUCE, LINE, B, .group = 0),
          49654 },
        { "a torus of 4 x 4, two colours",
          "tpu-v2-8",
          { CHIPS("32", "4", "4", "1", "4") },
          OF(ALL_REDUCE, TORUS, B, .group = 0),
          30570 },
        { "a cube of 4 x 4 x 4, three colours",
          "tpu-v2-8",
          { CHIPS("128", "4", "4", "4", "4") },
          OF(ALL_REDUCE, TORUS, B, .group = 0),
          31601 },
        { "2 x 2, two colours", "tpu-v2-8", { NULL }, OF(ALL_REDUCE, TORUS, B, .group = 0), 31317 },
        { "2 x 2, halves", "tpu-v2-8", { NULL }, OF(ALL_REDUCE, HALVING, B, .group = 0), 48254 },
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        expect_answer(&rows[i]);
}

/* Pieces follow each other at the rate of a link: D hops and D + m - 1 pieces up, and as many down,
 * walked outside this program piece by piece.  m: 256, 128, 128, 256. */
Test(collective, trees_in_pieces)
{
    static const struct row rows[] = {
        { "a torus of 4 x 4, four hops deep",
          "tpu-v2-8",
          { CHIPS("32", "4", "4", "1", "4") },
          OF(ALL_REDUCE, TREE, B, .group = 0),
          63034 },
        { "a line of 4, from the middle",
          "tpu-v2-8",
          { CHIPS("8", "4", "1", "1", "0") },
          OF(ALL_REDUCE, TREE, B, .group = 0),
          59964 },
        { "2 x 2", "tpu-v2-8", { NULL }, OF(ALL_REDUCE, TREE, B, .group = 0), 59964 },
        { "a broadcast from the corner of a mesh",
          "tpu-v2-8",
          { CHIPS("32", "4", "4", "1", "0") },
          OF(BROADCAST, TREE, B, .group = 0),
          30742 },
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        expect_answer(&rows[i]);
}

Test(collective, other_kinds_on_a_v2_8)
{
    static const struct row rows[] = {
        { "reduce-scatter", "tpu-v2-8", { NULL }, OF(REDUCE_SCATTER, AUTO, B, .group = 0), 19435 },
        { "all-gather", "tpu-v2-8", { NULL }, OF(ALL_GATHER, AUTO, B, .group = 0), 19435 },
        { "to the same core of the next chip",
          "tpu-v2-8",
          { NULL },
          OF(PERMUTE, AUTO, B, .shift = 2),
          46583 },
        { "to the next core, half of them on this chip",
          "tpu-v2-8",
          { NULL },
          OF(PERMUTE, AUTO, B, .shift = 1),
          29434 },
        { "all-to-all", "tpu-v2-8", { NULL }, OF(ALL_TO_ALL, AUTO, B, .group = 0), 50001 },
        { "barrier", "tpu-v2-8", { NULL }, OF(BARRIER, AUTO, 0, .group = 0), 4921 },
        { "barrier launched in 10 us",
          "tpu-v2-8",
          { "ici.launch=10 us" },
          OF(BARRIER, AUTO, 0, .group = 0),
          11921 },
        { "barrier of 11 operands, 1 us each but the first",
          "tpu-v2-8",
          { "ici.operand_time=1 us" },
          OF(BARRIER, AUTO, 0, .group = 0, .operands = 11),
          11921 },
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        expect_answer(&rows[i]);
}

/* Four chips of v5p in a square go round one way at the whole rate of a link: three times a
 * quarter, 32,768,000 B at 100 GB/s, and 1 us, are 690,228 cycles of 700 MHz; 721 are the
 * operation's. */
Test(collective, four_chips_of_v5p_go_round_one_way)
{
    static const struct row rows[] = {
        { "gather of 131 MB",
          "tpu-v5p-8",
          { NULL },
          OF(ALL_GATHER, AUTO, 131072000, .group = 0),
          690950 },
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        expect_answer(&rows[i]);
}

/* Half of the buffer goes from die to die each way before, and half after: 5,000,000 B at 100 GB/s
 * take 50 us, 35,000 cycles.  Before HBM takes longer, 30,000,000 B, after less, 10,000,000. */
Test(collective, dies_of_a_chip_exchange_halves)
{
    static const struct row rows[] = {
        { "as one", "tpu-v2-8", { NULL }, OF(ALL_REDUCE, AUTO, 10000000, .group = 2), 54989 },
        { "two dies",
          "tpu-v2-8",
          { "ici.die_bandwidth=100 GB/s" },
          OF(ALL_REDUCE, AUTO, 10000000, .group = 2),
          76422 },
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        expect_answer(&rows[i]);
}

Test(collective, groups_of_cores)
{
    static const struct row rows[] = {
        { "every other core: two groups side by side",
          "tpu-v2-8",
          { NULL },
          OF(ALL_REDUCE, AUTO, B, .group = 4, .stride = 2),
          38794 },
        { "the cores of a chip", "tpu-v2-8", { NULL }, OF(ALL_REDUCE, AUTO, B, .group = 2), 11580 },
        { "two chips of one core, 134 MB over one hop",
          "tpu-v2-8",
          { CHIPS("2", "2", "1", "1", "0"), "slice.cores_per_chip=1" },
          OF(REDUCE_SCATTER, AUTO, 134217728, .group = 0),
          759102 },
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        expect_answer(&rows[i]);
}

Test(collective, a_core_more_or_less_is_refused)
{
    struct machine_spec *s;
    struct task_call call;
    struct cap cap;
    struct err e;
    struct collective c = OF(ALL_REDUCE, AUTO, B, .group = 3);

    cr_assert_eq(spec_load(&s, "tpu-v2-8", NULL, 0, &e), 0);
    spec_cap(s, &cap);
    cr_expect_eq(collective_plan(&call, &c, &cap, &e), -1);
    c.group = 2;
    c.stride = 3;
    cr_expect_eq(collective_plan(&call, &c, &cap, &e), -1);
    c.stride = 1;
    c.algorithm = SCHEDULE_DIRECT;
    cr_expect_eq(collective_plan(&call, &c, &cap, &e), -1);
    cr_expect_str_eq(
        e.msg, "all-reduce does not run by direct on groups of 1 x 1 x 1 chips, but by torus, "
               "ring, hierarchical, line, halving-doubling, tree or ring-one-way");
    spec_free(s);
}

/* Additions of 10,000 cycles and the cost of an operation and a grid step: on chip 2, four times as
 * long. */
Test(collective, who_comes_early_books_the_wait_for_the_others)
{
    const char *set[] = { "fault.slow_chip=2", "fault.chip_times=4", "core.op_overhead=1.03 us" };
    struct collective sum = OF(ALL_REDUCE, AUTO, 4, .group = 0);
    struct machine_spec *s;
    struct task_call call;
    struct task t[2] = { { .kind = TASK_KERNEL,
                           .kernel.grid_steps = 1,
                           .kernel.all.vpu[VECTOR_ADD] = 20000,
                           .kernel.parts = { 1, 1, 1, 1 } },
                         { .kind = TASK_COLLECTIVE, .row = 1, .collective.count = 1 } };
    struct task_program p = { .task = t, .n_tasks = 2, .call = &call, .n_calls = 1, .n_rows = 2 };
    struct cap cap;
    struct err e;

    cr_assert_eq(spec_load(&s, "tpu-v2-8", set, 3, &e), 0, "%s", e.msg);
    spec_cap(s, &cap);
    cr_assert_eq(collective_plan(&call, &sum, &cap, &e), 0);
    struct machine *m = machine_new(s, false);
    cr_assert_eq(machine_step(m, &p, NULL, &e), 0);
    const struct ledger_row *early = machine_book(m, &p, 1, 0), *late = machine_book(m, &p, 1, 4);
    uint64_t kernel = 0;
    for (int c = 0; c < N_CAUSES; c++)
        kernel += machine_book(m, &p, 0, 0)->time[c];
    /* all but the cost of an operation is four times as long */
    cr_expect_geq(early->time[CAUSE_SYNC], 3 * (kernel - UINT64_C(1030000000)));
    cr_expect_leq(early->time[CAUSE_SYNC], 3 * kernel);
    cr_expect_eq(late->time[CAUSE_SYNC], 0, "nobody is waited for by the last");
    /* its own first parts have gone ahead: of six hops up to two are over when the last comes */
    cr_expect_leq(early->time[CAUSE_ICI], UINT64_C(6100000000));
    cr_expect_geq(early->time[CAUSE_ICI], UINT64_C(4000000000));
    machine_free(m);
    spec_free(s);
}
