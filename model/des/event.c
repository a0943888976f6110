#include "des/des_impl.h"

uint32_t des_event_add(struct des *sim, struct label l, uint32_t clock)
{
    uint32_t id = TABLE_ADD(sim, events, l);

    TABLE_ADD(sim, event_infos, l);
    sim->event_infos.at[id] = (struct event_info){ l, clock };
    sim->events.at[id].clock = clock != 0;
    return id;
}

struct des_event des_event_new(struct des *sim, struct des_module m, const char *name)
{
    return (struct des_event){ des_event_add(sim, des_label(sim, m, name), 0) };
}

void des_fire(struct des *sim, uint32_t id)
{
    struct event *e = &sim->events.at[id];
    struct process *p = sim->processes.at;
    const uint32_t *listener = sim->listeners + e->first;

    for (uint32_t i = 0; i < e->n; i++)
        if (p[listener[i]].state == PROCESS_STATIC)
            des_make_runnable(sim, listener[i]);
    if (e->waiters) {
        uint32_t last = e->waiters, w = last;
        e->waiters = 0;
        do {
            w = p[w].next;
            des_make_runnable(sim, w);
        } while (w != last);
    }
}

static void delta_remove(struct des *sim, uint32_t pos)
{
    sim->events.at[sim->delta[pos]].pos = 0;
    sim->delta[pos] = 0;
}

/* Close the holes that cancelling left; the list is twice as long as there are events, so this
 * costs O(1) for each hole. */
static void delta_compact(struct des *sim)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < sim->n_delta; i++) {
        uint32_t id = sim->delta[i];
        if (id == 0)
            continue;
        sim->delta[n] = id;
        sim->events.at[id].pos = DELTA_BIT + n++;
    }
    sim->n_delta = n;
}

void des_event_cancel(struct des *sim, uint32_t id)
{
    uint32_t pos = sim->events.at[id].pos;

    if (pos & DELTA_BIT)
        delta_remove(sim, pos - DELTA_BIT);
    else if (pos)
        des_queue_remove(sim, pos);
}

void des_event_delta(struct des *sim, uint32_t id)
{
    uint32_t pos = sim->events.at[id].pos;

    if (pos & DELTA_BIT)
        return;
    if (pos)
        des_queue_remove(sim, pos);
    if (unlikely(sim->n_delta == sim->cap_delta))
        delta_compact(sim);
    sim->events.at[id].pos = DELTA_BIT + sim->n_delta;
    sim->delta[sim->n_delta++] = id;
}

void des_event_at(struct des *sim, uint32_t id, des_time when)
{
    uint32_t pos = sim->events.at[id].pos;

    if (pos) {
        if (pos & DELTA_BIT || sim->queue[pos].when <= when)
            return;
        des_queue_remove(sim, pos);
    }
    des_queue_insert(sim, when, id);
}

void des_event_after(struct des *sim, uint32_t id, des_time delay)
{
    if (delay == 0) {
        des_event_delta(sim, id);
        return;
    }
    if (unlikely(delay >= DES_NEVER - sim->now)) /* DES_NEVER itself is no time */
        des_label_bug(sim, sim->event_infos.at[id].label, "time overflow: a delay of %llu fs",
                      (unsigned long long)delay);
    des_event_at(sim, id, sim->now + delay);
}

/* The id of an event that the caller may notify or cancel. */
static uint32_t own(const struct des *sim, struct des_event e)
{
    const struct event *rec = RECORD(sim, events, e, "event");

    des_need_elaborated(sim);
    if (unlikely(rec->clock))
        des_label_bug(sim, sim->event_infos.at[e.id].label, "only the clock notifies its edges");
    return e.id;
}

void des_notify(struct des *sim, struct des_event e)
{
    uint32_t id = own(sim, e);

    des_event_cancel(sim, id);
    des_fire(sim, id);
}

void des_notify_delta(struct des *sim, struct des_event e)
{
    des_event_delta(sim, own(sim, e));
}

void des_notify_after(struct des *sim, struct des_event e, des_time delay)
{
    des_event_after(sim, own(sim, e), delay);
}

void des_cancel(struct des *sim, struct des_event e)
{
    des_event_cancel(sim, own(sim, e));
}

bool des_event_pending(const struct des *sim, struct des_event e)
{
    return RECORD(sim, events, e, "event")->pos != 0;
}
