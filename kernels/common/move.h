/* move.h - which move of the elements of a value a copy is, told by its shapes.
 *
 *     view         the dimensions of one shape are those of the other merged: [8,128,768] and
 *                  [8,128,12,64]; or as many, but others: [64,128] and [32,256].  Elements keep
 *                  their order, and no framework moves them
 *     transposed   the same dimensions in another order, or so after a split: [64,128] and
 *                  [128,64], [8,128,768] and [8,12,128,64]
 *     other        everything else: equal shapes, parts, several operands */
#ifndef KERNELS_COMMON_MOVE_H
#define KERNELS_COMMON_MOVE_H

#include "step/step.h"

enum move { MOVE_VIEW, MOVE_TRANSPOSED, MOVE_OTHER };

/* The move that a copy is.  O(rank^2). */
enum move move_of(const struct step *step, const struct step_op *op);

#endif
