/* des_bench_timed.c - models that wait for time or for a clock. */
#include "tests/bench/des_bench.h"

struct counter {
    uint64_t count;
    des_time step;
};
struct holder {
    uint64_t count;
    struct des_bench_draw random;
    const des_time *delays;
};
struct stage {
    uint64_t count;
    struct des_signal_in in;
    struct des_signal_out out;
};

/* Until half a period after the last round, so that no kernel has to say which side an end is. */
static void advance_time(struct des_bench *b, uint64_t events, des_time period)
{
    b->rounds += (events + b->n - 1) / b->n;
    des_run(b->sim, b->rounds * period + period / 2);
}

static void advance_steps(struct des_bench *b, uint64_t events)
{
    advance_time(b, events, DES_BENCH_STEP_FS);
}

/* --- timed: all at the same times --------------------------------------------------------- */

static void timed_method(struct des *sim, void *self)
{
    struct counter *c = self;

    c->count++;
    des_next_time(sim, c->step);
}

static uint32_t timed_thread(struct des *sim, void *self, uint32_t at)
{
    struct counter *c = self;

    DES_BEGIN(at);
    for (;;) {
        c->count++;
        DES_WAIT_FOR(sim, c->step);
    }
    DES_END;
}

static void timed_build(struct des_bench *b, des_method *method, des_thread *thread)
{
    struct counter *counters = b->modules;

    for (size_t i = 0; i < b->n; i++) {
        struct des_module m = des_bench_module(b, 'm', i);

        counters[i].step = DES_BENCH_STEP_FS;
        if (method)
            des_method_new(b->sim, m, "run", method, &counters[i]);
        else
            des_thread_new(b->sim, m, "run", thread, &counters[i]);
    }
}

static void timed_method_build(struct des_bench *b)
{
    timed_build(b, timed_method, NULL);
}

static void timed_thread_build(struct des_bench *b)
{
    timed_build(b, NULL, timed_thread);
}

/* --- hold: each after an exponential delay of its own ------------------------------------- */

static void hold_method(struct des *sim, void *self)
{
    struct holder *h = self;

    h->count++;
    des_next_time(sim, des_bench_draw(&h->random, h->delays));
}

static uint32_t hold_thread(struct des *sim, void *self, uint32_t at)
{
    struct holder *h = self;

    DES_BEGIN(at);
    for (;;) {
        h->count++;
        DES_WAIT_FOR(sim, des_bench_draw(&h->random, h->delays));
    }
    DES_END;
}

static void hold_build(struct des_bench *b, des_method *method, des_thread *thread)
{
    struct holder *holders = b->modules;

    b->delays[0] = des_bench_exponential(DES_BENCH_MEAN_FS);
    for (size_t i = 0; i < b->n; i++) {
        struct des_module m = des_bench_module(b, 'm', i);

        holders[i].random = des_bench_seed(i);
        holders[i].delays = b->delays[0];
        if (method)
            des_method_new(b->sim, m, "run", method, &holders[i]);
        else
            des_thread_new(b->sim, m, "run", thread, &holders[i]);
    }
}

static void hold_method_build(struct des_bench *b)
{
    hold_build(b, hold_method, NULL);
}

static void hold_thread_build(struct des_bench *b)
{
    hold_build(b, NULL, hold_thread);
}

static void hold_advance(struct des_bench *b, uint64_t events)
{
    advance_time(b, events, DES_BENCH_MEAN_FS);
}

/* --- clocked: methods on the rising edge, with and without signals ------------------------ */

static void clocked_idle(struct des *sim, void *self)
{
    struct counter *c = self;

    (void)sim;
    c->count++;
}

static void clocked_stage(struct des *sim, void *self)
{
    struct stage *s = self;

    s->count++;
    des_write(sim, s->out, des_read(sim, s->in) + 1);
}

static struct des_module clocked_module(struct des_bench *b, size_t i, des_method *method,
                                        void *self)
{
    struct des_module m = des_bench_module(b, 'm', i);
    struct des_process p = des_method_new(b->sim, m, "run", method, self);

    des_sensitive(b->sim, p, b->clk);
    des_dont_initialize(b->sim, p);
    return m;
}

static void clocked_build(struct des_bench *b)
{
    struct counter *counters = b->modules;

    b->clk = des_clock_new(b->sim, b->top, "clk", DES_FS_PER_S / DES_BENCH_STEP_FS);
    for (size_t i = 0; i < b->n; i++)
        clocked_module(b, i, clocked_idle, &counters[i]);
}

static void clocked_ring_build(struct des_bench *b)
{
    struct stage *stages = b->modules;
    struct des_signal first = des_signal_new(b->sim, b->top, "s0", 0), left = first;
    char name[24];

    b->clk = des_clock_new(b->sim, b->top, "clk", DES_FS_PER_S / DES_BENCH_STEP_FS);
    for (size_t i = 0; i < b->n; i++) {
        struct stage *s = &stages[i];
        struct des_module m = clocked_module(b, i, clocked_stage, s);
        struct des_signal right = first;

        if (i + 1 < b->n)
            right = des_signal_new(b->sim, b->top, des_bench_name(name, 's', i + 1), 0);
        s->in = des_signal_in_new(b->sim, m, "in");
        s->out = des_signal_out_new(b->sim, m, "out");
        des_bind(b->sim, s->in, left);
        des_bind(b->sim, s->out, right);
        left = right;
    }
}

const struct des_bench_model des_bench_timed_models[] = {
    { "timed", "method", sizeof(struct counter), 0, timed_method_build, advance_steps },
    { "timed", "thread", sizeof(struct counter), 0, timed_thread_build, advance_steps },
    { "hold", "method", sizeof(struct holder), 0, hold_method_build, hold_advance },
    { "hold", "thread", sizeof(struct holder), 0, hold_thread_build, hold_advance },
    { "clocked-ring", "method", sizeof(struct stage), 0, clocked_ring_build, advance_steps },
    { "clocked", "method", sizeof(struct counter), 0, clocked_build, advance_steps },
    { NULL, NULL, 0, 0, NULL, NULL },
};
