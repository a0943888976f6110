#include "hw/net/flight.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

static void grow_ring(struct flight *f)
{
    struct flight_chunk *at = memory_zeroed(2 * (size_t)f->places, sizeof *at);
    uint32_t first = f->places - f->head;

    memcpy(at, f->at + f->head, first * sizeof *at);
    memcpy(at + first, f->at, f->head * sizeof *at);
    flight_free(f);
    f->at = at;
    f->places *= 2;
    f->head = 0;
}

void flight_put(struct des *sim, struct flight *f, const struct net_chunk *c, des_time due)
{
    if (f->count == f->places)
        grow_ring(f);
    uint32_t slot = (f->head + f->count++) % f->places;

    f->at[slot].chunk = *c;
    f->at[slot].due = due;
    des_show(sim, f->show, f->row, f->count);
    if (f->count == 1)
        des_notify_after(sim, f->arrival, due - des_now(sim));
}

/* Method: woken when the first chunk on the wire is due, and when the receiver makes room. */
static void deliver_chunks(struct des *sim, void *self)
{
    struct flight *f = self;

    while (f->count && f->at[f->head].due <= des_now(sim) &&
           des_put(sim, f->out, &f->at[f->head].chunk)) {
        f->head = (f->head + 1) % f->places;
        f->count--;
    }
    des_show(sim, f->show, f->row, f->count);
    if (f->count && f->at[f->head].due > des_now(sim))
        des_notify_after(sim, f->arrival, f->at[f->head].due - des_now(sim));
}

void flight_init(struct flight *f, struct des *sim, struct des_module mod, struct des_out out,
                 struct des_probes show, uint32_t row)
{
    *f = (struct flight){ .out = out, .show = show, .row = row, .places = FLIGHT_PLACES };
    f->at = f->own;
    f->arrival = des_event_new(sim, mod, "arrival");
    f->deliver = des_method_new(sim, mod, "deliver", deliver_chunks, f);
    des_sensitive(sim, f->deliver, f->arrival);
    des_sensitive(sim, f->deliver, out);
}

void flight_free(struct flight *f)
{
    if (f->at != f->own)
        free(f->at);
}
