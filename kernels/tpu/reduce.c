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
#include "kernels/common/layout.h"
#include "kernels/common/stream.h"
#include "kernels/common/vector.h"

#define REVISIT 3 /* bundles: a partial sum is loaded, added to and stored */

/* Only one dimension left, and longer than the lanes: the result's elements lie in other places. */
static bool is_flattened(const struct trace_shape *out, const struct cap *cap)
{
    uint64_t longest = 1;

    for (uint32_t i = 0; i < out->rank; i++)
        longest = out->dim[i] > longest ? out->dim[i] : longest;
    return longest > cap->lanes && longest == trace_elements(out);
}

/* One dimension is larger than 1. */
static bool is_row(const struct trace_shape *out)
{
    if (trace_elements(out) == 1)
        return false;
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
    if (cap_compact(cap))
        return layout_of_value(v, cap);
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

/* The dimensions that are summed over, a bit each. */
static uint32_t find_summed(const struct step_value *in, const struct step_value *out,
                            uint32_t over)
{
    uint32_t set = 0;

    for (uint32_t d = 0; d < in->shape.rank; d++)
        set |= (uint32_t)is_summed(&in->shape, &out->shape, d, over) << d;
    return set;
}

/* The product of a window's extents along dimensions that are summed over, or are not. */
static uint64_t count_units(const struct stream_window *win, const struct stream_array *a,
                            bool summed)
{
    uint64_t n = 1;

    for (int d = 0; d < STREAM_N_DIMS; d++)
        if (a->summed[d] == summed)
            n *= win->units[d];
    return n;
}

/* Windows of the operand: tiles of a window that are added to one register wait for each other, and
 * each register of sums has a begin and an end.  `lanes`: the sums go along them. */
static void cut_windows(struct work *w, const struct step_value *in, const struct step_value *out,
                        uint32_t over, bool lanes, const struct cap *cap)
{
    struct stream_array a;
    struct stream_window win;

    stream_array_of(&a, in, find_summed(in, out, over), cap);
    uint64_t units = stream_units(&a), bytes = layout_of_value(in, cap).bytes;
    stream_choose(&win, &a, lower_window(w, units, bytes, cap), cap);
    uint64_t sums = count_units(&win, &a, false);
    w->steps = win.steps;
    w->chain_cycles = count_units(&win, &a, true) * cap->bundle.add_latency;
    w->sum_cycles = sums * (lanes ? cap->lane_cycles : cap->bundle.sum_cycles);
    if (win.sum_steps > 1 && !is_row(&out->shape))
        w->sum_cycles += lanes ? cap->xla.lane_reduce_time : sums * REVISIT;
    w->sums_last =
        !w->fused && (win.sum_steps > 1 || trace_bytes(&out->shape) / win.steps < cap->dma_granule);
    if (cap->halves > 1 && win.steps > 1)
        w->extra_cycles +=
            cap->xla.join_time + (is_row(&out->shape) && w->in.bytes ? cap->meet_cycles : 0);
}

/* Bytes of the sums with their dimensions in the order of the operand's. */
static uint64_t natural_bytes(const struct step_value *in, const struct step_value *out,
                              uint32_t summed, const struct cap *cap)
{
    struct tiling_order l = layout_of_value(in, cap);
    uint32_t place[2] = { 0, 0 }, n = 0; /* of the result: minor, second */
    bool keeps = out->shape.rank == in->shape.rank;

    for (uint32_t i = 0; i < in->shape.rank + 2 && n < 2; i++) {
        uint32_t d = i == 0 ? l.minor : i == 1 ? l.second : in->shape.rank + 1 - i;
        if (summed >> d & 1 || (i > 1 && (d == l.minor || d == l.second)))
            continue;
        uint32_t gone = (uint32_t)__builtin_popcount(summed & ((UINT32_C(1) << d) - 1));
        place[n++] = keeps ? d : d - gone;
    }
    struct tiling_order least = layout_of(&out->shape, out->stored, cap);
    if (n < 2 || place[0] >= out->shape.rank || place[1] >= out->shape.rank)
        return least.bytes;
    return tiling_bytes(&out->shape, place[0], place[1], out->stored,
                        (struct tiling){ cap->lanes, cap->sublanes });
}

/* True if the sums are laid out anew.  Those that go to HBM lie as the program gives them back;
 * others only where that takes fewer bytes. */
static bool relays_sums(struct work *w, const struct step_value *in, const struct step_value *out,
                        uint32_t over, const struct cap *cap)
{
    enum trace_space space = trace_space(&out->shape);

    if (!out->on_chip && space != TRACE_IN_VMEM && space != TRACE_IN_CMEM)
        return vector_relay(w, in, out, cap);
    if (natural_bytes(in, out, find_summed(in, out, over), cap) <=
        layout_of(&out->shape, out->stored, cap).bytes)
        return false;
    w->extra_cycles += cap->xla.relayout_time;
    return true;
}

/* A kernel of its own that changes the shape of sums on chip: its launch and grid step, less what
 * the one before saves by writing nothing to HBM. */
static uint64_t reshape_cycles(const struct cap *cap)
{
    uint64_t costs = cap->op_cycles + cap->step_cycles;
    uint64_t saves = 3 * cap->dma_cycles + cap->xla.vector_time;

    return costs > saves ? costs - saves : 0;
}

/* Add the costs that arise where arrays lie in tiles. */
static void reduce_tiles(struct work *w, const struct step *step, const struct step_op *op,
                         const struct cap *cap)
{
    const struct step_value *in = &step->value[step->ref[op->first_in]];
    const struct step_value *out = &step->value[step->ref[op->first_out]];
    bool less = trace_elements(&out->shape) < trace_elements(&in->shape);
    bool lanes = less && vector_lacks_lanes(in, out, cap), relaid = false;

    for (uint32_t i = 0; i < op->n_in; i++)
        relaid |= relays_sums(w, &step->value[step->ref[op->first_in + i]], out, op->op.over, cap);
    if (!relaid && is_flattened(&out->shape, cap)) {
        w->extra_cycles += reshape_cycles(cap);
        relaid = true;
    }
    w->extra_cycles += (lanes + relaid) * cap->xla.lane_reduce_time;
    if (relaid || (lanes && is_row(&out->shape)))
        w->extra_cycles += cap->xla.row_time;
    if (!less)
        return;
    if (cap->xla.whole_stream)
        cut_windows(w, in, out, op->op.over, lanes, cap);
    else if (cap->halves > 1)
        w->extra_cycles += cap->xla.join_time;
}

void lower_reduce(struct work *w, const struct step *step, const struct step_op *op,
                  const struct cap *cap)
{
    uint64_t in = vector_elements(step, op->first_in, op->n_in), ops = op->op.flops;
    uint64_t out = vector_elements(step, op->first_out, op->n_out);
    struct work along = { 0 };

    ops = ops < out ? out : ops;
    ops = ops < in ? in : ops;
    uint64_t each = op->n_in ? vector_elements(step, op->first_in, 1) : 0;
    if (op->n_in) {
        const struct step_value *v = &step->value[step->ref[op->first_in]];
        each = vector_padded(each, v, cap);
        ops = vector_padded(ops, v, cap);
    }
    vector_apply(w, step, op, each, ops, cap);
    for (uint32_t i = 0; i < op->n_in && i < op->n_out; i++)
        reduce_rest(&along, &step->value[step->ref[op->first_in + i]],
                    &step->value[step->ref[op->first_out + i]], op->op.over, cap);
    w->xlu += cap->lane_cycles ? arith_ceil_div(along.xlu, cap->xlu_cycles) : along.xlu;
    w->vpu[VECTOR_SUBLANES] += along.vpu[VECTOR_SUBLANES];
    vector_cross(w, step, op, cap);
    if (cap_compact(cap) && op->n_in && op->n_out)
        reduce_tiles(w, step, op, cap);
}
