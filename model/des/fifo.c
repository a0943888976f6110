#include <string.h>

#include "des/des_impl.h"

struct des_fifo des_fifo_new(struct des *sim, struct des_module m, const char *name,
                             size_t item_size, size_t capacity)
{
    struct label l = des_label(sim, m, name);

    if (item_size == 0 || capacity == 0 || item_size > UINT32_MAX || capacity > ID_LIMIT)
        des_misuse(sim, l, "des/fifo-size", "a FIFO of %zu items of %zu bytes", capacity,
                   item_size);
    uint32_t id = TABLE_ADD(sim, fifos, l);
    TABLE_ADD(sim, fifo_labels, l);
    sim->fifo_labels.at[id] = l;
    uint32_t written = des_event_add(sim, l, EVENT_OWNED | EVENT_OF_FIFO);
    uint32_t read = des_event_add(sim, l, EVENT_OWNED | EVENT_OF_FIFO);
    sim->event_infos.at[written].owner = sim->event_infos.at[read].owner = id;
    sim->fifos.at[id] = (struct fifo){ .item_size = (uint32_t)item_size,
                                       .writable = (uint32_t)capacity,
                                       .was_writable = (uint32_t)capacity,
                                       .written = written };
    return (struct des_fifo){ id };
}

size_t des_fifo_capacity(const struct des *sim, struct des_fifo handle)
{
    const struct fifo *f = RECORD(sim, fifos, handle, "FIFO");

    return sim->elaborated ? (size_t)(f->end - f->items) / f->item_size : f->writable;
}

/* The capacity is what can be written before the run. */
static size_t ring_bytes(const struct fifo *f)
{
    size_t bytes = (size_t)f->item_size * f->writable;

    return (bytes + 15) & ~(size_t)15; /* each ring is aligned for any item */
}

void des_fifo_storage(struct des *sim)
{
    size_t total = 0;

    for (uint32_t i = 1; i < sim->fifos.n; i++)
        BUG_ON(__builtin_add_overflow(total, ring_bytes(&sim->fifos.at[i]), &total));
    sim->items = des_alloc(sim, total, 1);
    total = 0;
    for (uint32_t i = 1; i < sim->fifos.n; i++) {
        struct fifo *f = &sim->fifos.at[i];
        f->items = f->head = f->tail = sim->items + total;
        f->end = f->items + (size_t)f->item_size * f->writable;
        total += ring_bytes(f);
        f->written_heard = des_heard(&sim->events.at[f->written]);
        f->read_heard = des_heard(&sim->events.at[f->written + 1]);
    }
    sim->port_fifos = des_alloc(sim, sim->ports.n, sizeof *sim->port_fifos);
    for (uint32_t i = 1; i < sim->ports.n; i++)
        if (sim->ports.at[i].kind == DES_IN || sim->ports.at[i].kind == DES_OUT)
            sim->port_fifos[i] = &sim->fifos.at[sim->port_targets[i]];
}

size_t des_fifo_count(const struct des *sim, struct des_fifo f)
{
    return RECORD(sim, fifos, f, "FIFO")->readable;
}

/* --- use ---------------------------------------------------------------------------------- */

static _Noreturn __attribute__((noinline, cold)) void bad_port(const struct des *sim)
{
    if (!sim->open)
        des_closed_misuse(sim);
    des_handle_misuse(sim, "port");
}

static inline struct fifo *behind(const struct des *sim, uint32_t port)
{
    if (unlikely(port - 1 >= sim->open_ports))
        bad_port(sim);
    return sim->port_fifos[port];
}

static inline void request_update(struct des *sim, struct fifo *f)
{
    if (f->updating)
        return;
    f->updating = true;
    sim->fifo_updates[sim->n_fifo_updates++] = (uint32_t)(f - sim->fifos.at);
}

static inline void took(struct des *sim, struct fifo *f, size_t size)
{
    unsigned char *next = f->head + size;

    f->head = next == f->end ? f->items : next;
    f->readable--;
    request_update(sim, f);
}

static inline void gave(struct des *sim, struct fifo *f, size_t size)
{
    unsigned char *next = f->tail + size;

    f->tail = next == f->end ? f->items : next;
    f->writable--;
    request_update(sim, f);
}

/* Items of a word go the short way, without a call. */

static __attribute__((noinline)) bool take_any(struct des *sim, struct fifo *f, void *item)
{
    memcpy(item, f->head, f->item_size);
    took(sim, f, f->item_size);
    return true;
}

static __attribute__((noinline)) bool give_any(struct des *sim, struct fifo *f, const void *item)
{
    memcpy(f->tail, item, f->item_size);
    gave(sim, f, f->item_size);
    return true;
}

static inline bool take(struct des *sim, struct fifo *f, void *item)
{
    if (f->item_size != 8)
        return take_any(sim, f, item);
    uint64_t word;
    memcpy(&word, f->head, 8);
    took(sim, f, 8);
    memcpy(item, &word, 8);
    return true;
}

static inline bool give(struct des *sim, struct fifo *f, const void *item)
{
    if (f->item_size != 8)
        return give_any(sim, f, item);
    memcpy(f->tail, item, 8);
    gave(sim, f, 8);
    return true;
}

static __attribute__((noinline)) bool wait_instead(struct des *sim, uint32_t event)
{
    des_next_event(sim, (struct des_event){ event });
    return false;
}

bool des_get(struct des *sim, struct des_in port, void *item)
{
    struct fifo *f = behind(sim, port.id);

    return f->readable > 0 && take(sim, f, item);
}

/* What was got in this delta still takes its room: writable is made up at the update. */
bool des_put(struct des *sim, struct des_out port, const void *item)
{
    struct fifo *f = behind(sim, port.id);

    return f->writable > 0 && give(sim, f, item);
}

bool des_get_or_wait(struct des *sim, struct des_in port, void *item)
{
    struct fifo *f = behind(sim, port.id);

    return f->readable > 0 ? take(sim, f, item) : wait_instead(sim, f->written);
}

bool des_put_or_wait(struct des *sim, struct des_out port, const void *item)
{
    struct fifo *f = behind(sim, port.id);

    return f->writable > 0 ? give(sim, f, item) : wait_instead(sim, f->written + 1);
}

bool des_peek(const struct des *sim, struct des_in port, void *item)
{
    const struct fifo *f = behind(sim, port.id);

    if (f->readable == 0)
        return false;
    memcpy(item, f->head, f->item_size);
    return true;
}

bool des_can_put(const struct des *sim, struct des_out port)
{
    return behind(sim, port.id)->writable > 0;
}

struct des_event des_data_written(const struct des *sim, struct des_in port)
{
    return (struct des_event){ behind(sim, port.id)->written };
}

struct des_event des_data_read(const struct des *sim, struct des_out port)
{
    return (struct des_event){ behind(sim, port.id)->written + 1 };
}
