#include "kernels/layout.h"
#include "base/arith.h"

/* Rows of a tile: of 32-bit elements 1, 2, 4 or all sublanes, of packed ones at least a sublane. */
static uint64_t tile_rows(uint64_t extent, uint64_t element, const struct cap *cap)
{
    uint64_t rows = element < 4 ? 4 / element : 1;

    while (rows < extent && rows < cap->sublanes)
        rows *= 2;
    return rows;
}

static uint64_t bytes(const struct trace_shape *s, uint32_t minor, uint32_t second,
                      uint64_t element, const struct cap *cap)
{
    uint64_t rest = 1;

    for (uint32_t i = 0; i < s->rank; i++)
        if (i != minor && i != second)
            rest *= s->dim[i];
    return rest * arith_round_up(s->dim[second], tile_rows(s->dim[second], element, cap)) *
           arith_round_up(s->dim[minor], cap->lanes) * element;
}

struct layout layout_of(const struct trace_shape *shape, enum trace_dtype dtype,
                        const struct cap *cap)
{
    if (!cap->compact)
        return (struct layout){ .bytes = trace_elements(shape) * trace_dtype_bytes[dtype] };
    return layout_tiled(shape, dtype, cap);
}

struct layout layout_tiled(const struct trace_shape *shape, enum trace_dtype dtype,
                           const struct cap *cap)
{
    uint64_t element = trace_dtype_bytes[dtype];
    struct layout best = { 0 };

    if (shape->rank < 2) {
        best.bytes = arith_round_up(trace_elements(shape) * element, cap->lanes * 4);
        return best;
    }
    best.bytes = UINT64_MAX;
    /* ties go to the order as written: the last dimension on the lanes */
    for (uint32_t i = shape->rank; i-- > 0;)
        for (uint32_t j = shape->rank; j-- > 0;) {
            uint64_t b = i == j ? UINT64_MAX : bytes(shape, i, j, element, cap);
            if (b < best.bytes)
                best = (struct layout){ b, i, j };
        }
    return best;
}

uint64_t layout_bytes(const struct step *step, uint32_t value, const struct cap *cap)
{
    const struct step_value *v = &step->value[value];

    return cap->compact ? layout_of(&v->shape, v->stored, cap).bytes : step_bytes(step, value);
}

static bool shared(uint32_t d, const struct trace_shape *a, const struct trace_shape *b)
{
    return d < a->rank && d < b->rank && a->dim[d] > 1 && b->dim[d] > 1;
}

/* The first dimension shared with `other`, from the minor one on. */
static uint32_t first_shared(const struct layout *l, const struct trace_shape *s,
                             const struct trace_shape *other)
{
    if (shared(l->minor, s, other))
        return l->minor;
    if (shared(l->second, s, other))
        return l->second;
    for (uint32_t i = s->rank; i-- > 0;)
        if (shared(i, s, other))
            return i;
    return UINT32_MAX;
}

bool layout_differs(const struct trace_shape *in, enum trace_dtype in_dtype,
                    const struct trace_shape *out, enum trace_dtype out_dtype,
                    const struct cap *cap)
{
    if (!cap->compact || in->rank < 2 || out->rank < 2)
        return false;
    struct layout x = layout_of(in, in_dtype, cap), y = layout_of(out, out_dtype, cap);
    if (shared(x.minor, in, out) && shared(x.second, in, out) && shared(y.minor, in, out) &&
        shared(y.second, in, out))
        return bytes(in, y.minor, y.second, trace_dtype_bytes[in_dtype], cap) > x.bytes;
    return first_shared(&x, in, out) != first_shared(&y, out, in);
}
