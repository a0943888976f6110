#include "kernels/layout.h"

static struct tiling tiling_of(const struct cap *cap)
{
    return (struct tiling){ cap->lanes, cap->sublanes };
}

struct tiling_order layout_of(const struct trace_shape *shape, enum trace_dtype dtype,
                              const struct cap *cap)
{
    if (!cap->compact)
        return (struct tiling_order){ .bytes = trace_elements(shape) * trace_dtype_bytes[dtype] };
    return tiling_least(shape, dtype, tiling_of(cap));
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
    return cap->compact ? layout_of(&v->shape, v->stored, cap).bytes : step_bytes(step, value);
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

bool layout_differs(const struct trace_shape *in, enum trace_dtype in_dtype,
                    const struct trace_shape *out, enum trace_dtype out_dtype,
                    const struct cap *cap)
{
    if (!cap->compact || in->rank < 2 || out->rank < 2)
        return false;
    struct tiling_order x = layout_of(in, in_dtype, cap), y = layout_of(out, out_dtype, cap);
    if (shares_dim(x.minor, in, out) && shares_dim(x.second, in, out) &&
        shares_dim(y.minor, in, out) && shares_dim(y.second, in, out))
        return tiling_bytes(in, y.minor, y.second, in_dtype, tiling_of(cap)) > x.bytes;
    return find_shared(&x, in, out) != find_shared(&y, out, in);
}
