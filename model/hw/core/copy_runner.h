/* copy_runner.h - copies between HBM and the chip that go on beside other tasks.
 *
 *      copy  >--[ at most COPY_RUNNER_PLACES under way ]--> dma (background queues) --> answered
 *
 * A task that starts a copy costs the instructions that start a transfer; the core goes on at once.
 * Reads keep their order, and so do writes, so the task that waits for a copy waits for all that
 * were started before it in its direction.  What it waits is booked as a wait for HBM.  With
 * COPY_RUNNER_PLACES under way the next start waits until one of them is back. */
#ifndef HW_CORE_COPY_RUNNER_H
#define HW_CORE_COPY_RUNNER_H

#include "hw/core/core_context.h"
#include "hw/wires/msg_mem.h"

#define COPY_RUNNER_PLACES 64

/* How many copies had been started in each direction when a task had started its own. */
struct copy_mark {
    uint64_t at[2]; /* reads from HBM, writes to it */
};

struct copy_runner {
    struct core_context *core;
    struct des_out dma;                   /* struct mem_request */
    struct des_in dma_done;               /* struct dma_done */
    struct copy_mark *mark;               /* [task]; owned by whoever loaded the program */
    struct copy_mark started, back;       /* of all tasks so far */
    des_time flag[2][COPY_RUNNER_PLACES]; /* of copy n, at n % COPY_RUNNER_PLACES */
    des_time flagged;                     /* when those waited for have set their flags */
};

void copy_runner_init(struct copy_runner *r, struct des *sim, struct core_context *core);
des_thread copy_runner_run; /* TASK_COPY */

#endif
