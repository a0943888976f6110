#include "kernels/common/layout.h"

#include "base/arith.h"

static struct tiling tiling_of(const struct cap *cap)
{
    return (struct tiling){ cap->lanes, cap->sublanes };
}

struct tiling_order layout_of(const struct trace_shape *shape, enum trace_dtype dtype,
                              const struct cap *cap)
{
    if (!cap_compact(cap))
        return (struct tiling_order){ .bytes = trace_elements(shape) * trace_dtype_bytes[dtype] };
    return tiling_least(shape, dtype, tiling_of(cap));
}

static enum trace_dtype dtype_of(const struct step_value *v)
{
    return v->on_chip ? TRACE_BF16 : v->stored;
}

struct tiling_order layout_of_value(const struct step_value *v, const struct cap *cap)
{
    return tiling_least(&v->shape, dtype_of(v), tiling_of(cap));
}

uint64_t layout_tile_rows(const struct step_value *v, const struct cap *cap)
{
    struct tiling_order l = layout_of_value(v, cap);

    return tiling_rows(v->shape.dim[l.second], dtype_of(v), tiling_of(cap));
}

uint64_t layout_tiles(const struct step_value *v, uint32_t rows, const struct cap *cap)
{
    const struct trace_shape *shape = &v->shape;
    struct tiling_order l = layout_of_value(v, cap);
    uint64_t n = 1, each = rows ? rows : cap->sublanes;

    if (shape->rank < 2)
        return arith_ceil_div(trace_elements(shape), each * cap->lanes * cap_register_tiles(cap));
    if (!rows)
        each = tiling_rows(shape->dim[l.second], dtype_of(v), tiling_of(cap));
    for (uint32_t d = 0; d < shape->rank; d++)
        n *= d == l.second  ? arith_ceil_div(shape->dim[d], each)
             : d == l.minor ? arith_ceil_div(shape->dim[d], cap->lanes)
                            : shape->dim[d];
    return arith_ceil_div(n, cap_register_tiles(cap));
}

uint32_t layout_minor(const struct trace_shape *shape, enum trace_dtype dtype,
                      const struct cap *cap)
{
    return tiling_least(shape, dtype, tiling_of(cap)).minor;
}

uint64_t layout_bytes(const struct step *step, uint32_t value, const struct cap *cap)
{
    const struct step_value *v = &step->value[value];

    if (v->shape.layout.given)
        return step_bytes(step, value);
    return cap_compact(cap) ? layout_of(&v->shape, v->stored, cap).bytes : step_bytes(step, value);
}

bool layout_differs(const struct trace_shape *in, enum trace_dtype in_dtype,
                    const struct trace_shape *out, enum trace_dtype out_dtype,
                    const struct cap *cap)
{
    return cap_compact(cap) && tiling_differs(in, in_dtype, out, out_dtype, tiling_of(cap));
}
