/* Element-wise operations, reductions, copies, pooling, random numbers and optimizers on the vector
 * unit.  Operations of a register of R = lanes x sublanes elements, by class (kernels/vector_op.h):
 *
 *     kind          class      operations
 *     elementwise   of its fn= elements of the result / R, see below
 *                   add        its other flops= / R, in all at least one an element
 *     unknown       add        flops= / R, at least one an element
 *     copy          select     elements of the result / R: moved within registers
 *     pool, rng     add        flops= / R, at least one an element
 *     reduce        add        flops= / R, at least one an element of the operands
 *                   sublanes   registers of the result / lanes, if sublanes are summed over
 *                   (XLU)      registers of the result / sublanes, if lanes are
 *     optimizer     of its fn= elements of the weights / R
 *                   add        its other flops= / R
 *     all of these  cast       registers of each operand or result that crosses the kernel's border
 *                              in elements of less than 32 bits; copies cast only between dtypes
 *     gather        select     rows * cols / R                                          (rows.c)
 *     scatter       add        rows * cols / R                                          (rows.c)
 *     sort          add 1, select 2, (XLU) 1 a stage and register of keys               (sort.c)
 *     matmul, conv  add        registers of partial sums, one a pass of rows            (grid.c)
 *
 *     fn=           class
 *     select        select 1        exponential log tanh   exp 1
 *     convert       cast 1          power                  exp 2, of a logarithm and its
 * exponential divide sqrt rsqrt  divide 1   logistic               exp 1, divide 1 add none besides
 * sine cosine erf        sine 1
 *
 * Without fn= all of an operation's flops are additions.  Arithmetic is on 32-bit elements.
 * Each loads from VMEM the registers of its operands that cross the kernel's border and stores
 * those of its results; what members of a fusion hand on stays in registers. A copy that widens its
 * input (upsample, broadcast) replicates across lanes on the XLU, one register of source a pass. */
#include "base/arith.h"
#include "kernels/layout.h"
#include "kernels/lower.h"

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
    w->workspace += a < b ? a : b;
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
        if (!relaid && flattened(&out->shape, cap)) {
            w->extra_cycles += cap->relayout_cycles;
            relaid = true;
        }
        w->extra_cycles += (lanes + relaid) * cap->reduce_cycles;
    } else if (n_out > n_in && lacks_lanes(out, in, cap)) {
        w->xlu += ceil_div(n_in * trace_dtype_bytes[in->stored], 4 * (uint64_t)cap->sublanes);
    }
}

/* Registers of so many 32-bit elements. */
static uint64_t registers(uint64_t n, const struct cap *cap)
{
    return ceil_div(n, cap->vector_elements);
}

/* What a function asks for on each element; none: only additions. */
static const uint8_t fn_ops[TRACE_N_FNS][N_VECTOR_OPS] = {
    [TRACE_FN_SELECT] = { [VECTOR_SELECT] = 1 },
    [TRACE_FN_CONVERT] = { [VECTOR_CAST] = 1 },
    [TRACE_FN_DIVIDE] = { [VECTOR_DIVIDE] = 1 },
    [TRACE_FN_SQRT] = { [VECTOR_DIVIDE] = 1 },
    [TRACE_FN_RSQRT] = { [VECTOR_DIVIDE] = 1 },
    [TRACE_FN_EXP] = { [VECTOR_EXP] = 1 },
    [TRACE_FN_LOG] = { [VECTOR_EXP] = 1 },
    [TRACE_FN_TANH] = { [VECTOR_EXP] = 1 },
    [TRACE_FN_LOGISTIC] = { [VECTOR_EXP] = 1, [VECTOR_DIVIDE] = 1 },
    [TRACE_FN_POWER] = { [VECTOR_EXP] = 2 },
    [TRACE_FN_SINE] = { [VECTOR_SINE] = 1 },
    [TRACE_FN_COSINE] = { [VECTOR_SINE] = 1 },
    [TRACE_FN_ERF] = { [VECTOR_SINE] = 1 },
};

/* `fn` on `n` elements, among `ops` operations on elements in all; the others are additions. */
static void apply(struct work *w, uint32_t fn, uint64_t n, uint64_t ops, const struct cap *cap)
{
    if (fn != TRACE_FN_ADD) {
        for (int op = 0; op < N_VECTOR_OPS; op++)
            w->vpu[op] += registers(n * fn_ops[fn][op], cap);
        ops -= ops < n ? ops : n;
    }
    w->vpu[VECTOR_ADD] += registers(ops, cap);
}

/* What crosses the kernel's border is loaded from VMEM or stored to it; packed elements are widened
 * after they are loaded, and narrowed before they are stored. */
static void cross(struct work *w, const struct graph *g, const struct graph_op *op,
                  const struct cap *cap)
{
    bool same = op->op.kind == TRACE_COPY;

    for (uint32_t i = 0; i < op->n_in + op->n_out; i++)
        same &= g->value[g->ref[op->first_in + i]].stored == g->value[g->ref[op->first_in]].stored;
    for (uint32_t i = 0; i < op->n_in + op->n_out; i++) {
        const struct graph_value *v = &g->value[g->ref[op->first_in + i]];
        uint64_t n = trace_elements(&v->shape), element = trace_dtype_bytes[v->stored];
        if (v->on_chip)
            continue;
        *(i < op->n_in ? &w->loads : &w->stores) += ceil_div(n * element, 4 * cap->vector_elements);
        if (!same && element < 4)
            w->vpu[VECTOR_CAST] += registers(n, cap);
    }
}

static uint64_t weights(const struct graph *g, const struct graph_op *op)
{
    uint64_t sum = 0;

    for (uint32_t i = 0; i < op->n_in; i++) {
        const struct graph_value *v = &g->value[g->ref[op->first_in + i]];
        sum += v->role == TRACE_WEIGHT ? trace_elements(&v->shape) : 0;
    }
    return sum;
}

/* Is dimension `d` of the operand, larger than 1, summed over?  Dimensions of the result are those
 * of the operand in the same order; one of 1 may stand for one that is gone. */
static bool summed(const struct trace_shape *in, const struct trace_shape *out, uint32_t d)
{
    uint32_t j = out->rank;

    for (uint32_t i = in->rank; i-- > d;) {
        bool kept = j && out->dim[j - 1] == in->dim[i];
        j -= kept || (j && out->dim[j - 1] == 1);
        if (i == d)
            return !kept && in->dim[d] > 1;
    }
    return false;
}

/* The dimensions that lie on the lanes and the sublanes. */
static struct layout order_of(const struct graph_value *v, const struct cap *cap)
{
    if (cap->compact)
        return layout_of(&v->shape, v->stored, cap);
    return (struct layout){ .minor = v->shape.rank - 1,
                            .second = v->shape.rank > 1 ? v->shape.rank - 2 : 0 };
}

/* What is left of a reduction once whole registers are added up. */
static void reduce_rest(struct work *w, const struct graph_value *in, const struct graph_value *out,
                        const struct cap *cap)
{
    uint64_t n_out = trace_elements(&out->shape);

    if (in->shape.rank == 0 || n_out >= trace_elements(&in->shape))
        return;
    struct layout l = order_of(in, cap);
    if (summed(&in->shape, &out->shape, l.minor))
        w->xlu += ceil_div(n_out, cap->sublanes);
    if (in->shape.rank == 1 || summed(&in->shape, &out->shape, l.second))
        w->vpu[VECTOR_SUBLANES] += ceil_div(n_out, cap->lanes);
}

void lower_vector(struct work *w, const struct graph *g, const struct graph_op *op,
                  const struct cap *cap)
{
    uint64_t in = elements(g, op->first_in, op->n_in), out = elements(g, op->first_out, op->n_out);
    uint64_t ops = op->op.flops;

    if (ops < out)
        ops = out;
    switch (op->op.kind) {
    case TRACE_REDUCE:
        apply(w, TRACE_FN_ADD, 0, ops < in ? in : ops, cap);
        for (uint32_t i = 0; i < op->n_in && i < op->n_out; i++)
            reduce_rest(w, &g->value[g->ref[op->first_in + i]],
                        &g->value[g->ref[op->first_out + i]], cap);
        break;
    case TRACE_COPY: w->vpu[VECTOR_SELECT] += registers(ops, cap); break;
    case TRACE_OPTIMIZER:
        apply(w, op->op.fn, weights(g, op), ops, cap);
        w->stores += ceil_div(op->op.writes, 4 * cap->vector_elements);
        break;
    default: apply(w, op->op.fn, out, ops, cap); break;
    }
    cross(w, g, op, cap);
    if (cap->compact)
        lower_tiles(w, g, op, cap);
    else if (op->op.kind == TRACE_COPY && op->n_in == 1 && out > 2 * in)
        w->xlu += registers(in, cap);
}
