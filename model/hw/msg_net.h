/* msg_net.h - the wires of the network: sequencer -> ICI -> link -> ICI. */
#ifndef HW_MSG_NET_H
#define HW_MSG_NET_H

#include "des/des.h"
#include "kernels/task.h"

/* sequencer -> ICI: one collective over all cores of the slice */
struct net_call {
    enum task_collective kind;
    uint64_t bytes; /* per core */
    uint64_t flow;  /* des_flow, or 0 */
};

/* ICI -> sequencer */
struct net_reply {
    des_time ready; /* when the last core of the slice had called */
};

/* ICI -> link -> next ICI: a chunk of the ring's step */
struct net_chunk {
    uint64_t bytes;
    des_time ready; /* latest call known to the sender */
};

#endif
