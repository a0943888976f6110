/* fifo.c - FIFOs: storage, and the cases that inline.h does not cover. */
#include <string.h>

#include "des/des_impl.h"

struct des_fifo des_fifo_new(struct des *sim, struct des_module m, const char *name,
                             size_t item_size, size_t capacity)
{
    struct des_label l = des_label(sim, m, name);

    if (item_size == 0 || capacity == 0 || item_size > UINT32_MAX || capacity > ID_LIMIT)
        des_misuse(sim, l, "des/fifo-size", "a FIFO of %zu items of %zu bytes", capacity,
                   item_size);
    uint32_t id = TABLE_ADD(sim, fifos, l);
    TABLE_ADD(sim, fifo_labels, l);
    sim->fifo_labels.at[id] = l;
    uint32_t written = des_event_add(sim, l, EVENT_OWNED | EVENT_OF_FIFO);
    uint32_t read = des_event_add(sim, l, EVENT_OWNED | EVENT_OF_FIFO);
    sim->event_infos.at[written].owner = sim->event_infos.at[read].owner = id;
    sim->fifos.at[id] = (struct des_fifo_record){ .item_size = (uint32_t)item_size,
                                                  .capacity = (uint32_t)capacity,
                                                  .room = (uint32_t)capacity,
                                                  .written = written };
    return (struct des_fifo){ id };
}

size_t des_fifo_capacity(const struct des *sim, struct des_fifo handle)
{
    return RECORD(sim, fifos, handle, "FIFO")->capacity;
}

/* The last place of a ring of a power of two of places, `capacity` at least. */
static uint32_t mask_of_ring(uint32_t capacity)
{
    return capacity == 1 ? 0 : UINT32_MAX >> __builtin_clz(capacity - 1);
}

static size_t bytes_of_ring(const struct des_fifo_record *f)
{
    size_t bytes = (size_t)f->item_size * (mask_of_ring(f->capacity) + 1);

    return (bytes + 15) & ~(size_t)15; /* each ring is aligned for any item */
}

void des_fifo_storage(struct des *sim)
{
    size_t total = 0;

    for (uint32_t i = 1; i < sim->fifos.n; i++)
        BUG_ON(__builtin_add_overflow(total, bytes_of_ring(&sim->fifos.at[i]), &total));
    sim->items = des_alloc(sim, total, 1);
    total = 0;
    for (uint32_t i = 1; i < sim->fifos.n; i++) {
        struct des_fifo_record *f = &sim->fifos.at[i];
        f->items = sim->items + total;
        f->mask = mask_of_ring(f->capacity);
        total += bytes_of_ring(f);
        f->reader = des_heard(&sim->events.at[f->written]) ? DES_BY_EVENT : 0;
        f->writer = des_heard(&sim->events.at[f->written + 1]) ? DES_BY_EVENT : 0;
    }
}

size_t des_fifo_count(const struct des *sim, struct des_fifo f)
{
    const struct des_fifo_record *rec = RECORD(sim, fifos, f, "FIFO");

    return rec->shown - rec->got;
}

/* --- use ---------------------------------------------------------------------------------- */

static struct des_fifo_record *fifo_behind(const struct des *sim, uint32_t port)
{
    if (unlikely(port - 1 >= sim->ports.n - 1))
        des_handle_misuse(sim, "port");
    des_need_open(sim, &sim->ports.at[port].label);
    return sim->hot.port_fifos[port];
}

static unsigned char *place_of(const struct des_fifo_record *f, uint32_t item)
{
    return f->items + (size_t)f->item_size * (item & f->mask);
}

bool des_get_any(struct des *sim, struct des_in port, void *item)
{
    struct des_fifo_record *f = fifo_behind(sim, port.id);

    if (f->got == f->shown)
        return false;
    const unsigned char *place = place_of(f, f->got++);
    des_fifo_update(&sim->hot, f);
    memcpy(item, place, f->item_size);
    return true;
}

/* The room of items taken in this delta is not free yet: the update adds it to `room`. */
bool des_put_any(struct des *sim, struct des_out port, const void *item)
{
    struct des_fifo_record *f = fifo_behind(sim, port.id);

    if (f->put == f->room)
        return false;
    memcpy(place_of(f, f->put++), item, f->item_size);
    des_fifo_update(&sim->hot, f);
    return true;
}

/* Misuse unless the variable at the call has the item's size: a copy would overwrite what follows.
 */
static void check_size(const struct des *sim, uint32_t port, size_t size)
{
    const struct des_fifo_record *f = fifo_behind(sim, port);

    if (size != f->item_size)
        des_misuse(sim, sim->ports.at[port].label, "des/item-size",
                   "a variable of %zu bytes for items of %u", size, f->item_size);
}

bool des_get_slow(struct des *sim, struct des_in port, void *item, size_t size)
{
    check_size(sim, port.id, size);
    return des_get_any(sim, port, item);
}

bool des_put_slow(struct des *sim, struct des_out port, const void *item, size_t size)
{
    check_size(sim, port.id, size);
    return des_put_any(sim, port, item);
}

/* The running process waits for an event of a FIFO: false, for the caller to return. */
static inline bool wait_for(struct des *sim, uint32_t event)
{
    if (unlikely(sim->hot.current == 0 || sim->hot.next))
        des_ask_for_event(sim, event);
    else
        sim->hot.next = event;
    return false;
}

bool des_get_or_wait_slow(struct des *sim, struct des_in port, void *item, size_t size)
{
    return des_get_slow(sim, port, item, size) ||
           wait_for(sim, sim->hot.port_fifos[port.id]->written);
}

bool des_put_or_wait_slow(struct des *sim, struct des_out port, const void *item, size_t size)
{
    return des_put_slow(sim, port, item, size) ||
           wait_for(sim, sim->hot.port_fifos[port.id]->written + 1);
}

bool des_peek(const struct des *sim, struct des_in port, void *item)
{
    const struct des_fifo_record *f = fifo_behind(sim, port.id);

    if (f->got == f->shown)
        return false;
    memcpy(item, place_of(f, f->got), f->item_size);
    return true;
}

bool des_can_put(const struct des *sim, struct des_out port)
{
    const struct des_fifo_record *f = fifo_behind(sim, port.id);

    return f->put != f->room;
}

struct des_event des_data_written(const struct des *sim, struct des_in port)
{
    return (struct des_event){ fifo_behind(sim, port.id)->written };
}

struct des_event des_data_read(const struct des *sim, struct des_out port)
{
    return (struct des_event){ fifo_behind(sim, port.id)->written + 1 };
}
