#include "step/tiling.h"

#include "base/arith.h"

/* Rows of a tile: of 32-bit elements 1, 2, 4 or all sublanes, of packed ones at least a sublane. */
static uint64_t count_tile_rows(uint64_t extent, uint64_t element, struct tiling t)
{
    uint64_t rows = element < 4 ? 4 / element : 1;

    while (rows < extent && rows < t.sublanes)
        rows *= 2;
    return rows;
}

uint64_t tiling_bytes(const struct trace_shape *s, uint32_t minor, uint32_t second,
                      enum trace_dtype dtype, struct tiling t)
{
    uint64_t element = trace_dtype_bytes[dtype], rest = 1;

    for (uint32_t i = 0; i < s->rank; i++)
        if (i != minor && i != second)
            rest *= s->dim[i];
    return rest * arith_round_up(s->dim[second], count_tile_rows(s->dim[second], element, t)) *
           arith_round_up(s->dim[minor], t.lanes) * element;
}

uint64_t tiling_rows(uint64_t extent, enum trace_dtype dtype, struct tiling t)
{
    return count_tile_rows(extent, trace_dtype_bytes[dtype], t);
}

struct tiling_order tiling_least(const struct trace_shape *shape, enum trace_dtype dtype,
                                 struct tiling t)
{
    struct tiling_order best = { 0 };

    if (shape->rank < 2) {
        best.bytes =
            arith_round_up(trace_elements(shape) * trace_dtype_bytes[dtype], (uint64_t)t.lanes * 4);
        return best;
    }
    best.bytes = UINT64_MAX;
    /* ties go to the order as written: the last dimension on the lanes */
    for (uint32_t i = shape->rank; i-- > 0;)
        for (uint32_t j = shape->rank; j-- > 0;) {
            uint64_t b = i == j ? UINT64_MAX : tiling_bytes(shape, i, j, dtype, t);
            if (b < best.bytes)
                best = (struct tiling_order){ b, i, j };
        }
    return best;
}

static bool shares_dim(uint32_t d, const struct trace_shape *a, const struct trace_shape *b)
{
    return d < a->rank && d < b->rank && a->dim[d] > 1 && b->dim[d] > 1;
}

/* The first dimension shared with `other`, from the minor one on. */
static uint32_t find_shared(const struct tiling_order *l, const struct trace_shape *s,
                            const struct trace_shape *other)
{
    if (shares_dim(l->minor, s, other))
        return l->minor;
    if (shares_dim(l->second, s, other))
        return l->second;
    for (uint32_t i = s->rank; i-- > 0;)
        if (shares_dim(i, s, other))
            return i;
    return UINT32_MAX;
}

bool tiling_differs(const struct trace_shape *in, enum trace_dtype in_dtype,
                    const struct trace_shape *out, enum trace_dtype out_dtype, struct tiling t)
{
    if (in->rank < 2 || out->rank < 2)
        return false;
    struct tiling_order x = tiling_least(in, in_dtype, t), y = tiling_least(out, out_dtype, t);
    if (shares_dim(x.minor, in, out) && shares_dim(x.second, in, out) &&
        shares_dim(y.minor, in, out) && shares_dim(y.second, in, out))
        return tiling_bytes(in, y.minor, y.second, in_dtype, t) > x.bytes;
    return find_shared(&x, in, out) != find_shared(&y, out, in);
}
