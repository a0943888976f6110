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
 * Groups leave the array nearly empty, so the faster of two ways is taken:
 *
 *   - f groups in one product, whose filter is zero outside its blocks: G / f products (rounded up)
 *     of m, f k, f n; of a wgrad f m, k, f n.
 *
 *         cycles = those of the array (task_stream_cycles) / matrix units / issue
 *
 *     f goes from 1 to the size of the array; XLA's convolution_group_converter fills filters so.
 *   - the vector unit: for each useful multiply-accumulate and register of 1,024 elements two
 *     additions (multiply, add) and a select (bring the tap in line).
 *
 *         cycles = useful * (2 add_slots + select_slots) / elements of a register / alus */
#include "base/arith.h"
#include "base/units.h"
#include "base/wide.h"
#include "kernels/lower.h"

/* `f` of the G = o->b groups in one product. */
static struct task_gemm pack_groups(const struct trace_op *o, uint64_t f)
{
    bool wgrad = o->kind == TRACE_CONV_WGRAD;

    return (struct task_gemm){ .b = arith_ceil_div(o->b, f),
                               .m = wgrad ? f * o->m : o->m,
                               .k = wgrad ? o->k : f * o->k,
                               .n = f * o->n };
}

static u128 count_array_cycles(const struct task_gemm *g, const struct work *w,
                               const struct cap *cap)
{
    u128 cycles = task_stream_cycles(g, cap->mxu_row_granule, &cap->mxu, &w->mode);

    return cycles * PPB_PER_ONE / cap->mxu_issue / cap->mxu_count;
}

bool lower_conv_groups(struct work *w, const struct trace_op *o, const struct cap *cap)
{
    uint64_t most = o->b < cap->mxu.size ? o->b : cap->mxu.size, useful = o->flops / 2;
    u128 best = 0;

    for (uint64_t f = 1; f <= most; f++) {
        struct task_gemm g = pack_groups(o, f);
        u128 cost = count_array_cycles(&g, w, cap);
        if (f == 1 || cost < best) {
            best = cost;
            w->gemm = g;
        }
    }
    u128 slots =
        (u128)useful * (2 * cap->vector_slots[VECTOR_ADD] + cap->vector_slots[VECTOR_SELECT]);
    if (o->b == 1 || slots / cap->vector_elements / cap->vector_alus >= best)
        return false;
    w->gemm = (struct task_gemm){ 0 };
    w->mode = (struct array_mode){ 0 };
    w->vpu[VECTOR_ADD] += 2 * arith_ceil_div(useful, cap->vector_elements);
    w->vpu[VECTOR_SELECT] += arith_ceil_div(useful, cap->vector_elements);
    return true;
}
