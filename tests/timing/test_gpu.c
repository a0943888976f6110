/* A GPU: the femtosecond at which its SMs, its L2, its kernels and its launches are done, worked
 * out by hand, walked and folded alike. */
#include "bench.h"
#include "hw/gpu/gpu_core.h"
#include "machine/machine.h"
#include <string.h>

Test(gpu, sms_take_the_cycles_of_the_longest_pipe)
{
    for (int fold = 0; fold < 2; fold++) {
        struct des *sim = des_new();
        struct sms u;
        struct sms_params par;
        struct gpu_step_done d;
        param_defaults(&sms_param_table, &par);
        sms_init(&u, sim, (struct des_module){ 0 }, &par, 1000000000, fold ? lane_fold : NULL);
        struct des_out cmd = bench_drive(sim, "cmd", u.cmd, sizeof(struct gpu_step), 2);
        struct des_in done = bench_watch(sim, "done", u.done, sizeof d, 2);
        bench_start(sim);
        struct gpu_step step = { .cycles = { [GRID_TENSOR] = 7, [GRID_FMA] = 30, [GRID_SFU] = 5 },
                                 .sm_cycles = 1200 };
        des_put(sim, cmd, &step);
        bench_tight(sim, done, &d, 30000000); /* 30 cycles of 1 ns */
        cr_expect_eq(u.st.busy, 1200);
        cr_expect_eq(u.st.tensor, 7);
        cr_expect_eq(u.st.fma, 30);
        des_free(sim);
    }
}

/* 1 TB/s: 1 MB takes 1 us one way.  A hit answers 100 ns after its last byte, a miss 50 ns later.
 */
static void make_cache(struct des *sim, struct l2 *c)
{
    struct l2_params par = { 6 << 20, 1000000000000, 100000000, 50000000 };

    l2_init(c, sim, (struct des_module){ 0 }, &par);
}

Test(gpu, an_access_that_hits_passes_the_cache_alone)
{
    struct des *sim = des_new();
    struct gpu_access_done d;
    struct l2 c;

    make_cache(sim, &c);
    struct des_out access = bench_drive(sim, "access", c.access, sizeof(struct gpu_access), 8);
    struct des_in done = bench_watch(sim, "done", c.done, sizeof d, 8);
    bench_watch(sim, "request", c.request, sizeof(struct mem_request), 8);
    bench_drive(sim, "reply", c.reply, sizeof(struct mem_done), 8);
    bench_start(sim);
    struct gpu_access a = { .flow = { 1000000, 0 } };
    des_put(sim, access, &a);
    des_put(sim, access, &a);
    a.write = true;
    des_put(sim, access, &a);
    des_run(sim, 0);
    cr_assert(des_get(sim, done, &d));
    cr_expect_eq(d.at, 1100000000);
    cr_assert(des_get(sim, done, &d));
    cr_expect_eq(d.at, 2100000000, "the second waits for the first on their path");
    cr_assert(des_get(sim, done, &d));
    cr_expect_eq(d.at, 1100000000, "writes have a path of their own");
    cr_expect(d.write && d.cached);
    cr_expect_eq(c.st.bytes, 3000000);
    cr_expect_eq(c.st.missed, 0);
    des_free(sim);
}

Test(gpu, an_access_that_misses_waits_for_memory)
{
    struct des *sim = des_new();
    struct gpu_access_done d;
    struct mem_request q;
    struct l2 c;

    make_cache(sim, &c);
    struct des_out access = bench_drive(sim, "access", c.access, sizeof(struct gpu_access), 8);
    struct des_in done = bench_watch(sim, "done", c.done, sizeof d, 8);
    struct des_in request = bench_watch(sim, "request", c.request, sizeof q, 8);
    struct des_out reply = bench_drive(sim, "reply", c.reply, sizeof(struct mem_done), 8);
    struct des_event later = des_event_new(sim, (struct des_module){ 0 }, "later");
    bench_start(sim);
    des_notify_after(sim, later, 3000000000);
    des_put(sim, access, &(struct gpu_access){ .flow = { 1000000, 400000 } });
    des_run(sim, 3000000000);
    cr_assert_not(des_get(sim, done, &d), "memory has not answered");
    cr_assert(des_get(sim, request, &q));
    cr_expect_eq(q.move.bytes, 400000);
    des_put(sim, reply, &(struct mem_done){ false });
    des_run(sim, 3000000000);
    cr_assert(des_get(sim, done, &d));
    cr_expect_eq(d.at, 3150000000, "memory answered after 3 us");
    cr_expect_not(d.cached);
    cr_expect_eq(c.st.missed, 400000);
    des_free(sim);
}

struct level {
    uint64_t value[8];
    uint32_t n;
};

static void note_level(struct des *sim, void *self, uint32_t tag, uint64_t value)
{
    struct level *l = self;

    (void)sim, (void)tag;
    cr_assert_lt(l->n, 8);
    l->value[l->n++] = value;
}

/* Two reads and a write that memory answers one after the other. */
Test(gpu, accesses_without_an_answer_are_shown)
{
    static const bool answers[] = { true, false, false };
    static const uint64_t levels[] = { 3, 2, 1, 0 };
    struct des *sim = des_new();
    struct level seen = { .n = 0 };
    struct l2 c;

    make_cache(sim, &c);
    struct des_out access = bench_drive(sim, "access", c.access, sizeof(struct gpu_access), 8);
    bench_watch(sim, "done", c.done, sizeof(struct gpu_access_done), 8);
    bench_watch(sim, "request", c.request, sizeof(struct mem_request), 8);
    struct des_out reply = bench_drive(sim, "reply", c.reply, sizeof(struct mem_done), 8);
    des_watch(sim, des_probe_at(c.show, 0), note_level, &seen, 0);
    bench_start(sim);
    for (int i = 0; i < 3; i++)
        des_put(sim, access, &(struct gpu_access){ .flow = { 1000, 1000 }, .write = i == 1 });
    des_run(sim, 0);
    for (int i = 0; i < 3; i++) {
        des_put(sim, reply, &(struct mem_done){ answers[i] });
        des_run(sim, 0);
    }
    cr_assert_eq(seen.n, 4);
    cr_expect_arr_eq(seen.value, levels, sizeof levels);
    des_free(sim);
}

/* A V100 of round numbers: 1 GHz, 1 us a kernel, 0.5 us between two, 7 us from a launch to its
 * kernel. */
static const char *round_gpu[] = { "gpu.clock=1 GHz", "gpu.kernel_time=1 us",
                                   "gpu.kernel_gap=0.5 us", "launch.latency=7 us",
                                   "launch.places=1024" };

/* Femtoseconds of a step of `n` kernels. */
static des_time time_of_step(struct task *task, uint32_t n, bool exact)
{
    struct task_program p = { .task = task, .n_tasks = n, .n_rows = n };
    struct machine_spec *spec;
    struct err err;

    cr_assert_eq(spec_load(&spec, "v100-sxm2-16gb", round_gpu, 5, &err), 0, "%s", err.msg);
    struct machine *m = machine_new(spec, exact);
    cr_assert_eq(machine_step(m, &p, NULL, &err), 0, "%s", err.msg);
    des_time t = machine_now(m);
    machine_free(m);
    spec_free(spec);
    return t;
}

/* The host thread works 10 us for a kernel (launch_queue.h), which reaches an idle GPU 7 us later.
 *
 * 32 steps of 100 cycles in the CUDA cores, nothing to read or write. */
static struct task compute_kernel(uint32_t row, uint64_t host_us)
{
    return (struct task){ .kind = TASK_GRID,
                          .row = row,
                          .grid = { .steps = 32,
                                    .blocks = 80,
                                    .waves = 1,
                                    .cycles = { [GRID_FMA] = 3200, [GRID_TENSOR] = 1000 },
                                    .sm_cycles = 256000,
                                    .host_fs = host_us * 1000000000 } };
}

Test(gpu, a_kernel_takes_its_fixed_time_and_its_cycles)
{
    struct task t[2] = { compute_kernel(0, 0), compute_kernel(1, 0) };

    for (int exact = 0; exact < 2; exact++) {
        cr_expect_eq(time_of_step(t, 1, exact), UINT64_C(4200000000));
        /* the second begins half a microsecond after the first has ended */
        cr_expect_eq(time_of_step(t, 2, exact), UINT64_C(8900000000));
    }
}

Test(gpu, a_kernel_waits_for_a_host_that_is_late)
{
    struct task t[2] = { compute_kernel(0, 10), compute_kernel(1, 10) };

    for (int exact = 0; exact < 2; exact++) {
        cr_expect_eq(time_of_step(t, 1, exact), UINT64_C(21200000000), "10 + 7 + 1 + 3.2");
        cr_expect_eq(time_of_step(t, 2, exact), UINT64_C(31200000000), "20 + 7 + 1 + 3.2");
    }
    /* the second is launched while the first runs */
    t[0].grid.cycles[GRID_FMA] = 64000;
    cr_expect_eq(time_of_step(t, 2, false), UINT64_C(86700000000), "17 + 1 + 64, 0.5 + 1 + 3.2");
}

/* The first of four kernels runs from 17 to 82 us.  A host that may be ahead by one kernel holds
 * the second back in its one place until half a microsecond later, so it begins to launch the
 * fourth at 82.5 us. */
Test(gpu, a_host_is_ahead_by_so_many_kernels)
{
    struct task t[4] = { compute_kernel(0, 10), compute_kernel(1, 10), compute_kernel(2, 10),
                         compute_kernel(3, 10) };

    t[0].grid.cycles[GRID_FMA] = 64000;
    for (int exact = 0; exact < 2; exact++) {
        round_gpu[4] = "launch.places=1024";
        cr_expect_eq(time_of_step(t, 4, exact), UINT64_C(96100000000), "82 + 3 (0.5 + 1 + 3.2)");
        round_gpu[4] = "launch.places=1";
        cr_expect_eq(time_of_step(t, 4, exact), UINT64_C(103700000000), "82.5 + 10 + 7 + 1 + 3.2");
    }
}

/* 1 MB that the L2 holds passes at 1 TB/s, and is known of 100 ns later: 1 us of the kernel, 1.1 of
 * reading, 100 cycles, 1.1 of writing. */
Test(gpu, a_kernel_waits_for_what_the_cache_holds)
{
    static const char *const set[] = { "gpu.clock=1 GHz", "gpu.kernel_time=1 us",
                                       "l2.bandwidth=1 TB/s", "l2.latency=100 ns",
                                       "launch.latency=0 s" };
    struct task t = compute_kernel(0, 0);

    t.grid.steps = 1;
    t.grid.cycles[GRID_FMA] = t.grid.cycles[GRID_TENSOR] = 100;
    t.grid.in = t.grid.out = (struct task_flow){ 1000000, 0 };
    for (size_t i = 0; i < 5; i++)
        round_gpu[i] = set[i];
    for (int exact = 0; exact < 2; exact++)
        cr_expect_eq(time_of_step(&t, 1, exact), UINT64_C(3300000000));
}

/* HBM of a V100 in a step that moves 64 MiB each way, of which the L2 holds nothing: the bytes take
 * more than their time at the peak, and at most a sixth more at 0.98 between refreshes of 260 ns.
 */
Test(gpu, a_kernel_that_streams_takes_the_time_of_its_bytes)
{
    struct task t = compute_kernel(0, 0);

    t.grid.cycles[GRID_FMA] = t.grid.cycles[GRID_TENSOR] = 32;
    t.grid.in = t.grid.out = (struct task_flow){ 64 << 20, 64 << 20 };
    des_time folded = time_of_step(&t, 1, false);
    cr_expect_eq(time_of_step(&t, 1, true), folded);
    double least = 2.0 * (64 << 20) / 900e9 * 1e15;
    cr_expect_gt((double)folded, least);
    cr_expect_lt((double)folded, 1.2 * least);
}
