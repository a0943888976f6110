#include <string.h>

#include "des/des_impl.h"

struct des_fifo des_fifo_new(struct des *sim, struct des_module m, const char *name,
                             size_t item_size, size_t capacity)
{
    struct label l = des_label(sim, m, name);

    if (item_size == 0 || capacity == 0 || item_size > UINT32_MAX || capacity > DELTA_BIT)
        des_label_bug(sim, l, "a FIFO of %zu items of %zu bytes", capacity, item_size);
    uint32_t id = TABLE_ADD(sim, fifos, l);
    uint32_t written = des_event_add(sim, l, 0), read = des_event_add(sim, l, 0);
    sim->fifos.at[id] = (struct fifo){ .item_size = (uint32_t)item_size,
                                       .capacity = (uint32_t)capacity,
                                       .written = written,
                                       .read = read,
                                       .label = l };
    return (struct des_fifo){ id };
}

void des_fifo_storage(struct des *sim)
{
    size_t total = 0;

    for (uint32_t i = 1; i < sim->fifos.n; i++) {
        size_t size = (size_t)sim->fifos.at[i].item_size * sim->fifos.at[i].capacity;
        size = (size + 15) & ~(size_t)15; /* each ring is aligned for any item */
        BUG_ON(__builtin_add_overflow(total, size, &total));
    }
    sim->items = des_alloc(total, 1);
    total = 0;
    for (uint32_t i = 1; i < sim->fifos.n; i++) {
        struct fifo *f = &sim->fifos.at[i];
        f->items = sim->items + total;
        total += ((size_t)f->item_size * f->capacity + 15) & ~(size_t)15;
    }
}

size_t des_fifo_count(const struct des *sim, struct des_fifo f)
{
    return RECORD(sim, fifos, f, "FIFO")->count;
}

/* Common sizes become a move or two instead of a call. */
static void copy(void *to, const void *from, uint32_t size)
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
    sim->update[sim->n_update++] = 2 * id + 1;
}

static uint32_t input(const struct des *sim, struct des_in port)
{
    const struct port *p = RECORD(sim, ins, port, "port");

    des_need_elaborated(sim);
    return p->fifo;
}

static uint32_t output(const struct des *sim, struct des_out port)
{
    const struct port *p = RECORD(sim, outs, port, "port");

    des_need_elaborated(sim);
    return p->fifo;
}

bool des_peek(const struct des *sim, struct des_in port, void *item)
{
    const struct fifo *f = &sim->fifos.at[input(sim, port)];

    if (f->count == 0)
        return false;
    copy(item, f->items + (size_t)f->head * f->item_size, f->item_size);
    return true;
}

bool des_get(struct des *sim, struct des_in port, void *item)
{
    uint32_t id = input(sim, port);
    struct fifo *f = &sim->fifos.at[id];

    if (f->count == 0)
        return false;
    copy(item, f->items + (size_t)f->head * f->item_size, f->item_size);
    if (++f->head == f->capacity)
        f->head = 0;
    f->count--;
    f->got++;
    request_update(sim, f, id);
    return true;
}

/* What was got in this delta still takes its room. */
static bool has_room(const struct fifo *f)
{
    return f->count + f->put + f->got < f->capacity;
}

bool des_can_put(const struct des *sim, struct des_out port)
{
    return has_room(&sim->fifos.at[output(sim, port)]);
}

bool des_put(struct des *sim, struct des_out port, const void *item)
{
    uint32_t id = output(sim, port);
    struct fifo *f = &sim->fifos.at[id];

    if (!has_room(f))
        return false;
    uint32_t tail = f->head + f->count + f->put; /* below 2^32: a capacity is at most 2^31 */
    if (tail >= f->capacity)
        tail -= f->capacity;
    copy(f->items + (size_t)tail * f->item_size, item, f->item_size);
    f->put++;
    request_update(sim, f, id);
    return true;
}

void des_fifo_update(struct des *sim, uint32_t id)
{
    struct fifo *f = &sim->fifos.at[id];
    bool put = f->put > 0, got = f->got > 0;

    f->updating = false;
    f->count += f->put;
    f->put = f->got = 0;
    /* nobody outside can wait for these two events, so without listeners they are not notified */
    if (put && sim->events.at[f->written].n)
        des_event_delta(sim, f->written);
    if (got && sim->events.at[f->read].n)
        des_event_delta(sim, f->read);
}
