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
    uint32_t written = des_event_add(sim, l, EVENT_OWNED);
    uint32_t read = des_event_add(sim, l, EVENT_OWNED);
    sim->fifos.at[id] = (struct fifo){ .item_size = (uint32_t)item_size,
                                       .capacity = (uint32_t)capacity,
                                       .writable = (uint32_t)capacity,
                                       .written = written,
                                       .read = read };
    return (struct des_fifo){ id };
}

static size_t ring_bytes(const struct fifo *f)
{
    size_t bytes = (size_t)f->item_size * f->capacity;

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
        sim->fifos.at[i].items = sim->items + total;
        total += ring_bytes(&sim->fifos.at[i]);
    }
}

size_t des_fifo_count(const struct des *sim, struct des_fifo f)
{
    return RECORD(sim, fifos, f, "FIFO")->readable;
}

/* Common sizes become a move or two instead of a call. */
static inline void copy(void *to, const void *from, uint32_t size)
{
    switch (size) {
    case 4: memcpy(to, from, 4); return;
    case 8: memcpy(to, from, 8); return;
    case 16: memcpy(to, from, 16); return;
    case 32: memcpy(to, from, 32); return;
    default: memcpy(to, from, size); return;
    }
}

static void request_update(struct des *sim, struct fifo *f, uint32_t id)
{
    if (f->updating)
        return;
    f->updating = true;
    sim->fifo_updates[sim->n_fifo_updates++] = id;
}

static uint32_t behind(const struct des *sim, uint32_t port)
{
    if (unlikely(port - 1 >= sim->ports.n - 1))
        des_handle_misuse(sim, "port");
    des_need_open(sim);
    return sim->port_targets[port];
}

struct des_event des_data_written(const struct des *sim, struct des_in port)
{
    return (struct des_event){ sim->fifos.at[behind(sim, port.id)].written };
}

struct des_event des_data_read(const struct des *sim, struct des_out port)
{
    return (struct des_event){ sim->fifos.at[behind(sim, port.id)].read };
}

bool des_peek(const struct des *sim, struct des_in port, void *item)
{
    const struct fifo *f = &sim->fifos.at[behind(sim, port.id)];

    if (f->readable == 0)
        return false;
    copy(item, f->items + (size_t)f->head * f->item_size, f->item_size);
    return true;
}

bool des_get(struct des *sim, struct des_in port, void *item)
{
    uint32_t id = behind(sim, port.id);
    struct fifo *f = &sim->fifos.at[id];

    if (f->readable == 0)
        return false;
    copy(item, f->items + (size_t)f->head * f->item_size, f->item_size);
    if (++f->head == f->capacity)
        f->head = 0;
    f->readable--;
    f->got++;
    request_update(sim, f, id);
    return true;
}

/* What was got in this delta still takes its room: writable is made up at the update. */
bool des_can_put(const struct des *sim, struct des_out port)
{
    return sim->fifos.at[behind(sim, port.id)].writable > 0;
}

bool des_put(struct des *sim, struct des_out port, const void *item)
{
    uint32_t id = behind(sim, port.id);
    struct fifo *f = &sim->fifos.at[id];

    if (f->writable == 0)
        return false;
    copy(f->items + (size_t)f->tail * f->item_size, item, f->item_size);
    if (++f->tail == f->capacity)
        f->tail = 0;
    f->writable--;
    f->put++;
    request_update(sim, f, id);
    return true;
}

static void notify(struct des *sim, uint32_t event)
{
    if (des_heard(&sim->events.at[event]))
        des_event_delta(sim, event);
}

void des_update_fifos(struct des *sim)
{
    uint32_t n = sim->n_fifo_updates;

    for (uint32_t i = 0; i < n; i++) {
        struct fifo *f = &sim->fifos.at[sim->fifo_updates[i]];
        bool put = f->put > 0, got = f->got > 0;

        f->updating = false;
        f->readable += f->put;
        f->writable += f->got;
        f->put = f->got = 0;
        if (put)
            notify(sim, f->written);
        if (got)
            notify(sim, f->read);
        if (unlikely(f->watch))
            des_call_watchers(sim, f->watch, f->readable);
    }
    sim->n_fifo_updates = 0;
}
