/* Products of compiled programs that are cut anew: from the dimensions that the program states, its
 * vector work and the bytes of its operands without padding.
 * In a program for this machine the operand stays that its lanes ask for, and taps take the passes
 * that they do in stated windows. */
#include <string.h>

#include "base/arith.h"
#include "kernels/tpu/fill.h"
#include "kernels/tpu/stated.h"
#include "kernels/tpu/window.h"
#include "step/tiling.h"

/* Bytes of a value that a tiling reads or writes, 0 for one on chip; *size: wherever it is. */
static uint64_t bytes_of(const uint64_t *moved, const struct stated *c, uint32_t first, uint32_t i,
                         uint64_t *size)
{
    const struct trace_shape *s;

    *size = 0;
    if (i == STATED_NOBODY)
        return 0;
    s = &c->step->value[c->step->ref[first + i]].shape;
    *size = stated_part(s, moved[i]);
    return c->anew || trace_space(s) == TRACE_IN_HBM ? *size : 0;
}

static bool is_in_vmem(const struct stated *c, uint32_t first, uint32_t i)
{
    return i != STATED_NOBODY && !c->anew &&
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
    struct stated_roles r = stated_find_roles(c);
    enum trace_dtype result = r.c == STATED_NOBODY
                                  ? TRACE_F32
                                  : c->step->value[c->step->ref[op->first_out + r.c]].shape.dtype;

    uint64_t beside = 0, sides = c->kernel->side[0].fetch + c->kernel->side[1].fetch;
    for (uint32_t i = 0; i < op->n_in; i++)
        beside += c->kernel->fetch[i];

    *o = (struct window_operands){
        .n_parts = count_parts(c, TRACE_DIM_N, c->kernel->n_parts),
        .k_parts = count_parts(c, TRACE_DIM_K, c->kernel->k_parts),
        .beside = less_of(beside, sides),
        .element = { stated_element(stated_dtype(c, r.a)), stated_element(stated_dtype(c, r.b)),
                     stated_element(result) },
        .on_chip = { is_in_vmem(c, op->first_in, r.a), is_in_vmem(c, op->first_in, r.b),
                     is_in_vmem(c, op->first_out, r.c) },
    };
}

/* Bytes that operand or result `i` moved as stated: its windows, of all grid steps. */
static uint64_t stated_bytes(const uint64_t *bytes, const struct stated *c, uint32_t first,
                             uint32_t i)
{
    const struct trace_shape *s;

    if (i == STATED_NOBODY)
        return 0;
    s = &c->step->value[c->step->ref[first + i]].shape;
    if (c->anew && trace_space(s) != TRACE_IN_HBM)
        return trace_bytes(s);
    return trace_space(s) == TRACE_IN_HBM ? bytes[i] : 0;
}

/* Operands of the product as a tiling reads them, in place of their windows. */
static void set_bytes(struct work *w, const struct stated *c, const struct stated_roles *r)
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
    w->mode.pushed = c->cap->xla.push_rows;
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
    struct stated_roles r = stated_find_roles(c);
    image->turn_in = r.a != STATED_NOBODY && turn_group(image, c, step_operand(c->step, c->op, r.a),
                                                        k->product[TRACE_DIM_K] / k->taps);
    result->turn_out =
        r.c != STATED_NOBODY &&
        turn_group(result, c, step_result(c->step, c->op, r.c), k->product[TRACE_DIM_N]);
}

int stated_tiled(struct task_kernel *out, struct work *w, const struct stated *c, struct err *err)
{
    const struct trace_compiled *k = c->kernel;
    struct stated_roles r = stated_find_roles(c);
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
