#include "kernels/vector.h"

#include "base/arith.h"
#include "kernels/layout.h"

uint64_t vector_registers(uint64_t n, const struct cap *cap)
{
    return arith_ceil_div(n, cap->vector_elements);
}

uint64_t vector_elements(const struct step *step, uint32_t first, uint32_t n)
{
    uint64_t sum = 0;

    for (uint32_t i = 0; i < n; i++)
        sum += trace_elements(&step->value[step->ref[first + i]].shape);
    return sum;
}

/* Operations of each class that a function needs on each element; none: only additions. */
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

void vector_apply(struct work *w, const struct trace_op *op, uint64_t n, uint64_t ops,
                  const struct cap *cap)
{
    if (op->fn != TRACE_FN_ADD) {
        for (int i = 0; i < N_VECTOR_OPS; i++)
            w->vpu[i] += vector_registers(n * fn_ops[op->fn][i], cap);
        /* divided, not multiplied: the product may not fit */
        ops = n && op->fn_flops > ops / n ? 0 : ops - n * op->fn_flops;
    }
    w->vpu[VECTOR_ADD] += vector_registers(ops, cap);
}

void vector_cross(struct work *w, const struct step *step, const struct step_op *op,
                  const struct cap *cap)
{
    bool same = op->op.kind == TRACE_COPY;

    for (uint32_t i = 0; i < op->n_in + op->n_out; i++)
        same &= step->value[step->ref[op->first_in + i]].stored ==
                step->value[step->ref[op->first_in]].stored;
    for (uint32_t i = 0; i < op->n_in + op->n_out; i++) {
        const struct step_value *v = &step->value[step->ref[op->first_in + i]];
        uint64_t n = trace_elements(&v->shape), element = trace_dtype_bytes[v->stored];
        if (v->on_chip)
            continue;
        uint64_t packed = arith_ceil_div(n * element, 4 * cap->vector_elements);
        if (i < op->n_in)
            w->loads += cap->compact && op->op.kind != TRACE_COPY && element < 4
                            ? vector_registers(n, cap)
                            : packed;
        else
            w->stores += packed;
        if (!same && element < 4 && !cap->compact)
            w->vpu[VECTOR_CAST] += vector_registers(n, cap);
    }
}

/* A transpose: the same extents in another order, which is another name for the same tiles. */
static bool is_transpose(const struct trace_shape *a, const struct trace_shape *b)
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

bool vector_lacks_lanes(const struct step_value *v, const struct step_value *other,
                        const struct cap *cap)
{
    const struct trace_shape *o = &other->shape;

    if (v->shape.rank < 2)
        return false;
    uint32_t minor = layout_of(&v->shape, v->stored, cap).minor;
    return v->shape.dim[minor] > 1 && (minor >= o->rank || o->dim[minor] == 1);
}

bool vector_relay(struct work *w, const struct step_value *in, const struct step_value *out,
                  const struct cap *cap)
{
    if (is_transpose(&in->shape, &out->shape) ||
        !layout_differs(&in->shape, in->stored, &out->shape, out->stored, cap))
        return false;
    uint64_t a = layout_of(&in->shape, in->stored, cap).bytes;
    uint64_t b = layout_of(&out->shape, out->stored, cap).bytes;
    w->extra_cycles += cap->relayout_cycles;
    w->out.bytes += a < b ? a : b;
    w->workspace += a < b ? a : b;
    return true;
}
