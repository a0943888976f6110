/* Optimizers: SGD, momentum, RMSProp, Adam and others, in place.
 *
 *     for each tile of the weights:  read weight, gradient and state, write weight and state
 *
 * With n weights and R elements of a register:
 *
 *     bytes        all operands in; weights and state out (writes=): of n f32 weights SGD moves
 *                  12 n bytes, momentum and RMSProp 20 n, Adam 28 n
 *     operations   n / R of the classes of its fn= (vector.h), (flops= less n) / R additions
 *     cycles       max(bytes / HBM, slots of the operations / alus) + grid steps (tile.c) */
#include "base/arith.h"
#include "kernels/common/vector.h"

static uint64_t count_weights(const struct step *step, const struct step_op *op)
{
    uint64_t sum = 0;

    for (uint32_t i = 0; i < op->n_in; i++) {
        const struct step_value *v = &step->value[step->ref[op->first_in + i]];
        sum += v->role == TRACE_WEIGHT ? trace_elements(&v->shape) : 0;
    }
    return sum;
}

void lower_optimizer(struct work *w, const struct step *step, const struct step_op *op,
                     const struct cap *cap)
{
    vector_apply(w, step, op, count_weights(step, op), op->op.flops, cap);
    w->out.bytes += op->op.writes; /* in place: no results to count */
    w->stores += arith_ceil_div(op->op.writes, 4 * cap->vector_elements);
    vector_cross(w, step, op, cap);
}
