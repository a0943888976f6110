/* task_walk.h - the grid steps of a kernel one after the other.
 *
 * The walk yields the same grid steps as task_grid_step(), by additions instead of divisions.  An
 * even share of a total is its quotient, and one more whenever the remainders have summed up to a
 * whole.  The block of the GEMM is four counters.  Useful work is shared like an even total in
 * proportion to the block, so it depends on the block's shape, of which there are 16 at most. */
#ifndef TASK_TASK_WALK_H
#define TASK_TASK_WALK_H

#include "task/task.h"

/* A total dealt out evenly: share i of n is floor(total (i + 1) / n) - floor(total i / n). */
struct task_deal {
    uint64_t each, rest, gap, sum; /* gap: n - rest, so that no sum passes 64 bits */
};

/* The reads of the grid steps, in a walk of their own: they are asked for ahead. */
struct task_reads {
    struct task_deal bytes, rows;
    uint64_t row_bytes;
};

#define TASK_WALK_SHAPES 16 /* whole or last block of b, m, n and k */

struct task_walk {
    const struct task_kernel *kernel;
    struct task_grid_step step; /* the grid step at hand, without its reads */
    uint32_t shape; /* of its block: grid steps of a kernel with equal shapes have equal blocks */
    struct task_deal uneven[N_VECTOR_OPS + 7]; /* totals whose shares differ, */
    uint64_t *share[N_VECTOR_OPS + 7];         /* and where in `step` each is */
    uint32_t n_uneven;
    uint32_t larger; /* bit i: share i of the grid step at hand is one more than the least */
    uint64_t at[4], count[4]; /* blocks: b, outer, inner, k; the next one, */
    uint32_t next;            /* and its shape */
    uint64_t block[4], last[4];
    uint64_t all, rest;              /* multiply-accumulates; remainders of useful ones, in 1/all */
    uint64_t each[TASK_WALK_SHAPES]; /* useful work of a block, rounded down */
    uint64_t extra[TASK_WALK_SHAPES]; /* its remainder, in 1/all */
    uint32_t known;                   /* bits of shapes whose each and extra are worked out */
    bool useful;                      /* all work is */
};

/* Begin before the first grid step of a kernel, which outlives `r`. */
void task_reads_begin(struct task_reads *r, const struct task_kernel *k);
/* The next share of a deal. */
static inline uint64_t task_deal_next(struct task_deal *d, bool *larger)
{
    uint64_t one = d->sum >= d->gap; /* no branch: it would be guessed wrong */

    d->sum += d->rest - ((d->gap + d->rest) & -one);
    *larger = one;
    return d->each + one;
}

/* The read of the next grid step; k->grid_steps calls. */
static inline struct task_move task_reads_next(struct task_reads *r)
{
    bool larger;
    uint64_t bytes = task_deal_next(&r->bytes, &larger), rows = task_deal_next(&r->rows, &larger);

    return (struct task_move){ bytes, rows, r->row_bytes };
}

/* `k` outlives the walk. */
void task_walk_begin(struct task_walk *w, const struct task_kernel *k);
/* Go on to the next grid step, from before the first; k->grid_steps calls.  Cost: O(1), no division
 * but for the first step of each shape. */
void task_walk_next(struct task_walk *w);

#endif
