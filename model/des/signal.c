#include "des/des_impl.h"

struct des_signal des_signal_new(struct des *sim, struct des_module m, const char *name,
                                 uint64_t initial)
{
    struct label l = des_label(sim, m, name);
    uint32_t id = TABLE_ADD(sim, signals, l);

    TABLE_ADD(sim, signal_infos, l);
    sim->signal_infos.at[id].label = l;
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
        des_misuse(sim, sim->signal_infos.at[id].label, "des/two-writers",
                   "a second writer, %s, after %s", second, first);
    }
    s->writer = sim->current;
}

/* The first write of a process, and misuse. */
static __attribute__((noinline, cold)) void check_write(struct des *sim, struct signal *s)
{
    des_need_open(sim);
    if (sim->current) /* a test bench outside may write any */
        check_writer(sim, s, (uint32_t)(s - sim->signals.at));
}

static inline void write(struct des *sim, struct signal *s, uint64_t value)
{
    if (unlikely(s->writer != sim->current || !sim->open))
        check_write(sim, s);
    s->next = value;
    if (s->updating || value == s->now)
        return;
    s->updating = true;
    sim->signal_updates[sim->n_signal_updates++] = (uint32_t)(s - sim->signals.at);
}

static _Noreturn __attribute__((noinline, cold)) void bad_port(const struct des *sim)
{
    if (!sim->elaborated)
        des_closed_misuse(sim);
    des_handle_misuse(sim, "port");
}

/* Ports are read after the end too, so what counts is the elaboration. */
static inline struct signal *behind(const struct des *sim, uint32_t port)
{
    if (unlikely(port - 1 >= sim->ports.n - 1 || !sim->elaborated))
        bad_port(sim);
    return &sim->signals.at[sim->port_targets[port]];
}

uint64_t des_read_signal(const struct des *sim, struct des_signal s)
{
    return RECORD(sim, signals, s, "signal")->now;
}

uint64_t des_read_in(const struct des *sim, struct des_signal_in port)
{
    return behind(sim, port.id)->now;
}

uint64_t des_read_out(const struct des *sim, struct des_signal_out port)
{
    return behind(sim, port.id)->now;
}

void des_write_signal(struct des *sim, struct des_signal s, uint64_t value)
{
    write(sim, RECORD(sim, signals, s, "signal"), value);
}

void des_write_out(struct des *sim, struct des_signal_out port, uint64_t value)
{
    write(sim, behind(sim, port.id), value);
}

struct des_signal des_signal_of_in(const struct des *sim, struct des_signal_in port)
{
    return (struct des_signal){ (uint32_t)(behind(sim, port.id) - sim->signals.at) };
}

struct des_signal des_signal_of_out(const struct des *sim, struct des_signal_out port)
{
    return (struct des_signal){ (uint32_t)(behind(sim, port.id) - sim->signals.at) };
}

void des_link_signals(struct des *sim)
{
    for (uint32_t i = 1; i < sim->signals.n; i++) {
        struct signal *s = &sim->signals.at[i];
        const struct event *e = &sim->events.at[s->changed];
        if (!des_heard(e))
            continue;
        s->heard = HEARD;
        if (e->n == 1 && !e->lists && !(e->flags & EVENT_WATCHED)) {
            s->heard = HEARD_BY_ONE;
            s->listener = sim->listeners[e->first];
        }
    }
}
