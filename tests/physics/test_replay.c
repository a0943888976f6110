/* Properties of every replay of any trace on any machine: nothing beats the hardware,
 * nothing is free, every moment has one cause, shortcuts change nothing. */
#include "replay_bench.h"

/* Waiting for what has arrived already takes no time; its start paid. */
static bool is_done(const struct run_row *w)
{
    size_t n = strlen(w->kind);

    return n > 5 && strcmp(w->kind + n - 5, "-done") == 0;
}

/* Every slot of the matrix units has one use or one cause, in each operation and over all; the
 * capacity is the time times the peak, but for the edges of the clock. */
static void check_slots(const struct run_slots *s, const mpq_t seconds, double peak)
{
    mpq_t sum, part;

    mpq_inits(sum, part, NULL);
    cr_assert_geq(mpq_sgn(s->not_issued), 0);
    for (unsigned u = 0; u < N_USES; u++)
        cr_assert_geq(mpq_sgn(amounts_get(&s->use, u)), 0);
    for (unsigned c = 0; c < N_CAUSES; c++)
        cr_assert_geq(mpq_sgn(amounts_get(&s->wait, c)), 0);
    run_slots_busy(sum, s);
    run_slots_waiting(part, s);
    mpq_add(sum, sum, part);
    cr_assert(mpq_equal(sum, s->capacity), "slots add up");
    double all = mpq_get_d(s->capacity), want = mpq_get_d(seconds) * peak;
    cr_expect_leq(all > want ? all - want : want - all, 1e-6 * want, "%g slots of %g", all, want);
    mpq_clears(sum, part, NULL);
}

static void check_ledger(const struct run_result *r)
{
    struct run_slots sum;
    double peak = mpq_get_d(r->slots.capacity) / mpq_get_d(r->seconds_per_step);

    run_slots_init(&sum);
    for (size_t i = 0; i < r->n_ops; i++) {
        check_slots(&r->ops[i].slots, r->ops[i].seconds, peak);
        run_slots_add(&sum, &r->ops[i].slots);
    }
    check_slots(&r->slots, r->seconds_per_step, peak);
    cr_assert(mpq_equal(sum.capacity, r->slots.capacity));
    for (unsigned u = 0; u < N_USES; u++)
        cr_assert(mpq_equal(amounts_get(&sum.use, u), amounts_get(&r->slots.use, u)));
    run_slots_clear(&sum);
}

static void check_result(const struct run_result *r)
{
    bool tpu = strncmp(r->machine, "tpu-", 4) == 0; /* GPUs launch nothing for a reshape */
    mpq_t sum;

    check_ledger(r);
    mpq_init(sum);
    for (unsigned c = 0; c < N_CAUSES; c++) {
        cr_assert_geq(mpq_sgn(amounts_get(&r->cause, c)), 0);
        mpq_add(sum, sum, amounts_get(&r->cause, c));
    }
    cr_assert_eq(mpq_cmp(sum, r->seconds_per_step), 0, "causes of %s add up", r->machine);

    mpq_set_ui(sum, 0, 1);
    for (size_t i = 0; i < r->n_ops; i++) {
        mpq_add(sum, sum, r->ops[i].seconds);
        cr_expect(!tpu || is_done(&r->ops[i]) || mpq_sgn(r->ops[i].seconds) > 0, "%s is free on %s",
                  r->ops[i].name, r->machine);
        cr_expect_leq(mpq_cmp_ui(r->ops[i].mxu, 1, 1), 0, "%s beats the peak", r->ops[i].name);
    }
    cr_assert_eq(mpq_cmp(sum, r->seconds_per_step), 0, "operations of %s add up", r->machine);
    mpq_clear(sum);

    for (size_t i = 0; i < r->n_figures; i++) {
        cr_expect_geq(mpq_sgn(r->figures[i].value), 0, "%s", r->figures[i].column);
        cr_expect_leq(mpq_cmp_ui(r->figures[i].value, 1, 1), 0, "%s on %s is %g",
                      r->figures[i].column, r->machine, mpq_get_d(r->figures[i].value));
    }
}

Test(physics, holds_for_every_machine)
{
    for (struct catalog_machine m = { 0 }; catalog_next(&m);) {
        struct run_result r;
        if (m.number > 512 &&
            strcmp(m.name, "tpu-v4-8192") != 0) /* the largest ones differ in size alone */
            continue;
        replay_trace(&r, TINY, m.name, NULL, 3, false);
        check_result(&r);
        run_result_free(&r);
    }
}

Test(physics, holds_for_every_workload)
{
    static const struct {
        const char *name;
        const char *set[2];
    } w[] = { { "3dgan", { "batch=2" } },
              { "exatrkx", { "nodes=300", "edges=2000" } },
              { "mlpf", { "batch=1" } } };

    for (size_t i = 0; i < 3; i++) {
        char path[32];
        struct run_result r;
        generate_trace(path, w[i].name, w[i].set, w[i].set[1] ? 2 : 1);
        replay_trace(&r, path, "tpu-v3-8", NULL, 1, false);
        check_result(&r);
        run_result_free(&r);
        unlink(path);
    }
}

Test(physics, shortcuts_change_nothing)
{
    static const char *const machines[] = { "tpu-v2-1", "tpu-v2-8", "tpu-v3-8", "tpu-v3-32" };

    for (size_t i = 0; i < 4; i++) {
        struct run_result a, b;
        replay_trace(&a, TINY, machines[i], NULL, 2, false);
        replay_trace(&b, TINY, machines[i], NULL, 2, true);
        cr_expect_eq(a.cycles_per_step, b.cycles_per_step, "%s", machines[i]);
        for (unsigned c = 0; c < N_CAUSES; c++)
            cr_expect_eq(mpq_cmp(amounts_get(&a.cause, c), amounts_get(&b.cause, c)), 0,
                         "%s cause %d", machines[i], c);
        for (size_t f = 0; f < a.n_figures; f++)
            cr_expect_eq(mpq_cmp(a.figures[f].value, b.figures[f].value), 0, "%s",
                         a.figures[f].column);
        cr_expect_gt(b.events, a.events, "exact walks more");
        run_result_free(&a);
        run_result_free(&b);
    }
}

Test(physics, a_run_is_a_function_of_its_input)
{
    struct run_result a, b;

    replay_trace(&a, TINY, "tpu-v3-32", NULL, 2, false);
    replay_trace(&b, TINY, "tpu-v3-32", NULL, 2, false);
    cr_assert_eq(mpq_cmp(a.seconds_per_step, b.seconds_per_step), 0);
    cr_assert_eq(a.events, b.events);
    run_result_free(&a);
    run_result_free(&b);
}

/* A step with a better part must not take longer, but for a shift of when input crosses memory: one
 * part in ten thousand. */
static void expect_faster(const char *trace, const char *set)
{
    struct run_result a, b;

    replay_trace(&a, trace, "tpu-v2-8", NULL, 1, false);
    replay_trace(&b, trace, "tpu-v2-8", set, 1, false);
    cr_expect_leq(mpq_get_d(b.seconds_per_step), 1.0001 * mpq_get_d(a.seconds_per_step),
                  "%s slows it down", set);
    run_result_free(&a);
    run_result_free(&b);
}

Test(physics, better_hardware_is_never_slower)
{
    char path[32];
    const char *set[] = { "batch=2" };

    generate_trace(path, "3dgan", set, 1);
    expect_faster(path, "mxu.count=2");
    expect_faster(path, "hbm.bandwidth=1200 GB/s");
    expect_faster(path, "ici.bandwidth=124 GB/s");
    expect_faster(path, "core.op_overhead=0 s");
    expect_faster(path, "host.infeed_overhead=0 s");
    unlink(path);
}

Test(physics, input_binds_when_the_host_is_slow)
{
    struct run_result r;

    /* 8 cores * (1024 + 8) floats = 33,024 B at 1 MB/s: 33.024 ms, and 1.7 ms to enqueue */
    replay_trace(&r, TINY, "tpu-v2-8", "host.infeed_bandwidth=1 MB/s", 3, false);
    cr_assert_eq(r.bound_by, CAUSE_HOST);
    cr_assert_float_eq(mpq_get_d(r.seconds_per_step), 0.034724, 1e-6);
    cr_assert_gt(find_figure(&r, "utilization.host"), 0.99);
    run_result_free(&r);
}

Test(physics, more_steps_change_nothing_once_the_queues_are_full)
{
    char path[32];
    const char *set[] = { "batch=2" };
    struct run_result a, b;

    generate_trace(path, "3dgan", set, 1);
    replay_trace(&a, path, "tpu-v3-8", NULL, 1, false);
    replay_trace(&b, path, "tpu-v3-8", NULL, 4, false);
    double one = mpq_get_d(a.seconds_per_step), four = mpq_get_d(b.seconds_per_step);
    cr_assert_float_eq(four / one, 1, 1e-3, "%g against %g", four, one);
    run_result_free(&a);
    run_result_free(&b);
    unlink(path);
}

/* Two different steps are replayed in order, and the figures are their mean. */
Test(physics, a_trace_of_two_steps_is_their_mean)
{
    static const char head[] = "cyclotron-trace 1\nworkload \"two\"\nsamples step=1\n"
                               "dtype tensors=f32 matmul=bf16 activations=keep\n"
                               "tensor %x f32[65536] input\n";
    static const char *const body[] = { "step {\n%a f32[65536] = elementwise(%x)\n}\n",
                                        "step {\n%a f32[1] = reduce(%x) flops=65536\n}\n" };
    double seconds[3];

    for (int i = 0; i < 3; i++) {
        char path[32] = "/tmp/cyclotron-two-XXXXXX";
        struct run_result r;
        int fd = mkstemp(path);
        dprintf(fd, "%s%s%s", head, i == 1 ? "" : body[0], i == 0 ? "" : body[1]);
        close(fd);
        replay_trace(&r, path, "tpu-v2-1", NULL, 2, false);
        check_result(&r);
        cr_expect_eq(r.n_ops, i == 2 ? 2 : 1);
        seconds[i] = mpq_get_d(r.seconds_per_step);
        run_result_free(&r);
        unlink(path);
    }
    /* but for refreshes of HBM, 274 ns each, which fall elsewhere */
    cr_assert_float_eq(seconds[2], (seconds[0] + seconds[1]) / 2, 3e-7);
    cr_assert_gt(seconds[0], seconds[1], "writing costs");
}

Test(physics, many_collectives_in_flight_do_not_lock_up)
{
    char body[4096] = "step {\n";
    struct run_result r;
    struct err e;

    for (int i = 0; i < 12; i++)
        sprintf(
            body + strlen(body),
            "%%g%d f32[64] gradient = elementwise(%%x)\n%%h%d u32[] = all-reduce-start(%%g%d)\n", i,
            i, i);
    for (int i = 0; i < 12; i++)
        sprintf(body + strlen(body), "%%s%d f32[64] gradient = all-reduce-done(%%h%d)\n", i, i);
    strcat(body, "}\n");
    cr_assert_eq(replay_text(&r, body, "tpu-v3-8", NULL, 1, &e), 0, "%s", e.msg);
    check_result(&r);
    run_result_free(&r);
}

Test(physics, what_has_no_step_has_one_clear_error)
{
    struct run_result r;
    struct err e;

    cr_assert_eq(replay_text(&r, "step {\n}\n", "tpu-v3-1", NULL, 1, &e), -1);
    cr_expect(strstr(e.msg, "a step without operations"), "%s", e.msg);
    cr_assert_eq(replay_text(&r, "step {\nrepeat 1000000000 {\n}\n}\n", "tpu-v3-1", NULL, 1, &e),
                 -1);
    cr_expect(strstr(e.msg, ":7: repeat: the block is empty"), "%s", e.msg);
    cr_assert_eq(
        replay_text(&r, "step {\nall-reduce(%x)\n}\n", "tpu-v3-1", "core.op_overhead=0 s", 1, &e),
        -1);
    cr_expect(strstr(e.msg, "takes no time at all"), "%s", e.msg);
}

/* Turns of a loop are alike: 900,000,000 take as much longer than 900 as they are more, but for
 * refreshes of HBM and what a step costs besides. */
Test(physics, a_loop_that_is_too_long_to_walk_takes_its_turns_times_one)
{
    struct run_result few, many;
    struct err e;

    cr_assert_eq(replay_text(&few, "step {\nrepeat 900 {\n%a f32[1] = rng()\n}\n}\n", "tpu-v3-1",
                             NULL, 1, &e),
                 0, "%s", e.msg);
    cr_assert_eq(replay_text(&many, "step {\nrepeat 900000000 {\n%a f32[1] = rng()\n}\n}\n",
                             "tpu-v3-1", NULL, 1, &e),
                 0, "%s", e.msg);
    double ratio = mpq_get_d(many.seconds_per_step) / mpq_get_d(few.seconds_per_step);
    cr_expect_float_eq(ratio, 1e6, 1e4, "%f", ratio);
    check_ledger(&many);
    run_result_free(&few);
    run_result_free(&many);
}

/* A turn is a grid step and the operation: 30,000 turns on 2,048 cores are 122,880,000, on the two
 * cores of a chip 120,000.  Where all chips are simulated some of the turns stand for all. */
Test(physics, what_one_chip_stands_for_is_not_simulated)
{
    const char *body = "step {\nrepeat 30000 {\n%a f32[1] = rng()\n}\n}\n";
    struct run_result one, all;
    struct err e;

    cr_assert_eq(replay_text(&one, body, "tpu-v3-2048", NULL, 1, &e), 0, "%s", e.msg);
    cr_assert_eq(replay_text(&all, body, "tpu-v3-2048", "fault.jitter=1 ns", 1, &e), 0, "%s",
                 e.msg);
    cr_expect_eq(one.walked_steps, one.grid_steps, "all of them");
    cr_expect_lt(all.walked_steps, all.grid_steps, "%lu", all.walked_steps);
    run_result_free(&one);
    run_result_free(&all);
}

Test(physics, rows_of_two_equal_steps_are_those_of_one)
{
    const char *one = "step {\n%a f32[256,256] = matmul(%x, %x)\n}\n";
    char two[256];
    struct run_result a, b;
    struct err e;

    snprintf(two, sizeof two, "%s%s", one, one);
    cr_assert_eq(replay_text(&a, one, "tpu-v2-1", NULL, 2, &e), 0, "%s", e.msg);
    cr_assert_eq(replay_text(&b, two, "tpu-v2-1", NULL, 2, &e), 0, "%s", e.msg);
    double half = mpq_get_d(b.ops[0].seconds) / mpq_get_d(a.ops[0].seconds);
    cr_expect_float_eq(half, 0.5, 1e-3);
    cr_expect_float_eq(mpq_get_d(b.phases[0].mxu), mpq_get_d(a.phases[0].mxu), 1e-3);
    cr_expect_eq(mpz_cmp(b.phases[0].flops, a.phases[0].flops), 0);
    run_result_free(&a);
    run_result_free(&b);
}

/* (4096 + 64) rows for each of 32 x 32 weight tiles at 700 MHz: 6.085 ms, and little else. */
Test(physics, a_large_matmul_takes_its_passes)
{
    const char *body = "%a bf16[4096,4096] = rng()\n";
    struct run_result r;
    struct err e;
    char text[512];

    snprintf(text, sizeof text,
             "step {\n%s%%b bf16[4096,4096] = rng()\n%%c bf16[4096,4096] = matmul(%%a, %%b)\n}\n",
             body);
    cr_assert_eq(replay_text(&r, text, "tpu-v2-1", NULL, 1, &e), 0, "%s", e.msg);
    double s = mpq_get_d(r.ops[2].seconds);
    cr_expect(s > 6.085e-3 && s < 1.03 * 6.085e-3, "%g s", s);
    run_result_free(&r);
}
