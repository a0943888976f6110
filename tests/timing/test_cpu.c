/* A node of CPUs: the femtosecond at which its cores and its operations are done, worked out by
 * hand, walked and folded alike. */
#include "bench.h"
#include "hw/cpu/cpu_node.h"
#include "machine/machine.h"

Test(cpu, cores_take_the_cycles_of_the_one_with_the_most)
{
    for (int fold = 0; fold < 2; fold++) {
        struct des *sim = des_new();
        struct cpu_cores u;
        struct cpu_cores_params par;
        struct cores_done d;
        param_defaults(&cpu_cores_param_table, &par);
        cpu_cores_init(&u, sim, (struct des_module){ 0 }, &par, 1000000000,
                       fold ? lane_fold : NULL);
        struct des_out work = bench_drive(sim, "work", u.work, sizeof(struct cores_work), 2);
        struct des_in done = bench_watch(sim, "done", u.done, sizeof d, 2);
        bench_start(sim);
        des_put(sim, work, &(struct cores_work){ 30, 12 });
        bench_tight(sim, done, &d, 30000000); /* 30 cycles of 1 ns */
        cr_expect_eq(u.st.any, 30);
        cr_expect_eq(u.st.busy, 360, "30 cycles of 12 cores");
        des_free(sim);
    }
}

/* Femtoseconds of a step of `n` operations at 1 GHz. */
static des_time time_of_step(struct task *task, uint32_t n, bool exact)
{
    static const char *const round_clock[] = { "cpu.clock=1 GHz" };
    struct task_program p = { .task = task, .n_tasks = n, .n_rows = n };
    struct machine_spec *spec;
    struct err err;

    cr_assert_eq(spec_load(&spec, "xeon-6148", round_clock, 1, &err), 0, "%s", err.msg);
    struct machine *m = machine_new(spec, exact);
    cr_assert_eq(machine_step(m, &p, NULL, &err), 0, "%s", err.msg);
    des_time t = machine_now(m);
    machine_free(m);
    spec_free(spec);
    return t;
}

/* 4 steps on 40 threads that begin after 10 us. */
static struct task compute_operation(uint32_t row)
{
    return (struct task){ .kind = TASK_POOL,
                          .row = row,
                          .pool = { .steps = 4,
                                    .threads = 40,
                                    .cycles = { [POOL_SERIAL] = 400,
                                                [POOL_PAGES] = 1000,
                                                [POOL_CORES] = 3200,
                                                [POOL_CACHE] = 1000,
                                                [POOL_NUMA] = 3000 },
                                    .dispatch_fs = 10000000000 } };
}

Test(cpu, an_operation_is_dispatched_and_takes_its_parts)
{
    struct task t[2] = { compute_operation(0), compute_operation(1) };

    for (int exact = 0; exact < 2; exact++) {
        cr_expect_eq(time_of_step(t, 1, exact), UINT64_C(14600000000), "10 + 0.4 + 1 + 3.2 us");
        cr_expect_eq(time_of_step(t, 2, exact), UINT64_C(29200000000), "one after the other");
    }
    /* of parts that overlap the longest counts */
    t[0].pool.cycles[POOL_NUMA] = 4000;
    cr_expect_eq(time_of_step(t, 1, false), UINT64_C(15400000000), "10 + 0.4 + 1 + 4 us");
}

/* 64 MiB each way at 255.9 GB/s take 524.5 us at the peak, at 0.8 of it between refreshes 656 us;
 * refreshes and turns of the bus take up to a tenth more.  Cores that work longer hide them. */
Test(cpu, memory_overlaps_with_the_cores)
{
    struct task t = compute_operation(0);

    t.pool.read = t.pool.written = 64 << 20;
    des_time folded = time_of_step(&t, 1, false);
    cr_expect_eq(time_of_step(&t, 1, true), folded);
    cr_expect_gt(folded, UINT64_C(656000000000));
    cr_expect_lt(folded, UINT64_C(732000000000));
    t.pool.cycles[POOL_CORES] = 4000000;
    cr_expect_eq(time_of_step(&t, 1, false), UINT64_C(4011400000000), "10 + 0.4 + 1 + 4000 us");
}
