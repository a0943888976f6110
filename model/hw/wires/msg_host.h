/* msg_host.h - the wires between cores and their host, over PCIe, and on to the client. */
#ifndef HW_WIRES_MSG_HOST_H
#define HW_WIRES_MSG_HOST_H

#include "des/des.h"
#include "task/task.h"

/* host -> PCIe -> core: a batch for one core, or what a call gives back */
struct host_feed {
    uint32_t core; /* on its chip */
    uint64_t bytes;
    des_time handed;  /* when the host gave it to PCIe */
    uint64_t flow;    /* des_flow, or 0 */
    des_time loaded;  /* when the last of it had come from storage */
    bool each;        /* it answers a call that is served by itself */
    uint64_t version; /* then: see host_reply */
};

enum host_call_kind {
    HOST_OUTFEED, /* take the bytes, nobody waits */
    HOST_READ,    /* take the bytes; the host reads them, then answers */
    HOST_WORK,    /* do `work` once every core of this host has called, then answer; with a
                     staleness the client does it for each call by itself */
};

/* core -> PCIe -> host; host -> client, with what all cores of the host send */
struct host_call {
    enum host_call_kind kind;
    uint32_t core; /* on its chip; host -> client: of the host */
    uint64_t bytes;
    const struct task_work *work;
    uint64_t version; /* of the weights that its core has */
    des_time arrived; /* at the host */
};

/* Calls served by themselves that a core has open at a time; a call that it waits for makes one
 * more. */
#define HOST_MAX_OPEN (TASK_MAX_STALENESS + 1)

/* host -> core, client -> host: when each part of the work was over, in this order */
struct host_reply {
    des_time arrived;  /* this core's call was at the host */
    des_time gathered; /* the calls of all cores that take part were */
    des_time received; /* their data had crossed the network to the client */
    des_time loaded;   /* files had been read */
    des_time worked;   /* the CPU was done */
    des_time sent;     /* its data had crossed the network to the host */
    /* of a call that is served by itself: */
    bool each;
    uint32_t core;    /* of the host */
    uint64_t down;    /* bytes that follow over PCIe */
    uint64_t version; /* of the weights: updates that are in them */
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
