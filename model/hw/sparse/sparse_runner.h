/* sparse_runner.h - hands kernels to the SparseCores of the core, and waits for them.
 *
 *      kernel  >-- sparsecore --> done
 *
 * The core goes on when a kernel is handed over; the task that waits for it waits for all that were
 * handed over before it.  The wait is booked as what the kernel ended with: memory, or work. */
#ifndef HW_SPARSE_SPARSE_RUNNER_H
#define HW_SPARSE_SPARSE_RUNNER_H

#include "hw/program/core_context.h"
#include "hw/wires/msg_unit.h"

struct sparse_runner {
    struct core_context *core;
    struct des_out cmd;      /* struct unit_sparse */
    struct des_in done;      /* struct unit_done */
    uint64_t *sent_at;       /* [task] kernels handed over when it was started */
    uint64_t sent, answered; /* of all tasks so far */
    enum cause last;         /* what the last answered one ended with */
};

/* Ports in the core's module, where it has SparseCores. */
void sparse_runner_init(struct sparse_runner *r, struct des *sim, struct core_context *core);
des_thread sparse_runner_run; /* TASK_SPARSE */

#endif
