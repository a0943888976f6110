/* Element-wise operations, reductions, copies, pooling and random numbers on the vector unit.
 *
 *     vector operations = max(flops, elements read or written) / elements of a vector register
 *
 * A reduction adds whole vectors on the vector unit; what is left, one register for every
 * `sublanes` results, is reduced across lanes on the XLU.  A copy that widens its input (upsample,
 * broadcast) replicates across lanes on the XLU, one register of source a pass. */
#include "kernels/layout.h"
#include "kernels/lower.h"

static uint64_t ceil_div(uint64_t a, uint64_t b)
{
    return (a + b - 1) / b;
}

static uint64_t elements(const struct graph *g, uint32_t first, uint32_t n)
{
    uint64_t sum = 0;

    for (uint32_t i = 0; i < n; i++)
        sum += trace_elements(&g->value[g->ref[first + i]].shape);
    return sum;
}

/* A transpose: the same extents in another order, which is another name for the same tiles. */
static bool moved_only(const struct trace_shape *a, const struct trace_shape *b)
{
    uint32_t matched = 0;

    if (a->rank != b->rank)
        return false;
    for (uint32_t i = 0; i < a->rank; i++)
        for (uint32_t j = 0; j < b->rank; j++)
            if (!(matched >> j & 1) && a->dim[i] == b->dim[j]) {
                matched |= UINT32_C(1) << j;
                break;
            }
    return matched == (UINT32_C(1) << a->rank) - 1;
}

/* Does the array, as the compiler lays it out, have a dimension of `other` on its lanes that the
 * other array lacks? */
static bool lacks_lanes(const struct graph_value *v, const struct graph_value *other,
                        const struct cap *cap)
{
    const struct trace_shape *o = &other->shape;

    if (v->shape.rank < 2)
        return false;
    uint32_t minor = layout_of(&v->shape, v->stored, cap).minor;
    return v->shape.dim[minor] > 1 && (minor >= o->rank || o->dim[minor] == 1);
}

/* A kernel of its own brings the smaller of the two into the other's order: it is written once
 * more, and read from where it still is on chip. */
static bool relay(struct work *w, const struct graph_value *in, const struct graph_value *out,
                  const struct cap *cap)
{
    if (moved_only(&in->shape, &out->shape) ||
        !layout_differs(&in->shape, in->stored, &out->shape, out->stored, cap))
        return false;
    uint64_t a = layout_of(&in->shape, in->stored, cap).bytes;
    uint64_t b = layout_of(&out->shape, out->stored, cap).bytes;
    w->extra_cycles += cap->relayout_cycles;
    w->out.bytes += a < b ? a : b;
    return true;
}

/* Only one dimension left, and longer than the lanes: the result's elements lie in other places. */
static bool flattened(const struct trace_shape *out, const struct cap *cap)
{
    uint64_t longest = 1;

    for (uint32_t i = 0; i < out->rank; i++)
        longest = out->dim[i] > longest ? out->dim[i] : longest;
    return longest > cap->lanes && longest == trace_elements(out);
}

/* What the XLU and relayout kernels take where arrays lie in tiles. */
static void lower_tiles(struct work *w, const struct graph *g, const struct graph_op *op,
                        const struct cap *cap)
{
    if ((op->op.kind != TRACE_REDUCE && op->op.kind != TRACE_COPY) || !op->n_in || !op->n_out)
        return;
    const struct graph_value *in = &g->value[g->ref[op->first_in]];
    const struct graph_value *out = &g->value[g->ref[op->first_out]];
    uint64_t n_in = trace_elements(&in->shape), n_out = trace_elements(&out->shape);

    bool relaid = false;
    for (uint32_t i = 0; i < op->n_in; i++)
        relaid |= relay(w, &g->value[g->ref[op->first_in + i]], out, cap);
    if (op->op.kind == TRACE_REDUCE) {
        bool lanes = n_out < n_in && lacks_lanes(in, out, cap);
        w->xlu += lanes ? ceil_div(n_out, cap->sublanes) : 0;
        if (!relaid && flattened(&out->shape, cap)) {
            w->extra_cycles += cap->relayout_cycles;
            relaid = true;
        }
        w->extra_cycles += (lanes + relaid) * cap->reduce_cycles;
    } else if (n_out > n_in && lacks_lanes(out, in, cap)) {
        w->xlu += ceil_div(n_in * trace_dtype_bytes[in->stored], 4 * (uint64_t)cap->sublanes);
    }
}

void lower_vector(struct work *w, const struct graph *g, const struct graph_op *op,
                  const struct cap *cap)
{
    uint64_t in = elements(g, op->first_in, op->n_in), out = elements(g, op->first_out, op->n_out);
    uint64_t ops = op->op.flops;

    if (ops < out)
        ops = out;
    if (op->op.kind == TRACE_REDUCE && ops < in)
        ops = in;
    w->vpu += ceil_div(ops, cap->vector_elements);
    if (cap->compact)
        lower_tiles(w, g, op, cap);
    else if (op->op.kind == TRACE_REDUCE)
        w->xlu += ceil_div(out, cap->sublanes);
    else if (op->op.kind == TRACE_COPY && op->n_in == 1 && out > 2 * in)
        w->xlu += ceil_div(in, cap->vector_elements);
}
