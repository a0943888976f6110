/* lower_overlap.h - all-reduces of gradients that begin during the backward pass; private to
 * kernels.
 *
 *      backward   g3 = ...   g2 = ...   g1 = ...   all-reduce(g1, g2, g3)   optimizer
 *                       |start {g3}          |start {g2, g1}
 *                                                  |done {g3}, done {g2, g1}
 *
 * As PyTorch's DistributedDataParallel does it [pytorch-ddp]: gradients are put in buckets in the
 * order in which the backward pass makes them; a bucket is full as soon as it holds so many bytes,
 * the first one of fewer, so that communication begins early; gradients of one dtype share
 * buckets; the collective of a bucket begins when its last gradient is there, and the operation in
 * the trace waits for all of them.
 *
 * The operation must be one that the framework would hand over in this way: an all-reduce whose
 * operands are all gradients, that names no combine=, is not written as start and done, and stands
 * in no stage of a pipeline; of a program that no compiler has scheduled.  Others stay in place. */
#ifndef KERNELS_COMMON_LOWER_OVERLAP_H
#define KERNELS_COMMON_LOWER_OVERLAP_H

#include <stdbool.h>
#include <stdint.h>

struct cap_overlap;
struct lowering;
struct step;
struct step_node;
struct step_op;

/* Gradients that go as one collective. */
struct overlap_bucket {
    uint32_t node;    /* of the all-reduce */
    uint32_t after;   /* nodes [0, after) come before its begin */
    uint32_t next;    /* the next bucket that begins there, + 1; 0: none */
    uint32_t row;     /* of the all-reduce in reports */
    uint32_t tensors; /* gradients in it */
    uint32_t element; /* bytes of an element of each */
    uint32_t task;    /* that began it */
    uint64_t bytes;
};

struct overlap {
    struct overlap_bucket
        *bucket; /* of each all-reduce in a row, in the order in which they begin */
    uint32_t n_buckets;
    uint32_t *first; /* [node] its first bucket, + 1; 0: it stays in place */
    uint32_t *begin; /* [n] the first bucket that begins behind node n - 1, + 1; 0: none */
};

/* Find the buckets of a step; none unless `plan` asks for them.  Cost: O(references + gradients x
 * log gradients). */
void lower_overlap_find(struct overlap *o, const struct step *step, const struct cap_overlap *plan);
void lower_overlap_free(struct overlap *o);

/* Append the tasks that begin what is ready behind node n - 1, or at the begin of the step. */
int lower_overlap_begin(struct lowering *l, uint32_t n);
/* Append the tasks that wait for the buckets of an all-reduce; false: it stays in place. */
bool lower_overlap_end(struct lowering *l, const struct step_op *op, uint32_t row);

#endif
