/* Products of compiled programs that are cut anew: from the dimensions that the program states, its
 * vector work and the bytes of its operands without padding.
 *
 * A fusion has more operands than the product in it.  B is the one with k n elements, A the nearest
 * of the others to m k / taps, the result the nearest to m n.  In a program for this machine the
 * operand stays that its lanes ask for, and taps take the passes that they do in stated windows. */
#include <string.h>

#include "base/arith.h"
#include "base/units.h"
#include "base/wide.h"
#include "kernels/tpu/dtype.h"
#include "kernels/tpu/fill.h"
#include "kernels/tpu/stated.h"
#include "kernels/tpu/window.h"
#include "step/tiling.h"

#define NOBODY UINT32_MAX

/* Bytes of an array without padding, or of the part of it that the kernel moves: `moved` are those
 * that the program states, which windows may move several times; 0: none. */
static uint64_t part_of(const struct trace_shape *s, uint64_t moved)
{
    uint64_t whole = trace_bare_bytes(s);

    return moved && moved < whole ? moved : whole;
}

/* Among `n` values the one whose number of elements is nearest to `elements`, as a ratio, of
 * several the last: B stands behind A.  `but` is left out.  NOBODY: there is none of at least one
 * dimension. */
static uint32_t find_nearest(const struct stated *c, const uint64_t *moved, uint32_t first,
                             uint32_t n, uint64_t elements, uint32_t but)
{
    uint32_t best = NOBODY;
    u128 least = ~(u128)0;

    for (uint32_t i = n; i-- > 0;) {
        const struct trace_shape *s = &c->step->value[c->step->ref[first + i]].shape;
        uint64_t whole = trace_bare_bytes(s), part = part_of(s, moved[i]);
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

struct roles {
    uint32_t a, b, c; /* operands and result, or NOBODY */
};

static struct roles find_roles(const struct stated *c)
{
    const struct step_op *op = c->op;
    const uint64_t *p = c->kernel->product;
    uint64_t b = p[TRACE_DIM_B], k = p[TRACE_DIM_K] / c->kernel->taps;
    struct roles r;

    r.b = find_nearest(c, c->kernel->fetch, op->first_in, op->n_in,
                       b * p[TRACE_DIM_K] * p[TRACE_DIM_N], NOBODY);
    r.a = find_nearest(c, c->kernel->fetch, op->first_in, op->n_in, b * p[TRACE_DIM_M] * k, r.b);
    r.c = find_nearest(c, c->kernel->store, op->first_out, op->n_out,
                       b * p[TRACE_DIM_M] * p[TRACE_DIM_N], NOBODY);
    if (r.a == NOBODY) /* x * x */
        r.a = r.b;
    return r;
}

static enum trace_dtype dtype_of(const struct stated *c, uint32_t operand)
{
    return operand == NOBODY ? TRACE_BF16
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

static uint32_t bytes_of_element(enum trace_dtype d)
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
    return result != NOBODY &&
           count_parts_of(c->step->value[c->step->ref[c->op->first_out + result]].shape.dtype) > 1;
}

void stated_operands(struct work *w, const struct stated *c, bool a_stays)
{
    struct roles r = find_roles(c);
    enum trace_dtype a = dtype_of(c, r.a), b = dtype_of(c, r.b);
    uint32_t rate = 1;

    if (is_int8(a) && is_int8(b))
        rate = c->cap->int8_rate;
    else if (is_fp8(a) && is_fp8(b))
        rate = dtype_fp8_rate(a, b, c->cap);
    w->mode.more_rows = rate ? rate - 1 : 0;
    w->mode.more_passes = lower_more_passes(c->op->op.precision);
    if (w->mode.more_passes == 0 && has_integers(c, r.c))
        w->mode.more_passes = count_passes(a, b) - 1;
    w->a_element = bytes_of_element(a_stays ? b : a);
    w->b_element = bytes_of_element(a_stays ? a : b);
}

/* Bytes of a value that a tiling reads or writes, 0 for one on chip; *size: wherever it is. */
static uint64_t bytes_of(const uint64_t *moved, const struct stated *c, uint32_t first, uint32_t i,
                         uint64_t *size)
{
    const struct trace_shape *s;

    *size = 0;
    if (i == NOBODY)
        return 0;
    s = &c->step->value[c->step->ref[first + i]].shape;
    *size = part_of(s, moved[i]);
    return c->anew || trace_space(s) == TRACE_IN_HBM ? *size : 0;
}

static bool is_in_vmem(const struct stated *c, uint32_t first, uint32_t i)
{
    return i != NOBODY && !c->anew &&
           trace_space(&c->step->value[c->step->ref[first + i]].shape) == TRACE_IN_VMEM;
}

static uint64_t less_of(uint64_t a, uint64_t b)
{
    return a > b ? a - b : 0;
}

/* Parts of a dimension that share no window.  Those of no more than the lanes, such as heads of
 * attention, lie in one window together: 1. */
static uint64_t count_parts(const struct stated *c, enum trace_dim d, uint64_t parts)
{
    uint64_t all = c->kernel->product[d];

    return all % parts || all / parts <= c->cap->lanes ? 1 : parts;
}

void stated_windows(struct window_operands *o, const struct stated *c)
{
    const struct step_op *op = c->op;
    struct roles r = find_roles(c);
    enum trace_dtype result =
        r.c == NOBODY ? TRACE_F32 : c->step->value[c->step->ref[op->first_out + r.c]].shape.dtype;

    uint64_t beside = 0, sides = c->kernel->side[0].fetch + c->kernel->side[1].fetch;
    for (uint32_t i = 0; i < op->n_in; i++)
        beside += c->kernel->fetch[i];

    *o = (struct window_operands){
        .n_parts = count_parts(c, TRACE_DIM_N, c->kernel->n_parts),
        .k_parts = count_parts(c, TRACE_DIM_K, c->kernel->k_parts),
        .beside = less_of(beside, sides),
        .element = { bytes_of_element(dtype_of(c, r.a)), bytes_of_element(dtype_of(c, r.b)),
                     bytes_of_element(result) },
        .on_chip = { is_in_vmem(c, op->first_in, r.a), is_in_vmem(c, op->first_in, r.b),
                     is_in_vmem(c, op->first_out, r.c) },
    };
}

/* Bytes that operand or result `i` moved as stated: its windows, of all grid steps. */
static uint64_t stated_bytes(const uint64_t *bytes, const struct stated *c, uint32_t first,
                             uint32_t i)
{
    const struct trace_shape *s;

    if (i == NOBODY)
        return 0;
    s = &c->step->value[c->step->ref[first + i]].shape;
    if (c->anew && trace_space(s) != TRACE_IN_HBM)
        return trace_bytes(s);
    return trace_space(s) == TRACE_IN_HBM ? bytes[i] : 0;
}

/* Operands of the product as a tiling reads them, in place of their windows. */
static void set_bytes(struct work *w, const struct stated *c, const struct roles *r)
{
    const struct step_op *op = c->op;
    const struct trace_compiled *k = c->kernel;
    uint64_t in = stated_bytes(k->fetch, c, op->first_in, r->b);

    if (r->a != r->b)
        in += stated_bytes(k->fetch, c, op->first_in, r->a);
    w->in.bytes = less_of(w->in.bytes, in);
    w->out.bytes = less_of(w->out.bytes, stated_bytes(k->store, c, op->first_out, r->c));
    w->a = bytes_of(k->fetch, c, op->first_in, r->a, &w->a_bytes);
    w->b = bytes_of(k->fetch, c, op->first_in, r->b, &w->b_bytes);
    w->c = bytes_of(k->store, c, op->first_out, r->c, &w->c_bytes);
    if (r->a == r->b) /* x * x reads x once */
        w->b = 0;
    w->in.bytes += w->a + w->b;
    w->out.bytes += w->c;
    w->a_in_vmem = is_in_vmem(c, op->first_in, r->a);
    w->b_in_vmem = is_in_vmem(c, op->first_in, r->b);
    w->c_in_vmem = is_in_vmem(c, op->first_out, r->c);
}

/* The operand that stays, passes and pushes as the program's layouts ask for them. */
static void set_orientation(struct work *w, const struct stated *c)
{
    const struct trace_compiled *k = c->kernel;
    uint64_t size = c->cap->mxu.size, n;

    w->oriented = true;
    w->mode.depth = stated_depth(k, true, c->cap, &w->gemm.k);
    w->mode.pushed = c->cap->push_rows;
    if (stated_swaps(k))
        lower_swap(w);
    n = arith_round_up(w->gemm.n, c->cap->sublanes);
    w->mode.columns = n < size ? (uint32_t)n : 0;
    fill_registers(&w->mode, w->gemm.n, c->cap);
}

/* An image as it lies, and as it lies by groups of `channels` each; false: that pads it no more. */
static bool turn_group(struct work *w, const struct stated *c, uint32_t value, uint64_t channels)
{
    struct trace_shape s = c->step->value[value].shape;
    uint64_t groups = c->kernel->product[TRACE_DIM_B];
    uint32_t d = 0;

    while (d < s.rank && (s.dim[d] / groups != channels || s.dim[d] % groups))
        d++;
    if (d == s.rank)
        return false;
    w->turned = trace_bytes(&s);
    s.dim[d] = channels;
    s.layout = (struct trace_layout){ 0 };
    w->wide = groups *
              tiling_least(&s, s.dtype, (struct tiling){ c->cap->lanes, c->cap->sublanes }).bytes;
    return w->wide > w->turned;
}

void stated_grouped(struct work *image, struct work *result, const struct stated *c)
{
    const struct trace_compiled *k = c->kernel;

    if (!trace_has_product(k) || k->product[TRACE_DIM_B] == 1 || k->taps == 1 ||
        strcmp(c->step->head.program.compiler, TRACE_OWN_COMPILER) != 0)
        return;
    struct roles r = find_roles(c);
    image->turn_in = r.a != NOBODY && turn_group(image, c, step_operand(c->step, c->op, r.a),
                                                 k->product[TRACE_DIM_K] / k->taps);
    result->turn_out = r.c != NOBODY && turn_group(result, c, step_result(c->step, c->op, r.c),
                                                   k->product[TRACE_DIM_N]);
}

int stated_tiled(struct task_kernel *out, struct work *w, const struct stated *c, struct err *err)
{
    const struct trace_compiled *k = c->kernel;
    struct roles r = find_roles(c);
    uint64_t all;

    stated_operands(w, c, false);
    w->a_turned = k->has_lanes && k->lanes[0] == TRACE_DIM_M;
    w->b_turned = w->mode.turned = k->has_lanes && k->lanes[1] == TRACE_DIM_K;
    set_bytes(w, c, &r);
    w->gemm = (struct task_gemm){ k->product[TRACE_DIM_B], k->product[TRACE_DIM_M],
                                  k->product[TRACE_DIM_K], k->product[TRACE_DIM_N], 0 };
    if (__builtin_mul_overflow(w->gemm.b * w->gemm.m, w->gemm.k, &all) ||
        __builtin_mul_overflow(all, w->gemm.n, &all) || all > LOWER_MAX_MACS)
        return err_set(err, ERR_RANGE, "more than 2^61 multiply-accumulates");
    w->gemm.useful = c->op->op.flops / 2 < all ? c->op->op.flops / 2 : all;
    if (k->has_lanes && !c->anew)
        set_orientation(w, c);
    lower_tile(out, w, c->cap);
    return 0;
}
