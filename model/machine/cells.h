/* cells.h - a machine simulated by one event kernel or by several at once; private to
 * model/machine.
 *
 * A cell is some hosts with their chips, cores and links, in an event kernel of its own.  Cells
 * exchange nothing but chunks on links between chips (hw/net/border.h), and a chunk is due at least
 * one latency of a hop after it went on the wire.  So all cells may run up to
 *
 *     end = min over cells (the earliest time at which the cell may put a chunk on a wire) +
 * latency
 *
 * at the same time, by several threads, before they exchange chunks.  That earliest time is the
 * cell's next event, or later where its links and engines are idle and no program calls ICI before
 * (sequencer_lookahead): between collectives spans are long.  The step ends when the last core
 * has finished; a cell whose cores have finished runs no further than the others have come.
 *
 * A cell sees each chunk at the moment, and in the delta, in which it would come from a link of its
 * own, so results are those of one event kernel, for any number of cells and threads. */
#ifndef MACHINE_CELLS_H
#define MACHINE_CELLS_H

#include "base/threads/crew.h"
#include "machine/slice.h"

/* Cells are of different weight, so there are more than threads. */
#define CELLS_PER_THREAD 4

struct cell;
struct cells;

/* The way of chunks from a link of one cell to a chip of another. */
struct cell_gate {
    struct cell *from, *to;
    struct border_in *in; /* of `to` */
};

struct cell_mail {
    const struct cell_gate *gate;
    struct net_chunk chunk;
    des_time due;
};

struct cell {
    struct slice slice;
    struct cell_gate *gate; /* [slice.n_borders] */
    struct cell_mail *mail; /* put on a wire in this span */
    uint32_t n_mail, mail_room;
    des_time next;     /* of its next event */
    des_time silent;   /* it puts nothing on a wire before */
    des_time finished; /* its cores have, if slice.launcher is idle */
};

struct cells {
    struct cell *at;
    uint32_t n;
    struct crew *crew; /* NULL: one cell */
    des_time latency;  /* of a hop */
    des_time end;      /* of the span, which it does not contain */
    des_time hold;     /* where cells stop whose cores have finished */
    bool heavy;        /* the last span was worth several threads */
};

/* True if several cells can simulate `program` on the machine: one slice of several hosts whose
 * links take time, and no client that hosts wait for. */
bool cells_can(const struct machine_spec *spec, const struct task_program *program);

/* Build and start the machine in `n` cells, or as many as it has hosts.  attach(self, sim) is
 * called before elaboration; of several cells nothing can be watched. */
void cells_build(struct cells *c, const struct machine_spec *spec, bool exact,
                 enum images_part part, uint32_t n, unsigned threads,
                 void (*attach)(void *self, struct des *sim), void *self);
void cells_free(struct cells *c);

/* Simulated time, which is the same in all cells between steps; activations. */
des_time cells_now(const struct cells *c);
uint64_t cells_events(const struct cells *c);

/* True if all cores have finished the step. */
bool cells_over(const struct cells *c);

/* Run several cells to the end of the step, or to `limit`.  tell(self, events) is called between
 * spans and ends the run by true; NULL: nobody is told.  True: nothing is left to do before the
 * step's end. */
bool cells_run(struct cells *c, des_time limit, bool (*tell)(void *self, uint64_t events),
               void *self);

#endif
