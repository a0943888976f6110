/* Matrix products on the systolic array; convolutions become some in conv.c.
 *
 *     C[b,m,n] = A[b,m,k] B[b,k,n]            bf16 operands, f32 accumulation
 *
 * f32 operands are rounded to bf16, or cut into parts of 8 bits of significand each, high ones
 * first, of which the products that matter are added up:
 *
 *     precision  parts  products                                passes  vector operations / element
 *     default    1      hi hi                                   1       0  (rounded as it is read)
 *     high       2      hi hi, hi lo, lo hi                     3       3  (2 casts, 1 difference)
 *     highest    3      hi hi, hi mi, mi hi, mi mi, hi lo, lo hi  6     5  (3 casts, 2 differences)
 *
 * each a pass of its own with its own weights, as XLA's bf16_3x and bf16_6x are.  A product of
 * 8-bit operands enters `rate` times as many rows of operands and weights a cycle: they have a
 * fraction of the bits.
 *
 * B stays stationary in the array (v2 and v3 keep the K x N operand), or whichever operand is
 * faster (v4 on): tile_product.c.
 *
 * A product with a dimension of 1 leaves the array nearly idle; where the machine says so it is
 * multiplied and added up on the vector unit instead:
 *
 *     vector operations = 2 m k n / elements of a register
 *     besides: dot_time to lay the operands out anew (dot_small_time where every dimension fits an
 *     array), dot_reduce_time where k is longer than one, and the first `dot_tile` bytes alone
 *     with k = 1 and another dimension of 1 it is a scaling like any element-wise operation
 *
 * How it is cut into blocks: tile_window.c and window.c as the compiler does, tile_product.c
 * elsewhere.
 * Cycles: model/task/task.h.  Vector unit: each pass of m rows adds its partial sums, n padded. */
#include "base/arith.h"
#include "kernels/common/layout.h"
#include "kernels/common/work.h"
#include "kernels/tpu/dtype.h"

#include <string.h>

/* True of what another member of the same fusion made: it is in VMEM already, even if it also
 * leaves. */
static bool is_made_here(const struct step *step, const struct step_op *op, uint32_t ref)
{
    const struct step_value *v = &step->value[step->ref[ref]];

    return ref < op->first_in + op->n_in && !v->persistent && v->def == op->node;
}

/* Bytes of an operand or result, and through `border` those that cross the kernel's border. */
static uint64_t count_bytes(const struct work *w, const struct step *step, const struct step_op *op,
                            uint32_t ref, const struct cap *cap, uint64_t *border)
{
    const struct step_value *v = &step->value[step->ref[ref]];
    bool on_chip = v->on_chip || is_made_here(step, op, ref) || w->resident[step->ref[ref]];
    uint64_t bytes = layout_bytes(step, step->ref[ref], cap);

    *border = on_chip ? 0 : bytes;
    return bytes;
}

/* Bytes of an element of an operand as it is pushed, at most a lane's 4. */
static uint32_t element_bytes(const struct step *step, uint32_t ref)
{
    uint32_t bytes = trace_dtype_bytes[step->value[step->ref[ref]].stored];

    return bytes < 4 ? bytes : 4;
}

/* True if the vector unit computes the product; its work is then added to `w`. */
static bool runs_on_vector_unit(struct work *w, const struct trace_op *o, const struct cap *cap)
{
    const struct xla_params *xla = &cap->xla;
    uint64_t size = cap->mxu.size, bytes = w->in.bytes + w->out.bytes;

    if (!xla->vector_dot || o->b > 1 || (o->m > 1 && o->k > 1 && o->n > 1))
        return false;
    w->vpu[VECTOR_ADD] += arith_ceil_div(2 * o->m * o->k * o->n, cap->vector_elements);
    w->loads += arith_ceil_div(w->in.bytes, 4 * cap->vector_elements);
    w->stores += arith_ceil_div(w->out.bytes, 4 * cap->vector_elements);
    if (o->k == 1 && (o->m == 1 || o->n == 1))
        return true;
    if (o->m <= size && o->k <= size && o->n <= size) {
        w->extra_cycles += xla->dot_small_time;
        return true;
    }
    w->extra_cycles += xla->dot_time + (o->k > size ? xla->dot_reduce_time : 0);
    w->extra_cycles +=
        (bytes < xla->dot_tile ? bytes : xla->dot_tile) * cap->core_hz / cap->hbm_bytes_per_s;
    return true;
}

enum product { PRODUCT_INT8, PRODUCT_FP8, PRODUCT_BF16, PRODUCT_F32 };

static enum product product_of(enum trace_dtype d)
{
    switch (d) {
    case TRACE_S8:
    case TRACE_U8: return PRODUCT_INT8;
    case TRACE_F8E4M3FN:
    case TRACE_F8E5M2: return PRODUCT_FP8;
    case TRACE_BF16:
    case TRACE_PRED: return PRODUCT_BF16;
    default: return PRODUCT_F32;
    }
}

bool lower_multiplies(enum trace_dtype d)
{
    return d == TRACE_F32 || d == TRACE_BF16 || product_of(d) < PRODUCT_BF16;
}

/* The dtype class in which the array multiplies: as wide as the wider operand, but no wider than
 * the trace asks for. Integers and floating point of 8 bits meet in bf16. */
static enum product choose_product(const struct step *step, const struct step_op *op)
{
    enum product a = product_of(step->value[step->ref[op->first_in]].shape.dtype);
    enum product b = product_of(step->value[step->ref[op->first_in + 1]].shape.dtype);
    enum product wide = a > b ? a : b, most = product_of(step->head.matmul);

    if (wide == PRODUCT_FP8)
        return a == b ? wide : PRODUCT_BF16;
    return wide > most && !(wide == PRODUCT_F32 && op->op.precision != TRACE_DEFAULT) ? most : wide;
}

uint32_t lower_more_passes(enum trace_precision precision)
{
    return precision == TRACE_HIGH ? 2 : precision == TRACE_HIGHEST ? 5 : 0;
}

static int set_mode(struct work *w, enum product p, const struct step *step,
                    const struct step_op *op, const struct cap *cap, struct err *err)
{
    enum trace_precision precision = op->op.precision;
    enum trace_dtype a = step->value[step->ref[op->first_in]].shape.dtype;
    enum trace_dtype b = step->value[step->ref[op->first_in + 1]].shape.dtype;
    uint32_t rate = p == PRODUCT_INT8  ? cap->int8_rate
                    : p == PRODUCT_FP8 ? dtype_fp8_rate(a, b, cap)
                                       : 1;

    if (rate == 0)
        return err_set(err, ERR_FIT,
                       "the matrix units of this machine have no products of %s "
                       "(mxu.%s = 0); take bf16 operands",
                       p == PRODUCT_INT8 ? "8-bit integers" : "8-bit floating point",
                       p == PRODUCT_INT8 ? "int8_rate" : "fp8_rate");
    w->mode.more_rows = rate - 1;
    if (p == PRODUCT_F32) {
        w->mode.more_passes =
            lower_more_passes(precision == TRACE_HIGH ? precision : TRACE_HIGHEST);
        w->casts = precision == TRACE_HIGH ? 2 : 3;
        w->differences = w->casts - 1;
    }
    return 0;
}

static uint64_t count_elements(const struct step *step, uint32_t ref)
{
    return trace_elements(&step->value[step->ref[ref]].shape);
}

/* The dimension on the lanes of A, B or C, whose last two are `first` and `last`.  An array whose
 * lanes hold another one counts as written. */
static uint8_t find_lanes(const struct step *step, uint32_t ref, enum trace_dim first,
                          enum trace_dim last, const struct cap *cap)
{
    const struct step_value *v = &step->value[step->ref[ref]];

    if (v->shape.rank < 2)
        return (uint8_t)last;
    return (uint8_t)(layout_minor(&v->shape, v->stored, cap) == v->shape.rank - 2 ? first : last);
}

/* Note what the kernel computes operands from: the members before the product, whose work `w` has
 * so far. */
static void note_made(struct work *w, const struct step *step, const struct step_op *op,
                      const struct cap *cap)
{
    w->a_made = is_made_here(step, op, op->first_in);
    w->b_made = is_made_here(step, op, op->first_in + 1);
    if (!w->a_made && !w->b_made)
        return;
    for (const struct step_op *o = &step->op[step->node[op->node].first_op]; o < op; o++)
        for (uint32_t i = 0; i < step_n_operands(o); i++) {
            uint32_t v = step_operand(step, o, i);
            bool here = !step->value[v].persistent && step->value[v].def == op->node;
            w->made_in += here || w->resident[v] ? 0 : layout_bytes(step, v, cap);
        }
    w->made_in = w->made_in < w->in.bytes ? w->made_in : w->in.bytes;
    w->made_loads = w->loads;
    memcpy(w->made_vpu, w->vpu, sizeof w->made_vpu);
}

/* Say how the operands of a matmul lie, if the machine has windows like the compiler's. */
static void note_lanes(struct work *w, const struct step *step, const struct step_op *op,
                       const struct cap *cap)
{
    const struct trace_op *o = &op->op;
    bool a = o->ta, b = o->tb;

    w->windowed = cap->xla.window_time > 0 && o->kind == TRACE_MATMUL;
    w->lanes[0] = find_lanes(step, op->first_in, a ? TRACE_DIM_K : TRACE_DIM_M,
                             a ? TRACE_DIM_M : TRACE_DIM_K, cap);
    w->lanes[1] = find_lanes(step, op->first_in + 1, b ? TRACE_DIM_N : TRACE_DIM_K,
                             b ? TRACE_DIM_K : TRACE_DIM_N, cap);
    w->lanes[2] = find_lanes(step, op->first_out, TRACE_DIM_M, TRACE_DIM_N, cap);
    w->c_element = element_bytes(step, op->first_out);
}

int lower_gemm(struct work *w, const struct step *step, const struct step_op *op,
               const struct cap *cap, struct err *err)
{
    const struct trace_op *o = &op->op;

    if (set_mode(w, choose_product(step, op), step, op, cap, err) != 0)
        return -1;
    /* a convolution goes to the arrays even with one output */
    if (o->kind == TRACE_MATMUL && runs_on_vector_unit(w, o, cap)) {
        w->mode = (struct array_mode){ 0 };
        return 0;
    }
    note_made(w, step, op, cap);
    w->a_elements = count_elements(step, op->first_in);
    w->b_elements = count_elements(step, op->first_in + 1);
    /* the compiler lays images out as the array wants them; a filter's gradient of the image takes
     * it the other way round than the convolution did */
    w->a_turned = o->ta;
    w->b_turned = w->mode.turned = o->kind == TRACE_MATMUL ? o->tb : o->kind == TRACE_CONV_DGRAD;
    /* a filter gradient contracts over positions: x^T is A, dy is B; else the filter is B */
    w->a_bytes = count_bytes(w, step, op, op->first_in, cap, &w->a);
    w->b_bytes = count_bytes(w, step, op, op->first_in + 1, cap, &w->b);
    w->c_bytes = count_bytes(w, step, op, op->first_out, cap, &w->c);
    w->a_in_vmem = w->resident[step->ref[op->first_in]] == PLACE_VMEM;
    w->b_in_vmem = w->resident[step->ref[op->first_in + 1]] == PLACE_VMEM;
    w->c_in_vmem = w->resident[step->ref[op->first_out]] == PLACE_VMEM;
    w->a_element = element_bytes(step, op->first_in);
    w->b_element = element_bytes(step, op->first_in + 1);
    note_lanes(w, step, op, cap);
    if (w->c)
        w->stores += arith_ceil_div(w->c, 4 * cap->vector_elements);
    /* x * x reads x once */
    if (step->ref[op->first_in] == step->ref[op->first_in + 1])
        w->b = 0;
    w->gemm = (struct task_gemm){ o->b, o->m, o->k, o->n, 0 };
    if (o->kind != TRACE_MATMUL && lower_conv_groups(w, step, op, cap))
        return 0;
    uint64_t all;
    if (__builtin_mul_overflow(w->gemm.b, w->gemm.m, &all) ||
        __builtin_mul_overflow(all, w->gemm.k, &all) ||
        __builtin_mul_overflow(all, w->gemm.n, &all) || all > LOWER_MAX_MACS)
        return err_set(err, ERR_RANGE, "more than 2^61 multiply-accumulates");
    w->gemm.useful = o->flops / 2 < all ? o->flops / 2 : all;
    return 0;
}
