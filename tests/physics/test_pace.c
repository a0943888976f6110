/* The bottleneck that sets the pace of a step is named, and so is its power. */
#include "replay_bench.h"

/* --- power and pace ------------------------------------------------------------------------- */

/* The power of a step of `text` on a machine: its average, or -1 where only a range is known. */
static double measure_watts(const char *text, const char *machine)
{
    struct run_result r;
    struct err e;
    struct run_request q = {
        .trace = "text", .text = text, .text_size = strlen(text), .machine = machine, .steps = 1
    };

    cr_assert_eq(run_replay(&q, &r, &e), 0, "%s", e.msg);
    cr_expect(r.power.known);
    cr_expect(mpq_cmp(r.power.least, r.power.most) <= 0);
    double watts = r.power.by_work ? mpq_get_d(r.power.watts) : -1;
    run_result_free(&r);
    return watts;
}

/* A step of which all but launches is a wait for the host takes the idle power of 4 chips, 123 W
 * each on v3, 55 W of a V100.  One of matrix products adds 74 W and 61.6e12 products of 0.91 pJ a
 * second to each chip of v3, 253 W without what memory takes; 262 W is the most. */
Test(replay, chips_take_idle_power_and_that_of_the_work_they_do)
{
    static const char waits[] = "cyclotron-trace 1\nstep {\nhost() time=\"1 s\"\n}\n";
    static const char works[] = "cyclotron-trace 1\ntensor %a bf16[8192,8192] input\n"
                                "tensor %b bf16[8192,8192] input\n"
                                "step {\n%c bf16[8192,8192] = matmul(%a, %b)\n}\n";

    cr_expect_float_eq(measure_watts(waits, "tpu-v3-8"), 492, 0.5);
    cr_expect_float_eq(measure_watts(waits, "v100x1"), 55, 0.5);
    double watts = measure_watts(works, "tpu-v3-8");
    cr_expect(watts > 1000 && watts <= 1048, "%g W", watts);
    cr_expect_float_eq(measure_watts(works, "tpu-v6e-8"), -1, 0);
}

/* Two threads of 40: 100 W and a twentieth of 200 W, not 300 W. */
Test(replay, a_node_of_cpus_takes_the_power_of_the_cores_that_have_work)
{
    static const char scatters[] = "cyclotron-trace 1\ntensor %a f32[100000,8] input\n"
                                   "tensor %i s32[100000] input\ntensor %u f32[100000,8] input\n"
                                   "step {\n%c f32[100000,8] = scatter(%a, %i, %u)\n}\n";
    double watts = measure_watts(scatters, "xeon-6148");

    cr_expect(watts > 100 && watts < 140, "%g W", watts);
}

/* A V100 whose tensor cores hardly rest draws its limit of 300 W or little less; one that streams
 * 0.9 of 900 GB/s takes 55 + 49 + 35 W, half of what it may. */
Test(replay, a_gpu_that_streams_takes_half_of_its_limit)
{
    static const char streams[] = "cyclotron-trace 1\ntensor %a f32[67108864] input\n"
                                  "step {\n%c f32[67108864] = elementwise(%a) fn=add\n}\n";
    static const char multiplies[] = "cyclotron-trace 1\ntensor %a f16[8192,8192] input\n"
                                     "tensor %b f16[8192,8192] input\n"
                                     "step {\n%c f16[8192,8192] = matmul(%a, %b)\n}\n";
    double stream = measure_watts(streams, "v100x1"), product = measure_watts(multiplies, "v100x1");

    cr_expect(stream > 130 && stream < 170, "%g W", stream);
    cr_expect(product > 270 && product <= 300, "%g W", product);
}

/* 8 cores of 1 MB prepared at 128 MB/s: 62.5 ms a step, of which the cores multiply for 48 ms. */
Test(replay, a_host_that_never_rests_sets_the_pace_whatever_the_cores_do_meanwhile)
{
    static const char text[] = "cyclotron-trace 1\ntensor %a bf16[8192,8192] input\n"
                               "tensor %b bf16[8192,8192] input\n"
                               "step {\n%x f32[250000] = infeed()\n"
                               "%c bf16[8192,8192] = matmul(%a, %b)\n}\n";
    static const char *const set[] = { "host.infeed_bandwidth=128 MB/s",
                                       "host.infeed_overhead=0 s" };
    struct run_result r;
    struct err e;
    struct run_request q = { .trace = "paced",
                             .text = text,
                             .text_size = sizeof text - 1,
                             .machine = "tpu-v2-8",
                             .set = set,
                             .n_set = 2,
                             .steps = 4 };

    cr_assert_eq(run_replay(&q, &r, &e), 0, "%s", e.msg);
    cr_expect_float_eq(mpq_get_d(r.seconds_per_step), 0.0625, 0.0001);
    cr_expect_eq(r.bound_by, CAUSE_MXU);
    cr_expect_eq(r.limited_by, CAUSE_HOST);
    run_result_free(&r);
    q.n_set = 0;
    cr_assert_eq(run_replay(&q, &r, &e), 0, "%s", e.msg);
    cr_expect_eq(r.limited_by, CAUSE_MXU);
    run_result_free(&r);
}

/* An operation that runs once in many steps counts for its share, to the last digit. */
Test(replay, a_step_that_runs_once_in_four_adds_a_quarter_of_its_time)
{
    static const char text[] =
        "cyclotron-trace 1\nstep {\nhost() time=\"10 ms\"\n}\n"
        "step every=4 {\nhost() time=\"40 ms\"\n}\nstep every=10 {\nhost() time=\"1 s\"\n}\n";
    struct run_result r, more;
    struct err e;
    struct run_request q = { .trace = "every",
                             .text = text,
                             .text_size = sizeof text - 1,
                             .machine = "tpu-v2-8",
                             .steps = 1 };

    cr_assert_eq(run_replay(&q, &r, &e), 0, "%s", e.msg);
    cr_expect_float_eq(mpq_get_d(r.seconds_per_step), 0.12, 1e-5); /* 10 + 40/4 + 1000/10 ms */
    cr_expect_eq(r.n_ops, 3);
    cr_expect_float_eq(mpq_get_d(r.ops[1].seconds), 0.01, 1e-6);
    cr_expect_eq(r.ops[1].every, 4);
    cr_expect_float_eq(mpq_get_d(r.ops[2].seconds), 0.1, 1e-6);
    q.steps = 7;
    cr_assert_eq(run_replay(&q, &more, &e), 0, "%s", e.msg);
    cr_expect_float_eq(mpq_get_d(more.seconds_per_step), 0.12, 1e-5);
    run_result_free(&r);
    run_result_free(&more);
}

/* Two that run between take in their own input, not that of the steps around them: 8 cores of 64 MB
 * are 90 ms of work of the host, of which it can do little ahead. */
/* One that runs after each step is no step of its own: one step is measured, and both count. */
Test(replay, a_step_that_runs_once_in_one_adds_all_of_its_time)
{
    static const char text[] = "cyclotron-trace 1\nstep {\nhost() time=\"10 ms\"\n}\n"
                               "step every=1 {\nhost() time=\"40 ms\"\n}\n";
    struct run_result r;
    struct err e;
    struct run_request q = {
        .trace = "t", .text = text, .text_size = sizeof text - 1, .machine = "tpu-v2-8", .steps = 1
    };

    for (q.steps = 1; q.steps <= 2; q.steps++) {
        cr_assert_eq(run_replay(&q, &r, &e), 0, "%s", e.msg);
        cr_expect_float_eq(mpq_get_d(r.seconds_per_step), 0.05, 1e-5);
        cr_assert_eq(r.n_ops, 2);
        cr_expect_eq(r.ops[1].every, 1);
        run_result_free(&r);
    }
}

Test(replay, steps_between_others_take_in_their_own_input)
{
    static const char text[] = "cyclotron-trace 1\nstep {\n%x f32[1000] = infeed()\n}\n"
                               "step every=2 {\n%big f32[16000000] = infeed()\n}\n"
                               "step every=2 {\n%small f32[1000] = infeed()\n}\n";
    struct run_result r;
    struct err e;
    struct run_request q = {
        .trace = "t", .text = text, .text_size = sizeof text - 1, .machine = "tpu-v2-8", .steps = 3
    };

    cr_assert_eq(run_replay(&q, &r, &e), 0, "%s", e.msg);
    cr_assert_eq(r.n_ops, 3);
    cr_expect_str_eq(r.ops[1].name, "big");
    cr_expect_gt(2 * mpq_get_d(r.ops[1].seconds), 0.080);
    cr_expect_lt(2 * mpq_get_d(r.ops[2].seconds), 0.010);
    run_result_free(&r);
}

/* 32 MB of each of two cores over one link of 16 GB/s: 4 ms. */
Test(replay, what_a_host_gives_back_crosses_pcie)
{
    static const char text[] =
        "cyclotron-trace 1\nstep {\n%x f32[8000000] = host() time=\"1 ms\"\n}\n";
    struct run_result r;
    struct err e;
    struct run_request q = {
        .trace = "t", .text = text, .text_size = sizeof text - 1, .machine = "tpu-v2-8", .steps = 1
    };

    cr_assert_eq(run_replay(&q, &r, &e), 0, "%s", e.msg);
    cr_expect_float_eq(mpq_get_d(r.seconds_per_step), 0.005, 0.0002);
    cr_expect_float_eq(mpq_get_d(amounts_get(&r.cause, CAUSE_HOST)), 0.001, 1e-6);
    run_result_free(&r);
}

/* --- what slows a step down [lightning-tpu] --------------------------------------------------- */

struct slowed {
    double seconds, samples, cause[N_CAUSES];
    enum cause limited_by;
};

/* A step of 8 layers of 2048 in 10 ms, more than the host needs for its input. */
static struct slowed slowed_by(const char *set)
{
    bool other_batch = set && strncmp(set, "batch=", 6) == 0;
    const char *sets[] = { other_batch ? set : "batch=512", "loop=0", set };
    char path[32];
    struct run_result r;
    struct slowed s;

    generate_trace(path, "fc", sets, set && !other_batch ? 3 : 2);
    replay_trace(&r, path, "tpu-v2-8", NULL, 2, false);
    unlink(path);
    s.seconds = mpq_get_d(r.seconds_per_step);
    s.samples = mpq_get_d(r.samples_per_second);
    for (unsigned c = 0; c < N_CAUSES; c++)
        s.cause[c] = mpq_get_d(amounts_get(&r.cause, c));
    s.limited_by = r.limited_by;
    run_result_free(&r);
    return s;
}

Test(replay, a_loss_read_in_every_step_is_named_as_a_wait_for_the_host)
{
    struct slowed plain = slowed_by(NULL), item = slowed_by("item=yes");

    cr_expect_lt(plain.cause[CAUSE_HOST], 1e-9);
    cr_expect_float_eq(item.cause[CAUSE_HOST], 120e-6, 5e-6); /* host.read_time */
    cr_expect_geq(item.seconds, plain.seconds + 115e-6);
}

Test(replay, an_operation_on_the_cpu_is_named_as_a_fallback)
{
    struct slowed plain = slowed_by(NULL), cpu = slowed_by("fallback=yes");

    cr_expect_eq(plain.cause[CAUSE_FALLBACK], 0);
    cr_expect_float_eq(cpu.cause[CAUSE_FALLBACK], 512e-6,
                       1e-6); /* 64,000 logits of 8 cores, 1 ns */
    cr_expect_gt(cpu.cause[CAUSE_PCIE], plain.cause[CAUSE_PCIE] + 30e-6);
    cr_expect_geq(cpu.seconds, plain.seconds + 500e-6);
}

Test(replay, new_shapes_are_named_as_compiling)
{
    struct slowed plain = slowed_by(NULL), shapes = slowed_by("shapes=100");

    cr_expect_eq(plain.cause[CAUSE_COMPILE], 0);
    /* 5 s and 0.1 s for each of the 69 operations, once in 100 steps */
    cr_expect_float_eq(shapes.cause[CAUSE_COMPILE], 0.119, 1e-5, "%g s",
                       shapes.cause[CAUSE_COMPILE]);
    cr_expect_eq(shapes.limited_by, CAUSE_COMPILE);
}

Test(replay, small_batches_and_full_precision_cost_samples)
{
    struct slowed plain = slowed_by(NULL), small = slowed_by("batch=128"),
                  full = slowed_by("precision=highest");

    cr_expect_lt(small.samples, 0.5 * plain.samples);
    cr_expect_gt(full.seconds, plain.seconds);
    cr_expect_gt(full.cause[CAUSE_MXU], 3 * plain.cause[CAUSE_MXU]);
}
