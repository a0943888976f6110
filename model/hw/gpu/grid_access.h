/* grid_access.h - what a GPU's kernel reads and writes, through the L2: reads some steps ahead,
 * writes behind.
 *
 *      read(i+4) starts when  step i is about to begin: loads of several stages are in flight
 *      step i waits for       read(i), and for write(i-4)
 *
 * Reads are done in order, and so are writes. */
#ifndef HW_GPU_GRID_ACCESS_H
#define HW_GPU_GRID_ACCESS_H

#include "des/des.h"
#include "hw/wires/msg_gpu.h"

#define GRID_AHEAD 4 /* steps that reads are ahead */
#define GRID_KEPT 8  /* more than are in flight */

struct grid_way {
    uint64_t asked, back;     /* accesses of the kernel at hand */
    uint64_t mark[GRID_KEPT]; /* of step i % GRID_KEPT: so many must be back before what waits */
    des_time at[GRID_KEPT];   /* access n % GRID_KEPT is over then */
    bool cached[GRID_KEPT];   /* ... and the L2's own path was the last to be done */
};

struct grid_access {
    struct des_out access; /* struct gpu_access */
    struct des_in done;    /* struct gpu_access_done */
    const struct task_grid *grid;
    uint64_t ahead; /* the next step whose operands are to be read */
    struct grid_way read, write;
    uint32_t text[2]; /* numbers of the texts with the tensors that are read, and written */
    des_time over;    /* those waited for are over then */
    bool cached;      /* ... and the L2's own path was the last to be done */
};

/* Ports in `mod`, which wake `thread`. */
void grid_access_init(struct grid_access *g, struct des *sim, struct des_module mod,
                      struct des_process thread);
/* A kernel begins, which outlives it; nothing is in flight. */
void grid_access_begin(struct grid_access *g, const struct task_grid *grid, uint32_t reads,
                       uint32_t writes);
/* Step `i` is next: read for it, if nobody has, and for the one after it. */
void grid_access_read(struct des *sim, struct grid_access *g, uint64_t i);
/* Step `i` is computed: write what it has made. */
void grid_access_write(struct des *sim, struct grid_access *g, uint64_t i,
                       const struct task_flow *out);
/* True once what step `i` reads is on its way in and its results have room; once all accesses are
 * answered.  They are over at g->over. */
bool grid_access_ready(struct des *sim, struct grid_access *g, uint64_t i);
bool grid_access_all_back(struct des *sim, struct grid_access *g);

#endif
