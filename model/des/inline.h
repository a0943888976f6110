/* inline.h - inline functions of channel.h and probe.h for the usual cases, which avoid a call.
 * Part of des.h.  Structs and functions that only this header declares are internal to the kernel:
 * programs must not use them. */
#ifndef DES_INLINE_H
#define DES_INLINE_H

#include <string.h>

#include "des/channel.h"

struct des_process_record;

struct des_signal_record { /* 32 bytes */
    uint64_t now, next;
    struct des_process_record
        *listener; /* the one static listener, where `heard` says there is one */
    uint32_t writer;
    uint8_t heard; /* enum des_heard_by */
    bool
        watched; /* read with `heard` as one word, which must not hold a byte written just before */
    bool updating;
};

struct des_fifo_record {  /* 64 bytes; that of a port that leads to no FIFO is all 0 */
    unsigned char *items; /* a ring of a power of two of places: item i is at i & mask */
    uint32_t mask, capacity, item_size;
    uint32_t put, got;       /* items put and taken so far, modulo 2^32 */
    uint32_t shown, room;    /* in this delta `got` goes up to `shown`, `put` up to `room` */
    uint32_t reader, writer; /* slots: the process that is blocked; 0: none; DES_BY_EVENT */
    uint32_t written;        /* event of data written; data read is the next id */
    uint32_t watch;
    uint32_t updating;
    uint32_t rest[2]; /* so that each is one cache line */
};

/* In a slot: whoever waits is found by the event, for others than one blocked process listen to it
 * or have listened. */
#define DES_BY_EVENT UINT32_MAX
/* In hot.next: the running process waits in hot.slot, which is empty. */
#define DES_NEXT_SLOT UINT32_C(0xc0000000)

struct des_hot { /* the first member of struct des: what the inline functions read */
    des_time now;
    uint32_t ports;   /* number of ports; 0 before elaboration and after the end */
    uint32_t current; /* the running process; 0: none */
    struct des_fifo_record **port_fifos; /* the channel behind each port */
    struct des_signal_record **port_signals;
    struct des_fifo_record **fifo_updates; /* written in this delta */
    struct des_signal_record **signal_updates;
    uint32_t n_fifo_updates, n_signal_updates;
    uint32_t next;               /* what the running process waits for next; 0: its static list */
    uint32_t *slot;              /* the one that it waits in */
    bool shown;                  /* some probe is watched */
    des_time walk_from, walk_to; /* window of des_walk; empty unless from < to */
};

/* The functions for every other case: first writes, misuse. */
bool des_get_slow(struct des *sim, struct des_in port, void *item, size_t size);
bool des_put_slow(struct des *sim, struct des_out port, const void *item, size_t size);
bool des_get_or_wait_slow(struct des *sim, struct des_in port, void *item, size_t size);
bool des_put_or_wait_slow(struct des *sim, struct des_out port, const void *item, size_t size);
uint64_t des_read_any(const struct des *sim, uint32_t port);
void des_write_any(struct des *sim, uint32_t port, uint64_t value);
bool des_fine_watched(const struct des *sim, uint32_t first);
void des_show_watched(struct des *sim, uint32_t probe, uint64_t value);
void des_show_ramp_watched(struct des *sim, uint32_t probe, struct des_ramp ramp);

#define DES_LIKELY(cond) __builtin_expect(!!(cond), 1) /* for branches */

/* Have the FIFO updated at the end of this delta cycle, once. */
static inline void des_fifo_update(struct des_hot *h, struct des_fifo_record *f)
{
    if (f->updating)
        return;
    f->updating = true;
    h->fifo_updates[h->n_fifo_updates++] = f;
}

/* Take the next item, of `size` bytes, out of a FIFO that is not empty. */
static inline void des_take(struct des_hot *h, struct des_fifo_record *f, void *item, size_t size)
{
    const unsigned char *place = f->items + size * (f->got & f->mask);

    f->got++;
    des_fifo_update(h, f);
    memcpy(item, place, size);
}

/* Put an item of `size` bytes into a FIFO that has room. */
static inline void des_give(struct des_hot *h, struct des_fifo_record *f, const void *item,
                            size_t size)
{
    memcpy(f->items + size * (f->put & f->mask), item, size);
    f->put++;
    des_fifo_update(h, f);
}

/* Make the running process wait in this slot.  False: another does, or it waits for more. */
static inline bool des_block(struct des_hot *h, uint32_t *slot)
{
    if (!DES_LIKELY((*slot | h->next) == 0 && h->current))
        return false;
    h->next = DES_NEXT_SLOT;
    h->slot = slot;
    return true;
}

/* des_get() calls it; `size` is that of the variable, which must be that of an item. */
static inline bool des_get_sized(struct des *sim, struct des_in port, void *item, size_t size)
{
    struct des_hot *h = (struct des_hot *)sim;

    if (!DES_LIKELY(port.id < h->ports))
        return des_get_slow(sim, port, item, size);
    struct des_fifo_record *f = h->port_fifos[port.id];
    if (!DES_LIKELY(f->item_size == size))
        return des_get_slow(sim, port, item, size);
    if (f->got == f->shown)
        return false;
    des_take(h, f, item, size);
    return true;
}

/* des_put() calls it; `size` as above. */
static inline bool des_put_sized(struct des *sim, struct des_out port, const void *item,
                                 size_t size)
{
    struct des_hot *h = (struct des_hot *)sim;

    if (!DES_LIKELY(port.id < h->ports))
        return des_put_slow(sim, port, item, size);
    struct des_fifo_record *f = h->port_fifos[port.id];
    if (!DES_LIKELY(f->item_size == size))
        return des_put_slow(sim, port, item, size);
    if (f->put == f->room)
        return false;
    des_give(h, f, item, size);
    return true;
}

/* des_get_or_wait() calls it: without an item the process waits for one, and false is returned. */
static inline bool des_get_or_wait_sized(struct des *sim, struct des_in port, void *item,
                                         size_t size)
{
    struct des_hot *h = (struct des_hot *)sim;

    if (!DES_LIKELY(port.id < h->ports))
        return des_get_or_wait_slow(sim, port, item, size);
    struct des_fifo_record *f = h->port_fifos[port.id];
    if (!DES_LIKELY(f->item_size == size))
        return des_get_or_wait_slow(sim, port, item, size);
    if (f->got == f->shown)
        return des_block(h, &f->reader) ? false : des_get_or_wait_slow(sim, port, item, size);
    des_take(h, f, item, size);
    return true;
}

/* des_put_or_wait() calls it: without room the process waits for it, and false is returned. */
static inline bool des_put_or_wait_sized(struct des *sim, struct des_out port, const void *item,
                                         size_t size)
{
    struct des_hot *h = (struct des_hot *)sim;

    if (!DES_LIKELY(port.id < h->ports))
        return des_put_or_wait_slow(sim, port, item, size);
    struct des_fifo_record *f = h->port_fifos[port.id];
    if (!DES_LIKELY(f->item_size == size))
        return des_put_or_wait_slow(sim, port, item, size);
    if (f->put == f->room)
        return des_block(h, &f->writer) ? false : des_put_or_wait_slow(sim, port, item, size);
    des_give(h, f, item, size);
    return true;
}

static inline uint64_t des_read_in(const struct des *sim, struct des_signal_in port)
{
    const struct des_hot *h = (const struct des_hot *)sim;

    return DES_LIKELY(port.id < h->ports) ? h->port_signals[port.id]->now
                                          : des_read_any(sim, port.id);
}

static inline uint64_t des_read_out(const struct des *sim, struct des_signal_out port)
{
    return des_read_in(sim, (struct des_signal_in){ port.id });
}

static inline void des_write_out(struct des *sim, struct des_signal_out port, uint64_t value)
{
    struct des_hot *h = (struct des_hot *)sim;
    struct des_signal_record *s = DES_LIKELY(port.id < h->ports) ? h->port_signals[port.id] : NULL;

    if (!DES_LIKELY(s && s->writer == h->current)) {
        des_write_any(sim, port.id, value);
        return;
    }
    s->next = value;
    if (!s->updating && value != s->now) {
        s->updating = true;
        h->signal_updates[h->n_signal_updates++] = s;
    }
}

static inline des_time des_now(const struct des *sim)
{
    return ((const struct des_hot *)sim)->now;
}

static inline bool des_can_get(const struct des *sim, struct des_in port)
{
    const struct des_hot *h = (const struct des_hot *)sim;

    if (!DES_LIKELY(port.id < h->ports))
        return false;
    return h->port_fifos[port.id]->got != h->port_fifos[port.id]->shown;
}

static inline bool des_shown(const struct des *sim)
{
    return ((const struct des_hot *)sim)->shown;
}

static inline void des_show(struct des *sim, struct des_probes p, uint32_t row, uint64_t value)
{
    if (!DES_LIKELY(!des_shown(sim)))
        des_show_watched(sim, p.first + row, value);
}

static inline void des_show_ramp(struct des *sim, struct des_probes p, uint32_t row,
                                 struct des_ramp ramp)
{
    if (!DES_LIKELY(!des_shown(sim)))
        des_show_ramp_watched(sim, p.first + row, ramp);
}

static inline bool des_walks(const struct des *sim, struct des_probes p, des_time end)
{
    const struct des_hot *h = (const struct des_hot *)sim;

    return h->now < h->walk_to && end >= h->walk_from && h->walk_from < h->walk_to &&
           des_fine_watched(sim, p.first);
}

#endif
