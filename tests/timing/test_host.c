/* Hosts, the client and storage to the cycle; answers were worked out by hand. */
#include <string.h>

#include "bench.h"
#include "hw/host/client.h"
#include "hw/host/cpu.h"
#include "hw/host/storage.h"
#include "machine/machine.h"
#include "plain_hbm.h"

#define MS UINT64_C(1000000000000) /* femtoseconds */
#define US UINT64_C(1000000000)
#define MB UINT64_C(1000000)

enum { RUNS = 3 };

struct run {
    uint64_t fs;              /* of the last step */
    uint64_t cause[N_CAUSES]; /* of core 0 in it */
};

/* Steps of one task on a slice, of which the last counts. */
static struct run run_set(const char *machine, const char *setting, const struct task *t,
                          bool exact)
{
    const char *const set[] = { "core.op_overhead=0 s",
                                "storage.latency=50 ms",
                                "storage.request=16 MiB",
                                "storage.stream_bandwidth=250 MB/s",
                                "client.latency=0 s",
                                PLAIN_HBM,
                                setting };
    struct machine_spec *s;
    struct run r;
    struct err e;
    struct task_program p = { .task = (struct task *)(uintptr_t)t, .n_tasks = 1, .n_rows = 1 };

    cr_assert_eq(spec_load(&s, machine, set, sizeof set / sizeof *set, &e), 0, "%s", e.msg);
    struct machine *m = machine_new(s, exact);
    for (int i = 0; i < RUNS; i++) {
        machine_reset(m);
        r.fs = machine_now(m);
        cr_assert_eq(machine_step(m, &p, i + 1 < RUNS ? &p : NULL, &e), 0, "%s", e.msg);
        r.fs = machine_now(m) - r.fs;
    }
    uint64_t sum = 0;
    for (int c = 0; c < N_CAUSES; c++)
        sum += r.cause[c] = machine_book(m, &p, 0, 0)->time[c];
    cr_expect_eq(sum, r.fs, "the causes are the step");
    machine_free(m);
    spec_free(s);
    return r;
}

static struct run run_case(const char *machine, const struct task *t, bool exact)
{
    return run_set(machine, "client.nics=1", t, exact);
}

/* A cycle of 700 MHz is 1.43 ns: waits end at its edges. */
static void expect_near(uint64_t got, uint64_t want, const char *what)
{
    cr_expect(got + 2000000 >= want && got <= want + 2000000,
              "%s: %llu fs, expected %llu within a cycle", what, (unsigned long long)got,
              (unsigned long long)want);
}

static struct task make_work(struct task_work w)
{
    w.threads = w.threads ? w.threads : 1;
    w.readers = w.readers ? w.readers : 1;
    w.cause = w.cause ? w.cause : CAUSE_HOST;
    return (struct task){ .kind = TASK_HOST, .host = w };
}

Test(host, threads_share_work_as_far_as_there_are_cores)
{
    cr_expect_eq(cpu_time(100, 1, 32), 100);
    cr_expect_eq(cpu_time(100, 3, 32), 34); /* rounded up */
    cr_expect_eq(cpu_time(100, 64, 4), 25);
    cr_expect_eq(cpu_copy_time(2600, UINT64_C(2600000000)), US);
}

Test(host, what_is_computed_on_the_host_goes_there_and_comes_back)
{
    /* 16 MB of each of two cores over one link of 16 GB/s: 2 ms up; 40 ms by 4 of its threads;
     * 8 MB a core back: 1 ms.  Each way crosses HBM as well, at 516 GB/s: 31.0 us a core up, of
     * which the second's is in the shade of the first's transfer, and 15.5 us down. */
    struct task t = make_work((struct task_work){
        .up = 16 * MB, .down = 8 * MB, .cpu_fs = 40 * MS, .threads = 4, .cause = CAUSE_FALLBACK });
    struct run r = run_case("tpu-v2-8", &t, false);

    expect_near(r.cause[CAUSE_FALLBACK], 10 * MS, "on the CPU");
    cr_expect_eq(r.cause[CAUSE_HOST], 0);
    cr_expect_geq(r.fs, 13 * MS);
    cr_expect_leq(r.fs, 13 * MS + 150 * US);
    cr_expect_eq(run_case("tpu-v2-8", &t, true).fs, r.fs, "walked");
}

Test(host, the_client_works_once_for_all_hosts_and_sends_to_each)
{
    /* 4 hosts of 8 cores, 10 MB a core: 320 MB over one card of 2 GB/s, 160 ms, after 30 ms */
    struct task t =
        make_work((struct task_work){ .client = true, .cpu_fs = 30 * MS, .down = 10 * MB });
    struct run r = run_case("tpu-v2-32", &t, false);

    expect_near(r.cause[CAUSE_HOST], 190 * MS, "on the client");
    /* and 10 MB to each core of a chip: 1.25 ms and the second's way to HBM */
    cr_expect_geq(r.fs, 191 * MS + 250 * US);
    cr_expect_leq(r.fs, 191 * MS + 350 * US);
}

Test(host, a_client_on_the_first_host_has_no_network_to_it)
{
    /* 320 MB for 4 hosts, of which 80 stay where they are: 240 MB over a card of 2 GB/s, 120 ms; 8
     * of the 32 threads of the host take 30 ms of its 240.  Latency is that of the other hosts,
     * each way; a single host has none. */
    struct task t = make_work(
        (struct task_work){ .client = true, .cpu_fs = 240 * MS, .threads = 8, .down = 10 * MB });
    struct run r = run_set("tpu-v2-32", "client.place=vm", &t, false);

    expect_near(r.cause[CAUSE_HOST], 150 * MS, "on the first of four hosts");
    expect_near(run_set("tpu-v2-8", "client.place=vm", &t, false).cause[CAUSE_HOST], 30 * MS,
                "on the only host");
    expect_near(run_set("tpu-v2-8", "client.place=node", &t, false).cause[CAUSE_HOST], 70 * MS,
                "across the network from it");
    cr_expect_eq(run_set("tpu-v2-32", "client.place=vm", &t, true).fs, r.fs, "walked");

    struct client_params p;
    param_defaults(&client_param_table, &p);
    p.latency = 3 * MS;
    p.bandwidth = p.host_bandwidth = 1000000000;
    cr_expect_eq(client_message_time(&p, 1000, 1), 3 * MS + US);
    cr_expect_eq(client_single_time(&p, 1000, 0), 3 * MS + US);
    p.place = CLIENT_VM;
    cr_expect_eq(client_message_time(&p, 1000, 1), 0);
    cr_expect_eq(client_message_time(&p, 1000, 4), 3 * MS + 3 * US);
    cr_expect_eq(client_single_time(&p, 1000, 0), 0);
    cr_expect_eq(client_single_time(&p, 1000, 1), 3 * MS + US);
}

Test(host, a_client_of_its_own_has_its_own_threads)
{
    /* 8 threads, of which 4 are there */
    struct task t =
        make_work((struct task_work){ .client = true, .cpu_fs = 240 * MS, .threads = 8 });

    expect_near(run_set("tpu-v2-8", "client.cores=4", &t, false).cause[CAUSE_HOST], 60 * MS,
                "four");
}

Test(host, cards_of_the_client_carry_side_by_side_until_a_host_has_no_more)
{
    struct client_params p;

    param_defaults(&client_param_table, &p);
    p.bandwidth = p.host_bandwidth = 1000000000;
    cr_expect_eq(client_network_time(&p, 1000, 4), 4 * US);
    p.nics = 2;
    cr_expect_eq(client_network_time(&p, 1000, 4), 2 * US);
    p.nics = 8;
    cr_expect_eq(client_network_time(&p, 1000, 4), 1 * US); /* what its own link takes */
    cr_expect_eq(client_network_time(&p, 0, 4), 0);
}

Test(host, a_host_has_32_threads_and_a_client_8)
{
    struct task t = make_work((struct task_work){ .cpu_fs = 320 * MS, .threads = 64 });

    expect_near(run_case("tpu-v2-8", &t, false).cause[CAUSE_HOST], 10 * MS, "of the host");
    t.host.client = true;
    expect_near(run_case("tpu-v2-8", &t, false).cause[CAUSE_HOST], 40 * MS, "of the client");
}

Test(host, a_launch_costs_its_own_time_after_the_work_of_the_framework)
{
    struct task t = make_work((struct task_work){ .launch = true, .cpu_fs = 5 * MS });
    struct run r = run_case("tpu-v2-8", &t, false);

    expect_near(r.cause[CAUSE_HOST], 5 * MS, "framework");
    expect_near(r.cause[CAUSE_LAUNCH], 120 * US, "launch");
    expect_near(r.fs, 5 * MS + 120 * US, "both");
}

Test(host, what_a_client_sends_before_a_launch_is_no_part_of_the_launch)
{
    /* 5 ms, 320 MB over one card of 2 GB/s */
    struct task t = make_work(
        (struct task_work){ .launch = true, .client = true, .cpu_fs = 5 * MS, .down = 10 * MB });
    struct run r = run_case("tpu-v2-32", &t, false);

    expect_near(r.cause[CAUSE_HOST], 165 * MS, "framework and network");
    expect_near(r.cause[CAUSE_LAUNCH], 120 * US, "launch");
}

Test(host, a_loop_that_restarts_copies_its_variables)
{
    struct task t = make_work((struct task_work){ .restart = true, .copy_fs = 103 * MS });
    struct run r = run_case("tpu-v2-8", &t, false);

    expect_near(r.cause[CAUSE_HOST], 103 * MS, "copies");
    expect_near(r.cause[CAUSE_LAUNCH], 42 * MS, "restart");
}

Test(host, compiling_has_a_cause_of_its_own)
{
    struct task t = make_work((struct task_work){ .compile_fs = 300 * MS });
    struct run r = run_case("tpu-v2-8", &t, false);

    expect_near(r.cause[CAUSE_COMPILE], 300 * MS, "compiling");
    expect_near(r.fs, 300 * MS, "nothing else");
}

Test(host, reading_files_has_a_cause_of_its_own)
{
    /* 2 files opened one after the other 100 ms, 6 requests of 16 MiB 300 ms, 100 MB at 250 MB/s
     * 400 ms; then 7 ms of computing */
    struct task t =
        make_work((struct task_work){ .load_bytes = 100 * MB, .loads = 2, .cpu_fs = 7 * MS });
    struct run r = run_case("tpu-v2-8", &t, false);

    expect_near(r.cause[CAUSE_STORAGE], 800 * MS, "storage");
    expect_near(r.cause[CAUSE_HOST], 7 * MS, "computing");
    t.host.client = true;
    r = run_case("tpu-v2-8", &t, false);
    expect_near(r.cause[CAUSE_STORAGE], 800 * MS, "storage of the client");
    expect_near(r.cause[CAUSE_HOST], 7 * MS, "computing of the client");
}

Test(host, many_streams_from_storage_share_2_gb_per_s)
{
    /* 64 streams: opened 50 ms, then 4,000 MB; each alone would take 4 requests and 62.5 MB at 250
     * MB/s, 450 ms */
    struct task t =
        make_work((struct task_work){ .load_bytes = 4000 * MB, .loads = 64, .readers = 64 });

    expect_near(run_case("tpu-v2-8", &t, false).cause[CAUSE_STORAGE], 2050 * MS, "the link");
}

Test(host, storage_is_bound_by_streams_then_by_the_link)
{
    struct storage_params p;

    param_defaults(&storage_param_table, &p);
    p.latency = 50 * MS;
    p.request = 10 * MB;
    p.stream_bandwidth = 100 * MB;
    p.bandwidth = 500 * MB;
    /* opening, 10 requests, 100 MB */
    cr_expect_eq(storage_time(&p, 100 * MB, 1, 1), (50 + 10 * 50 + 1000) * MS);
    cr_expect_eq(storage_time(&p, 100 * MB, 4, 4), (50 + 3 * 50 + 250) * MS);
    cr_expect_eq(storage_time(&p, 100 * MB, 64, 64), (50 + 200) * MS); /* the link */
    p.place = STORAGE_REGION;
    p.far_latency = 200 * MS;
    p.far_bandwidth = 50 * MB;
    cr_expect_eq(storage_time(&p, 100 * MB, 1, 1), (200 + 10 * 200 + 2000) * MS);
    p.place = STORAGE_DISK;
    p.disk_latency = 1 * MS;
    p.disk_bandwidth = 1000 * MB;
    cr_expect_eq(storage_time(&p, 100 * MB, 1, 1), (1 + 10 * 1 + 100) * MS);
    cr_expect_eq(storage_time(&p, 100 * MB, 2, 2), (1 + 5 * 1 + 100) * MS);
}

/* Three stages side by side: the slowest sets the pace. */
static struct task make_input(uint64_t load, uint64_t decode, uint64_t handled)
{
    return (struct task){ .kind = TASK_INFEED,
                          .feed.bytes = MB,
                          .feed.handled = handled,
                          .feed.work = { .load_bytes = load,
                                         .loads = 1,
                                         .readers = 1,
                                         .threads = 1,
                                         .cause = CAUSE_HOST,
                                         .cpu_fs = decode } };
}

Test(host, input_from_storage_waits_for_storage)
{
    /* 8 cores of 5 MB: opened 50 ms, 3 requests 150 ms, 40 MB at 250 MB/s 160 ms; preparing 8 MB
     * takes 1.7 ms + 1.41 ms and is in the shade of the next read */
    struct task t = make_input(5 * MB, 0, MB);
    struct run r = run_case("tpu-v2-8", &t, false);

    expect_near(r.fs, 360 * MS, "a step");
    cr_expect_gt(r.cause[CAUSE_STORAGE], 350 * MS);
    cr_expect_lt(r.cause[CAUSE_HOST], 4 * MS);
    cr_expect_eq(run_case("tpu-v2-8", &t, true).fs, r.fs, "walked");
}

Test(host, input_that_is_decoded_waits_for_the_host)
{
    /* decoding follows reading in the same thread: 360 + 8 * 30 ms */
    struct task t = make_input(5 * MB, 30 * MS, MB);
    struct run r = run_case("tpu-v2-8", &t, false);

    expect_near(r.fs, 600 * MS, "a step");
    cr_expect_gt(r.cause[CAUSE_HOST], 235 * MS);
    cr_expect_gt(r.cause[CAUSE_STORAGE], 350 * MS);
}

Test(host, input_that_is_handled_longer_than_it_is_read_hides_the_reading)
{
    /* 8 * 570 MB at 5.7 GB/s = 800 ms, and 1.7 ms */
    struct task t = make_input(5 * MB, 0, 570 * MB);
    struct run r = run_case("tpu-v2-8", &t, false);

    cr_expect_geq(r.fs, 801 * MS + 600 * US);
    cr_expect_leq(r.fs, 801 * MS + 900 * US);
    cr_expect_eq(r.cause[CAUSE_STORAGE], 0);
}

Test(host, two_batches_wait_on_the_device_for_each_core)
{
    /* five batches of 8 * 7.125 MB at 5.7 GB/s, 10 ms each, then 200 ms of 700 MHz with two
     * additions a cycle.  Meanwhile two wait on the device, one on its way and one with the host.
     */
    struct task t[6];
    struct task_program p = { .task = t, .n_tasks = 6, .n_rows = 6 };
    struct machine_spec *s;
    struct err e;
    uint64_t fs = 0;

    for (uint32_t i = 0; i < 5; i++)
        t[i] = (struct task){ .kind = TASK_INFEED,
                              .row = i,
                              .feed = { .bytes = 8, .handled = 7125000 } };
    t[5] = (struct task){ .kind = TASK_KERNEL,
                          .row = 5,
                          .kernel.grid_steps = 1,
                          .kernel.all.vpu[VECTOR_ADD] = 280000000 };
    cr_assert_eq(spec_load(&s, "tpu-v2-8", NULL, 0, &e), 0, "%s", e.msg);
    struct machine *m = machine_new(s, false);
    for (int i = 0; i < RUNS; i++) {
        fs = machine_now(m);
        cr_assert_eq(machine_step(m, &p, i + 1 < RUNS ? &p : NULL, &e), 0, "%s", e.msg);
        fs = machine_now(m) - fs;
    }
    cr_expect_geq(fs, 210 * MS);
    cr_expect_leq(fs, 210 * MS + 10 * US, "%lu", (unsigned long)fs);
    machine_free(m);
    spec_free(s);
}

/* Report of a client whose measuring began at 2 ms. */
static void expect_busy(struct des *sim, struct client *c, des_time now, des_time busy)
{
    des_run(sim, now);
    client_finish(c, now, now - 2 * MS);
    cr_expect_eq(c->st.busy, busy, "at %lu: %lu", now, c->st.busy);
}

/* A message of 1 MB takes 3 + 1 ms, files 6 ms, work of 8 ms in two threads 4, 2 MB back 3 + 2 ms:
 * the client is busy from 0 to 4 and from 10 to 19 ms. */
Test(host, what_a_client_is_busy_counts_up_to_each_report)
{
    struct task_work work = { .load_bytes = 1, .cpu_fs = 8 * MS, .threads = 2, .down = 2 * MB };
    struct des *sim = des_new();
    struct client_params p;
    struct client c;
    struct des_in call;
    struct des_out answer;
    struct host_reply r;

    param_defaults(&client_param_table, &p);
    p.latency = 3 * MS;
    p.bandwidth = p.host_bandwidth = 1000 * MB;
    client_init(&c, sim, (struct des_module){ 0 }, &p, 1, 1, &call, &answer);
    struct des_out calls = bench_drive(sim, "calls", call, sizeof(struct host_call), 1);
    struct des_in answers = bench_watch(sim, "answers", answer, sizeof r, 1);
    bench_watch(sim, "load", c.load, sizeof(struct storage_request), 1);
    struct des_out loaded = bench_drive(sim, "loaded", c.loaded, sizeof(struct storage_done), 1);
    struct des_event read = des_event_new(sim, (struct des_module){ 0 }, "read");
    bench_start(sim);
    des_put(sim, calls, &(struct host_call){ .work = &work, .bytes = MB });
    des_notify_after(sim, read, 10 * MS);
    des_run(sim, 2 * MS);
    client_reset(&c, 2 * MS);
    expect_busy(sim, &c, 3 * MS, 1 * MS);
    expect_busy(sim, &c, 7 * MS, 2 * MS);
    des_run(sim, 10 * MS);
    des_put(sim, loaded, &(struct storage_done){ 1 });
    expect_busy(sim, &c, 12 * MS, 4 * MS);
    expect_busy(sim, &c, 30 * MS, 11 * MS);
    cr_assert(des_get(sim, answers, &r));
    cr_expect_eq(r.sent, 19 * MS);
    des_free(sim);
}
