/* grid_runner.h - runs a kernel of a GPU: its steps, one after the other, on the SMs.
 *
 *                           +--> sms --------------+
 *      kernel >--[ steps ]--+                      +--> finished
 *                           +--> l2 --> HBM -------+
 *
 *      compute(i) starts when  compute(i-1) is done, read(i) is done, write(i-4) is done
 *
 * Before its first step a kernel waits until the host has launched it, and then `kernel_time`. */
#ifndef HW_GPU_GRID_RUNNER_H
#define HW_GPU_GRID_RUNNER_H

#include "hw/gpu/grid_access.h"
#include "hw/program/core_context.h"

struct grid_runner {
    struct core_context *core;
    uint64_t kernel_cycles, node_cycles; /* fixed cost of a kernel; of a node of a graph */
    struct des_in launched;              /* struct gpu_launch */
    struct des_out sms;                  /* struct gpu_step */
    struct des_in sms_done;              /* struct gpu_step_done */
    struct grid_access access;
    struct gpu_launch launch;
    struct task_grid_part part; /* the step at work */
    uint64_t i;                 /* its number */
};

/* Ports in the core's module, which wake its thread. */
void grid_runner_init(struct grid_runner *r, struct des *sim, struct core_context *core,
                      uint64_t kernel_cycles, uint64_t node_cycles);
des_thread grid_runner_run; /* TASK_GRID */

#endif
