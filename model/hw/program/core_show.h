/* core_show.h - what a core shows in waves and timelines: its program, and what it waits for. */
#ifndef HW_PROGRAM_CORE_SHOW_H
#define HW_PROGRAM_CORE_SHOW_H

#include "hw/program/core_context.h"
#include "hw/wires/show.h"

enum core_show_row {
    CORE_SHOW_STEP,
    CORE_SHOW_MODULE,
    CORE_SHOW_OP,
    CORE_SHOW_ASYNC,
    CORE_SHOW_STATE = CORE_SHOW_ASYNC + CORE_ASYNC,
    CORE_SHOW_GRID,
    CORE_SHOW_AT_B,
    CORE_SHOW_AT_M,
    CORE_SHOW_AT_N,
    CORE_SHOW_AT_K,
    CORE_SHOW_WAITS,
    CORE_SHOW_MEMORY,
    CORE_SHOW_FLOW
};

/* Make the probes, in the sequencer's module. */
void core_show_init(struct core_context *c, struct des *sim);
/* A step begins, with its number from 1, or ends: 0. */
void core_show_step(struct des *sim, const struct core_context *c, uint64_t step);
/* The task at hand begins; it ends. */
void core_show_task(struct des *sim, struct core_context *c);
void core_show_task_end(struct des *sim, struct core_context *c);
/* Grid step `i` of the kernel at hand begins. */
void core_show_grid(struct des *sim, const struct core_context *c, uint64_t i);

/* Numbers of the texts with the tensors that the task at hand reads, and writes. */
uint32_t core_show_reads(const struct core_context *c);
uint32_t core_show_writes(const struct core_context *c);

/* The core waits for something else from now on. */
void core_show_wait(struct des *sim, const struct core_context *c, enum show_state state);
static inline void core_show_state(struct des *sim, const struct core_context *c,
                                   enum show_state state)
{
    if (des_shown(sim))
        core_show_wait(sim, c, state);
}
/* It waits for what the kernel at hand writes, not for what it reads. */
static inline void core_show_waits_for_write(struct des *sim, const struct core_context *c)
{
    if (des_shown(sim))
        des_show(sim, c->show, CORE_SHOW_WAITS, core_show_writes(c));
}

/* The task at hand causes or was caused by this flow (des_flow). */
static inline void core_show_flow(struct des *sim, const struct core_context *c, uint64_t flow)
{
    des_show(sim, c->show, CORE_SHOW_FLOW, flow);
}

#endif
