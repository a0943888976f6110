/* Element-wise operations, random numbers, pooling, and operations of unknown kind.
 *
 * For each tile of the result, in step with those of the operands:
 *
 *     y[i] = f(x0[i], x1[i], ..)         pool: over the window that ends at i
 *
 * With n elements of the results, padded where arrays lie in tiles, and R of a register:
 *
 *     bytes        operands in, results out, each once
 *     operations   with fn=: n / R of its classes (vector.h), and (flops= less fn-flops= n) / R
 *                  additions; without: max(flops=, n) / R additions
 *     spread       an operand without the lanes of the result comes through the XLU, a register for
 *                  each 8 of its own lanes, one behind the other
 *     cycles       max(bytes / HBM, slots of the operations / alus) + grid steps (tile.c)
 *     grid steps   one, or windows of the result (tile.c) */
#include "kernels/common/vector.h"

void lower_elementwise(struct work *w, const struct step *step, const struct step_op *op,
                       const struct cap *cap)
{
    uint64_t out = vector_elements(step, op->first_out, op->n_out), ops = op->op.flops;

    ops = ops < out ? out : ops;
    for (uint32_t i = 0; i < op->n_out; i++)
        vector_window(w, &step->value[step->ref[op->first_out + i]], cap);
    if (op->n_out) {
        const struct step_value *v = &step->value[step->ref[op->first_out]];
        ops = vector_padded(ops, v, cap);
        out = vector_padded(out, v, cap);
    }
    vector_apply(w, step, op, out, ops, cap);
    vector_cross(w, step, op, cap);
    for (uint32_t i = 0; i < op->n_in && op->n_out && cap->lane_cycles && cap_compact(cap); i++)
        w->spread += vector_spread(&step->value[step->ref[op->first_in + i]],
                                   &step->value[step->ref[op->first_out]], cap);
}
