/* Convolutions of 1 to 3 dimensions, their gradients and transposed convolutions, with groups.
 *
 * For each group of channels and each block of output positions p, which is streamed:
 *
 *     y[p, o] = sum over taps t and channels c of  x[p * stride + t * dilate - pad, c] w[t, c, o]
 *
 * The matrix product of each is formed on the fly from the image's tile in VMEM (im2col).  With P
 * output positions of all images, I input positions, S taps, C and O channels of a group:
 *
 *               m       k       n
 *     conv      P       S * C   O
 *     dgrad     I       S * O   C     also a transposed convolution, from few positions to many
 *     wgrad     S * C   P       O
 *
 * Useful are P * S * C * O multiply-accumulates a group, for all three; the rest of m * k * n are
 * zeros that are put in: between strides and around the image of a dgrad.  Taps on the padding of
 * the forward convolution count as useful, as they do in published FLOPs.
 *
 * Bytes: image, filter and result once (tile_product.c may read an operand again); the im2col
 * matrix is never in HBM.  Channels or batch lie on the lanes, whichever pads less (layout.h).
 *
 * Groups are a dimension of their own, as XLA:TPU makes them: a product each, whose operands lie as
 * those of a convolution of so few channels do (orientation.h), padded.  A kernel before it lays
 * the image out so, one behind it lays the result out as it was:
 *
 *     copies   of each image that a group leaves parts of registers empty of: the padded bytes
 *              once out and once in, and all of its registers through the XLU, which nothing hides
 *
 * Channels with a filter each are work of the vector unit, as they are in compiled programs
 * (import_depthwise.c).  For each register of the result and tap
 *
 *     conv, dgrad   multiply, add; cap->xla.tap_loads and cap->xla.tap_stores
 *     wgrad         of the gradient's registers: multiply, add; a load of the image */
#include "base/arith.h"
#include "base/wide.h"
#include "kernels/common/layout.h"
#include "kernels/common/work.h"
#include "kernels/tpu/orientation.h"

/* Registers of 32-bit elements that hold a value as it is stored, padded. */
static uint64_t count_registers(const struct step *step, uint32_t ref, const struct cap *cap)
{
    const struct step_value *v = &step->value[step->ref[ref]];
    uint64_t bytes = layout_bytes(step, step->ref[ref], cap), each = trace_dtype_bytes[v->stored];

    return arith_ceil_div(bytes / (each ? each : 1), cap->vector_elements);
}

/* Registers of the result, or of the gradient that a filter's is made of, times the taps that each
 * meets: as many as it has useful multiply-accumulates an element. */
static void add_depthwise(struct work *w, const struct step *step, const struct step_op *op,
                          const struct cap *cap)
{
    bool wgrad = op->op.kind == TRACE_CONV_WGRAD;
    uint32_t ref = wgrad ? op->first_in + 1 : op->first_out;
    uint64_t elements = trace_elements(&step->value[step->ref[ref]].shape);
    uint64_t registers = count_registers(step, ref, cap);
    uint64_t pairs = wide_mul_div(registers, op->op.flops / 2, elements ? elements : 1);

    w->vpu[VECTOR_ADD] += 2 * pairs;
    w->loads += (wgrad ? 1 : cap->xla.tap_loads) * pairs;
    w->stores += wgrad ? 0 : cap->xla.tap_stores * pairs;
}

/* An image, or the gradient of one, of `groups` groups as the product has it: copied there, or
 * back. */
static void add_copy(struct work *w, const struct step *step, uint32_t ref, uint64_t groups,
                     const struct cap *cap)
{
    uint64_t padded = orientation_group_bytes(&step->value[step->ref[ref]], groups, cap);
    uint64_t each = trace_dtype_bytes[step->value[step->ref[ref]].stored];
    uint64_t registers = arith_ceil_div(padded / (each ? each : 1), cap->vector_elements);

    if (padded <= layout_bytes(step, step->ref[ref], cap))
        return;
    w->in.bytes += padded;
    w->out.bytes += padded;
    w->extra_cycles += arith_ceil_div(registers * cap->xlu_cycles, cap->halves);
}

static void add_copies(struct work *w, const struct step *step, const struct step_op *op,
                       const struct cap *cap)
{
    bool wgrad = op->op.kind == TRACE_CONV_WGRAD;

    add_copy(w, step, op->first_in, op->op.groups, cap);
    add_copy(w, step, wgrad ? op->first_in + 1 : op->first_out, op->op.groups, cap);
}

bool lower_conv_groups(struct work *w, const struct step *step, const struct step_op *op,
                       const struct cap *cap)
{
    const struct trace_op *o = &op->op;
    const struct step_value *filter =
        &step->value[step->ref[o->kind == TRACE_CONV_WGRAD ? op->first_out : op->first_in + 1]];

    if (o->groups > 1 && filter->shape.dim[1] == 1) {
        w->gemm = (struct task_gemm){ 0 };
        w->mode = (struct array_mode){ 0 };
        add_depthwise(w, step, op, cap);
        return true;
    }
    orientation_set(w, step, op, cap);
    if (o->groups > 1)
        add_copies(w, step, op, cap);
    return false;
}
