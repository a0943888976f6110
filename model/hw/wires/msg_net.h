/* msg_net.h - the wires of the network: sequencer -> ICI -> link -> ICI. */
#ifndef HW_WIRES_MSG_NET_H
#define HW_WIRES_MSG_NET_H

#include "des/des.h"
#include "task/task.h"

/* sequencer -> ICI: take part in a collective */
struct net_call {
    const struct task_call *plan; /* one for all cores; outlives the collective */
    uint64_t flow;                /* des_flow, or 0 */
};

/* ICI -> sequencer */
struct net_reply {
    des_time ready;      /* when the last core that it depends on called */
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

enum net_chunk_kind {
    NET_PART,  /* a part of a step of a collective, or a message of one to another slice */
    NET_PIECE, /* a piece of what a core sends to one other */
};

struct net_part {
    uint64_t step;  /* of a schedule, that it belongs to; counted over all collectives so far */
    des_time ready; /* the latest call that the sender knew of */
    des_time head;  /* message: when its first packet left the cards */
    bool more;      /* message: not the last of its part */
};

struct net_piece {
    uint32_t id;   /* of the transfer, in the program */
    uint32_t core; /* on the chip, that it is for */
    des_time sent; /* when the sender called */
    bool last;     /* of its transfer */
};

/* ICI -> link -> ... -> ICI; a message ICI -> PCIe -> DCN -> PCIe -> ICI */
struct net_chunk {
    enum net_chunk_kind kind;
    uint32_t to; /* chip, counted over all slices */
    uint64_t bytes;
    uint64_t flow;  /* des_flow, or 0 while nobody looks */
    uint64_t times; /* a link takes so many times as long for it, parts per 1e9; 0: once */
    des_time tail;  /* when its last flit or packet is in; it may set out again before that */
    union {
        struct net_part part;
        struct net_piece piece;
    };
};

#endif
