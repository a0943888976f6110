/* messages.h - when each of many messages arrives: in closed form where it meets no other, by flits
 * where messages share a link.
 *
 * Two messages meet if they use the same link, source or sink within a credit's round trip of each
 * other.  A message that meets none takes its closed form (network_alone).  The others are walked
 * flit by flit, together with every message that used their links before, because the allocators
 * remember whose turn is next.  If a walked message turns out to meet further ones, those are
 * walked too.  So all times are those of a walk of everything. */
#ifndef HW_NOC_MESSAGES_H
#define HW_NOC_MESSAGES_H

#include "hw/noc/network.h"

struct message {
    uint32_t from, to, flits;
    uint64_t start; /* cycle in which its source gets it; messages of one source in array order */
    uint64_t done;  /* result: cycle in which its last flit leaves the network */
    bool walked;    /* result: flit by flit, not in closed form */
};

/* Cycles of a message that meets no other; false: it has no closed form. */
typedef bool message_fold(const struct network *n, uint32_t from, uint32_t to, uint32_t flits,
                          uint32_t packet, uint64_t *cycles);

/* A link that takes `interval` cycles a flit. */
struct message_slow {
    uint32_t node, port, interval;
};

struct message_world {
    const struct topology *topology;
    struct network_params par;
    uint32_t packet; /* flits of the largest packet */
    const struct message_slow *slow;
    size_t n_slow;
    message_fold *fold; /* network_alone; NULL: walk all messages */
    /* called after each walked cycle; may be NULL.  Without `fold` there is one walk, of all */
    void (*cycle)(void *self, const struct network *n);
    void *self;
};

/* Set done and walked of all messages; starts may be in any order.  Errors: those of network_init
 * and network_send.  O(n^2 links) to find which messages meet, and the flit-hops of those. */
int messages_run(const struct message_world *w, struct message *m, size_t n, struct err *err);

#endif
