/* SparseCores of a TPU v7, and of a machine that takes the defaults: what their kernels add to a
 * step, in cycles of the core.  Two steps are compared, so costs of the core itself cancel out. */
#include <criterion/criterion.h>

#include "hw/sparse/sparsecore.h"
#include "machine/machine.h"
#include "plain_hbm.h"

static uint64_t moved; /* bytes, in the last run */

static void add_moved(void *self, const char *path, const struct stat_table *table,
                      const void *counters, uint64_t times)
{
    (void)path;
    if (table == &sparsecore_stat_table)
        *(uint64_t *)self += ((const struct sparsecore_stats *)counters)->bytes * times;
}

/* Cycles of a step of `n` equal kernels on SparseCores, each waited for. */
static uint64_t cycles_of(const char *machine, uint64_t hz, struct task_sparse kernel, uint32_t n)
{
    const char *set[] = { PLAIN_COSTS, "core.kernel_gap=0 s", "sparsecore.count=1" };
    bool has_some = machine[5] == '7';
    struct task t[8];
    struct task_program p = { .task = t, .n_tasks = 2 * n, .n_rows = 2 * n };
    struct machine_spec *s;
    struct err e;

    for (uint32_t i = 0; i < n; i++) {
        t[i] = (struct task){ .kind = TASK_SPARSE, .async = TASK_START, .sparse = kernel };
        t[n + i] = (struct task){ .kind = TASK_SPARSE, .async = TASK_DONE, .start = i };
    }
    for (uint32_t i = 0; i < 2 * n; i++)
        t[i].row = i;
    cr_assert_eq(spec_load(&s, machine, set, N_PLAIN_COSTS + 2 - has_some, &e), 0, "%s", e.msg);
    struct machine *m = machine_new(s, false);
    cr_assert_eq(machine_step(m, &p, NULL, &e), 0);
    uint64_t cycles = des_edge_index(machine_now(m), hz);
    moved = 0;
    machine_statistics(m, add_moved, &moved);
    machine_free(m);
    spec_free(s);
    return cycles;
}

static uint64_t cycles_v7(struct task_sparse kernel, uint32_t n)
{
    return cycles_of("tpu-v7-2", UINT64_C(2200000000), kernel, n);
}

/* One SparseCore with the default values of all else, beside a core of TPU v2. */
static uint64_t cycles_default(struct task_sparse kernel, uint32_t n)
{
    return cycles_of("tpu-v2-1", 700000000, kernel, n);
}

static struct task_sparse work_on(uint64_t operations)
{
    return (struct task_sparse){ .operations = operations };
}

/* Reads of rows of so many bytes. */
static struct task_sparse read_rows(uint64_t rows, uint64_t bytes)
{
    return (struct task_sparse){ .in = { .rows = rows, .row_bytes = bytes } };
}

Test(sparsecore, those_of_v7_do_512_operations_a_cycle)
{
    /* 2 SparseCores of 16 subcores of 16 lanes */
    cr_expect_eq(cycles_v7(work_on(5120000), 1) - cycles_v7(work_on(0), 1), 10000);
}

Test(sparsecore, those_of_v7_issue_32_rows_a_cycle)
{
    /* a subcore one row a cycle; rows without bytes cross nothing */
    cr_expect_eq(cycles_v7(read_rows(320000, 0), 1) - cycles_v7(work_on(0), 1), 10000);
}

Test(sparsecore, those_of_v7_take_1_us_to_launch)
{
    /* one after the other; 9 cycles to start the second are in the shade of the first */
    cr_expect_eq(cycles_v7(work_on(5120000), 2) - cycles_v7(work_on(5120000), 1), 2200 + 10000);
}

Test(sparsecore, one_with_default_values_does_128_operations_a_cycle)
{
    /* 16 subcores of 8 lanes, at the clock of the core */
    cr_expect_eq(cycles_default(work_on(1280000), 1) - cycles_default(work_on(0), 1), 10000);
}

Test(sparsecore, one_with_default_values_issues_16_rows_a_cycle)
{
    cr_expect_eq(cycles_default(read_rows(160000, 0), 1) - cycles_default(work_on(0), 1), 10000);
}

Test(sparsecore, one_with_default_values_takes_1_us_to_launch)
{
    cr_expect_eq(cycles_default(work_on(1280000), 2) - cycles_default(work_on(1280000), 1),
                 700 + 10000);
}

Test(sparsecore, a_single_byte_is_moved_and_none_is_not)
{
    cycles_default((struct task_sparse){ .in = { .bytes = 1 } }, 1);
    cr_expect_eq(moved, 1);
    cycles_default(work_on(0), 1);
    cr_expect_eq(moved, 0);
}

Test(sparsecore, one_with_default_values_moves_rows_in_granules_of_32_bytes)
{
    cycles_default(read_rows(1000, 32), 1);
    cr_expect_eq(moved, 32000);
    cycles_default(read_rows(1000, 33), 1);
    cr_expect_eq(moved, 64000);
}
