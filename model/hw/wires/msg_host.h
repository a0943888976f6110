/* msg_host.h - messages between cores and their host, over PCIe, and between hosts and the client.
 * Sizes are in bytes, times in femtoseconds since reset. */
#ifndef HW_WIRES_MSG_HOST_H
#define HW_WIRES_MSG_HOST_H

#include "des/des.h"
#include "task/task.h"

/* host -> PCIe -> core: a batch of input for one core, or the data that a call returns */
struct host_feed {
    uint32_t core; /* on its chip */
    uint64_t bytes;
    des_time handed; /* when the host gave it to PCIe */
    uint64_t flow;   /* des_flow, or 0 */
    des_time loaded; /* when the last of it had come from storage; 0: it does not come from there */
    bool each;       /* it answers a call that is served by itself, */
    uint64_t version; /* which returns these weights: see host_reply */
};

enum host_call_kind {
    HOST_OUTFEED, /* take the bytes; no answer */
    HOST_READ,    /* take the bytes; the host reads them, then answers */
    HOST_WORK,    /* do `work` once every core of this host has called, then answer; work with a
                     staleness is done by the client for each call by itself */
};

/* core -> PCIe -> host; host -> client, with the bytes of all cores of the host */
struct host_call {
    enum host_call_kind kind;
    uint32_t core; /* on its chip; host -> client: of the host */
    uint64_t bytes;
    const struct task_work *work;
    uint64_t version; /* of the weights that its core has */
    des_time arrived; /* at the host */
};

/* core -> PCIe: move bytes between HBM and the memory of the host; PCIe -> core: it is done.  The
 * copies of a wire are done in order. */
struct host_copy {
    uint64_t bytes;
    uint32_t text; /* number of the text with its tensors, for waves and timelines */
};

/* Most calls that a core has open at a time: those served by themselves, and one it waits for. */
#define HOST_MAX_OPEN (TASK_MAX_STALENESS + 1)

/* host -> core, client -> host: when each part of the work had ended, in this order */
struct host_reply {
    des_time arrived;  /* this core's call was at the host */
    des_time gathered; /* the calls of all cores that take part were at the host */
    des_time received; /* their data had crossed the network to the client */
    des_time loaded;   /* files had been read */
    des_time worked;   /* the CPU was done */
    des_time sent;     /* its data had crossed the network to the host */
    /* only of a call that is served by itself */
    bool each;
    uint32_t core;    /* of the host */
    uint64_t down;    /* bytes that follow over PCIe */
    uint64_t version; /* of the weights: the number of updates in them */
};

/* host or client -> its storage */
struct storage_request {
    uint64_t bytes, files;
    uint32_t readers;
};
struct storage_done {
    uint64_t bytes;
};

/* sequencer -> launcher: its step is over; launcher -> sequencer: begin the next */
struct step_token {
    uint64_t step;
};

#endif
