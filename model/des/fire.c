/* fire.c - what is due: events fire, timers end, in a delta or at the next time of the queue. */
#include "des/des_impl.h"

void des_call_watchers(struct des *sim, uint32_t watch, uint64_t value)
{
    for (const struct des_watch_record *w; watch; watch = w->next) {
        w = &sim->watches.at[watch];
        w->seen(sim, w->self, w->tag, value);
    }
}

static void call_event_watchers(struct des *sim, uint32_t watch)
{
    for (const struct des_watch_record *w; watch; watch = w->next) {
        w = &sim->watches.at[watch];
        w->seen(sim, w->self, w->tag, w->value);
    }
}

static void fire_listeners(struct des *sim, uint32_t id)
{
    const struct des_event_record *e = &sim->events.at[id];
    const uint32_t *listener = sim->listeners + e->first;

    if (e->flags & EVENT_WALKED) {
        sim->run[sim->run_tail++ & sim->run_mask] = RUN_LISTENERS | id;
        return;
    }
    for (uint32_t i = 0; i < e->n; i++)
        if (sim->processes.at[listener[i]].state == PROCESS_STATIC)
            des_make_runnable(sim, listener[i]);
}

static inline void fire_waiters(struct des *sim, struct des_event_record *e)
{
    const struct des_process_record *p = sim->processes.at;
    uint32_t last = e->waiters, next = p[last].next, w;

    e->waiters = 0;
    do {
        w = next;
        next = p[w].next;
        des_wake_waiter(sim, w);
    } while (w != last);
}

void des_fire(struct des *sim, uint32_t id)
{
    struct des_event_record *e = &sim->events.at[id];

    if (e->n)
        fire_listeners(sim, id);
    if (e->waiters)
        fire_waiters(sim, e);
    if (unlikely(e->lists))
        des_fire_lists(sim, id);
    if (unlikely(e->edge))
        sim->idle_clocks += e->n > 0;
    if (unlikely(e->flags & EVENT_WATCHED)) {
        call_event_watchers(sim, sim->event_infos.at[id].watch);
        if (e->edge)
            des_clock_arm(sim, id);
    }
}

void des_fire_deltas(struct des *sim, uint32_t from)
{
    uint32_t n = sim->n_delta;

    for (uint32_t i = from; i < n; i++) {
        uint32_t target = des_target(sim->delta[i]);
        if (!des_delta_pending(sim, sim->delta[i]))
            continue;
        if (target & TARGET_TIMER) {
            des_fire_timer(sim, target & ~TARGET_TIMER);
        } else {
            sim->events.at[target].when = DES_NEVER;
            des_fire(sim, target);
        }
    }
    sim->n_delta = from;
}

void des_notify(struct des *sim, struct des_event e)
{
    uint32_t id = des_own_event(sim, e);

    des_event_cancel(sim, id);
    des_fire(sim, id);
}

/* --- the next time --------------------------------------------------------------------------- */

static inline void fire_entry(struct des *sim, des_time when, uint64_t what)
{
    struct des_queue *q = &sim->queue;
    uint32_t target = des_target(what);

    if (unlikely(q->stale) && !des_queue_is_pending(sim, when, what)) {
        q->stale--;
    } else if (target & TARGET_TIMER) {
        des_fire_timer(sim, target & ~TARGET_TIMER);
    } else {
        sim->events.at[target].when = DES_NEVER;
        des_fire(sim, target);
    }
}

static void fire_flat(struct des *sim)
{
    struct des_queue *q = &sim->queue;
    struct des_bucket due = q->flat;

    q->flat = (struct des_bucket){ 0 };
    q->flat_when = DES_NEVER;
    EACH (q, &due, t)
        fire_entry(sim, t->when, t->what);
    des_bucket_release(q, &due);
}

static void fire_same(struct des *sim)
{
    struct des_queue *q = &sim->queue;

    des_queue_set_apart(q);
    for (uint32_t i = 0; i < q->n_now; i++)
        fire_entry(sim, sim->hot.now, q->now[i]);
}

/* Put the due timers on the run list as one item, RUN_NOW.  Their processes wait for nothing else,
 * so until their turn only des_kill and des_suspend can change them. */
static void walk_same(struct des *sim)
{
    des_queue_set_apart(&sim->queue);
    sim->run[sim->run_tail++ & sim->run_mask] = RUN_NOW;
}

bool des_queue_advance(struct des *sim, des_time until)
{
    struct des_queue *q = &sim->queue;
    des_time now = des_queue_next(sim);
    uint64_t due[HEAD_MAX + NEAR_MAX];
    uint32_t n = 0;

    if (now > until || now == DES_NEVER)
        return false;
    sim->hot.now = now;
    q->firing = true;
    while (q->head_when[des_head_first(q)] == now)
        due[n++] = des_head_pop(sim);
    if (q->flat_when == now)
        fire_flat(sim);
    for (uint32_t i = 0; i < n; i++)
        fire_entry(sim, now, due[i]);
    if (q->same_when == now) {
        if (q->mixed || q->stale)
            fire_same(sim);
        else
            walk_same(sim);
    }
    q->firing = false;
    if (unlikely(q->stale) && des_queue_full_of_stale(q))
        des_queue_sweep(sim);
    return true;
}
