/* machine_impl.h - a machine as the files machine*.c of this folder see it. */
#ifndef MACHINE_MACHINE_IMPL_H
#define MACHINE_MACHINE_IMPL_H

#include "machine/cells.h"
#include "machine/machine.h"

/* A program that has run or will: the books of all cores, and its input list. */
struct loaded {
    const struct task_program *program;
    struct ledger_row *book;   /* [core][row] */
    uint64_t *sent_at;         /* [core][task] */
    struct copy_mark *copied;  /* [core][task] */
    struct send_arrival *came; /* [core][transfer] */
    struct host_batch *feeds;
    uint32_t n_feeds;
};

struct machine {
    struct cells cells;
    struct slice *slice; /* of the first cell */
    uint32_t cores;      /* that are built, of all cells */
    struct loaded *loaded;
    uint32_t n_loaded, loaded_room;
    const struct task_program
        *given;          /* the program of the next step, if hosts have its input list */
    des_time since;      /* measuring began, rests left out */
    des_time slow_since; /* `since` for the cores of the slow chip, whose clock has other edges */
    des_time rest;       /* before the next step */
    machine_tell *tell;
    void *tell_self;
    des_time stride;           /* simulated time between two calls of it */
    uint64_t told;             /* activations since the last call of it */
    bool stopped;              /* it asked for an end */
    int64_t skew;              /* from the time of the event kernel to that of machine_now() */
    struct machine_sums *sums; /* of steps that were run in part; NULL: the components' own */
};

/* The books and the input list of a program, made when first asked for. */
struct loaded *machine_load(struct machine *m, const struct task_program *p);

/* Counters of all components, in the order in which they are visited. */
struct machine_sums {
    uint64_t *sum;    /* [n] since the reset */
    uint64_t *run[2]; /* [n] of the runs of one step */
    size_t n;
};
struct machine_sums *machine_sums_new(struct machine *m);
/* Note the components' counters, up to now, as those of run 0 or 1. */
void machine_sums_note(struct machine *m, int run);
void machine_sums_reset(struct machine *m);
void machine_sums_free(struct machine *m);
/* Visit the sums in place of the components' counters. */
void machine_sums_visit(struct machine *m, component_visit *visit, void *self);
/* Visit the components' own counters, up to now. */
void machine_counters_visit(struct machine *m, component_visit *visit, void *self);
/* Time of the event kernel. */
static inline des_time machine_time(const struct machine *m)
{
    return cells_now(&m->cells);
}

#endif
