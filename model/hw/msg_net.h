/* msg_net.h - the wires of the network: sequencer -> ICI -> link -> ICI. */
#ifndef HW_MSG_NET_H
#define HW_MSG_NET_H

#include "des/des.h"
#include "kernels/task.h"

/* sequencer -> ICI: take part in a collective */
struct net_call {
    const struct task_call *plan; /* the same for all cores; outlives the collective */
    uint64_t flow;                /* des_flow, or 0 */
};

/* ICI -> sequencer */
struct net_reply {
    des_time ready; /* the latest call that had to be waited for */
};

/* ICI -> link -> ... -> ICI: a part of a step; to another slice ICI -> PCIe -> DCN -> PCIe -> ICI,
 * in messages */
struct net_chunk {
    uint32_t to;   /* chip, counted over all slices */
    bool more;     /* a message that is not the last of its part */
    uint64_t step; /* which, counted over all collectives so far */
    uint64_t bytes;
    des_time ready; /* latest call known to the sender */
    uint64_t flow;  /* of it alone, or 0 while nobody looks */
    des_time head;  /* a message: its first packet left the cards */
    des_time tail;  /* its last flit is here; a part that goes further is known by its first */
};

#endif
