/* Operations that take more than an hour of simulated time: each kind of task just within it, and
 * a femtosecond or cycle beyond. */
#include "base/units.h"
#include "kernels/net/collective.h"
#include "run/job/job.h"
#include "tests/unit/trace/trace_helper.h"

#define SECOND UINT64_C(1000000000000000)
#define GB UINT64_C(1000000000)
#define MHZ UINT64_C(1000000)

struct bench {
    struct trace *t;
    struct step step;
    struct job j;
};

#define ONE "%a f32[8] = infeed()\n"

/* A step, of one operation but for loops, on a machine whose cores have 100 GB/s of memory each. */
static void set_up_step(struct bench *b, const char *body, const char *machine,
                        const char *const *set, size_t n)
{
    static const struct run_request usual = { .steps = 0 };
    struct machine_spec *s;
    char text[128];
    struct err e;

    *b = (struct bench){ 0 };
    snprintf(text, sizeof text, "cyclotron-trace 1\nsamples step=1\nstep {\n%s}\n", body);
    b->t = open_text(text, false);
    step_init(&b->step);
    cr_assert_eq(step_read_tensors(&b->step, b->t, &e), 0, "%s", e.msg);
    cr_assert_eq(step_read_next(&b->step, b->t, &e), 1, "%s", e.msg);
    cr_assert_eq(spec_load(&s, machine, set, n, &e), 0, "%s", e.msg);
    b->j = (struct job){ .q = &usual, .spec = s, .loaded = s, .trace = b->t };
    spec_cap(s, &b->j.cap);
    b->j.cap.hbm_bytes_per_s = 100 * GB;
}

static void set_up(struct bench *b, const char *machine, const char *const *set, size_t n)
{
    set_up_step(b, ONE, machine, set, n);
}

static void take_down(struct bench *b)
{
    spec_free(b->j.loaded);
    step_free(&b->step);
    trace_close(b->t);
}

static bool is_refused(struct bench *b, struct task *t, struct task_call *call)
{
    struct job_step s = { .program = { .task = t, .n_tasks = 1, .call = call, .n_calls = 1 } };
    struct err e;

    return job_check_time(&b->j, &s, &b->step, &e) != 0;
}

/* `*rest` is what remains of the hour. */
static void expect_hour(struct bench *b, struct task *t, struct task_call *call, uint64_t *rest,
                        uint64_t value)
{
    *rest = value;
    cr_expect(!is_refused(b, t, call), "within an hour");
    *rest = value + 1;
    cr_expect(is_refused(b, t, call), "beyond an hour");
}

/* 2 + 1 s for tiles, 3 s for what is resident, 1 s of feeding from CMEM; 280 cycles of overhead. */
Test(limit, a_kernel)
{
    struct bench b;
    struct task t = { .kind = TASK_KERNEL,
                      .kernel = { .grid_steps = 10,
                                  .chain_cycles = 3,
                                  .sum_cycles = 4,
                                  .resident_in = 100 * GB,
                                  .resident_out = 200 * GB,
                                  .block = { 1, 100, 128, 256 },
                                  .all = { .in = { .bytes = 200 * GB },
                                           /* 1,000 * 2 * (952 + 2,048) B to open and move rows */
                                           .out = { 100 * GB - 6000000, 1000, 952 },
                                           .gemm = { 1, 1000, 128, 256, 0 },
                                           .vpu = { [VECTOR_ADD] = 500 },
                                           .xlu = 100,
                                           .loads = 30,
                                           .stores = 50,
                                           .picked = 500,
                                           .feed = 5000 * GB } } };
    /* (115 + 3 + 4) of grid steps, 12 of the XLU for a register, 4 for a row that is picked; blocks
     * twice: 2 tiles of 64 cycles to load and 104 rows */
    uint64_t cycles = 10 * 122 + 500 + 100 * 12 + 30 + 50 + 1500 * 4 + 10 * 2 * 2 * (64 + 104);

    set_up(&b, "tpu-v2-8", NULL, 0);
    expect_hour(&b, &t, NULL, &t.kernel.extra_cycles, 3593 * 700 * MHZ - 280 - cycles);
    take_down(&b);
}

Test(limit, work_of_the_scalar_unit)
{
    struct bench b;
    struct task t = { .kind = TASK_SCALAR };

    set_up(&b, "tpu-v2-8", NULL, 0);
    expect_hour(&b, &t, NULL, &t.scalar.cycles, 3600 * 700 * MHZ);
    take_down(&b);
}

/* 20 ps a byte each way, and 125 ps over PCIe for both cores of a chip. */
Test(limit, a_copy)
{
    struct bench b;
    struct task t = { .kind = TASK_COPY, .copy.out = 1000 * GB };

    set_up(&b, "tpu-v2-8", NULL, 0);
    expect_hour(&b, &t, NULL, &t.copy.in, (3600 * SECOND - 400000000) / 20000 - 1000 * GB);
    t.copy.host = true;
    expect_hour(&b, &t, NULL, &t.copy.in, (3600 * SECOND - 400000000) / 145000 - 1000 * GB);
    take_down(&b);
}

/* 4 s for rows and bytes, moved twice; 1.4 us of overhead and launch, 980 cycles. */
Test(limit, a_kernel_of_sparsecores)
{
    struct bench b;
    struct task t = { .kind = TASK_SPARSE,
                      .sparse = { { 100 * GB - 6000000, 1000, 952 }, { 100 * GB, 0, 0 }, 0 } };

    set_up(&b, "tpu-v2-8", NULL, 0);
    expect_hour(&b, &t, NULL, &t.sparse.operations, 3596 * 700 * MHZ - 980);
    take_down(&b);
}

/* All 8 cores: 8 s to handle bytes, 1 s of PCIe for the two of a chip; 8 GB at the 50 MB/s of far
 * storage, 160 s, and 476 + 3 + 1 requests of 0.25 s; the CPU works 8 times. */
Test(limit, an_infeed)
{
    struct bench b;
    struct task t = {
        .kind = TASK_INFEED,
        .feed = { .bytes = 8 * GB, .handled = 5700000000, .work = { .load_bytes = GB, .loads = 3 } }
    };
    uint64_t fixed = UINT64_C(1700000000000) + UINT64_C(120000000000) + 400000000;

    set_up(&b, "tpu-v2-8", NULL, 0);
    expect_hour(&b, &t, NULL, &t.feed.work.cpu_fs, (3311 * SECOND - fixed) / 8);
    take_down(&b);
}

/* The client loads 1 GB once: 20 s, and 59 + 3 + 1 requests of 0.25 s; all cores send and receive
 * 16 GB at 2 GB/s; 42 ms to start again. */
Test(limit, work_of_the_host)
{
    struct bench b;
    struct task t = { .kind = TASK_HOST,
                      .host = { .up = GB,
                                .down = GB,
                                .load_bytes = GB,
                                .loads = 3,
                                .cpu_fs = 10 * SECOND,
                                .copy_fs = 5 * SECOND,
                                .client = true } };
    uint64_t fixed = UINT64_C(42000000000000) + 400000000;

    set_up(&b, "tpu-v2-8", NULL, 0);
    expect_hour(&b, &t, NULL, &t.host.compile_fs, 3541 * SECOND + SECOND / 4 - fixed);
    /* each core by itself: 80 s of CPU, 160 s and 480 requests to load */
    t.host.client = false;
    t.host.staleness = 1;
    expect_hour(&b, &t, NULL, &t.host.compile_fs, 3227 * SECOND - fixed);
    take_down(&b);
}

/* Cycles of all pipes at 1.53 GHz, twice the bytes of memory, those of the L2 at 2,155 GB/s. */
Test(limit, a_kernel_of_a_gpu)
{
    struct bench b;
    struct task t = { .kind = TASK_GRID,
                      .grid = { .fixed_cycles = 1530 * MHZ,
                                .cycles = { [GRID_FMA] = 1530 * MHZ, [GRID_TENSOR] = 3060 * MHZ },
                                .in = { 2155 * GB, 100 * GB },
                                .out = { 4310 * GB, 200 * GB } } };

    /* 4 s, 6 s and 3 s; 1.6 us, 0.75 us and 7 us */
    set_up(&b, "v100x1", NULL, 0);
    expect_hour(&b, &t, NULL, &t.grid.host_fs, 3587 * SECOND - UINT64_C(9350000000));
    take_down(&b);
}

/* 3 s of cycles at 2.2 GHz, 6 s for twice the bytes of memory. */
Test(limit, an_operation_of_a_cpu)
{
    struct bench b;
    struct task t = {
        .kind = TASK_POOL,
        .pool = { .cycles = { 2200 * MHZ, 4400 * MHZ }, .read = 100 * GB, .written = 200 * GB }
    };

    set_up(&b, "xeon-6148", NULL, 0);
    expect_hour(&b, &t, NULL, &t.pool.dispatch_fs, 3591 * SECOND);
    take_down(&b);
}

/* A sum of 4 GB over two slices of two chips. HBM: four times, 0.16 s. Links: 0.1 s and two steps
 * of 1 us. Between slices each chip sends 2 GB in two steps of a part each: 0.125 s of PCIe twice,
 * five times through the 500 GB/s of a chip, 0.02 s; cards, 1 s and 2,002 messages of 2 us, for two
 * chips through half of a network, 4.016016 s; two steps of 10 us. 0.4 us of overhead. */
Test(limit, a_collective_over_slices)
{
    static const char *const set[] = { "slice.cores=2",          "slice.cores_per_chip=1",
                                       "slice.mesh_x=2",         "slice.mesh_y=1",
                                       "slice.chips_per_host=2", "dcn.slices=2",
                                       "dcn.bandwidth=2 GB/s",   "dcn.message=1000000 B",
                                       "dcn.bisection=0.5",      "hbm.bandwidth=500 GB/s",
                                       "ici.bandwidth=40 GB/s" };
    struct collective sum = { .kind = SCHEDULE_ALL_REDUCE,
                              .algorithm = SCHEDULE_RING_ONE_WAY,
                              .bytes = 4 * GB,
                              .element = 4 };
    struct bench b;
    struct task t = { .kind = TASK_COLLECTIVE, .collective.count = 1 };
    struct task_call call;
    struct err e;

    set_up(&b, "tpu-v2-8", set, sizeof set / sizeof *set);
    cr_assert_eq(collective_plan(&call, &sum, &b.j.cap, &e), 0, "%s", e.msg);
    expect_hour(&b, &t, &call, &call.schedule.flow.wait_fs,
                3600 * SECOND - UINT64_C(4546038400000000));
    take_down(&b);
}

/* A step that asks five units at once takes at least a fifth of the sum: 34,000 s for 6,800. */
Test(limit, a_step)
{
    struct task t[] = { { .kind = TASK_REPEAT, .loop.trips = 10 },
                        { .kind = TASK_SCALAR },
                        { .kind = TASK_END } };
    struct job_step s = { .program = { .task = t, .n_tasks = 3 } };
    struct bench b;
    struct err e;

    set_up_step(&b, "repeat 10 {\n" ONE "}\n", "tpu-v2-8", NULL, 0);
    t[1].scalar.cycles = 3400 * 700 * MHZ;
    cr_expect_eq(job_check_time(&b.j, &s, &b.step, &e), 0, "%s", e.msg);
    t[1].scalar.cycles++;
    cr_expect_eq(job_check_time(&b.j, &s, &b.step, &e), -1);
    cr_expect(strstr(e.msg, "a step takes more than 6800 s"), "%s", e.msg);
    take_down(&b);
}

/* A kernel of n grid steps counts n + 1, 10 times; 100,000,000 are too many for eight cores. */
Test(limit, work_to_simulate)
{
    struct task t[] = { { .kind = TASK_REPEAT, .loop.trips = 10 },
                        { .kind = TASK_KERNEL, .kernel.grid_steps = 1249999 },
                        { .kind = TASK_END } };
    struct job_step s = { .program = { .task = t, .n_tasks = 3 } };
    struct bench b;
    struct err e;

    set_up_step(&b, "repeat 10 {\n" ONE "}\n", "tpu-v2-8", (const char *[]){ "dram.refi=1 s" },
                1); /* no refresh to count */
    b.j.step = &s;
    b.j.n_steps = 1;
    cr_expect_eq(job_check_time(&b.j, &s, &b.step, &e), 0, "%s", e.msg);
    cr_expect_eq(s.work, 12500000, "%lu", s.work);
    cr_expect_eq(job_check_work(&b.j, 8, &e), 0);
    cr_expect_eq(job_check_work(&b.j, 9, &e), -1);
    take_down(&b);
}

/* 32 refreshes of 3.9 us are two grid steps, and each operation counts as one more. */
Test(limit, grid_steps_and_refreshes_are_work)
{
    struct run_request request = { .allow.grid_steps = 3 };
    struct bench b;

    set_up(&b, "xeon-6148", (const char *[]){ "dram.refi=3.9 us", "cpu.clock=1 GHz" }, 2);
    b.j.q = &request;
    struct task t = { .kind = TASK_POOL, .pool = { .steps = 1 } };
    t.pool.cycles[0] = 62400; /* 16 * 3.9 us: 1 + 1 + 1 */
    cr_expect(!is_refused(&b, &t, NULL));
    t.pool.cycles[0] = 124799;
    cr_expect(!is_refused(&b, &t, NULL));
    t.pool.cycles[0] = 124800;
    cr_expect(is_refused(&b, &t, NULL));
    t.pool.cycles[0] = 62400;
    t.pool.steps = 2;
    cr_expect(is_refused(&b, &t, NULL));
    request.allow.grid_steps = 4;
    cr_expect(!is_refused(&b, &t, NULL));
    take_down(&b);
}

/* A ring of the four chips of a v2-8 has 2 * 3 steps; an operation counts as one, a call as another
 * step: 3 * (6 + 1) + 1. What NCCL does on a box of GPUs is one step: 3 * (1 + 1) + 1. */
Test(limit, collectives_are_work)
{
    static const struct {
        const char *machine;
        uint64_t work;
    } rows[] = { { "tpu-v2-8", 22 }, { "v100x8", 7 } };

    for (unsigned i = 0; i < 2; i++) {
        struct collective sum = {
            .kind = SCHEDULE_ALL_REDUCE, .algorithm = SCHEDULE_RING, .bytes = 4096, .element = 4
        };
        struct run_request request = { .allow.grid_steps = rows[i].work };
        struct task t = { .kind = TASK_COLLECTIVE, .collective.count = 1 };
        struct task_call call;
        struct bench b;
        struct err e;
        set_up(&b, rows[i].machine, (const char *[]){ "dram.refi=1 s" }, 1);
        cr_assert_eq(collective_plan(&call, &sum, &b.j.cap, &e), 0, "%s", e.msg);
        b.j.q = &request;
        cr_expect(!is_refused(&b, &t, &call), "%s", rows[i].machine);
        request.allow.grid_steps--;
        cr_expect(is_refused(&b, &t, &call), "%s", rows[i].machine);
        take_down(&b);
    }
}
