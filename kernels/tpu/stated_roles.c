/* Operands and result of the product that a kernel of a compiled program holds.
 *
 * A fusion has more operands than the product in it.  B is the one with k n elements, A the nearest
 * of the others to m k / taps, the result the nearest to m n. */
#include "kernels/tpu/stated.h"

#include "base/units.h"
#include "base/wide.h"
#include "kernels/tpu/dtype.h"

uint64_t stated_part(const struct trace_shape *s, uint64_t moved)
{
    uint64_t whole = trace_bare_bytes(s);

    return moved && moved < whole ? moved : whole;
}

/* Among `n` values the one whose number of elements is nearest to `elements`, as a ratio, of
 * several the last: B stands behind A.  `but` is left out.  STATED_NOBODY: there is none of at
 * least one dimension. */
static uint32_t find_nearest(const struct stated *c, const uint64_t *moved, uint32_t first,
                             uint32_t n, uint64_t elements, uint32_t but)
{
    uint32_t best = STATED_NOBODY;
    u128 least = ~(u128)0;

    for (uint32_t i = n; i-- > 0;) {
        const struct trace_shape *s = &c->step->value[c->step->ref[first + i]].shape;
        uint64_t whole = trace_bare_bytes(s), part = stated_part(s, moved[i]);
        uint64_t e = whole ? wide_mul_div(trace_elements(s), part, whole) : 0;
        uint64_t more = e > elements ? e : elements;
        uint64_t less = e > elements ? elements : e;
        u128 ratio = (u128)more * PPB_PER_ONE / ((u128)less + 1);
        if (i != but && s->rank > 0 && ratio < least) {
            least = ratio;
            best = i;
        }
    }
    return best;
}

struct stated_roles stated_find_roles(const struct stated *c)
{
    const struct step_op *op = c->op;
    const uint64_t *p = c->kernel->product;
    uint64_t b = p[TRACE_DIM_B], k = p[TRACE_DIM_K] / c->kernel->taps;
    struct stated_roles r;

    r.b = find_nearest(c, c->kernel->fetch, op->first_in, op->n_in,
                       b * p[TRACE_DIM_K] * p[TRACE_DIM_N], STATED_NOBODY);
    r.a = find_nearest(c, c->kernel->fetch, op->first_in, op->n_in, b * p[TRACE_DIM_M] * k, r.b);
    r.c = find_nearest(c, c->kernel->store, op->first_out, op->n_out,
                       b * p[TRACE_DIM_M] * p[TRACE_DIM_N], STATED_NOBODY);
    if (r.a == STATED_NOBODY) /* x * x */
        r.a = r.b;
    return r;
}

enum trace_dtype stated_dtype(const struct stated *c, uint32_t operand)
{
    return operand == STATED_NOBODY
               ? TRACE_BF16
               : c->step->value[c->step->ref[c->op->first_in + operand]].shape.dtype;
}

/* Integers of 4 and 2 bits are multiplied as those of 8. */
static bool is_int8(enum trace_dtype d)
{
    switch (d) {
    case TRACE_S8:
    case TRACE_U8:
    case TRACE_S4:
    case TRACE_U4:
    case TRACE_S2:
    case TRACE_U2: return true;
    default: return false;
    }
}

static bool is_fp8(enum trace_dtype d)
{
    return trace_dtype_bits[d] == 8 && !is_int8(d) && d != TRACE_PRED;
}

uint32_t stated_element(enum trace_dtype d)
{
    return trace_dtype_bytes[d] < 4 ? trace_dtype_bytes[d] : 4;
}

/* Parts of 8 bits that integers of more bits are multiplied in; others are multiplied whole. */
static uint32_t count_parts_of(enum trace_dtype d)
{
    switch (d) {
    case TRACE_S16:
    case TRACE_U16: return 2;
    case TRACE_S32:
    case TRACE_U32: return 4;
    case TRACE_S64:
    case TRACE_U64: return 8;
    default: return 1;
    }
}

/* Products of parts that reach a result of as many bits as the wider operand, at least 32: XLA
 * counts 9.4 times a product of bf16 for s32 on TPU v5e and v3 (10 here), 3.8 for s16 (4)
 * [xla-estimates]. */
static uint32_t count_passes(enum trace_dtype a, enum trace_dtype b)
{
    uint32_t x = count_parts_of(a), y = count_parts_of(b), passes = 0;
    uint32_t most = x == 8 || y == 8 ? 8 : 4;

    for (uint32_t i = 0; i < x; i++)
        passes += most - i < y ? most - i : y;
    return passes;
}

/* True if the result is one of integers: with others, integers are indices or masks that a fusion
 * makes an operand of. */
static bool has_integers(const struct stated *c, uint32_t result)
{
    return result != STATED_NOBODY &&
           count_parts_of(c->step->value[c->step->ref[c->op->first_out + result]].shape.dtype) > 1;
}

void stated_operands(struct work *w, const struct stated *c, bool a_stays)
{
    struct stated_roles r = stated_find_roles(c);
    enum trace_dtype a = stated_dtype(c, r.a), b = stated_dtype(c, r.b);
    uint32_t rate = 1;

    if (is_int8(a) && is_int8(b))
        rate = c->cap->int8_rate;
    else if (is_fp8(a) && is_fp8(b))
        rate = dtype_fp8_rate(a, b, c->cap);
    w->mode.more_rows = rate ? rate - 1 : 0;
    w->mode.more_passes = lower_more_passes(c->op->op.precision);
    if (w->mode.more_passes == 0 && has_integers(c, r.c))
        w->mode.more_passes = count_passes(a, b) - 1;
    w->a_element = stated_element(a_stays ? b : a);
    w->b_element = stated_element(a_stays ? a : b);
}
