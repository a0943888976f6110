/* flight.h - chunks on the wire between two chips: a delay line behind a link.
 *
 *      flight_put(chunk, due)  >--[ until it is due ]--> out
 *
 * Chunks leave in the order in which they were put, none before it is due, and later if the
 * receiver has no room.  A link puts FLIGHT_PLACES on its wire at most; a border, to which chunks
 * of another event kernel may come long before they are due, any number. */
#ifndef HW_NET_FLIGHT_H
#define HW_NET_FLIGHT_H

#include "des/des.h"
#include "hw/wires/msg_net.h"

#define FLIGHT_PLACES 16 /* chunks on the wire of a link */

struct flight_chunk {
    struct net_chunk chunk;
    des_time due;
};

struct flight {
    struct des_out out;                     /* struct net_chunk */
    struct flight_chunk *at;                /* a ring, first sent first */
    struct flight_chunk own[FLIGHT_PLACES]; /* it, unless it has grown */
    uint32_t places, head, count;
    struct des_event arrival; /* the first one is due */
    struct des_process deliver;
    struct des_probes show;
    uint32_t row; /* of `show`: how many are on the wire */
};

/* Its event and its process in module `mod`; it delivers to `out`. */
void flight_init(struct flight *f, struct des *sim, struct des_module mod, struct des_out out,
                 struct des_probes show, uint32_t row);
void flight_free(struct flight *f);
/* Has a link no place for another chunk? */
static inline bool flight_full(const struct flight *f)
{
    return f->count == FLIGHT_PLACES;
}
/* Put a chunk on the wire; it is due no earlier than the one before it.  Amortised O(1). */
void flight_put(struct des *sim, struct flight *f, const struct net_chunk *c, des_time due);
/* When the first chunk is due; DES_NEVER: there is none. */
static inline des_time flight_next(const struct flight *f)
{
    return f->count ? f->at[f->head].due : DES_NEVER;
}

#endif
