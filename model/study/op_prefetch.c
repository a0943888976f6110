#include "study/op_prefetch.h"

#include <stdbool.h>
#include <string.h>

#include "base/arith.h"
#include "study/op_write.h"

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

/* The sums of all dimensions but the last one, one row of many. */
static bool is_long_row(const struct op_draft *d)
{
    const struct op_value *shape = &d->value[OP_KEY_SHAPE], *dims = &d->value[OP_KEY_DIMS];
    bool gone[TRACE_MAX_RANK] = { false };
    uint64_t rows = 1, last = 1;

    for (uint32_t i = 0; i < dims->rank; i++)
        if (dims->dim[i] < TRACE_MAX_RANK)
            gone[dims->dim[i]] = true;
    for (uint32_t i = 0; i < shape->rank; i++)
        if (!gone[i]) {
            rows *= last;
            last = shape->dim[i];
        }
    return dims->rank + 1 < shape->rank && rows == 1 && last > d->lanes;
}

const char *op_prefetch(const struct op_draft *d)
{
    const char *name = d->kind->name;

    if (!d->on_chip)
        return NULL;
    if (strcmp(name, "matmul") == 0)
        return prefetch_product(d);
    if (strcmp(name, "broadcast") != 0 && strcmp(name, "reduce") != 0)
        return NULL;
    if (!holds_elements(d, op_elements(&d->value[OP_KEY_SHAPE])))
        return NULL;
    return *name == 'r' && is_long_row(d) ? NULL : "lhs";
}
