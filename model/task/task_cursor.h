/* task_cursor.h - a program counter: the tasks of a step in the order in which a core runs them.
 *
 * Loops are unrolled on the way, and tasks of other stages passed over; neither takes time. */
#ifndef TASK_TASK_CURSOR_H
#define TASK_TASK_CURSOR_H

#include "task/task.h"

struct task_cursor {
    const struct task_program *program;
    uint32_t stage;                /* that the core belongs to; of a program of several stages */
    uint32_t pc;                   /* index of the task at hand */
    const struct task *task;       /* the task at hand */
    uint32_t depth;                /* open loops */
    uint64_t left[TASK_MAX_DEPTH]; /* trips that are left of each, the one under way included */
    uint64_t passed; /* grid steps of the kernels before it in this step, loops multiplied out, and
                        one for each other task */
};

/* Go to before the first task.  `program` and `stage` are set. */
void task_cursor_begin(struct task_cursor *c);
/* Go on to the next task that takes time: no bracket of a loop, none of another stage.  False: the
 * program ends.  Amortised O(1) where tasks are those of this stage. */
bool task_cursor_next(struct task_cursor *c);
/* Count all that `passed` counts in a step.  O(n_tasks). */
uint64_t task_cursor_length(const struct task_cursor *c);

#endif
