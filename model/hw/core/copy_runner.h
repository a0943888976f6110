/* copy_runner.h - copies between HBM and the chip, or the memory of the host, that go on beside
 * other tasks.
 *
 *      copy  >--[ at most COPY_RUNNER_PLACES under way ]--> dma (background queues) --> answered
 *                                                       +-> pcie ---------------------> answered
 *
 * A task that starts a copy costs the instructions that start a transfer; the core goes on at once.
 * Copies keep their order each way: reads from HBM, writes to it, to the host and from it.  So the
 * task that waits for a copy waits for all that were started before it on its ways.  What it waits
 * is booked as a wait for HBM, or for PCIe where the host is one end.  With COPY_RUNNER_PLACES
 * under way the next start waits until one of them is back. */
#ifndef HW_CORE_COPY_RUNNER_H
#define HW_CORE_COPY_RUNNER_H

#include "hw/program/core_context.h"
#include "hw/wires/msg_host.h"
#include "hw/wires/msg_mem.h"

#define COPY_RUNNER_PLACES 64 /* copies under way */

enum copy_way { COPY_READ, COPY_WRITE, COPY_FROM_HOST, COPY_TO_HOST, COPY_WAYS }; /* of the chip */

/* Copies started each way when a task had started its own; 0: it has none. */
struct copy_mark {
    uint64_t at[COPY_WAYS];
};

struct copy_runner {
    struct core_context *core;
    struct des_out dma;             /* struct mem_request */
    struct des_in dma_done;         /* struct dma_done */
    struct des_out host[2];         /* struct host_copy; [0] from the host, [1] to it */
    struct des_in host_done[2];     /* struct host_copy */
    struct copy_mark *mark;         /* [task]; owned by whoever loaded the program */
    struct copy_mark started, back; /* of all tasks so far */
    des_time flag[COPY_WAYS][COPY_RUNNER_PLACES]; /* of copy n, at n % COPY_RUNNER_PLACES */
    des_time flagged;                             /* when those waited for have set their flags */
};

/* Make the runner of a core; the ports are bound by who wires the core. */
void copy_runner_init(struct copy_runner *r, struct des *sim, struct core_context *core);
des_thread copy_runner_run; /* TASK_COPY */

#endif
