/* pool_runner.h - runs an operation on the cores of a CPU: its steps, one after the other.
 *
 *                          +--> cores --------+
 *      operation >--[ step ]                  +--> finished
 *                          +--> memory -------+
 *
 *      step(i) starts when step(i-1) is done, its cores and its bytes alike:
 *      [ serial ][ pages ][ cores | cache | numa ]
 *      [ reads and writes of memory ............... ] */
#ifndef HW_CPU_POOL_RUNNER_H
#define HW_CPU_POOL_RUNNER_H

#include "hw/program/core_context.h"
#include "hw/wires/msg_cpu.h"
#include "hw/wires/msg_mem.h"

struct pool_runner {
    struct core_context *core;
    struct des_out work;     /* struct cores_work */
    struct des_in done;      /* struct cores_done */
    struct des_out request;  /* struct mem_request */
    struct des_in reply;     /* struct mem_done */
    uint64_t i;              /* the step at hand */
    struct task_pool step;   /* ... */
    enum pool_part part;     /* of it that is at work */
    uint32_t asked, replied; /* transfers of the step */
};

/* Make the runner of a node's sequencer. */
void pool_runner_init(struct pool_runner *r, struct des *sim, struct core_context *core);
/* A runner of TASK_POOL. */
uint32_t pool_runner_run(struct des *sim, void *self, uint32_t at);

#endif
