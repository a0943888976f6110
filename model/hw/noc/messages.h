/* messages.h - when each of many messages is there: closed forms where they meet nobody, flits
 * where they share a link.
 *
 * Messages meet when they use the same link, source or sink within a credit's round trip of each
 * other.  Those that meet none have their closed form (network_alone).  The others are walked flit
 * by flit together with all that used their links before, since the turns of the allocators
 * remember them; whoever turns out to be in their way after all is walked too.  So the times are
 * those of a walk of all. */
#ifndef HW_NOC_MESSAGES_H
#define HW_NOC_MESSAGES_H

#include "hw/noc/network.h"

struct message {
    uint32_t from, to, flits;
    uint64_t start; /* cycle it is given to its source; of one source, in order of the array */
    uint64_t done;  /* result: cycle its last flit is out */
    bool walked;    /* result */
};

typedef bool message_fold(const struct network *n, uint32_t from, uint32_t to, uint32_t flits,
                          uint32_t packet, uint64_t *cycles);

/* Links that take more cycles a flit. */
struct message_slow {
    uint32_t node, port, interval;
};

struct message_world {
    const struct topology *topology;
    struct network_params par;
    uint32_t packet; /* flits of the largest packet */
    const struct message_slow *slow;
    size_t n_slow;
    message_fold *fold; /* network_alone; NULL walks all */
    /* called after each cycle that is walked; may be NULL.  Without fold all are walked once */
    void (*cycle)(void *self, const struct network *n);
    void *self;
};

/* Set done and walked of all messages.  Starts may stand in any order.  Errors: those of
 * network_init and network_send.  O(n^2 links) to find who meets, and the flit-hops of those who
 * do. */
int messages_run(const struct message_world *w, struct message *m, size_t n, struct err *err);

#endif
