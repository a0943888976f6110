/* Convolutions on a GPU as implicit matrix products: the im2col matrix is never in memory.
 *
 * With P output positions of all images, I input positions, S taps, C and O channels of a group:
 *
 *               m       k                       n
 *     conv      P       S * C                   O
 *     dgrad     I       useful / (I * C)        C     positions between strides are left out
 *     wgrad     S * C   P                       O
 *
 * Groups are a batch. */
#include "base/arith.h"
#include "kernels/gpu.h"

void gpu_convolution(struct gpu_product *p, const struct trace_op *o)
{
    uint64_t each = o->flops / 2 / (o->b ? o->b : 1);

    p->b = o->b;
    p->m = o->m;
    p->n = o->n;
    p->k = o->k;
    if (o->kind == TRACE_CONV_DGRAD)
        p->k = arith_ceil_div(each, o->m * o->n);
    p->k = p->k ? p->k : 1;
    p->useful = o->flops / 2;
}
