/* host_runner.h - what a core asks of its host over PCIe, and waits for: batches of input, output,
 * work of the CPU.
 *
 *      call  >-- PCIe -- host --> answer      calls and their answers
 *      feed  <-- PCIe -- host                 batches of input, in the order of their infeeds
 *      returned  <-- PCIe -- host             what calls give back
 *
 * Most calls are waited for.  Those with a staleness are served one by one, and the core goes on
 * while at most so many of them have no answer. */
#ifndef HW_PROGRAM_HOST_RUNNER_H
#define HW_PROGRAM_HOST_RUNNER_H

#include "hw/program/core_context.h"
#include "hw/wires/msg_host.h"

/* Calls that are served one by one. */
struct host_runner_each {
    uint32_t open;           /* that have no answer yet */
    uint64_t version, used;  /* of the weights: that came last, and that are read */
    struct host_reply reply; /* the last */
    bool early;              /* among theirs was the answer to a call that is waited for later */
};

struct host_runner {
    struct core_context *core;
    struct des_in feed;      /* struct host_feed */
    struct des_in returned;  /* struct host_feed: what calls give back */
    struct des_out call;     /* struct host_call */
    struct des_in answer;    /* struct host_reply */
    struct host_feed batch;  /* the last that was waited for */
    struct host_reply reply; /* to the last call that was waited for */
    struct host_runner_each each;
};

/* Make the runner of a core; the ports are bound by who wires the core. */
void host_runner_init(struct host_runner *r, struct des *sim, struct core_context *core);
des_thread host_runner_infeed; /* TASK_INFEED */
des_thread host_runner_call;   /* TASK_OUTFEED, TASK_HOST */

#endif
