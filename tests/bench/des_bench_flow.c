/* des_bench_flow.c - models that hand tokens on through FIFOs and signals. */
#include "tests/bench/des_bench.h"

#define NEVER UINT64_MAX
#define PAIR_ROOM 16
#define QUEUE_ROOM 256 /* of mm1: full once in 1e12 arrivals */

struct fifo_stage {
    uint64_t count, limit, token;
    struct des_in in;
    struct des_out out;
};
struct producer {
    uint64_t token;
    struct des_out out;
};
struct consumer {
    uint64_t count, limit, token;
    struct des_in in;
};
struct signal_stage {
    uint64_t count, limit;
    struct des_signal_in in;
    struct des_signal_out out;
};
struct generator {
    uint64_t count, token;
    struct des_bench_draw random;
    const des_time *delays;
    struct des_out out;
};
struct server {
    uint64_t count, arrival, sojourn;
    struct des_bench_draw random;
    const des_time *delays;
    struct des_in in;
};

/* These run in deltas of one time: the first module ends a run after so many of its own rounds. */
static uint64_t more_rounds(struct des_bench *b, uint64_t events, uint64_t burst)
{
    uint64_t all = burst * b->n;

    b->rounds += (events + all - 1) / all * burst;
    return b->rounds;
}

static void run_deltas(struct des_bench *b)
{
    des_run(b->sim, des_now(b->sim));
}

/* --- ring: a token per process, handed on through FIFOs ----------------------------------- */

static uint32_t ring_stage(struct des *sim, void *self, uint32_t at)
{
    struct fifo_stage *s = self;

    DES_BEGIN(at);
    for (;;) {
        DES_PUT(sim, s->out, &s->token);
        DES_GET(sim, s->in, &s->token);
        if (++s->count == s->limit)
            des_pause(sim);
    }
    DES_END;
}

static void ring_build(struct des_bench *b)
{
    struct fifo_stage *stages = b->modules;
    struct des_fifo first = des_fifo_new(b->sim, b->top, "f0", sizeof(uint64_t), 2), left = first;
    char name[24];

    for (size_t i = 0; i < b->n; i++) {
        struct fifo_stage *s = &stages[i];
        struct des_module m = des_bench_module(b, 'm', i);
        struct des_fifo right = first;

        if (i + 1 < b->n)
            right =
                des_fifo_new(b->sim, b->top, des_bench_name(name, 'f', i + 1), sizeof(uint64_t), 2);
        s->limit = NEVER;
        s->in = des_in_new(b->sim, m, "in", sizeof(uint64_t));
        s->out = des_out_new(b->sim, m, "out", sizeof(uint64_t));
        des_bind(b->sim, s->in, left);
        des_bind(b->sim, s->out, right);
        des_thread_new(b->sim, m, "run", ring_stage, s);
        left = right;
    }
}

static void ring_advance(struct des_bench *b, uint64_t events)
{
    struct fifo_stage *stages = b->modules;

    stages[0].limit = more_rounds(b, events, 1);
    run_deltas(b);
}

/* --- pairs: a producer and a consumer with a FIFO of 16 between them ---------------------- */

static uint32_t produce_items(struct des *sim, void *self, uint32_t at)
{
    struct producer *p = self;

    DES_BEGIN(at);
    for (;; p->token++)
        DES_PUT(sim, p->out, &p->token);
    DES_END;
}

static uint32_t consume_items(struct des *sim, void *self, uint32_t at)
{
    struct consumer *c = self;

    DES_BEGIN(at);
    for (;;) {
        DES_GET(sim, c->in, &c->token);
        if (++c->count == c->limit)
            des_pause(sim);
    }
    DES_END;
}

static void pairs_build(struct des_bench *b)
{
    struct producer *producers = b->sources;
    struct consumer *consumers = b->modules;
    char name[24];

    for (size_t i = 0; i < b->n; i++) {
        struct producer *p = &producers[i];
        struct consumer *c = &consumers[i];
        struct des_module source = des_bench_module(b, 'p', i), sink = des_bench_module(b, 'c', i);
        struct des_fifo f =
            des_fifo_new(b->sim, b->top, des_bench_name(name, 'f', i), sizeof(uint64_t), PAIR_ROOM);

        c->limit = NEVER;
        p->out = des_out_new(b->sim, source, "out", sizeof(uint64_t));
        c->in = des_in_new(b->sim, sink, "in", sizeof(uint64_t));
        des_bind(b->sim, p->out, f);
        des_bind(b->sim, c->in, f);
        des_thread_new(b->sim, source, "run", produce_items, p);
        des_thread_new(b->sim, sink, "run", consume_items, c);
    }
}

static void pairs_advance(struct des_bench *b, uint64_t events)
{
    struct consumer *consumers = b->modules;

    consumers[0].limit = more_rounds(b, events, PAIR_ROOM); /* not within a burst */
    run_deltas(b);
}

/* --- delta: one token runs round a ring of signals, a hop in each delta ------------------- */

static void delta_stage(struct des *sim, void *self)
{
    struct signal_stage *s = self;

    des_write(sim, s->out, des_read(sim, s->in) + 1);
    if (++s->count == s->limit)
        des_pause(sim);
}

static void delta_build(struct des_bench *b)
{
    struct signal_stage *stages = b->modules;
    struct des_signal first = des_signal_new(b->sim, b->top, "s0", 0), left = first;
    char name[24];

    for (size_t i = 0; i < b->n; i++) {
        struct signal_stage *s = &stages[i];
        struct des_module m = des_bench_module(b, 'm', i);
        struct des_process p = des_method_new(b->sim, m, "run", delta_stage, s);
        struct des_signal right = first;

        if (i + 1 < b->n)
            right = des_signal_new(b->sim, b->top, des_bench_name(name, 's', i + 1), 0);
        if (i > 0)
            des_dont_initialize(b->sim, p);
        s->limit = NEVER;
        s->in = des_signal_in_new(b->sim, m, "in");
        s->out = des_signal_out_new(b->sim, m, "out");
        des_sensitive(b->sim, p, s->in);
        des_bind(b->sim, s->in, left);
        des_bind(b->sim, s->out, right);
        left = right;
    }
}

static void delta_advance(struct des_bench *b, uint64_t events)
{
    struct signal_stage *stages = b->modules;

    stages[0].limit = more_rounds(b, events, 1);
    run_deltas(b);
}

/* --- mm1: independent queues with exponential arrivals and services, rho = 0.9 ------------ */

static uint32_t generate_customers(struct des *sim, void *self, uint32_t at)
{
    struct generator *g = self;

    DES_BEGIN(at);
    for (;;) {
        DES_WAIT_FOR(sim, des_bench_draw(&g->random, g->delays));
        g->count++;
        g->token = des_now(sim);
        DES_PUT(sim, g->out, &g->token);
    }
    DES_END;
}

static uint32_t serve_customers(struct des *sim, void *self, uint32_t at)
{
    struct server *s = self;

    DES_BEGIN(at);
    for (;;) {
        DES_GET(sim, s->in, &s->arrival);
        DES_WAIT_FOR(sim, des_bench_draw(&s->random, s->delays));
        s->sojourn += des_now(sim) - s->arrival;
        s->count++;
    }
    DES_END;
}

static void mm1_build(struct des_bench *b)
{
    struct generator *generators = b->sources;
    struct server *servers = b->modules;
    char name[24];

    b->delays[0] = des_bench_exponential(DES_BENCH_MEAN_FS / 0.9);
    b->delays[1] = des_bench_exponential(DES_BENCH_MEAN_FS);
    for (size_t i = 0; i < b->n; i++) {
        struct generator *g = &generators[i];
        struct server *s = &servers[i];
        struct des_module source = des_bench_module(b, 'g', i), sink = des_bench_module(b, 's', i);
        struct des_fifo q = des_fifo_new(b->sim, b->top, des_bench_name(name, 'q', i),
                                         sizeof(uint64_t), QUEUE_ROOM);

        g->random = des_bench_seed(2 * i);
        g->delays = b->delays[0];
        s->random = des_bench_seed(2 * i + 1);
        s->delays = b->delays[1];
        g->out = des_out_new(b->sim, source, "out", sizeof(uint64_t));
        s->in = des_in_new(b->sim, sink, "in", sizeof(uint64_t));
        des_bind(b->sim, g->out, q);
        des_bind(b->sim, s->in, q);
        des_thread_new(b->sim, source, "run", generate_customers, g);
        des_thread_new(b->sim, sink, "run", serve_customers, s);
    }
}

static void mm1_advance(struct des_bench *b, uint64_t events)
{
    b->until += (des_time)((double)events / (double)b->n * DES_BENCH_MEAN_FS / 0.9);
    des_run(b->sim, b->until);
}

void des_bench_forget(struct des_bench *b)
{
    struct server *servers = b->modules;

    for (size_t i = 0; i < b->n; i++)
        servers[i].sojourn = 0;
    b->forgotten = des_bench_events(b);
}

double des_bench_sojourn(const struct des_bench *b)
{
    const struct server *servers = b->modules;
    double sum = 0;

    for (size_t i = 0; i < b->n; i++)
        sum += (double)servers[i].sojourn;
    return sum / (double)(des_bench_events(b) - b->forgotten) / DES_BENCH_MEAN_FS;
}

const struct des_bench_model des_bench_flow_models[] = {
    { "ring", "thread", sizeof(struct fifo_stage), 0, ring_build, ring_advance },
    { "pairs", "thread", sizeof(struct consumer), sizeof(struct producer), pairs_build,
      pairs_advance },
    { "delta", "method", sizeof(struct signal_stage), 0, delta_build, delta_advance },
    { "mm1", "thread", sizeof(struct server), sizeof(struct generator), mm1_build, mm1_advance },
    { NULL, NULL, 0, 0, NULL, NULL },
};
