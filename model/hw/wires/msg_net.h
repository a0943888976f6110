/* msg_net.h - the wires of the network: sequencer -> ICI -> link -> ICI. */
#ifndef HW_WIRES_MSG_NET_H
#define HW_WIRES_MSG_NET_H

#include "des/des.h"
#include "task/task.h"

/* sequencer -> ICI: take part in a collective */
struct net_call {
    const struct task_call *plan; /* the same for all cores; outlives the collective */
    uint64_t flow;                /* des_flow, or 0 */
};

/* ICI -> sequencer */
struct net_reply {
    des_time ready;      /* the latest call that had to be waited for */
    des_time away, back; /* its first step between slices began, its last one ended; else equal */
};

/* sequencer -> ICI: carry bytes of this core's memory to the core `away` places on */
struct net_send {
    uint32_t id; /* of the transfer, in the program */
    int64_t away;
    uint64_t bytes;
    uint64_t flow; /* des_flow, or 0 */
};

/* ICI -> sequencer: it is in this core's memory */
struct net_arrival {
    uint32_t id;
    des_time sent; /* its sender had called */
    uint64_t flow;
};

/* ICI -> link -> ... -> ICI: a part of a step, or a piece of what a core sends to one other; a part
 * for another slice ICI -> PCIe -> DCN -> PCIe -> ICI, in messages */
struct net_chunk {
    uint32_t to;   /* chip, counted over all slices */
    bool more;     /* a message that is not the last of its part */
    uint64_t step; /* which, counted over all collectives so far */
    uint64_t bytes;
    des_time ready; /* latest call known to the sender */
    uint64_t flow;  /* of it, or 0 while nobody looks */
    des_time head;  /* a message: its first packet left the cards */
    bool piece;     /* of a transfer: `step` is its id, `ready` when its sender had called */
    bool last;      /* of its pieces */
    uint32_t core;  /* on the chip, that it is for */
    des_time tail;  /* its last flit is here; a part that goes further is known by its first */
};

#endif
