/* Transfers from one core to another.  The sender goes on at once; a transfer that has arrived
 * waits until its receiver asks for it.  A transfer is cut into pieces.  A piece is read from HBM,
 * sent, and written at the other end; as many are in flight as HBM and links have room for. Between
 * cores of one chip a piece crosses no link. */
#include <stdio.h>

#include "hw/net/ici.h"

static struct net_chunk take_first(struct chunks *q)
{
    struct net_chunk c = *chunks_first(q);

    chunks_drop(q);
    return c;
}

static uint32_t own_chip(const struct ici *u)
{
    return u->place.first + u->place.chip;
}

/* Cut a transfer of core `from` of this chip into pieces. */
static void cut_transfer(struct des *sim, struct ici *u, uint32_t from, const struct net_send *s)
{
    uint32_t n = u->place.n_cores;
    int64_t to = (int64_t)own_chip(u) * n + from + s->away;
    uint64_t pieces = (s->bytes + ICI_PIECE - 1) / ICI_PIECE, done = 0;

    BUG_ON(to < 0 || to / n - u->place.first >= mesh_size(&u->place.mesh));
    if (pieces > ICI_MAX_PIECES || pieces == 0)
        pieces = pieces ? ICI_MAX_PIECES : 1;
    for (uint64_t i = 0; i < pieces; i++) {
        uint64_t bytes = (s->bytes - done) / (pieces - i);
        done += bytes;
        struct net_chunk c = {
            .kind = NET_PIECE,
            .to = (uint32_t)(to / n),
            .bytes = bytes,
            .flow = s->flow,
            .piece = { s->id, (uint32_t)(to % n), des_now(sim), i + 1 == pieces },
        };
        chunks_put(&u->to_read, &c);
    }
}

/* A piece was read: it leaves, or is written to this chip's HBM. */
static void pass_on_piece(struct des *sim, struct ici *u, const struct net_chunk *c)
{
    if (c->to == own_chip(u)) {
        chunks_put(&u->to_write, c);
        return;
    }
    ici_send(u, c);
    ici_pump(sim, u);
}

/* Ask memory for the pieces that wait; false: there is no room. */
static bool ask_memory(struct des *sim, struct ici *u, struct chunks *from, struct chunks *to,
                       bool write)
{
    while (from->count) {
        struct mem_request q = { .move.bytes = chunks_first(from)->bytes, .write = write };
        if (!des_put(sim, u->carry, &q))
            return false;
        struct net_chunk c = take_first(from);
        chunks_put(to, &c);
    }
    return true;
}

static void tell_core(struct des *sim, struct ici *u, uint32_t core)
{
    struct chunks *came = &u->came[core];

    while (came->count) {
        const struct net_chunk *c = chunks_first(came);
        struct net_arrival a = { c->piece.id, c->piece.sent, c->flow };
        if (!des_put(sim, u->arrived[core], &a))
            return;
        chunks_drop(came);
    }
}

/* Method: take every step that is possible for any transfer. */
static void carry_transfers(struct des *sim, void *self)
{
    struct ici *u = self;
    struct mem_done d;
    struct net_send s;

    for (uint32_t i = 0; i < u->place.n_cores; i++)
        while (des_get(sim, u->send[i], &s))
            cut_transfer(sim, u, i, &s);
    while (des_get(sim, u->carried, &d)) { /* in the order in which each way was asked */
        struct net_chunk c = take_first(d.write ? &u->writing : &u->reading);
        if (!d.write)
            pass_on_piece(sim, u, &c);
        else if (c.piece.last)
            chunks_put(&u->came[c.piece.core], &c);
    }
    if (ask_memory(sim, u, &u->to_write, &u->writing, true))
        ask_memory(sim, u, &u->to_read, &u->reading, false);
    for (uint32_t i = 0; i < u->place.n_cores; i++)
        tell_core(sim, u, i);
}

void ici_carrier_init(struct ici *u, struct des *sim)
{
    struct des_process p = des_method_new(sim, u->mod, "carry", carry_transfers, u);

    u->carry = des_out_new(sim, u->mod, "carry_request", sizeof(struct mem_request));
    u->carried = des_in_new(sim, u->mod, "carry_done", sizeof(struct mem_done));
    u->piece = des_event_new(sim, u->mod, "piece");
    des_sensitive(sim, p, u->carry);
    des_sensitive(sim, p, u->carried);
    des_sensitive(sim, p, u->piece);
    for (uint32_t i = 0; i < u->place.n_cores; i++) {
        char name[32];
        snprintf(name, sizeof name, "send%u", i);
        u->send[i] = des_in_new(sim, u->mod, name, sizeof(struct net_send));
        snprintf(name, sizeof name, "arrived%u", i);
        u->arrived[i] = des_out_new(sim, u->mod, name, sizeof(struct net_arrival));
        des_sensitive(sim, p, u->send[i]);
        des_sensitive(sim, p, u->arrived[i]);
    }
}
