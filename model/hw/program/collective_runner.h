/* collective_runner.h - has the core take part in collectives.
 *
 *      call  >-- ICI of the chip --> reply
 *
 * The calls of a task go to the chip's collective engine one after the other.  A synchronous one is
 * waited for before the next; one that is started is waited for by another task, when all calls up
 * to its last have an answer. */
#ifndef HW_PROGRAM_COLLECTIVE_RUNNER_H
#define HW_PROGRAM_COLLECTIVE_RUNNER_H

#include "hw/program/core_context.h"
#include "hw/wires/msg_net.h"

struct collective_runner {
    struct core_context *core;
    bool alone;              /* the only core of the slice: collectives cost their overhead alone */
    struct des_out call;     /* struct net_call */
    struct des_in reply;     /* struct net_reply */
    uint64_t *sent_at;       /* [task] calls made when it was started */
    uint32_t i;              /* of the calls of the task at hand */
    uint64_t calls, replies; /* of all tasks so far */
    des_time ready;          /* of the last reply: the latest call that had to be waited for */
};

/* Make the runner of a core.  `alone`: it is the only core of the slice, and its collectives end at
 * once. */
void collective_runner_init(struct collective_runner *r, struct des *sim, struct core_context *core,
                            bool alone);
des_thread collective_runner_run; /* TASK_COLLECTIVE */

#endif
