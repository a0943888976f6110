/* send_runner.h - carries data from this core to another, and waits for what others send.
 *
 * A sender goes on at once; a receiver waits until the bytes are in its core's memory.  Transfers
 * are numbered in the program, and one may arrive before anybody waits for it. */
#ifndef HW_PROGRAM_SEND_RUNNER_H
#define HW_PROGRAM_SEND_RUNNER_H

#include "hw/program/core_context.h"
#include "hw/wires/msg_net.h"

/* Arrivals of a transfer. */
struct send_arrival {
    uint64_t count; /* that no task has waited for yet */
    des_time sent;  /* when the sender of the last one called */
};

struct send_runner {
    struct core_context *core;
    struct des_out send;       /* struct net_send */
    struct des_in arrived;     /* struct net_arrival */
    struct send_arrival *came; /* [transfer]; owned by whoever loaded the program */
};

/* Make the runner of a core; the ports are bound by who wires the core. */
void send_runner_init(struct send_runner *r, struct des *sim, struct core_context *core);
des_thread send_runner_send;    /* TASK_SEND */
des_thread send_runner_receive; /* TASK_RECEIVE */

#endif
