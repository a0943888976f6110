/* Random kernels on the cores of a slice: the shortcut of a grid step and the wires, event by
 * event, must end at the same femtosecond with the same books.  Cores share their HBM, so that a
 * step that ended a delta too early would let the wrong core go first. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "machine/machine.h"

enum { TASKS = 12 };
enum kernels { ANY, ROUND, COMPILED, LONG };

static uint64_t draw_number(uint64_t *seed, uint64_t below)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (*seed >> 33) % below;
}

static uint64_t divide_up(uint64_t a, uint64_t b)
{
    return (a + b - 1) / b;
}

static struct task random_task(uint64_t *seed, uint32_t row, const struct machine_spec *spec)
{
    struct task t = { .kind = TASK_KERNEL,
                      .row = row,
                      .kernel.grid_steps = 1 + draw_number(seed, 6),
                      .kernel.streamed = draw_number(seed, 2) ? 2 : 4,
                      .kernel.stationary = 4,
                      .kernel.parts = { 1, 1, 1, 1 } };

    t.kernel.all.in = (struct task_move){ draw_number(seed, 3) ? draw_number(seed, 400000) : 0,
                                          draw_number(seed, 4) ? 0 : draw_number(seed, 3000), 512 };
    t.kernel.all.out.bytes = draw_number(seed, 3) ? draw_number(seed, 400000) : 0;
    t.kernel.all.vpu[draw_number(seed, N_VECTOR_OPS)] =
        draw_number(seed, 2) ? draw_number(seed, 4000) : 0;
    t.kernel.all.xlu = draw_number(seed, 4) ? 0 : draw_number(seed, 100);
    t.kernel.all.loads = draw_number(seed, 3) ? 0 : draw_number(seed, 6000);
    t.kernel.resident_in = draw_number(seed, 3) ? 0 : draw_number(seed, 100000);
    t.kernel.resident_out = draw_number(seed, 3) ? 0 : draw_number(seed, 100000);
    if (draw_number(seed, 2)) {
        struct task_gemm *g = &t.kernel.all.gemm;
        struct task_block *c = &t.kernel.block;
        *g = (struct task_gemm){ 1, 1 + draw_number(seed, 600), 1 + draw_number(seed, 300),
                                 1 + draw_number(seed, 300), 0 };
        g->useful =
            draw_number(seed, 2) ? g->m * g->k * g->n : 1 + draw_number(seed, g->m * g->k * g->n);
        *c = (struct task_block){ 1, divide_up(g->m, 1 + draw_number(seed, 3)),
                                  divide_up(g->n, 1 + draw_number(seed, 2)),
                                  divide_up(g->k, 1 + draw_number(seed, 2)), draw_number(seed, 2) };
        t.kernel.grid_steps = divide_up(g->m, c->m) * divide_up(g->n, c->n) * divide_up(g->k, c->k);
        if (spec->mxu.count > 1)
            t.kernel.parts.m = 1 + (uint32_t)draw_number(seed, spec->mxu.count);
    }
    return t;
}

/* A kernel of many grid steps, most of which are alike but for a share of vector work. */
static struct task long_task(uint64_t *seed, uint32_t row, const struct machine_spec *spec)
{
    struct task t = random_task(seed, row, spec);
    uint32_t more = 2 + (uint32_t)draw_number(seed, 20);

    if (t.kernel.all.gemm.b) {
        t.kernel.all.gemm.b = more;
        t.kernel.all.gemm.useful =
            draw_number(seed, 2) ? t.kernel.all.gemm.useful * more : t.kernel.all.gemm.useful;
    }
    t.kernel.grid_steps *= more;
    t.kernel.all.in.bytes *= more;
    t.kernel.all.out.bytes *= more;
    t.kernel.all.picked = draw_number(seed, 2) * draw_number(seed, 900);
    t.kernel.chain_cycles = draw_number(seed, 3) ? 0 : draw_number(seed, 400);
    return t;
}

/* Small transfers and work in round numbers: what two cores do meets often, with HBM idle. */
static struct task round_task(uint64_t *seed, uint32_t row)
{
    struct task t = { .kind = TASK_KERNEL,
                      .row = row,
                      .kernel.grid_steps = 1 + draw_number(seed, 3) };

    t.kernel.all.in.bytes = t.kernel.grid_steps * 2048 * draw_number(seed, 3);
    t.kernel.all.out.bytes = t.kernel.grid_steps * 2048 * draw_number(seed, 3);
    t.kernel.all.vpu[VECTOR_ADD] = t.kernel.grid_steps * 8 * draw_number(seed, 4);
    t.kernel.all.loads = t.kernel.grid_steps * 4 * draw_number(seed, 8);
    return t;
}

/* A kernel as compiled programs have them: arrays filled in part, joined grid steps, operands in
 * the common memory; or what they have in the background, started by the first tasks of the program
 * and waited for by the last. */
static struct task compiled_task(uint64_t *seed, uint32_t row, const struct machine_spec *spec)
{
    struct task t = random_task(seed, row, spec);
    bool sparse = spec->sparsecore.count && row % (TASKS - 1);

    if (row < 2 || row >= TASKS - 2) {
        bool starts = row < 2;
        t = (struct task){ .kind = sparse ? TASK_SPARSE : TASK_COPY,
                           .row = row,
                           .async = starts ? TASK_START : TASK_DONE,
                           .start = TASKS - 1 - row };
        if (sparse && starts)
            t.sparse = (struct task_sparse){ { draw_number(seed, 900000), 100, 64 },
                                             { draw_number(seed, 900000), 0, 0 },
                                             draw_number(seed, 90000) };
        else if (starts)
            t.copy = (struct task_copy){ draw_number(seed, 900000), draw_number(seed, 900000),
                                         draw_number(seed, 2) };
        return t;
    }
    t.kernel.mode.depth = draw_number(seed, 2) ? 16 : 0;
    t.kernel.mode.columns = draw_number(seed, 2) ? 24 : 0;
    t.kernel.mode.turned = draw_number(seed, 2);
    t.kernel.mode.pushed = (uint32_t)draw_number(seed, 3);
    t.kernel.joined = (uint32_t)draw_number(seed, 4);
    t.kernel.joined_cycles = draw_number(seed, 500);
    if (spec->cmem.capacity)
        t.kernel.all.feed = draw_number(seed, 2) * draw_number(seed, 4000000);
    return t;
}

/* Add the counters of a component to a sum that another value of any of them would change. */
static void sum_counters(void *self, const char *path, const struct stat_table *t,
                         const void *counters, uint64_t times)
{
    const uint64_t *count = counters;
    uint64_t *sum = self, factor = 0;

    (void)path;
    for (const char *c = t->section; *c; c++)
        factor = factor * 31 + (unsigned char)*c;
    for (size_t i = 0; i < t->size / sizeof *count; i++)
        *sum += count[i] * times * (factor = factor * 6364136223846793005u + 1442695040888963407u);
}

static uint64_t run_case(const struct machine_spec *spec, const struct task_program *p, bool exact,
                         struct ledger_row *book, uint32_t cores, uint64_t *counters)
{
    struct machine *m = machine_new(spec, exact);
    struct err e;

    for (int step = 0; step < 2; step++) {
        machine_reset(m);
        cr_assert_eq(machine_step(m, p, NULL, &e), 0, "%s", e.msg);
    }
    machine_statistics(m, sum_counters, counters);
    for (uint32_t c = 0; c < cores; c++)
        for (uint32_t r = 0; r < TASKS; r++)
            book[c * TASKS + r] = *machine_book(m, p, r, c);
    uint64_t end = machine_now(m);
    machine_free(m);
    return end;
}

static void expect_same(const char *name, const char *const *set, size_t n_set,
                        enum kernels kernels, int programs)
{
    struct machine_spec *spec;
    struct err e;
    uint64_t seed = 7;

    cr_assert_eq(spec_load(&spec, name, set, n_set, &e), 0, "%s", e.msg);
    uint32_t cores = spec->slice.cores;
    struct ledger_row *folded = calloc(cores * TASKS, sizeof *folded);
    struct ledger_row *walked = calloc(cores * TASKS, sizeof *walked);
    for (int i = 0; i < programs; i++) {
        struct task task[TASKS];
        struct task_program p = { .task = task, .n_tasks = TASKS, .n_rows = TASKS };
        for (uint32_t r = 0; r < TASKS; r++)
            task[r] = kernels == ROUND      ? round_task(&seed, r)
                      : kernels == COMPILED ? compiled_task(&seed, r, spec)
                      : kernels == LONG     ? long_task(&seed, r, spec)
                                            : random_task(&seed, r, spec);
        uint64_t counters[2] = { 0, 0 };
        uint64_t a = run_case(spec, &p, false, folded, cores, &counters[0]),
                 b = run_case(spec, &p, true, walked, cores, &counters[1]);
        cr_assert_eq(a, b, "%s, program %d: %lu fs, walked %lu", name, i, a, b);
        cr_assert_arr_eq(folded, walked, cores * TASKS * sizeof *folded, "%s, program %d", name, i);
        cr_assert_eq(counters[0], counters[1], "%s, program %d: counters", name, i);
    }
    free(folded);
    free(walked);
    spec_free(spec);
}

Test(fold, random_kernels_take_the_same_time_and_waits_on_v2)
{
    expect_same("tpu-v2-8", NULL, 0, ANY, 40);
}

Test(fold, random_kernels_take_the_same_time_and_waits_on_v3)
{
    expect_same("tpu-v3-8", NULL, 0, ANY, 40);
}

Test(fold, random_kernels_take_the_same_time_and_waits_with_another_array_clock)
{
    expect_same("tpu-v4-8", NULL, 0, ANY, 15);
}

/* A burst of HBM every 4 cycles, and costs as short, so that cores fall behind each other by whole
 * steps. */
static const char *const meeting[] = {
    "core.clock=1 GHz",      "hbm.bandwidth=512 GB/s", "hbm.efficiency=1", "dma.latency=0 s",
    "core.op_overhead=8 ns", "core.step_overhead=4",   "dma.issue=0"
};

Test(fold, random_kernels_take_the_same_time_and_waits_where_clocks_meet)
{
    expect_same("tpu-v3-8", meeting, 7, ANY, 40);
}

/* Flags that are set 8 cycles later, so that kernels take the shortcut as a whole. */
static const char *const meeting_whole[] = {
    "core.clock=1 GHz",       "hbm.bandwidth=512 GB/s", "hbm.efficiency=1", "dma.latency=8 ns",
    "core.op_overhead=24 ns", "core.step_overhead=4",   "dma.issue=0"
};

Test(fold, whole_kernels_take_the_same_time_and_waits)
{
    expect_same("tpu-v2-8", NULL, 0, LONG, 20);
    expect_same("tpu-v3-8", NULL, 0, LONG, 10);
    expect_same("tpu-v4-2", NULL, 0, LONG, 30);
    expect_same("tpu-v6e-1", NULL, 0, LONG, 40);
    expect_same("tpu-v3-8", meeting_whole, 7, LONG, 60);
}

Test(fold, short_turns_of_reads_and_writes_take_the_same_time_and_waits)
{
    const char *const set[] = { "hbm.turn=16 KiB", "hbm.request_overhead=3000 B",
                                "hbm.bandwidth=2 TB/s" };

    expect_same("tpu-v3-8", set, 3, LONG, 20);
}

Test(fold, where_whole_kernels_meet_at_hbm_the_same_one_goes_first)
{
    expect_same("tpu-v3-8", meeting_whole, 7, ROUND, 300);
    expect_same("tpu-v3-8", meeting_whole, 7, COMPILED, 40);
}

Test(fold, where_cores_meet_at_hbm_the_same_one_goes_first)
{
    expect_same("tpu-v3-8", meeting, 7, ROUND, 300);
}

Test(fold, compiled_kernels_and_what_goes_on_beside_them_take_the_same_time_and_waits)
{
    expect_same("tpu-v2-8", NULL, 0, COMPILED, 40);
    expect_same("tpu-v4-2", NULL, 0, COMPILED, 40);
    expect_same("tpu-v7-2", NULL, 0, COMPILED, 20);
    expect_same("tpu-v3-8", meeting, 7, COMPILED, 40);
}
