#include "des/des_impl.h"

struct des_signal des_signal_new(struct des *sim, struct des_module m, const char *name,
                                 uint64_t initial)
{
    struct label l = des_label(sim, m, name);
    uint32_t id = TABLE_ADD(sim, signals, l);

    TABLE_ADD(sim, signal_labels, l);
    sim->signal_labels.at[id] = l;
    sim->signals.at[id] = (struct signal){ .now = initial,
                                           .next = initial,
                                           .changed = des_event_add(sim, l, EVENT_OWNED) };
    return (struct des_signal){ id };
}

uint64_t des_read(const struct des *sim, struct des_signal s)
{
    return RECORD(sim, signals, s, "signal")->now;
}

struct des_event des_changed(const struct des *sim, struct des_signal s)
{
    return (struct des_event){ RECORD(sim, signals, s, "signal")->changed };
}

static void check_writer(const struct des *sim, struct signal *s, uint32_t id)
{
    if (s->writer) {
        char first[256], second[256];
        des_path(sim, (struct des_object){ DES_PROCESS, s->writer }, first, sizeof first);
        des_path(sim, (struct des_object){ DES_PROCESS, sim->current }, second, sizeof second);
        des_misuse(sim, sim->signal_labels.at[id], "des/two-writers",
                   "a second writer, %s, after %s", second, first);
    }
    s->writer = sim->current;
}

void des_write(struct des *sim, struct des_signal handle, uint64_t value)
{
    struct signal *s = RECORD(sim, signals, handle, "signal");

    des_need_open(sim);
    if (s->writer != sim->current && sim->current) /* a test bench outside may write any */
        check_writer(sim, s, handle.id);
    s->next = value;
    if (s->updating || value == s->now)
        return;
    s->updating = true;
    sim->signal_updates[sim->n_signal_updates++] = handle.id;
}

void des_update_signals(struct des *sim)
{
    uint32_t n = sim->n_signal_updates;

    for (uint32_t i = 0; i < n; i++) {
        struct signal *s = &sim->signals.at[sim->signal_updates[i]];

        s->updating = false;
        if (s->now == s->next)
            continue;
        s->now = s->next;
        if (des_heard(&sim->events.at[s->changed]))
            des_event_delta(sim, s->changed);
        if (unlikely(s->watch))
            des_call_watchers(sim, s->watch, s->now);
    }
    sim->n_signal_updates = 0;
}
