/* sequencer.h - runs a lowered step on a core, one task after the other.
 *
 *      go >-- [ task_cursor ]-- task --[ launch ]--+--> collective_runner  ICI
 *                   |                              +--> host_runner        PCIe
 *                   +------------------------------+--> send_runner        ICI
 *      finished <-- at the end                     +--> runners of the core's own kind
 *
 * The core that owns it says how long a task's launch takes and which runners do the tasks of its
 * kind: kernels, copies.  The sequencer waits for the launch, calls the runner as a thread, and
 * waits for its end.  Runners that need no unit of the core are its own.  What all runners share is
 * in hw/program/core_context.h. */
#ifndef HW_PROGRAM_SEQUENCER_H
#define HW_PROGRAM_SEQUENCER_H

#include "base/stat.h"
#include "hw/program/collective_runner.h"
#include "hw/program/host_runner.h"
#include "hw/program/send_runner.h"
#include "hw/wires/component.h"

/* clang-format off */
#define SEQUENCER_STATS(C, R)                                                                      \
    C(faster, "cycle", "cycles, as often as the operation's products are faster than those of bf16")
/* clang-format on */

struct sequencer_stats {
    SEQUENCER_STATS(STAT_FIELD, STAT_NO_FIELD)
};
extern const struct stat_table sequencer_stat_table;

/* The side of the core that owns a sequencer; `self` is the core. */
struct sequencer_core {
    void *self;
    const struct component_class *class;        /* of the sequencer, with the core's parameters */
    void (*begin)(struct des *sim, void *self); /* a step begins */
    /* Core cycles from the begin of a task to its runner. */
    uint64_t (*launch)(void *self, const struct task *t);
    /* Grid steps of kernel `t`, which is at work, that it has passed. */
    uint64_t (*passed)(const void *self, const struct task *t);
    /* Core cycles that kernel `t` takes at least once it has passed `passed` of its grid steps;
     * with 0 it has not begun.  NULL: nothing is known. */
    uint64_t (*least)(const void *self, const struct task *t, uint64_t passed);
    uint64_t core_hz, matrix_hz; /* clocks of the core and of its matrix units */
    uint32_t matrix_units;
    uint32_t core; /* on its chip */
    bool alone;    /* the only core of the slice */
};

/* A program as one core runs it.  The arrays are its own, and outlive the step. */
struct sequencer_program {
    const struct task_program *program;
    uint32_t stage;            /* that the core belongs to, of a program of several stages */
    struct ledger_row *row;    /* [n_rows] */
    uint64_t *sent_at;         /* [n_tasks] */
    struct send_arrival *came; /* [n_sends] */
};

struct sequencer {
    struct core_context core;
    struct sequencer_core owner;
    struct sequencer_stats st;
    struct des_in go;        /* struct step_token */
    struct des_out finished; /* struct step_token */
    struct step_token token;
    struct runner runner[TASK_REPEAT]; /* [enum task_kind]: of those that take time */
    struct des_call running;           /* the call of one of them */
    struct collective_runner collective;
    struct host_runner host;
    struct send_runner send;
};

/* Ports in a module "sequencer" of `parent`, the core's.  Runners of the core's own kind are set by
 * the core afterwards, in s->runner. */
void sequencer_init(struct sequencer *s, struct des *sim, struct des_module parent,
                    const struct sequencer_core *owner);
/* The program of the steps that begin from now on. */
void sequencer_load(struct sequencer *s, const struct sequencer_program *p);
/* Progress of the step under way: grid steps that it has passed of all of this core, loops
 * multiplied out; a task that is no kernel counts as one. */
void sequencer_position(const struct sequencer *s, uint64_t *passed, uint64_t *all);
/* The core certainly asks for no collective and hands over no transfer in so many femtoseconds from
 * now on; DES_NEVER: not in this step.  Call it between moments of simulated time.  It looks
 * SEQUENCER_AHEAD tasks ahead at most. */
#define SEQUENCER_AHEAD 1024
des_time sequencer_lookahead(const struct sequencer *s);
/* Every core has finished its step: book the wait for the others. */
void sequencer_end_step(struct sequencer *s, struct des *sim);

#endif
