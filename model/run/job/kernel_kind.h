/* kernel_kind.h - the kind of a kernel, in the words that measurements are sorted by.
 *
 *     "conv f32"             an operation of a trace by hand, or a fusion around it
 *     "matmul f32 high"      ... of several passes of the matrix units of a TPU
 *     "matmul tf32"          ... of f32 operands in the tensor cores of a GPU
 *     "compiled product f16" a kernel of a compiled program
 *     "compiled vector columns"   ... of a GPU, by how it goes through memory
 *     "by hand product"      ... that its author wrote, in Pallas
 *     "all-reduce between slices"
 *
 * Two kernels of one kind run by the same rules of the model, so that what was measured of one says
 * something of the other.  A kind that no table knows is measured nowhere (run/result/account.h).
 */
#ifndef RUN_JOB_KERNEL_KIND_H
#define RUN_JOB_KERNEL_KIND_H

#include "step/step.h"

#define KERNEL_KIND_MAX 96 /* bytes of a kind */

/* Where a node runs. */
struct kernel_place {
    bool far;    /* collectives cross a network between slices */
    bool passes; /* products of f32 take a pass for each part of their precision */
    bool tensor; /* in the tensor cores of a GPU */
};

/* Write the kind of a node.  Returns `buf`.  O(operations of the node). */
const char *kernel_kind_of(char buf[KERNEL_KIND_MAX], const struct step *step,
                           const struct step_node *n, const struct kernel_place *place);

#endif
