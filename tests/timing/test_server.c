/* A parameter server that serves cores one by one: steps and staleness worked out by hand. */
#include <string.h>

#include "bench.h"
#include "hw/host/client_server.h"
#include "machine/machine.h"
#include "plain_hbm.h"

#define MS UINT64_C(1000000000000) /* femtoseconds */
#define MB UINT64_C(1000000)

struct server_run {
    uint64_t fs; /* of the last step */
    uint64_t host, pcie, sync;
    struct client_server_stats server; /* in it */
};

static void look_at_client(void *self, const char *path, const struct stat_table *table,
                           const void *counters, uint64_t times)
{
    (void)path;
    (void)times;
    if (table == &client_server_stat_table)
        memcpy(self, counters, sizeof(struct client_server_stats));
}

/* `steps` steps of tasks of one row, of which the last counts. */
static struct server_run run_case(const char *machine, const char *latency, struct task *t,
                                  uint32_t n, int steps, bool exact)
{
    const char *const set[] = { "core.op_overhead=0 s", latency, PLAIN_HBM };
    struct task_program p = { .task = t, .n_tasks = n, .n_rows = 1 };
    struct server_run r = { 0 };
    struct machine_spec *s;
    struct err e;

    cr_assert_eq(spec_load(&s, machine, set, sizeof set / sizeof *set, &e), 0, "%s", e.msg);
    struct machine *m = machine_new(s, exact);
    for (int i = 0; i < steps; i++) {
        machine_reset(m);
        r.fs = machine_now(m);
        cr_assert_eq(machine_step(m, &p, i + 1 < steps ? &p : NULL, &e), 0, "%s", e.msg);
        r.fs = machine_now(m) - r.fs;
    }
    const struct ledger_row *b = machine_book(m, &p, 0, 0);
    r.host = b->time[CAUSE_HOST];
    r.pcie = b->time[CAUSE_PCIE];
    r.sync = b->time[CAUSE_SYNC];
    machine_statistics(m, look_at_client, &r.server);
    machine_free(m);
    spec_free(s);
    return r;
}

/* All cores of a host work for `compute` together, then each sends `up` bytes, and the server works
 * `update` for it and sends `down` back. */
static void make_step(struct task t[2], uint64_t compute, uint64_t up, uint64_t update,
                      uint64_t down, uint32_t staleness)
{
    t[0] = (struct task){
        .kind = TASK_HOST,
        .host = { .cpu_fs = compute, .threads = 1, .readers = 1, .cause = CAUSE_HOST }
    };
    t[1] = (struct task){ .kind = TASK_HOST,
                          .host = { .up = up,
                                    .down = down,
                                    .cpu_fs = update,
                                    .threads = 1,
                                    .readers = 1,
                                    .client = true,
                                    .cause = CAUSE_HOST,
                                    .staleness = staleness } };
}

/* Waits end at edges of 700 MHz. */
static void expect_near(uint64_t got, uint64_t want, const char *what)
{
    cr_expect(got + 3000000 >= want && got <= want + 3000000, "%s: %llu fs, expected %llu", what,
              (unsigned long long)got, (unsigned long long)want);
}

/* 8 cores of 5 ms each: the server makes a round in 40 ms, while they work for 20.  With all calls
 * open that may be, 8 x 2 or 8 x 4, all others come before one's next. */
Test(server, a_server_that_is_slower_than_its_workers_sets_the_pace)
{
    struct task t[2];

    make_step(t, 20 * MS, 0, 5 * MS, 0, 1);
    struct server_run r = run_case("tpu-v2-8", "client.latency=0 s", t, 2, 6, false);
    expect_near(r.fs, 40 * MS, "a step");
    cr_expect_eq(r.server.updates, 8);
    cr_expect_eq(r.server.missed, 8 * 15, "%lu", r.server.missed);
    expect_near(r.server.updating, 40 * MS, "the server never rests");
    cr_expect_eq(r.host + r.pcie + r.sync, r.fs, "the causes are the step");
    cr_expect_eq(run_case("tpu-v2-8", "client.latency=0 s", t, 2, 6, true).fs, r.fs, "walked");

    make_step(t, 20 * MS, 0, 5 * MS, 0, 3);
    r = run_case("tpu-v2-8", "client.latency=0 s", t, 2, 10, false);
    expect_near(r.fs, 40 * MS, "a step");
    cr_expect_eq(r.server.missed, 8 * 31, "%lu", r.server.missed);
}

/* The weights read are one round old: the last answer came while the next gradients were worked
 * out. */
Test(server, workers_that_are_slower_than_the_server_do_not_wait_for_it)
{
    struct task t[2];

    for (uint32_t staleness = 1; staleness <= 3; staleness += 2) {
        make_step(t, 100 * MS, 0, 5 * MS, 0, staleness);
        struct server_run r = run_case("tpu-v2-8", "client.latency=0 s", t, 2, 10, false);
        expect_near(r.fs, 100 * MS, "a step");
        expect_near(r.server.updating, 40 * MS, "8 updates");
        cr_expect_eq(r.server.missed, 8 * 15, "%lu", r.server.missed);
    }
}

/* 20 MB in at 2 GB/s are 10 ms, 30 MB out 15 ms, beside 5 ms of work: out is slowest, 8 x 15. */
Test(server, what_comes_in_is_received_beside_what_goes_out)
{
    struct task t[2];

    make_step(t, 20 * MS, 20 * MB, 5 * MS, 30 * MB, 1);
    struct server_run r = run_case("tpu-v2-8", "client.latency=0 s", t, 2, 6, false);
    expect_near(r.fs, 120 * MS, "a step");
    expect_near(r.server.receiving, 80 * MS, "in");
    expect_near(r.server.updating, 40 * MS, "work");
    expect_near(r.server.sending, 120 * MS, "out");
    cr_expect_eq(r.server.missed, 8 * 15, "%lu", r.server.missed);
    cr_expect_eq(run_case("tpu-v2-8", "client.latency=0 s", t, 2, 6, true).fs, r.fs, "walked");
    /* a message of nothing takes its latency: 8 x 2 ms each way */
    make_step(t, 5 * MS, 0, 1 * MS, 0, 1);
    r = run_case("tpu-v2-8", "client.latency=2 ms", t, 2, 6, false);
    expect_near(r.fs, 16 * MS, "a step of latencies");
}

/* Alone, a core sends and goes on: 30 ms of the server and 20 of its own are 30, not 50. */
Test(server, one_worker_overlaps_its_work_with_the_update)
{
    struct task t[2];

    make_step(t, 20 * MS, 0, 30 * MS, 0, 1);
    struct server_run r = run_case("tpu-v3-1", "client.latency=0 s", t, 2, 6, false);
    expect_near(r.fs, 30 * MS, "a step");
    cr_expect_eq(r.server.updates, 1);
    cr_expect_eq(r.server.missed, 1, "%lu", r.server.missed);
    t[1].host.staleness = 0;
    expect_near(run_case("tpu-v3-1", "client.latency=0 s", t, 2, 6, false).fs, 50 * MS, "together");
}

Test(server, hosts_take_turns)
{
    struct task t[2];

    make_step(t, 10 * MS, 0, 1 * MS, 0, 2);
    struct server_run r = run_case("tpu-v2-32", "client.latency=0 s", t, 2, 8, false);
    expect_near(r.fs, 32 * MS, "32 cores");
    cr_expect_eq(r.server.updates, 32);
    cr_expect_eq(r.server.missed, 32 * (32 * 3 - 1), "%lu", r.server.missed);
}

/* All that may be open is, in both directions, beside input and calls that all cores wait for. */
Test(server, nothing_stands_still_with_all_calls_open)
{
    struct task t[6];

    make_step(t, 1 * MS, 3 * MB, 2 * MS, 5 * MB, TASK_MAX_STALENESS);
    t[2] = (struct task){ .kind = TASK_INFEED, .feed.bytes = MB, .feed.handled = MB };
    t[3] = (struct task){
        .kind = TASK_OUTFEED, .feed.bytes = 4, .feed.sync = true, .async = TASK_START
    };
    t[4] = t[1];
    t[5] = t[3];
    t[5].async = TASK_DONE;
    t[5].start = 3;
    struct server_run r = run_case("tpu-v2-32", "client.latency=0 s", t, 6, 40, false);
    /* 64 calls of 2.5 ms out */
    expect_near(r.fs, 160 * MS, "a step");
    struct server_run walked = run_case("tpu-v2-32", "client.latency=0 s", t, 6, 40, true);
    cr_expect_eq(walked.fs, r.fs);
    cr_expect_eq(walked.server.missed, r.server.missed);
}
