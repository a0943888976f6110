#include "study/op/op_prefetch.h"

#include <stdbool.h>
#include <string.h>

#include "base/arith.h"
#include "step/tiling.h"
#include "study/op/op_write.h"

static bool holds_elements(const struct op_draft *d, uint64_t elements)
{
    return elements <= d->on_chip / trace_dtype_bytes[d->dtype];
}

static const char *prefetch_product(const struct op_draft *d)
{
    const struct op_value *v = d->value;
    uint64_t m = v[OP_KEY_M].number, n = v[OP_KEY_N].number, k = v[OP_KEY_K].number;
    uint64_t b = v[OP_KEY_BATCH].given ? v[OP_KEY_BATCH].number : 1, side = m >= n ? m : n, most;

    if (m == 1 || n == 1 || k == 1 || __builtin_mul_overflow(b, side, &most) ||
        __builtin_mul_overflow(most, k, &most) || !holds_elements(d, most))
        return NULL;
    return m >= n ? "lhs" : "rhs";
}

/* The shape that a reduction leaves. */
static struct trace_shape shape_of_sums(const struct op_draft *d)
{
    const struct op_value *shape = &d->value[OP_KEY_SHAPE], *dims = &d->value[OP_KEY_DIMS];
    bool gone[TRACE_MAX_RANK] = { false };
    struct trace_shape out = { 0 };

    for (uint32_t i = 0; i < dims->rank; i++)
        if (dims->dim[i] < TRACE_MAX_RANK)
            gone[dims->dim[i]] = true;
    for (uint32_t i = 0; i < shape->rank; i++)
        if (!gone[i])
            out.dim[out.rank++] = shape->dim[i];
    return out;
}

static struct trace_shape shape_of(const struct op_value *v)
{
    struct trace_shape s = { .rank = v->rank };

    memcpy(s.dim, v->dim, v->rank * sizeof s.dim[0]);
    return s;
}

/* The sums of all dimensions but the last one, one row of many. */
static bool is_long_row(const struct op_draft *d, const struct trace_shape *sums)
{
    uint64_t last = sums->rank ? sums->dim[sums->rank - 1] : 0;

    return d->value[OP_KEY_DIMS].rank + 1 < d->value[OP_KEY_SHAPE].rank &&
           trace_elements(sums) == last && last > d->lanes;
}

/* True if a kernel of its own lays the operand or the result out anew. */
static bool is_relaid(const struct op_draft *d, const struct trace_shape *out)
{
    struct trace_shape in = shape_of(&d->value[OP_KEY_SHAPE]);
    struct tiling t = { d->lanes, d->sublanes };

    return tiling_differs(&in, d->dtype, out, d->result, t);
}

const char *op_prefetch(const struct op_draft *d)
{
    const char *name = d->kind->name;
    const struct op_value *shape = &d->value[OP_KEY_SHAPE];
    bool sums = strcmp(name, "reduce") == 0;

    if (!d->on_chip)
        return NULL;
    if (strcmp(name, "matmul") == 0)
        return prefetch_product(d);
    if (!sums && strcmp(name, "broadcast") != 0)
        return NULL;
    struct trace_shape out = sums ? shape_of_sums(d) : shape_of(&d->value[OP_KEY_TO]);
    if (!holds_elements(d, op_elements(shape)) || is_relaid(d, &out))
        return NULL;
    if (sums ? is_long_row(d, &out) : trace_elements(&out) == op_elements(shape))
        return NULL;
    return "lhs";
}
