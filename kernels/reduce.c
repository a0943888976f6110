/* Reductions: sums, extremes and places of extremes over some dimensions.
 *
 * For each tile of the operand, whole registers first, then along sublanes and lanes:
 *
 *     y[kept] += x[kept, summed]
 *
 * With n elements of the operand, m of the result, R of a register, L lanes and S sublanes:
 *
 *     bytes        operand in, result out
 *     operations   additions      max(flops=, n) / R, of its fn= on each of n elements (vector.h)
 *                  sublanes       m / L, if the dimension on the sublanes is summed over
 *                  XLU            m / S registers, if that on the lanes is
 *     cycles       max(bytes / HBM, slots / alus, XLU registers * cycles_per_register)
 *                  + grid steps
 *
 * Where arrays lie in tiles it takes relayout_cycles more if operand and result order their
 * dimensions differently or the result is one long row; and reduce_cycles more for that, and for a
 * sum along lanes, with row_cycles where its result has one dimension.  Halves of a device that
 * share it exchange their sums in join_cycles. */
#include "base/arith.h"
#include "kernels/layout.h"
#include "kernels/vector.h"

/* Only one dimension left, and longer than the lanes: the result's elements lie in other places. */
static bool is_flattened(const struct trace_shape *out, const struct cap *cap)
{
    uint64_t longest = 1;

    for (uint32_t i = 0; i < out->rank; i++)
        longest = out->dim[i] > longest ? out->dim[i] : longest;
    return longest > cap->lanes && longest == trace_elements(out);
}

/* At most one dimension is larger than 1. */
static bool is_row(const struct trace_shape *out)
{
    for (uint32_t i = 0; i < out->rank; i++)
        if (out->dim[i] > 1 && out->dim[i] != trace_elements(out))
            return false;
    return true;
}

/* True if dimension `d` of the operand is larger than 1 and summed over.  The trace says so
 * (`over`), or dimensions of the result are those of the operand in the same order, the last ones
 * first; one of 1 may stand for one that is gone. */
static bool is_summed(const struct trace_shape *in, const struct trace_shape *out, uint32_t d,
                      uint32_t over)
{
    uint32_t j = out->rank;

    if (over)
        return (over >> d & 1) && in->dim[d] > 1;
    for (uint32_t i = in->rank; i-- > d;) {
        bool kept = j && out->dim[j - 1] == in->dim[i];
        j -= kept || (j && out->dim[j - 1] == 1);
        if (i == d)
            return !kept && in->dim[d] > 1;
    }
    return false;
}

/* The dimensions that lie on the lanes and the sublanes. */
static struct tiling_order order_of(const struct step_value *v, const struct cap *cap)
{
    if (cap->compact)
        return layout_of(&v->shape, v->stored, cap);
    return (struct tiling_order){ .minor = v->shape.rank - 1,
                                  .second = v->shape.rank > 1 ? v->shape.rank - 2 : 0 };
}

/* Add the rest of a reduction, once whole registers are added up: along sublanes and lanes. */
static void reduce_rest(struct work *w, const struct step_value *in, const struct step_value *out,
                        uint32_t over, const struct cap *cap)
{
    uint64_t n_out = trace_elements(&out->shape);

    if (in->shape.rank == 0 || n_out >= trace_elements(&in->shape))
        return;
    struct tiling_order l = order_of(in, cap);
    if (is_summed(&in->shape, &out->shape, l.minor, over))
        w->xlu += arith_ceil_div(n_out, cap->sublanes);
    if (in->shape.rank == 1 || is_summed(&in->shape, &out->shape, l.second, over))
        w->vpu[VECTOR_SUBLANES] += arith_ceil_div(n_out, cap->lanes);
}

/* Add the costs that arise where arrays lie in tiles. */
static void reduce_tiles(struct work *w, const struct step *step, const struct step_op *op,
                         const struct cap *cap)
{
    const struct step_value *in = &step->value[step->ref[op->first_in]];
    const struct step_value *out = &step->value[step->ref[op->first_out]];
    bool lanes = trace_elements(&out->shape) < trace_elements(&in->shape) &&
                 vector_lacks_lanes(in, out, cap);
    bool relaid = false;

    for (uint32_t i = 0; i < op->n_in; i++)
        relaid |= vector_relay(w, &step->value[step->ref[op->first_in + i]], out, cap);
    if (!relaid && is_flattened(&out->shape, cap)) {
        w->extra_cycles += cap->relayout_cycles;
        relaid = true;
    }
    w->extra_cycles += (lanes + relaid) * cap->reduce_cycles;
    if (relaid || (lanes && is_row(&out->shape)))
        w->extra_cycles += cap->row_cycles;
    if (cap->halves > 1 && trace_elements(&out->shape) < trace_elements(&in->shape))
        w->extra_cycles += cap->join_cycles;
}

void lower_reduce(struct work *w, const struct step *step, const struct step_op *op,
                  const struct cap *cap)
{
    uint64_t in = vector_elements(step, op->first_in, op->n_in), ops = op->op.flops;
    uint64_t out = vector_elements(step, op->first_out, op->n_out);

    ops = ops < out ? out : ops;
    uint64_t each = op->n_in ? vector_elements(step, op->first_in, 1) : 0;
    vector_apply(w, &op->op, each, ops < in ? in : ops, cap);
    for (uint32_t i = 0; i < op->n_in && i < op->n_out; i++)
        reduce_rest(w, &step->value[step->ref[op->first_in + i]],
                    &step->value[step->ref[op->first_out + i]], op->op.over, cap);
    vector_cross(w, step, op, cap);
    if (cap->compact && op->n_in && op->n_out)
        reduce_tiles(w, step, op, cap);
}
