/* Operations that move data on a core: copy, transpose, reshape, pad, slice, concatenate,
 * broadcast, upsample.
 *
 *     for each tile of the result:  y[i] = x[place(i)]
 *
 * With n elements of the operand, m of the result, R of a register, S sublanes:
 *     bytes        of the operand what the result keeps (a slice less than all), result out
 *     operations   select         m / R: moved within registers
 *                  XLU            a copy that widens (m > n) replicates across lanes: n / R
 * registers if m > 2 n; where arrays lie in tiles, registers of the operand's sublanes, n * element
 * / 4 S, if it lacks the result's lanes cycles       max(bytes / HBM, slots / alus, XLU registers *
 * cycles_per_register) + grid steps where arrays lie in tiles, relayout_cycles more if operand and
 * result order their dimensions differently; a transpose only renames them */
#include "base/arith.h"
#include "kernels/vector.h"

/* Add the costs that arise where arrays lie in tiles. */
static void copy_tiles(struct work *w, const struct step *step, const struct step_op *op,
                       const struct cap *cap)
{
    const struct step_value *in = &step->value[step->ref[op->first_in]];
    const struct step_value *out = &step->value[step->ref[op->first_out]];
    uint64_t n = trace_elements(&in->shape);

    for (uint32_t i = 0; i < op->n_in; i++)
        vector_relay(w, &step->value[step->ref[op->first_in + i]], out, cap);
    if (trace_elements(&out->shape) > n && vector_lacks_lanes(out, in, cap))
        w->xlu += arith_ceil_div(n * trace_dtype_bytes[in->stored], 4 * (uint64_t)cap->sublanes);
}

void lower_copy(struct work *w, const struct step *step, const struct step_op *op,
                const struct cap *cap)
{
    uint64_t in = vector_elements(step, op->first_in, op->n_in), ops = op->op.flops;
    uint64_t out = vector_elements(step, op->first_out, op->n_out);

    uint64_t lanes = out; /* 64 bits take two */

    if (op->n_out && trace_dtype_bytes[step->value[step->ref[op->first_out]].stored] > 4)
        lanes *= 2;
    w->vpu[VECTOR_SELECT] += vector_registers(ops < lanes ? lanes : ops, cap);
    vector_cross(w, step, op, cap);
    if (cap->compact && op->n_in && op->n_out)
        copy_tiles(w, step, op, cap);
    else if (!cap->compact && op->n_in == 1 && out > 2 * in)
        w->xlu += vector_registers(in, cap);
}
