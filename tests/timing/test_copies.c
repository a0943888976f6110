/* Copies in the background and kernels of SparseCores beside a kernel of the core: the cycle in
 * which the step ends, and the wait for them.
 *
 * Expected cycles are worked out outside this program with exact fractions: core 700 MHz, HBM
 * 251,953,125 bursts of 2,048 B a second.  A copy is started in 9 cycles, so HBM begins at its edge
 * 4; a flag follows 0.1 us after the last burst.  A kernel without transfers takes 581 cycles to
 * launch, 97 for its grid step and half a cycle for each addition of a register. */
#include <criterion/criterion.h>

#include "machine/machine.h"
#include "plain_hbm.h"

#define BURST UINT64_C(2048)

static const char *more = "dma.first_read=0 s"; /* of the machine */
/* core cycles that the row asked for waited for HBM, and for PCIe, in the last run */
static uint64_t waited, waited_pcie;

/* Core cycles of one step of `n` tasks on one core of TPU v2, with a SparseCore of 2 subcores of 8
 * lanes, a clock of 700 MHz and 1 us to launch.  Each task is a row of its own. */
static uint64_t cycles_of(struct task *t, uint32_t n, uint32_t row, bool exact)
{
    struct machine_spec *s;
    struct err e;
    const char *set[] = { PLAIN_COSTS, "sparsecore.count=1", "sparsecore.tiles=2", more };
    struct task_program p = { .task = t, .n_tasks = n, .n_rows = n };

    for (uint32_t i = 0; i < n; i++)
        t[i].row = i;
    cr_assert_eq(spec_load(&s, "tpu-v2-1", set, N_PLAIN_COSTS + 3, &e), 0, "%s", e.msg);
    struct machine *m = machine_new(s, exact);
    cr_assert_eq(machine_step(m, &p, NULL, &e), 0);
    uint64_t cycles = des_edge_index(machine_now(m), 700000000);
    waited = des_edge_index(machine_book(m, &p, row, 0)->time[CAUSE_HBM], 700000000);
    waited_pcie = des_edge_index(machine_book(m, &p, row, 0)->time[CAUSE_PCIE], 700000000);
    machine_free(m);
    spec_free(s);
    return cycles;
}

static struct task start_copy(uint64_t in, uint64_t out)
{
    return (struct task){ .kind = TASK_COPY, .async = TASK_START, .copy = { in, out } };
}

static struct task done_copy(uint32_t start)
{
    return (struct task){ .kind = TASK_COPY, .async = TASK_DONE, .start = start };
}

/* Out of HBM to the host, or into it from there. */
static struct task start_host(uint64_t in, uint64_t out)
{
    struct task t = start_copy(in, out);

    t.copy.host = true;
    return t;
}

/* A kernel of 10,000 cycles on the vector unit. */
static struct task make_kernel(void)
{
    return (struct task){ .kind = TASK_KERNEL,
                          .kernel.grid_steps = 1,
                          .kernel.all.vpu[VECTOR_ADD] = 2 * (10000 - 581 - 97) };
}

Test(copies, that_end_before_the_kernel_are_hidden)
{
    for (int exact = 0; exact < 2; exact++) {
        struct task t[] = { start_copy(1000 * BURST, 0), make_kernel(), done_copy(0) };
        cr_expect_eq(cycles_of(t, 3, 2, exact), 9 + 10000);
        cr_expect_eq(waited, 0);
    }
}

Test(copies, that_take_longer_than_the_kernel_are_waited_for)
{
    /* 5,004 edges of HBM and 0.1 us = 13,972.6 cycles */
    for (int exact = 0; exact < 2; exact++) {
        struct task t[] = { start_copy(5000 * BURST, 0), make_kernel(), done_copy(0) };
        cr_expect_eq(cycles_of(t, 3, 2, exact), 13973);
        cr_expect_eq(waited, 13973 - 10009);
        struct task out[] = { start_copy(0, 5000 * BURST), make_kernel(), done_copy(0) };
        cr_expect_eq(cycles_of(out, 3, 2, exact), 13973);
    }
}

Test(copies, that_are_waited_for_at_once_hide_nothing)
{
    /* 1,004 edges of HBM and 0.1 us = 2,859.4 cycles */
    for (int exact = 0; exact < 2; exact++) {
        struct task t[] = { start_copy(1000 * BURST, 0), done_copy(0), make_kernel() };
        cr_expect_eq(cycles_of(t, 3, 1, exact), 2860 + 10000);
        cr_expect_eq(waited, 2860 - 9);
        struct task both[] = { { .kind = TASK_COPY, .copy = { 1000 * BURST, 0 } }, make_kernel() };
        cr_expect_eq(cycles_of(both, 2, 0, exact), 2860 + 10000);
    }
}

/* 0.5 us more: 3,209.4 cycles; one that only writes is not later. */
Test(copies, that_read_begin_as_late_as_the_first_read_of_a_kernel)
{
    more = "dma.first_read=0.5 us";
    for (int exact = 0; exact < 2; exact++) {
        struct task t[] = { start_copy(1000 * BURST, 0), done_copy(0) };
        cr_expect_eq(cycles_of(t, 2, 1, exact), 3210);
        cr_expect_eq(waited, 3210 - 9);
        struct task out[] = { start_copy(0, 1000 * BURST), done_copy(0) };
        cr_expect_eq(cycles_of(out, 2, 1, exact), 2860);
    }
}

Test(copies, are_in_a_queue_each_way)
{
    /* the second one begins where the first ends: 2,004 edges and 0.1 us = 5,637.7 cycles */
    for (int exact = 0; exact < 2; exact++) {
        struct task t[] = { start_copy(1000 * BURST, 0), start_copy(1000 * BURST, 0), done_copy(0),
                            done_copy(1) };
        cr_expect_eq(cycles_of(t, 4, 2, exact), 5638);
        cr_expect_eq(waited, 2860 - 18);
        /* the other one is waited for first, then both are here */
        struct task turned[] = { start_copy(1000 * BURST, 0), start_copy(1000 * BURST, 0),
                                 done_copy(1), done_copy(0) };
        cr_expect_eq(cycles_of(turned, 4, 3, exact), 5638);
        cr_expect_eq(waited, 0);
    }
}

Test(copies, share_hbm_with_the_kernel_turn_by_turn)
{
    /* turns of 512 bursts: copy, tile, copy, tile; the tile is here after 2,052 edges and 0.1 us =
     * 5,771.04 cycles; 97 + 9 cycles of control follow */
    for (int exact = 0; exact < 2; exact++) {
        struct task t[] = {
            start_copy(1024 * BURST, 0),
            { .kind = TASK_KERNEL, .kernel.grid_steps = 1, .kernel.all.in.bytes = 1024 * BURST },
            done_copy(0)
        };
        cr_expect_eq(cycles_of(t, 3, 2, exact), 5772 + 106);
        cr_expect_eq(waited, 0);
    }
}

Test(copies, of_a_loop_wait_for_their_own_turn)
{
    /* HBM begins each turn at its next edge, 4, 1033 and 2062 */
    for (int exact = 0; exact < 2; exact++) {
        struct task t[] = { { .kind = TASK_REPEAT, .loop.trips = 3 },
                            start_copy(1000 * BURST, 0),
                            done_copy(1),
                            { .kind = TASK_END, .loop.begin = 0 } };
        cr_expect_eq(cycles_of(t, 4, 2, exact), 8578);
    }
}

Test(copies, beyond_those_that_may_be_under_way_wait_at_their_start)
{
    struct task t[64];

    /* the last of 64 starts when the first is back: 1,004 edges = 2,789.4 cycles */
    for (uint32_t i = 0; i < 64; i++)
        t[i] = start_copy(1000 * BURST, 0);
    for (int exact = 0; exact < 2; exact++) {
        cr_expect_eq(cycles_of(t, 64, 63, exact), 2790);
        cr_expect_eq(waited, 2790 - 64 * 9);
        cr_expect_eq(cycles_of(t, 63, 62, exact), 63 * 9);
    }
}

/* --- SparseCores ---------------------------------------------------------------------------- */

static struct task start_sparse(uint64_t in, uint64_t operations)
{
    return (struct task){ .kind = TASK_SPARSE,
                          .async = TASK_START,
                          .sparse = { .in.bytes = in, .operations = operations } };
}

static struct task done_sparse(uint32_t start)
{
    return (struct task){ .kind = TASK_SPARSE, .async = TASK_DONE, .start = start };
}

Test(sparsecore, runs_beside_the_core)
{
    for (int exact = 0; exact < 2; exact++) {
        struct task t[] = { start_sparse(1000 * BURST, 0), make_kernel(), done_sparse(0) };
        cr_expect_eq(cycles_of(t, 3, 2, exact), 721 + 10000);
        cr_expect_eq(waited, 0);
    }
}

Test(sparsecore, is_waited_for)
{
    /* 721 cycles and 1 us of launches, 1,030 ns and 1,000 ns, to HBM's next edge 512, 5,000 bursts:
     * 5,512 edges = 15,313.9 cycles */
    for (int exact = 0; exact < 2; exact++) {
        struct task t[] = { start_sparse(5000 * BURST, 0), make_kernel(), done_sparse(0) };
        cr_expect_eq(cycles_of(t, 3, 2, exact), 15314);
        cr_expect_eq(waited, 15314 - 10721);
        /* 160,000 operations on 16 lanes: 10,000 cycles after 721 + 700 */
        struct task work[] = { start_sparse(0, 160000), done_sparse(0) };
        cr_expect_eq(cycles_of(work, 2, 1, exact), 11421);
        cr_expect_eq(waited, 0, "for work, not for HBM");
    }
}

Test(sparsecore, does_one_kernel_after_the_other)
{
    struct task t[] = { start_sparse(0, 160000), start_sparse(0, 160000), done_sparse(0),
                        done_sparse(1) };

    /* the second begins when the first ends, and is launched then */
    cr_expect_eq(cycles_of(t, 4, 3, false), 721 + 2 * (700 + 10000));
}

/* 8,000 packets of 256 B at 16 GB/s, 16 ns each: 128 us. */
Test(copies, to_the_host_cross_pcie_once_they_are_read)
{
    /* read by edge 1,004 of HBM, which is before edge 250 of PCIe: 132 us */
    for (int exact = 0; exact < 2; exact++) {
        struct task t[] = { start_host(1000 * BURST, 0), done_copy(0) };
        cr_expect_eq(cycles_of(t, 2, 1, exact), 92400);
        cr_expect_eq(waited, 0);
        cr_expect_eq(waited_pcie, 92400 - 9);
    }
}

Test(copies, from_the_host_are_written_once_they_have_crossed)
{
    /* across at 128.016 us; written from edge 32,255 of HBM on: 131.989 us */
    for (int exact = 0; exact < 2; exact++) {
        struct task t[] = { start_host(0, 1000 * BURST), done_copy(0) };
        cr_expect_eq(cycles_of(t, 2, 1, exact), 92393);
        cr_expect_eq(waited_pcie, 92393 - 9);
        struct task out[] = { start_host(0, 1000 * BURST), make_kernel(), done_copy(0) };
        cr_expect_eq(cycles_of(out, 3, 2, exact), 92393);
    }
}

Test(copies, to_the_host_and_from_it_cross_at_a_time)
{
    /* the one from the host begins at edge 2 of PCIe, and is written at edge 33,259 of HBM */
    for (int exact = 0; exact < 2; exact++) {
        struct task t[] = { start_host(1000 * BURST, 0), start_host(0, 1000 * BURST), done_copy(0),
                            done_copy(1) };
        cr_expect_eq(cycles_of(t, 4, 3, exact), 92404);
        cr_expect_eq(waited_pcie, 4);
    }
}

Test(copies, of_one_way_to_the_host_follow_each_other)
{
    /* the second one is read from edge 33,258 of HBM on and crosses from edge 8,499 of PCIe on */
    for (int exact = 0; exact < 2; exact++) {
        struct task t[] = { start_host(1000 * BURST, 0), start_host(1000 * BURST, 0),
                            done_copy(1) };
        cr_expect_eq(cycles_of(t, 3, 2, exact), 184789);
    }
}

Test(copies, between_hbm_and_the_chip_do_not_wait_for_those_of_the_host)
{
    /* HBM serves both in turns of 512 bursts: 2,004 edges and 0.1 us = 5,637.7 cycles */
    for (int exact = 0; exact < 2; exact++) {
        struct task t[] = { start_host(1000 * BURST, 0), start_copy(1000 * BURST, 0), done_copy(1),
                            make_kernel() };
        cr_expect_eq(cycles_of(t, 4, 2, exact), 5638 + 10000);
        cr_expect_eq(waited, 5638 - 18);
    }
}
