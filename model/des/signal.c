/* signal.c - signals: writes, and the cases that inline.h does not cover.  run.c updates them. */
#include "des/des_impl.h"

struct des_signal des_signal_new(struct des *sim, struct des_module m, const char *name,
                                 uint64_t initial)
{
    struct des_label l = des_label(sim, m, name);
    uint32_t id = TABLE_ADD(sim, signals, l);

    TABLE_ADD(sim, signal_infos, l);
    sim->signal_infos.at[id].label = l;
    uint32_t changed = des_event_add(sim, l, EVENT_OWNED | EVENT_OF_SIGNAL);
    sim->event_infos.at[changed].owner = id;
    sim->signal_infos.at[id].changed = changed;
    sim->signals.at[id].now = sim->signals.at[id].next = initial;
    return (struct des_signal){ id };
}

struct des_event des_changed(const struct des *sim, struct des_signal s)
{
    return (struct des_event){ RECORD(sim, signal_infos, s, "signal")->changed };
}

static void check_writer(const struct des *sim, struct des_signal_record *s, uint32_t id)
{
    if (s->writer) {
        char first[256], second[256];
        des_path(sim, (struct des_object){ DES_PROCESS, s->writer }, first, sizeof first);
        des_path(sim, (struct des_object){ DES_PROCESS, sim->hot.current }, second, sizeof second);
        des_misuse(sim, sim->signal_infos.at[id].label, "des/two-writers",
                   "a second writer, %s, after %s", second, first);
    }
    s->writer = sim->hot.current;
}

static void write_signal(struct des *sim, uint32_t id, uint64_t value)
{
    struct des_signal_record *s = &sim->signals.at[id];

    des_need_open(sim, &sim->signal_infos.at[id].label);
    if (s->writer != sim->hot.current && sim->hot.current) /* outside a process there is no check */
        check_writer(sim, s, id);
    s->next = value;
    if (s->updating || value == s->now)
        return;
    s->updating = true;
    sim->hot.signal_updates[sim->hot.n_signal_updates++] = s;
}

/* The signal behind a port.  Ports may be read after the end of the simulation too. */
static uint32_t signal_behind(const struct des *sim, uint32_t port)
{
    if (unlikely(port - 1 >= sim->ports.n - 1))
        des_handle_misuse(sim, "port");
    if (unlikely(!sim->elaborated))
        des_closed_misuse(sim, &sim->ports.at[port].label);
    return (uint32_t)(sim->hot.port_signals[port] - sim->signals.at);
}

uint64_t des_read_signal(const struct des *sim, struct des_signal s)
{
    return RECORD(sim, signals, s, "signal")->now;
}

uint64_t des_read_any(const struct des *sim, uint32_t port)
{
    return sim->signals.at[signal_behind(sim, port)].now;
}

void des_write_signal(struct des *sim, struct des_signal s, uint64_t value)
{
    (void)RECORD(sim, signals, s, "signal");
    write_signal(sim, s.id, value);
}

void des_write_any(struct des *sim, uint32_t port, uint64_t value)
{
    write_signal(sim, signal_behind(sim, port), value);
}

struct des_signal des_signal_of_in(const struct des *sim, struct des_signal_in port)
{
    return (struct des_signal){ signal_behind(sim, port.id) };
}

struct des_signal des_signal_of_out(const struct des *sim, struct des_signal_out port)
{
    return (struct des_signal){ signal_behind(sim, port.id) };
}

void des_link_signals(struct des *sim)
{
    for (uint32_t i = 1; i < sim->signals.n; i++) {
        struct des_signal_record *s = &sim->signals.at[i];
        const struct des_event_record *e = &sim->events.at[sim->signal_infos.at[i].changed];
        if (!des_heard(e))
            continue;
        s->heard = HEARD;
        if (e->n == 1 && !e->lists && !(e->flags & EVENT_WATCHED)) {
            s->heard = HEARD_BY_ONE;
            s->listener = &sim->processes.at[sim->listeners[e->first]];
        }
    }
}
