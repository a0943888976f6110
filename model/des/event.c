/* event.c - events: notification and cancellation; the list of notifications for the next delta. */
#include "des/des_impl.h"

uint32_t des_event_add(struct des *sim, struct des_label l, unsigned flags)
{
    uint32_t id = TABLE_ADD(sim, events, l);

    TABLE_ADD(sim, event_infos, l);
    sim->event_infos.at[id].label = l;
    sim->events.at[id].when = DES_NEVER;
    sim->events.at[id].flags = (uint16_t)flags;
    return id;
}

struct des_event des_event_new(struct des *sim, struct des_module m, const char *name)
{
    return (struct des_event){ des_event_add(sim, des_label(sim, m, name), 0) };
}

/* --- the delta list ----------------------------------------------------------------------- */

/* Drop cancelled entries.  The list is twice as long as there are targets, so this costs O(1) per
 * entry, amortised. */
static void compact_deltas(struct des *sim)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < sim->n_delta; i++) {
        if (des_delta_pending(sim, sim->delta[i]))
            sim->delta[n++] = sim->delta[i];
    }
    sim->n_delta = n;
}

void des_delta_add(struct des *sim, uint32_t target, uint32_t stamp)
{
    if (unlikely(sim->n_delta == sim->cap_delta))
        compact_deltas(sim);
    sim->delta[sim->n_delta++] = des_what(target, stamp);
}

/* --- notifying ---------------------------------------------------------------------------- */

void des_event_cancel(struct des *sim, uint32_t id)
{
    struct des_event_record *e = &sim->events.at[id];
    bool timed = e->when != 0 && e->when != DES_NEVER;

    e->when = DES_NEVER;
    if (timed)
        des_queue_forget(sim);
}

void des_event_delta(struct des *sim, uint32_t id)
{
    struct des_event_record *e = &sim->events.at[id];

    if (e->when == 0)
        return;
    if (e->when != DES_NEVER)
        des_event_cancel(sim, id);
    e->when = 0;
    des_delta_add(sim, id, ++e->stamp);
}

void des_event_at(struct des *sim, uint32_t id, des_time when)
{
    struct des_event_record *e = &sim->events.at[id];

    if (e->when <= when) /* a delta notification is stored as time 0 */
        return;
    if (e->when != DES_NEVER)
        des_event_cancel(sim, id);
    e->when = when;
    des_queue_insert_mixed(sim, when, id, ++e->stamp);
}

void des_overflow_misuse(const struct des *sim, struct des_object x, des_time delay)
{
    des_misuse(sim, des_label_of(sim, x), "des/time-overflow", "a delay of %llu fs",
               (unsigned long long)delay);
}

uint32_t des_own_event(const struct des *sim, struct des_event e)
{
    const struct des_event_record *rec = RECORD(sim, events, e, "event");

    des_need_open(sim, &sim->event_infos.at[e.id].label);
    if (unlikely(rec->flags & EVENT_OWNED))
        des_misuse(sim, sim->event_infos.at[e.id].label, "des/owned-event",
                   "only its channel or clock notifies this event");
    return e.id;
}

void des_notify_delta(struct des *sim, struct des_event e)
{
    des_event_delta(sim, des_own_event(sim, e));
}

void des_notify_after(struct des *sim, struct des_event e, des_time delay)
{
    uint32_t id = des_own_event(sim, e);

    if (delay == 0)
        des_event_delta(sim, id);
    else
        des_event_at(sim, id, des_after(sim, DES_OBJECT(e), delay));
}

void des_notify_at(struct des *sim, struct des_event e, des_time when)
{
    uint32_t id = des_own_event(sim, e);

    if (unlikely(when < sim->hot.now))
        des_misuse(sim, sim->event_infos.at[id].label, "des/time-back",
                   "a notification at %llu fs, which is past", (unsigned long long)when);
    if (when == sim->hot.now)
        des_event_delta(sim, id);
    else
        des_event_at(sim, id, des_after(sim, DES_OBJECT(e), when - sim->hot.now));
}

void des_cancel(struct des *sim, struct des_event e)
{
    des_event_cancel(sim, des_own_event(sim, e));
}

bool des_event_pending(const struct des *sim, struct des_event e)
{
    return RECORD(sim, events, e, "event")->when != DES_NEVER;
}
