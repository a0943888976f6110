#include "kernels/common/vector.h"

#include "base/arith.h"
#include "base/wide.h"
#include "kernels/common/layout.h"
#include "kernels/common/stream.h"

uint64_t vector_registers(uint64_t n, const struct cap *cap)
{
    return arith_ceil_div(n, cap->vector_elements);
}

uint64_t vector_value_registers(const struct step_value *v, const struct cap *cap)
{
    bool packed = cap->packed16 && v->stored == TRACE_BF16;

    if (!cap_compact(cap))
        return vector_registers(trace_elements(&v->shape), cap);
    return layout_tiles(v, (packed ? 2 : 1) * cap->sublanes, cap);
}

uint64_t vector_padded(uint64_t n, const struct step_value *v, const struct cap *cap)
{
    uint64_t elements = trace_elements(&v->shape);
    uint64_t padded = vector_value_registers(v, cap) * cap->vector_elements;

    return elements && cap_compact(cap) ? wide_mul_div(n, padded, elements) : n;
}

/* Registers that hold all of `v`. */
static uint64_t count_packed(const struct step_value *v, const struct cap *cap)
{
    return arith_ceil_div(trace_elements(&v->shape) * trace_dtype_bytes[v->stored],
                          4 * (uint64_t)cap->vector_elements);
}

/* Tiles that have fewer rows than a register take one each. */
static bool shares_registers(const struct step_value *v, const struct cap *cap)
{
    return !cap_compact(cap) || v->shape.rank < 2 || layout_tile_rows(v, cap) >= cap->sublanes;
}

uint64_t vector_loads(const struct step_value *v, bool moves, const struct cap *cap)
{
    if (cap_compact(cap) ? moves && shares_registers(v, cap) : true)
        return count_packed(v, cap);
    return layout_tiles(v, 0, cap);
}

uint64_t vector_stores(const struct step_value *v, const struct cap *cap)
{
    return shares_registers(v, cap) ? count_packed(v, cap) : layout_tiles(v, 0, cap);
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
    [TRACE_FN_POWER] = { [VECTOR_ADD] = 6, [VECTOR_EXP] = 1, [VECTOR_DIVIDE] = 3 },
    [TRACE_FN_SINE] = { [VECTOR_SINE] = 1 },
    [TRACE_FN_COSINE] = { [VECTOR_SINE] = 1 },
    [TRACE_FN_ERF] = { [VECTOR_ADD] = 9, [VECTOR_DIVIDE] = 2 },
};

/* Results of 16 bits need no steps that make a reciprocal exact. */
static bool is_narrow(const struct step *step, const struct step_op *op)
{
    return op->n_out && trace_dtype_bytes[step->value[step->ref[op->first_out]].stored] < 4;
}

void vector_apply(struct work *w, const struct step *step, const struct step_op *o, uint64_t n,
                  uint64_t ops, const struct cap *cap)
{
    const struct trace_op *op = &o->op;
    bool short_division =
        is_narrow(step, o) && (op->fn == TRACE_FN_DIVIDE || op->fn == TRACE_FN_LOGISTIC);

    if (op->fn != TRACE_FN_ADD) {
        for (int i = 0; i < N_VECTOR_OPS; i++)
            w->vpu[short_division && i == VECTOR_DIVIDE ? VECTOR_EXP : i] +=
                vector_registers(n * fn_ops[op->fn][i], cap);
        /* divided, not multiplied: the product may not fit */
        ops = n && op->fn_flops > ops / n ? 0 : ops - n * op->fn_flops;
    }
    w->vpu[VECTOR_ADD] += vector_registers(ops, cap);
}

void vector_window(struct work *w, const struct step_value *v, const struct cap *cap)
{
    struct stream_array a;

    if (!cap->xla.whole_stream)
        return;
    stream_array_of(&a, v, 0, cap);
    if (stream_units(&a) > stream_units(&w->streamed))
        w->streamed = a;
}

/* Elements of 16 bits and less are computed on in 32: half as many registers are packed as come. */
static void add_cast(struct work *w, const struct step_value *v, bool out, const struct cap *cap)
{
    uint64_t registers = vector_registers(trace_elements(&v->shape), cap);

    if (out)
        w->vpu[VECTOR_PACK] += arith_ceil_div(registers, 2);
    else
        w->vpu[VECTOR_CAST] += registers;
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
        if (v->on_chip)
            continue;
        if (i < op->n_in)
            w->loads += vector_loads(v, op->op.kind == TRACE_COPY, cap);
        else
            w->stores += vector_stores(v, cap);
        if (!same && trace_dtype_bytes[v->stored] < 4 &&
            !(cap->packed16 && v->stored == TRACE_BF16))
            add_cast(w, v, i >= op->n_in, cap);
    }
}

uint64_t vector_spread(const struct step_value *in, const struct step_value *out,
                       const struct cap *cap)
{
    const struct trace_shape *a = &in->shape, *b = &out->shape;

    if (a->rank == 0 || b->rank < 2 || a->rank > b->rank || trace_elements(a) >= trace_elements(b))
        return 0;
    struct tiling_order l = layout_of_value(out, cap);
    for (uint32_t d = 0; d < a->rank; d++)
        if (a->dim[d] != b->dim[d] && a->dim[d] != 1)
            return 0;
    bool lanes = l.minor < a->rank && a->dim[l.minor] > 1;
    if (lanes || l.second >= a->rank || a->dim[l.second] == 1)
        return 0;
    return trace_elements(a) / a->dim[l.second] * arith_ceil_div(a->dim[l.second], cap->sublanes);
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
    w->extra_cycles += cap->xla.relayout_time;
    w->out.bytes += a < b ? a : b;
    w->workspace += a < b ? a : b;
    return true;
}
