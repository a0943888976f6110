/* Random programs of everything that makes processes wait and run, played by the kernel and by a
 * simulator that knows the rules of docs/reference/des.md and no data structure but arrays searched
 * from end to end.  The delays are chosen to drive the kernel's queue through all of its parts. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/des/test_des_queue.h"

/* --- the decisions, the same for both ------------------------------------------------------ */

static uint64_t draw_bits(struct world *w)
{
    w->random ^= w->random << 13; /* xorshift64 */
    w->random ^= w->random >> 7;
    w->random ^= w->random << 17;
    return w->random >> 11;
}

static int pick_one(struct world *w, int n)
{
    return (int)(draw_bits(w) % (uint64_t)n);
}

int clock_of(const struct program *p)
{
    return p->clock ? p->events : NONE;
}

int event_of_signal(const struct program *p, int s)
{
    return p->events + p->clock + s;
}

int n_events(const struct program *p)
{
    return event_of_signal(p, p->signals);
}

static des_time delay_of(struct world *w)
{
    des_time now = w->rules->time(w), left = DES_NEVER - 1 - now, delay = 0;

    switch (w->program->delays) {
    case EQUAL: delay = 1000; break;
    case CLUSTERS: delay = (pick_one(w, 2) ? 10u : 1000000u) + draw_bits(w) % 3; break;
    case EXPONENTIAL: delay = draw_bits(w) % (UINT64_C(1) << pick_one(w, 50)) + 1; break;
    case TINY: delay = 1 + draw_bits(w) % 3; break;
    case BIMODAL: delay = (pick_one(w, 3) ? 1 : UINT64_C(1) << 40) + draw_bits(w) % 5; break;
    case DECREASING: delay = 3000 - w->descent++ % 3000; break;
    case GRID: /* one time from several places and distances */
        delay = UINT64_C(1) << (4 * (1 + pick_one(w, 5)));
        delay -= now % delay;
        break;
    case LAST:
        if (left > UINT64_C(1) << 30) /* from where there are a million steps left */
            return left - (UINT64_C(1) << 20);
        delay = draw_bits(w) % (UINT64_C(1) << pick_one(w, 16)) + 1;
        break;
    }
    return delay > left ? left : delay;
}

static void control_one(struct world *w)
{
    int p = pick_one(w, w->program->processes), what = pick_one(w, 64);

    if (what == 0)
        w->rules->kill(w, p);
    else if (what < 20)
        w->rules->suspend(w, p);
    else
        w->rules->resume(w, p);
}

static void do_something(struct world *w)
{
    const struct program *p = w->program;
    unsigned what = (unsigned)pick_one(w, 64);
    int e = pick_one(w, p->events);

    if (what < p->now)
        w->rules->notify(w, e);
    else if (what < p->now + p->control)
        control_one(w);
    else if (what < 32)
        w->rules->after(w, e, delay_of(w));
    else if (what < 42)
        w->rules->cancel(w, e);
    else if (what < 50)
        w->rules->delta(w, e);
    else
        w->rules->after(w, e, pick_one(w, 4) ? delay_of(w) : 0);
}

/* The number of events that can be waited for once. */
static int n_waited(const struct program *p)
{
    return p->alone ? event_of_signal(p, 0) : n_events(p);
}

static void wait_somehow(struct world *w)
{
    int e = pick_one(w, n_waited(w->program)), l = pick_one(w, LISTS), what = pick_one(w, 16);

    if (what < 6)
        w->rules->wait_time(w, pick_one(w, 8) ? delay_of(w) : 0);
    else if (what < 9)
        w->rules->wait_event(w, e, pick_one(w, 8) ? delay_of(w) : 0);
    else if (what < 11)
        w->rules->wait_event(w, e, DES_NEVER);
    else if (what < 13)
        w->rules->wait_list(w, l, DES_NEVER);
    else if (what < 15 || w->program->control == 0)
        w->rules->wait_list(w, l, pick_one(w, 8) ? delay_of(w) : 0);
    else
        w->rules->wait_resume(w);
}

void act(struct world *w, struct entry activation)
{
    const struct program *p = w->program;

    cr_assert_lt(w->n_log, (size_t)LOG_MAX);
    w->log[w->n_log++] = activation;
    if (w->n_log > p->limit)
        return;
    for (int i = pick_one(w, 6); i > 0; i--)
        do_something(w);
    if (activation.process < p->signals && pick_one(w, 2))
        w->rules->write(w, activation.process, draw_bits(w) % 2);
    if ((unsigned)pick_one(w, 8) < p->waits)
        wait_somehow(w);
    if (pick_one(w, 16) == 0) /* the last wish counts */
        wait_somehow(w);
}

static void play_program(struct world *w)
{
    for (unsigned i = 0; i < w->program->slices && w->n_log < w->program->limit; i++) {
        des_time delay = delay_of(w);
        w->rules->run(w, w->rules->time(w) + delay);
        for (unsigned k = 0; k < w->program->burst; k++)
            do_something(w);
        if (w->program->signals)
            w->rules->write(w, pick_one(w, w->program->signals), draw_bits(w) % 2);
    }
}

static void listen_to(struct world *w, int process, int event)
{
    w->senses[w->n_senses][0] = process;
    w->senses[w->n_senses++][1] = event;
}

/* The program, the same for both queues. */
static void draw_number(struct world *w)
{
    const struct program *p = w->program;
    int mixed = pick_one(w, 2) ? 0 : 8; /* in every so many the process may listen to all */

    w->senses = calloc((size_t)p->processes * (SENSES + 1), sizeof *w->senses);
    for (int i = 0; i < p->processes; i++) {
        bool any = !p->wide || (mixed && pick_one(w, mixed) == 0);
        if (any || i % 2)
            for (int n = 1 + pick_one(w, SENSES); n > 0; n--)
                listen_to(w, i, pick_one(w, any ? n_waited(p) : p->events));
        else
            listen_to(w, i, p->events + pick_one(w, n_events(p) - p->events));
    }
    for (int s = 0; p->alone && s < p->signals; s++)
        listen_to(w, (s + 1) % p->signals, event_of_signal(p, s));
    for (int l = 0; l < LISTS; l++) {
        int first = pick_one(w, n_waited(p));
        for (int i = 0; i < LIST_EVENTS; i++)
            w->lists[l][i] = (first + i) % n_waited(p);
    }
}

/* --- the kernel --------------------------------------------------------------------------- */

static void kernel_notify(struct world *w, int e)
{
    des_notify(w->sim, w->events[e]);
}

static void kernel_delta(struct world *w, int e)
{
    des_notify_delta(w->sim, w->events[e]);
}

static void kernel_after(struct world *w, int e, des_time delay)
{
    des_notify_after(w->sim, w->events[e], delay);
}

static void kernel_cancel(struct world *w, int e)
{
    des_cancel(w->sim, w->events[e]);
}

static void kernel_write(struct world *w, int s, uint64_t value)
{
    des_write(w->sim, w->signals[s], value);
}

static void kernel_wait_event(struct world *w, int e, des_time timeout)
{
    if (timeout == DES_NEVER)
        des_next_event(w->sim, w->events[e]);
    else
        des_next_event_for(w->sim, w->events[e], timeout);
}

static void kernel_wait_list(struct world *w, int l, des_time timeout)
{
    if (timeout == DES_NEVER)
        des_next_list(w->sim, w->list_handles[l]);
    else
        des_next_list_for(w->sim, w->list_handles[l], timeout);
}

static void kernel_wait_time(struct world *w, des_time delay)
{
    des_next_time(w->sim, delay);
}

static void kernel_wait_resume(struct world *w)
{
    des_next_resume(w->sim);
}

static void kernel_kill(struct world *w, int p)
{
    des_kill(w->sim, w->handles[p]);
}

static void kernel_suspend(struct world *w, int p)
{
    des_suspend(w->sim, w->handles[p]);
}

static void kernel_resume(struct world *w, int p)
{
    des_resume(w->sim, w->handles[p]);
}

static void kernel_run(struct world *w, des_time until)
{
    des_run(w->sim, until);
}

static des_time kernel_time(struct world *w)
{
    return des_now(w->sim);
}

static const struct rules kernel = {
    kernel_notify,     kernel_delta,     kernel_after,     kernel_cancel,      kernel_write,
    kernel_wait_event, kernel_wait_list, kernel_wait_time, kernel_wait_resume, kernel_kill,
    kernel_suspend,    kernel_resume,    kernel_run,       kernel_time,
};

static void run_method(struct des *sim, void *self)
{
    struct world *w = self;

    act(w, (struct entry){ (int)des_self(sim).id - 1, des_timed_out(sim), des_now(sim),
                           des_delta_count(sim) });
}

static void build_parts(struct world *w)
{
    const struct program *p = w->program;
    struct des_module m;
    struct err err;

    w->sim = des_new();
    w->events = calloc((size_t)n_events(p), sizeof *w->events);
    w->signals = calloc((size_t)p->signals + 1, sizeof *w->signals);
    w->handles = calloc((size_t)p->processes, sizeof *w->handles);
    m = des_module_new(w->sim, (struct des_module){ 0 }, "m");
    for (int i = 0; i < p->events; i++)
        w->events[i] = des_event_new(w->sim, m, "e");
    if (p->clock)
        w->events[p->events] =
            des_posedge(w->sim, des_clock_new(w->sim, m, "c", DES_FS_PER_S / PERIOD));
    for (int i = 0; i < p->signals; i++) {
        w->signals[i] = des_signal_new(w->sim, m, "s", 0);
        w->events[event_of_signal(p, i)] = des_changed(w->sim, w->signals[i]);
    }
    for (int i = 0; i < p->processes; i++)
        w->handles[i] = des_method_new(w->sim, m, "p", run_method, w);
    for (int i = 0; i < w->n_senses; i++)
        des_sensitive(w->sim, w->handles[w->senses[i][0]], w->events[w->senses[i][1]]);
    for (int l = 0; l < LISTS; l++) {
        struct des_event in[LIST_EVENTS];
        for (int i = 0; i < LIST_EVENTS; i++)
            in[i] = w->events[w->lists[l][i]];
        w->list_handles[l] = (l % 2 ? des_all : des_any)(w->sim, m, "l", in, LIST_EVENTS);
    }
    cr_assert_eq(des_elaborate(w->sim, &err), 0);
}

/* --- */

static struct world *begin_world(const struct program *p, const struct rules *rules, uint64_t seed)
{
    struct world *w = calloc(1, sizeof *w);

    w->program = p;
    w->rules = rules;
    w->random = seed * UINT64_C(0x9e3779b97f4a7c15);
    w->log = calloc(LOG_MAX, sizeof *w->log);
    draw_number(w);
    return w;
}

static void end_world(struct world *w)
{
    void *owned[] = { w->log,       w->senses, w->events,      w->signals, w->handles, w->targets,
                      w->processes, w->values, w->next_values, w->written, w->writes,  w->runs };

    for (size_t i = 0; i < sizeof owned / sizeof *owned; i++)
        free(owned[i]);
    des_free(w->sim);
    free(w);
}

static void same_runs(const struct program *program, uint64_t first, uint64_t n)
{
    for (uint64_t seed = first; seed < first + n; seed++) {
        struct world *k = begin_world(program, &kernel, seed),
                     *p = begin_world(program, &plain_rules, seed);

        build_parts(k);
        play_program(k);
        prepare_plain(p);
        play_program(p);
        size_t most = k->n_log < p->n_log ? k->n_log : p->n_log;
        for (size_t i = 0; i < most; i++) {
            struct entry a = k->log[i], b = p->log[i];
            cr_assert(a.process == b.process && a.when == b.when && a.deltas == b.deltas &&
                          a.timed_out == b.timed_out,
                      "seed %llu, activation %zu: %d @ %llu, delta %llu, instead of %d @ %llu, "
                      "delta %llu",
                      (unsigned long long)seed, i, a.process, (unsigned long long)a.when,
                      (unsigned long long)a.deltas, b.process, (unsigned long long)b.when,
                      (unsigned long long)b.deltas);
        }
        cr_assert_geq(p->n_log, program->limit, "seed %llu", (unsigned long long)seed);
        cr_assert_eq(k->n_log, p->n_log, "seed %llu", (unsigned long long)seed);
        end_world(k);
        end_world(p);
    }
}

/* --- */

static struct program draw_program(enum delays delays)
{
    return (struct program){ .delays = delays,
                             .processes = 60,
                             .events = 40,
                             .slices = 1000,
                             .burst = 3,
                             .control = 4,
                             .waits = 5,
                             .limit = 4000 };
}

Test(des_queue, small_programs_of_every_kind_of_delay)
{
    for (int delays = EQUAL; delays <= LAST; delays++) {
        struct program p = draw_program((enum delays)delays);
        p.events = 10;
        p.signals = 4;
        p.now = 4;
        same_runs(&p, 1, 4);
    }
}

Test(des_queue, many_processes_with_delays_of_one_to_three)
{
    struct program p = draw_program(TINY);

    p.processes = 1500;
    p.events = 30;
    p.waits = 7;
    same_runs(&p, 1, 1);
}

Test(des_queue, one_time_from_several_places_and_distances)
{
    struct program p = draw_program(GRID);

    p.processes = 300;
    p.waits = 7;
    same_runs(&p, 1, 6);
}

Test(des_queue, hundreds_from_outside_come_before_all_that_is_pending)
{
    static const enum delays kinds[] = { EXPONENTIAL, DECREASING, BIMODAL, CLUSTERS, GRID };

    for (int i = 0; i < 5; i++) {
        struct program p = draw_program(kinds[i]);
        p.processes = p.events = 400;
        p.burst = 300;
        p.slices = 30;
        same_runs(&p, 1, 1);
    }
}

Test(des_queue, wide_events_beside_all_other_ways_to_wait)
{
    for (int delays = EQUAL; delays <= TINY; delays += TINY) {
        struct program p = draw_program((enum delays)delays);
        p.processes = 80;
        p.events = 4;
        p.signals = 3;
        p.clock = p.wide = true;
        p.now = 4;
        same_runs(&p, 1, 10);
    }
}

Test(des_queue, signals_with_one_listener_each)
{
    for (int signals = 1; signals <= 4; signals++) {
        struct program p = draw_program(TINY);
        p.processes = 12;
        p.events = 8;
        p.signals = signals;
        p.alone = true;
        p.now = 4;
        p.control = 1;
        p.waits = 2;
        p.limit = 1500;
        same_runs(&p, 1, 4);
    }
}
