/* border.h - the two ends of a link between chips that different event kernels simulate.
 *
 *      kernel of the sender:    link >--[ flight ]--> border_out
 *                                 |
 *                                 +-- link.hand(chunk, due) when it goes on the wire
 *                                                 |
 *      kernel of the receiver:                border_in >--[ flight ]--> engine of the chip
 *
 * The sender sees what it would see of one kernel: border_out takes what has come at once, as the
 * engine of a chip does, so a full wire empties when it would.  The receiver is given a chunk ahead
 * of time, one latency of a hop at least before it is due (machine/cells.h). */
#ifndef HW_NET_BORDER_H
#define HW_NET_BORDER_H

#include "hw/net/flight.h"

struct border_out {
    struct des_module mod;
    struct des_in in; /* struct net_chunk */
};

struct border_in {
    struct des_module mod;
    struct des_out out; /* struct net_chunk */
    struct flight flight;
};

/* Make an end, with its port, in the kernel `sim` of the sender, or of the receiver. */
void border_out_init(struct border_out *b, struct des *sim, struct des_module parent,
                     const char *name);
void border_in_init(struct border_in *b, struct des *sim, struct des_module parent,
                    const char *name);
/* A chunk from the other kernel, not due before now. */
void border_in_give(struct border_in *b, struct des *sim, const struct net_chunk *c, des_time due);

#endif
