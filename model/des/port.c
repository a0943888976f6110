/* port.c - ports and exports: creation, binding, following them to channels at elaboration. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "des/des_impl.h"

static uint32_t add_port(struct des *sim, struct des_module m, const char *name,
                         struct des_port_record p)
{
    p.label = des_label(sim, m, name);
    uint32_t id = TABLE_ADD(sim, ports, p.label);
    sim->ports.at[id] = p;
    return id;
}

static uint32_t add_fifo_port(struct des *sim, struct des_module m, const char *name,
                              enum des_kind kind, size_t item_size)
{
    if (item_size == 0 || item_size > UINT32_MAX)
        des_misuse(sim, des_label(sim, m, name), "des/fifo-size", "a port of items of %zu bytes",
                   item_size);
    return add_port(sim, m, name,
                    (struct des_port_record){ .kind = kind, .item_size = (uint32_t)item_size });
}

struct des_in des_in_new(struct des *sim, struct des_module m, const char *name, size_t item_size)
{
    return (struct des_in){ add_fifo_port(sim, m, name, DES_IN, item_size) };
}

struct des_out des_out_new(struct des *sim, struct des_module m, const char *name, size_t item_size)
{
    return (struct des_out){ add_fifo_port(sim, m, name, DES_OUT, item_size) };
}

struct des_signal_in des_signal_in_new(struct des *sim, struct des_module m, const char *name)
{
    return (struct des_signal_in){ add_port(sim, m, name,
                                            (struct des_port_record){ .kind = DES_SIGNAL_IN }) };
}

struct des_signal_out des_signal_out_new(struct des *sim, struct des_module m, const char *name)
{
    return (struct des_signal_out){ add_port(sim, m, name,
                                             (struct des_port_record){ .kind = DES_SIGNAL_OUT }) };
}

struct des_port des_port_new(struct des *sim, struct des_module m, const char *name,
                             const struct des_interface *type)
{
    return (struct des_port){ add_port(
        sim, m, name, (struct des_port_record){ .kind = DES_PORT, .type = type }) };
}

struct des_export des_export_new(struct des *sim, struct des_module m, const char *name)
{
    return (struct des_export){ add_port(sim, m, name,
                                         (struct des_port_record){ .kind = DES_EXPORT }) };
}

/* --- binding ------------------------------------------------------------------------------ */

static bool is_port(enum des_kind kind)
{
    return kind >= DES_IN && kind <= DES_EXPORT;
}

static bool is_channel(enum des_kind kind)
{
    return kind == DES_FIFO || kind == DES_SIGNAL || kind == DES_CHANNEL;
}

/* The kind of channel that a port leads to. */
static enum des_kind kind_behind(enum des_kind port)
{
    switch (port) {
    case DES_IN:
    case DES_OUT: return DES_FIFO;
    case DES_SIGNAL_IN:
    case DES_SIGNAL_OUT: return DES_SIGNAL;
    default: return DES_CHANNEL;
    }
}

static bool fits_kind(enum des_kind port, enum des_kind to)
{
    if (port == DES_EXPORT)
        return is_channel(to) || to == DES_EXPORT;
    return to == kind_behind(port) || to == port || to == DES_EXPORT ||
           (port == DES_SIGNAL_IN &&
            to == DES_SIGNAL_OUT); /* a port that writes can also be read */
}

static void check_fit(const struct des *sim, const struct des_port_record *p, struct des_object to)
{
    char path[256];

    if (p->kind == DES_EXPORT)
        return;
    bool kind = to.kind == kind_behind(p->kind);
    bool size = to.kind != DES_FIFO || p->item_size == sim->fifos.at[to.id].item_size;
    bool type = to.kind != DES_CHANNEL || p->type == sim->channels.at[to.id].type;
    if (kind && size && type)
        return;
    des_path(sim, to, path, sizeof path);
    if (!kind)
        des_misuse(sim, p->label, "des/bind", "leads to a channel of another kind, %s", path);
    if (!size)
        des_misuse(sim, p->label, "des/bind", "items of %u bytes, but those of %s have %u",
                   p->item_size, path, sim->fifos.at[to.id].item_size);
    des_misuse(sim, p->label, "des/bind", "interface %s, but that of %s is %s", p->type->name, path,
               sim->channels.at[to.id].type->name);
}

void des_bind_object(struct des *sim, struct des_object from, struct des_object to)
{
    static const char *const kinds[] = {
        "a module",      "an event",      "a list",      "a process", "a clock", "a signal",
        "a FIFO",        "a mutex",       "a semaphore", "a channel", "a port",  "a port",
        "a signal port", "a signal port", "a port",      "an export",
    };
    struct des_label l = des_label_of(sim, from), target = des_label_of(sim, to);

    if (!is_port(from.kind))
        des_misuse(sim, l, "des/bind", "%s is not bound to anything", kinds[from.kind]);
    struct des_port_record *p = &sim->ports.at[from.id];
    if (sim->elaborated)
        des_misuse(sim, l, "des/bind", "bound after elaboration");
    if (p->to.id)
        des_misuse(sim, l, "des/bind", "bound twice");
    if (!fits_kind(from.kind, to.kind) || (is_port(to.kind) && to.id == from.id))
        des_misuse(sim, l, "des/bind", "cannot be bound to %s, %s", kinds[to.kind], target.name);
    if (is_channel(to.kind))
        check_fit(sim, p, to);
    p->to = to;
}

/* --- elaboration -------------------------------------------------------------------------- */

/* A list of paths for a message; what does not fit is counted: "and N more". */
struct paths {
    char text[400];
    size_t used;
    uint32_t n, left_out;
};

static void list_unbound(const struct des *sim, uint32_t port, struct paths *list)
{
    char path[256];
    size_t room = sizeof list->text - list->used;

    list->n++;
    des_path(sim, (struct des_object){ sim->ports.at[port].kind, port }, path, sizeof path);
    /* a first path that is too long is cut, so that the list has one at least */
    if (list->used > 0 && strlen(path) + 4 > room) {
        list->left_out++;
        return;
    }
    snprintf(list->text + list->used, room, "%s%s", list->n > 1 ? ", " : "", path);
    list->used += strlen(list->text + list->used);
}

int des_resolve_ports(struct des *sim, struct err *err)
{
    struct paths list = { .text = "" };
    char more[32] = "";

    sim->hot.port_fifos = des_alloc(sim, sim->ports.n, sizeof *sim->hot.port_fifos);
    sim->hot.port_signals = des_alloc(sim, sim->ports.n, sizeof *sim->hot.port_signals);
    sim->port_channels = des_alloc(sim, sim->ports.n, sizeof *sim->port_channels);
    sim->fifos.at = des_table_grow(sim, sim->fifos.at, sizeof *sim->fifos.at, 0, &sim->fifos.cap);
    for (uint32_t i = 0; i < sim->ports.n; i++)
        sim->hot.port_fifos[i] = &sim->fifos.at[0]; /* the null record: no items, no room */
    for (uint32_t i = 1; i < sim->ports.n; i++) {
        const struct des_port_record *p = &sim->ports.at[i];
        struct des_object to = des_behind(sim, (struct des_object){ p->kind, i });
        if (p->to.id == 0) {
            list_unbound(sim, i, &list);
        } else if (to.id) { /* else the unbound port that it leads to is listed */
            check_fit(sim, p, to);
            if (to.kind == DES_FIFO)
                sim->hot.port_fifos[i] = &sim->fifos.at[to.id];
            else if (to.kind == DES_SIGNAL)
                sim->hot.port_signals[i] = &sim->signals.at[to.id];
            else
                sim->port_channels[i] = sim->channels.at[to.id].self;
        }
    }
    if (list.n == 0)
        return 0;
    free(sim->hot.port_fifos); /* elaboration may be called again */
    free(sim->hot.port_signals);
    free(sim->port_channels);
    sim->hot.port_fifos = NULL;
    sim->hot.port_signals = NULL;
    sim->port_channels = NULL;
    sim->memory -= 3 * sim->ports.n * sizeof(void *);
    if (list.left_out > 0)
        snprintf(more, sizeof more, " and %u more", list.left_out);
    return err_set(err, ERR_UNKNOWN, "unbound port%s: %s%s", list.n > 1 ? "s" : "", list.text,
                   more);
}

struct des_object des_behind(const struct des *sim, struct des_object x)
{
    uint32_t steps = 0;

    while (is_port(x.kind) && x.id) {
        const struct des_port_record *p = &sim->ports.at[x.id];
        if (++steps > sim->ports.n)
            des_misuse(sim, p->label, "des/bind", "bound in a circle");
        x = p->to;
    }
    return x;
}

uint32_t des_event_behind(const struct des *sim, struct des_object x)
{
    struct des_object to = des_behind(sim, x);

    switch (to.kind) {
    case DES_EVENT: return to.id;
    case DES_CLOCK: return sim->clocks.at[to.id].edges[0].event;
    case DES_SIGNAL: return sim->signal_infos.at[to.id].changed;
    case DES_FIFO:
        return x.kind == DES_OUT ? sim->fifos.at[to.id].written + 1 : sim->fifos.at[to.id].written;
    case DES_MUTEX: return sim->mutexes.at[to.id].unlocked;
    case DES_SEMAPHORE: return sim->semaphores.at[to.id].posted;
    default: des_misuse(sim, des_label_of(sim, x), "des/sensitive", "nothing to be sensitive to");
    }
}

/* --- using -------------------------------------------------------------------------------- */

void *des_port_channel(const struct des *sim, struct des_port port)
{
    if (unlikely(port.id - 1 >= sim->ports.n - 1))
        des_handle_misuse(sim, "port");
    if (unlikely(!sim->elaborated))
        des_closed_misuse(sim, &sim->ports.at[port.id].label);
    return sim->port_channels[port.id];
}
