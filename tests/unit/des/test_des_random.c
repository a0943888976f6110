/* Random notifications, run by the kernel and by an oracle that knows nothing but the rules: it
 * keeps what is pending in plain arrays and searches them from end to end. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "des/des.h"

enum { N = 40, LIMIT = 10000, LOG_MAX = 40 * LIMIT };

struct entry {
    uint32_t process;
    des_time when;
};

/* --- the decisions, the same for both ------------------------------------------------------ */

struct world;

struct rules { /* the kernel under test, or the oracle */
    void (*now)(struct world *w, unsigned e);
    void (*delta)(struct world *w, unsigned e);
    void (*after)(struct world *w, unsigned e, des_time delay);
    void (*cancel)(struct world *w, unsigned e);
    void (*next_event)(struct world *w, unsigned e);
    void (*next_time)(struct world *w, des_time delay);
    des_time (*time)(struct world *w);
};

enum kind { IDLE, DELTA, TIMED };

struct world {
    const struct rules *rules;
    uint64_t random;
    unsigned notified;
    struct entry *log;
    size_t n_log;

    struct des *sim;
    struct des_event events[N];

    /* the oracle; the events N .. 2N - 1 are the timers of the processes */
    struct {
        enum kind kind;
        des_time when;
        uint64_t seq;
    } pending[2 * N];
    enum { STATIC, DYNAMIC, RUNNABLE, RUNNING } state[N];
    unsigned wait[N], next_wait;
    uint64_t wait_seq[N], seq;
    unsigned run[2 * N], n_run;
    unsigned current;
    des_time clock;
};

static unsigned pick_one(struct world *w, unsigned n)
{
    w->random ^= w->random << 13; /* xorshift64 */
    w->random ^= w->random >> 7;
    w->random ^= w->random << 17;
    return (unsigned)(w->random >> 33) % n;
}

static void run_action(struct world *w, unsigned process)
{
    cr_assert_lt(w->n_log, (size_t)LOG_MAX);
    w->log[w->n_log++] = (struct entry){ process, w->rules->time(w) };
    if (w->notified >= LIMIT)
        return;
    for (unsigned i = pick_one(w, 4); i > 0; i--) {
        unsigned e = pick_one(w, N), what = pick_one(w, 16);
        w->notified++;
        if (what == 0)
            w->rules->now(w, e);
        else if (what < 4)
            w->rules->delta(w, e);
        else if (what < 6)
            w->rules->cancel(w, e);
        else if (what < 14) /* short delays: many ties */
            w->rules->after(w, e, pick_one(w, 12));
        else
            w->rules->after(w, e, pick_one(w, 1000000));
    }
    if (pick_one(w, 8) == 0)
        w->rules->next_event(w, pick_one(w, N));
    if (pick_one(w, 8) == 0)
        w->rules->next_time(w, pick_one(w, 6));
}

/* Process i is sensitive to these two events. */
static unsigned second_event(unsigned i)
{
    return (i * 7 + 3) % N;
}

/* --- the kernel --------------------------------------------------------------------------- */

static void kernel_now(struct world *w, unsigned e)
{
    des_notify(w->sim, w->events[e]);
}

static void kernel_delta(struct world *w, unsigned e)
{
    des_notify_delta(w->sim, w->events[e]);
}

static void kernel_after(struct world *w, unsigned e, des_time delay)
{
    des_notify_after(w->sim, w->events[e], delay);
}

static void kernel_cancel(struct world *w, unsigned e)
{
    des_cancel(w->sim, w->events[e]);
}

static void kernel_next_event(struct world *w, unsigned e)
{
    des_next_event(w->sim, w->events[e]);
}

static void kernel_next_time(struct world *w, des_time delay)
{
    des_next_time(w->sim, delay);
}

static des_time kernel_time(struct world *w)
{
    return des_now(w->sim);
}

static const struct rules kernel = { kernel_now,    kernel_delta,      kernel_after,
                                     kernel_cancel, kernel_next_event, kernel_next_time,
                                     kernel_time };

struct self {
    struct world *w;
    unsigned process;
};

static void run_method(struct des *sim, void *self)
{
    struct self *s = self;

    (void)sim;
    run_action(s->w, s->process);
}

static void run_kernel(struct world *w)
{
    struct self selves[N];
    struct des_process p[N];
    struct err err;

    w->sim = des_new();
    struct des_module m = des_module_new(w->sim, (struct des_module){ 0 }, "m");
    for (unsigned i = 0; i < N; i++)
        w->events[i] = des_event_new(w->sim, m, "e");
    for (unsigned i = 0; i < N; i++) {
        selves[i] = (struct self){ w, i };
        p[i] = des_method_new(w->sim, m, "p", run_method, &selves[i]);
        des_sensitive(w->sim, p[i], w->events[i]);
        des_sensitive(w->sim, p[i], w->events[second_event(i)]);
    }
    cr_assert_eq(des_elaborate(w->sim, &err), 0);
    while (des_run(w->sim, DES_NEVER) || w->notified < LIMIT)
        kernel_after(w, pick_one(w, N), 1);
    des_free(w->sim);
}

/* --- the oracle --------------------------------------------------------------------------- */

static void wake_process(struct world *w, unsigned p)
{
    w->state[p] = RUNNABLE;
    w->run[w->n_run++] = p;
}

static void fire_event(struct world *w, unsigned e)
{
    w->pending[e].kind = IDLE;
    for (unsigned p = 0; p < N; p++)
        if (w->state[p] == STATIC && (p == e || second_event(p) == e))
            wake_process(w, p);
    for (;;) { /* who waits longest first */
        unsigned first = N;
        for (unsigned p = 0; p < N; p++)
            if (w->state[p] == DYNAMIC && w->wait[p] == e &&
                (first == N || w->wait_seq[p] < w->wait_seq[first]))
                first = p;
        if (first == N)
            return;
        wake_process(w, first);
    }
}

static void oracle_delta(struct world *w, unsigned e)
{
    if (w->pending[e].kind == DELTA)
        return;
    w->pending[e].kind = DELTA;
    w->pending[e].seq = w->seq++;
}

static void oracle_after(struct world *w, unsigned e, des_time delay)
{
    if (delay == 0) {
        oracle_delta(w, e);
        return;
    }
    if (w->pending[e].kind == DELTA ||
        (w->pending[e].kind == TIMED && w->pending[e].when <= w->clock + delay))
        return;
    w->pending[e].kind = TIMED;
    w->pending[e].when = w->clock + delay;
    w->pending[e].seq = w->seq++;
}

static void oracle_cancel(struct world *w, unsigned e)
{
    w->pending[e].kind = IDLE;
}

static void forget_waits(struct world *w)
{
    if (w->next_wait == N + w->current)
        oracle_cancel(w, w->next_wait);
}

static void oracle_next_event(struct world *w, unsigned e)
{
    forget_waits(w);
    w->next_wait = e;
}

static void oracle_next_time(struct world *w, des_time delay)
{
    forget_waits(w);
    w->next_wait = N + w->current;
    oracle_after(w, w->next_wait, delay);
}

static des_time oracle_time(struct world *w)
{
    return w->clock;
}

static const struct rules oracle = { fire_event,    oracle_delta,      oracle_after,
                                     oracle_cancel, oracle_next_event, oracle_next_time,
                                     oracle_time };

static void evaluate_phase(struct world *w)
{
    while (w->n_run > 0) {
        unsigned p = w->run[0];
        memmove(w->run, w->run + 1, --w->n_run * sizeof *w->run);
        w->state[p] = RUNNING;
        w->current = p;
        w->next_wait = 2 * N; /* the static list */
        run_action(w, p);
        w->state[p] = w->next_wait == 2 * N ? STATIC : DYNAMIC;
        w->wait[p] = w->next_wait;
        w->wait_seq[p] = w->seq++;
    }
}

/* Fire, first notified first, what is pending as `kind` and due at `when`. */
static bool fire_all(struct world *w, enum kind kind, des_time when)
{
    bool any = false;

    for (;;) {
        unsigned first = 2 * N;
        for (unsigned e = 0; e < 2 * N; e++)
            if (w->pending[e].kind == kind && (kind == DELTA || w->pending[e].when == when) &&
                (first == 2 * N || w->pending[e].seq < w->pending[first].seq))
                first = e;
        if (first == 2 * N)
            return any;
        fire_event(w, first);
        any = true;
    }
}

static void run_oracle(struct world *w)
{
    for (unsigned p = 0; p < N; p++)
        wake_process(w, p);
    for (;;) {
        do
            evaluate_phase(w);
        while (fire_all(w, DELTA, 0));
        des_time next = DES_NEVER;
        for (unsigned e = 0; e < 2 * N; e++)
            if (w->pending[e].kind == TIMED && w->pending[e].when < next)
                next = w->pending[e].when;
        if (next == DES_NEVER) {
            if (w->notified >= LIMIT)
                return;
            oracle_after(w, pick_one(w, N), 1);
            continue;
        }
        w->clock = next;
        fire_all(w, TIMED, next);
    }
}

/* --- */

Test(des_random, ten_thousand_notifications_run_as_the_rules_say)
{
    for (uint64_t seed = 1; seed <= 20; seed++) {
        struct world *k = calloc(1, sizeof *k), *o = calloc(1, sizeof *o);

        k->random = o->random = seed * UINT64_C(0x9e3779b97f4a7c15);
        k->rules = &kernel;
        o->rules = &oracle;
        k->log = calloc(LOG_MAX, sizeof *k->log);
        o->log = calloc(LOG_MAX, sizeof *o->log);
        run_kernel(k);
        run_oracle(o);
        cr_assert_geq(o->n_log, (size_t)LIMIT / 4);
        cr_assert_eq(k->n_log, o->n_log, "seed %llu", (unsigned long long)seed);
        for (size_t i = 0; i < o->n_log; i++) {
            cr_assert_eq(k->log[i].process, o->log[i].process, "entry %zu", i);
            cr_assert_eq(k->log[i].when, o->log[i].when, "entry %zu", i);
        }
        free(k->log);
        free(o->log);
        free(k);
        free(o);
    }
}
