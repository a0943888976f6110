/* chunks.h - an unbounded FIFO of chunks that wait for a port, for memory or for a card. */
#ifndef HW_NET_CHUNKS_H
#define HW_NET_CHUNKS_H

#include "hw/wires/msg_net.h"

struct chunks {
    struct net_chunk *chunk;
    uint32_t size, head, count;
};

/* Amortised O(1). */
void chunks_put(struct chunks *q, const struct net_chunk *c);
/* The first one; the queue is not empty. */
struct net_chunk *chunks_first(const struct chunks *q);
void chunks_drop(struct chunks *q);
void chunks_free(struct chunks *q);

#endif
