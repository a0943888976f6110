#include "hw/net/border.h"

#include "base/err.h"
#include "hw/wires/show.h"

static void drop_chunks(struct des *sim, void *self)
{
    struct border_out *b = self;
    struct net_chunk c;

    while (des_get(sim, b->in, &c))
        ;
}

void border_out_init(struct border_out *b, struct des *sim, struct des_module parent,
                     const char *name)
{
    b->mod = des_module_new(sim, parent, name);
    b->in = des_in_new(sim, b->mod, "in", sizeof(struct net_chunk));
    struct des_process p = des_method_new(sim, b->mod, "drop", drop_chunks, b);
    des_sensitive(sim, p, b->in);
}

static const struct des_probe_row shows[] = {
    SHOW_ROW(LEVEL, "in_flight", NULL, "chunks from another kernel that are not due yet"),
};

void border_in_init(struct border_in *b, struct des *sim, struct des_module parent,
                    const char *name)
{
    b->mod = des_module_new(sim, parent, name);
    b->out = des_out_new(sim, b->mod, "out", sizeof(struct net_chunk));
    flight_init(&b->flight, sim, b->mod, b->out, SHOW_PROBES(sim, b->mod, shows), 0);
}

void border_in_give(struct border_in *b, struct des *sim, const struct net_chunk *c, des_time due)
{
    BUG_ON(due < des_now(sim));
    flight_put(sim, &b->flight, c, due);
}
