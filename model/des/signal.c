#include "des/des_impl.h"

struct des_signal des_signal_new(struct des *sim, struct des_module m, const char *name,
                                 uint64_t initial)
{
    struct label l = des_label(sim, m, name);
    uint32_t id = TABLE_ADD(sim, signals, l);

    TABLE_ADD(sim, signal_labels, l);
    sim->signal_labels.at[id] = l;
    uint32_t changed = des_event_add(sim, l, EVENT_OWNED | EVENT_OF_SIGNAL);
    sim->event_infos.at[changed].owner = id;
    sim->signals.at[id] = (struct signal){ .now = initial, .next = initial, .changed = changed };
    return (struct des_signal){ id };
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

static inline void write(struct des *sim, uint32_t id, uint64_t value)
{
    struct signal *s = &sim->signals.at[id];

    if (unlikely(s->writer != sim->current) && sim->current) /* a test bench may write any */
        check_writer(sim, s, id);
    s->next = value;
    if (s->updating || value == s->now)
        return;
    s->updating = true;
    sim->signal_updates[sim->n_signal_updates++] = id;
}

static inline uint32_t behind(const struct des *sim, uint32_t port)
{
    if (unlikely(port - 1 >= sim->ports.n - 1))
        des_handle_misuse(sim, "port");
    if (unlikely(!sim->elaborated))
        des_closed_misuse(sim);
    return sim->port_targets[port];
}

uint64_t des_read_signal(const struct des *sim, struct des_signal s)
{
    return RECORD(sim, signals, s, "signal")->now;
}

uint64_t des_read_in(const struct des *sim, struct des_signal_in port)
{
    return sim->signals.at[behind(sim, port.id)].now;
}

uint64_t des_read_out(const struct des *sim, struct des_signal_out port)
{
    return sim->signals.at[behind(sim, port.id)].now;
}

void des_write_signal(struct des *sim, struct des_signal s, uint64_t value)
{
    (void)RECORD(sim, signals, s, "signal");
    des_need_open(sim);
    write(sim, s.id, value);
}

void des_write_out(struct des *sim, struct des_signal_out port, uint64_t value)
{
    des_need_open(sim);
    write(sim, behind(sim, port.id), value);
}

struct des_signal des_signal_of_in(const struct des *sim, struct des_signal_in port)
{
    return (struct des_signal){ behind(sim, port.id) };
}

struct des_signal des_signal_of_out(const struct des *sim, struct des_signal_out port)
{
    return (struct des_signal){ behind(sim, port.id) };
}

void des_link_signals(struct des *sim)
{
    for (uint32_t i = 1; i < sim->signals.n; i++)
        sim->signals.at[i].heard = des_heard(&sim->events.at[sim->signals.at[i].changed]);
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
        if (s->heard)
            des_event_delta(sim, s->changed);
        if (unlikely(s->watch))
            des_call_watchers(sim, s->watch, s->now);
    }
    sim->n_signal_updates = 0;
}
