/* Sums that wait for each other: what a grid step takes on the wires and by the shortcut.
 *
 * Core 700 MHz.  A kernel without transfers takes 581 cycles to launch, 97 for each grid step, half
 * a cycle for each addition of a register and one for each load. */
#include <criterion/criterion.h>

#include "machine/machine.h"
#include "plain_hbm.h"

static const char *issue = "bundle.issue=1";

/* Core cycles of one kernel on one core of TPU v2. */
static uint64_t cycles_of(const struct task_kernel *k, bool exact)
{
    struct machine_spec *s;
    struct err e;
    const char *set[] = { PLAIN_COSTS, issue };
    struct task t = { .kind = TASK_KERNEL, .kernel = *k };
    struct task_program p = { .task = &t, .n_tasks = 1, .n_rows = 1 };

    cr_assert_eq(spec_load(&s, "tpu-v2-1", set, N_PLAIN_COSTS + 1, &e), 0, "%s", e.msg);
    struct machine *m = machine_new(s, exact);
    cr_assert_eq(machine_step(m, &p, NULL, &e), 0);
    uint64_t cycles = des_edge_index(machine_now(m), 700000000);
    machine_free(m);
    spec_free(s);
    return cycles;
}

Test(sum_cycles, a_grid_step_takes_its_bundles_or_its_chain_and_then_its_sums)
{
    static const struct {
        uint64_t steps, additions, loads, chain, sums, cycles;
    } rows[] = {
        { 1, 200, 300, 0, 0, 300 },
        { 1, 200, 300, 299, 0, 300 },
        { 1, 200, 300, 400, 0, 400 },
        { 1, 200, 300, 400, 50, 450 },
        { 1, 200, 300, 0, 50, 350 },
        /* the units take longer than both */
        { 1, 2000, 300, 400, 50, 1000 },
        /* in each of three grid steps, of 100 loads */
        { 3, 60, 300, 110, 7, 3 * 117 },
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (int exact = 0; exact < 2; exact++) {
            struct task_kernel k = { .grid_steps = rows[i].steps,
                                     .chain_cycles = rows[i].chain,
                                     .sum_cycles = rows[i].sums };
            k.all.vpu[VECTOR_ADD] = rows[i].additions;
            k.all.loads = rows[i].loads;
            uint64_t cycles = cycles_of(&k, exact);
            cr_expect_eq(cycles, 581 + 97 * rows[i].steps + rows[i].cycles, "%zu: %lu", i, cycles);
        }
}

/* With half of the cycles lost to spills and ends of loops 300 loads take 600 cycles; a kernel that
 * computes nothing has neither. */
Test(sum_cycles, a_kernel_that_only_moves_fills_its_bundles)
{
    issue = "bundle.issue=0.5";
    for (int exact = 0; exact < 2; exact++) {
        struct task_kernel k = { .grid_steps = 1, .all.loads = 300 };
        cr_expect_eq(cycles_of(&k, exact), 581 + 97 + 600);
        k.moves = true;
        cr_expect_eq(cycles_of(&k, exact), 581 + 97 + 300);
    }
}
