/* sequencer_show.h - what the sequencer shows of itself; private to it. */
#ifndef HW_CORE_SEQUENCER_SHOW_H
#define HW_CORE_SEQUENCER_SHOW_H

#include "hw/core/sequencer.h"

void sequencer_show_init(struct sequencer *s, struct des *sim);
/* What it waits for from now on. */
void sequencer_show(struct des *sim, const struct sequencer *s, enum show_state state);
/* A step begins or ends; the task at hand does; a grid step begins. */
void sequencer_show_step(struct des *sim, struct sequencer *s, bool begins);
void sequencer_show_task(struct des *sim, struct sequencer *s);
void sequencer_show_task_end(struct des *sim, struct sequencer *s);
void sequencer_show_grid(struct des *sim, const struct sequencer *s);
/* The task at hand causes or was caused by this flow (des_flow). */
void sequencer_show_flow(struct des *sim, const struct sequencer *s, uint64_t flow);

#endif
