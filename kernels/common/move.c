#include "kernels/common/move.h"

/* True if each product of leading dimensions of `few` is one of `many`. */
static bool is_merged(const struct trace_shape *many, const struct trace_shape *few)
{
    uint64_t all = 1, one = 1;
    uint32_t d = 0;

    for (uint32_t i = 0; i < few->rank; i++) {
        one *= few->dim[i];
        while (all < one && d < many->rank)
            all *= many->dim[d++];
        if (all != one)
            return false;
    }
    return true;
}

static uint64_t count_elements(const struct trace_shape *s)
{
    uint64_t n = 1;

    for (uint32_t i = 0; i < s->rank; i++)
        n *= s->dim[i];
    return n;
}

static bool is_equal(const struct trace_shape *a, const struct trace_shape *b)
{
    if (a->rank != b->rank)
        return false;
    for (uint32_t i = 0; i < a->rank; i++)
        if (a->dim[i] != b->dim[i])
            return false;
    return true;
}

/* True if the dimensions of `b` are those of `a` in any order. */
static bool is_permuted(const struct trace_shape *a, const struct trace_shape *b)
{
    for (uint32_t i = 0; i < a->rank; i++) {
        uint32_t in_a = 0, in_b = 0;
        for (uint32_t k = 0; k < a->rank; k++) {
            in_a += a->dim[k] == a->dim[i];
            in_b += b->dim[k] == a->dim[i];
        }
        if (in_a != in_b)
            return false;
    }
    return true;
}

enum move move_of(const struct step *step, const struct step_op *op)
{
    if (op->n_in != 1 || op->n_out != 1)
        return MOVE_OTHER;
    const struct trace_shape *x = &step->value[step->ref[op->first_in]].shape;
    const struct trace_shape *y = &step->value[step->ref[op->first_out]].shape;
    if (count_elements(x) != count_elements(y) || is_equal(x, y))
        return MOVE_OTHER;
    if (is_merged(x, y) || is_merged(y, x) || (x->rank == y->rank && !is_permuted(x, y)))
        return MOVE_VIEW;
    return MOVE_TRANSPOSED;
}
