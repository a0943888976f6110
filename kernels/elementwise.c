/* Element-wise operations, random numbers, pooling, and operations of unknown kind.
 *
 * For each tile of the result, in step with those of the operands:
 *
 *     y[i] = f(x0[i], x1[i], ..)         pool: over the window that ends at i
 *
 * With n elements of the results and R of a register:
 *
 *     bytes        operands in, results out, each once
 *     operations   with fn=: n / R of its classes (vector.h), and (flops= less fn-flops= n) / R
 *                  additions; without: max(flops=, n) / R additions
 *     cycles       max(bytes / HBM, slots of the operations / alus) + grid steps (tile.c)
 *     grid steps   one, or windows of stream_window elements (tile.c) */
#include "kernels/vector.h"

void lower_elementwise(struct work *w, const struct step *step, const struct step_op *op,
                       const struct cap *cap)
{
    uint64_t out = vector_elements(step, op->first_out, op->n_out), ops = op->op.flops;

    for (uint32_t i = 0; i < op->n_out; i++) {
        uint64_t n = vector_elements(step, op->first_out + i, 1);
        w->elements = n > w->elements ? n : w->elements;
    }
    vector_apply(w, &op->op, out, ops < out ? out : ops, cap);
    vector_cross(w, step, op, cap);
}
