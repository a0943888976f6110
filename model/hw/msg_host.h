/* msg_host.h - the wires between cores and their host, over PCIe. */
#ifndef HW_MSG_HOST_H
#define HW_MSG_HOST_H

#include "des/des.h"

/* host -> PCIe -> core: a batch for one core */
struct host_feed {
    uint32_t core; /* on its chip */
    uint64_t bytes;
    des_time handed; /* when the host gave it to PCIe */
    uint64_t flow;   /* des_flow, or 0 */
};

enum host_call_kind {
    HOST_OUTFEED, /* take the bytes, nobody waits */
    HOST_READ,    /* take the bytes; the host reads them, then answers */
    HOST_WORK,    /* work for `work_fs` once every core of this host has called, then answer */
};

/* core -> PCIe -> host */
struct host_call {
    enum host_call_kind kind;
    uint32_t core; /* on its chip */
    uint64_t bytes, work_fs;
};

/* host -> core */
struct host_reply {
    des_time arrived;  /* this core's call reached the host */
    des_time gathered; /* the calls of all cores of this host had */
};

/* sequencer -> launcher: its step is over; launcher -> sequencer: begin the next */
struct step_token {
    uint64_t step;
};

#endif
