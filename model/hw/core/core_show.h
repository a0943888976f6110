/* core_show.h - what a core shows in waves and timelines: its program, and what it waits for. */
#ifndef HW_CORE_CORE_SHOW_H
#define HW_CORE_CORE_SHOW_H

#include "hw/core/core_context.h"
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

/* The core waits for something else from now on. */
static inline void core_show_state(struct des *sim, const struct core_context *c,
                                   enum show_state state)
{
    des_show(sim, c->show, CORE_SHOW_STATE, state);
}

/* The task at hand causes or was caused by this flow (des_flow). */
static inline void core_show_flow(struct des *sim, const struct core_context *c, uint64_t flow)
{
    des_show(sim, c->show, CORE_SHOW_FLOW, flow);
}

#endif
