/* core_context.h - what the runners of a core share: where the program is, the clock, the books.
 *
 * A core runs its program in one thread, the sequencer's (hw/program/sequencer.h), which calls a
 * runner for each task: a thread that does one kind of task and keeps what it needs for it in a
 * struct of its own.  A runner reads the task at hand here, books what it waited for, and shows
 * what the core does. */
#ifndef HW_PROGRAM_CORE_CONTEXT_H
#define HW_PROGRAM_CORE_CONTEXT_H

#include "des/des.h"
#include "hw/program/ledger.h"
#include "task/task_cursor.h"

#define CORE_ASYNC 4 /* asynchronous operations at a time that are shown */

struct core_context {
    struct des_module mod, parent; /* of the sequencer; of the core, with all units */
    struct des_process thread;
    struct des_clock clock; /* of the core and all its units */
    uint32_t core;          /* on its chip */
    struct task_cursor cursor;
    struct ledger ledger;
    struct des_probes show;     /* core_show.h */
    uint32_t async[CORE_ASYNC]; /* asynchronous operations under way: task + 1 */
};

/* A runner of one kind of tasks: the sequencer calls `run` as a thread (DES_CALL). */
struct runner {
    des_thread *run;
    void *self;
};

/* The task at hand. */
static inline const struct task *core_task(const struct core_context *c)
{
    return c->cursor.task;
}

/* Everything from the last booking up to now was a wait for `cause`. */
static inline void core_book(struct des *sim, struct core_context *c, enum cause cause)
{
    ledger_book(&c->ledger, des_now(sim), cause);
}

/* In a thread of the core: wait for the next edge of its clock, at which it sees what happens
 * elsewhere; none where there is one now. */
#define CORE_ALIGN(sim, c)                                                                         \
    do {                                                                                           \
        if (des_clock_delay(sim, (c)->clock, 0))                                                   \
            DES_WAIT_FOR(sim, des_clock_delay(sim, (c)->clock, 0));                                \
    } while (0)

#endif
