/* Matrix products and convolutions on the systolic array.
 *
 *     C[b,m,n] = A[b,m,k] B[b,k,n]            bf16 operands, f32 accumulation
 *
 * A convolution is the GEMM of its im2col matrix, formed on the fly from the image tile in VMEM:
 * K = kernel volume * input channels folded to multiples of the array, N = output channels padded
 * to it, one streamed row a cycle.  B stays stationary in the array (v2 and v3 keep the K x N
 * operand).
 *
 * The grid cuts the dimension that moves the fewest bytes:
 *     m: A and C stream, B is resident in VMEM (in blocks of at most half of it; A is read again
 *        for each block)
 *     k: A and B stream, C is resident and accumulates (a filter gradient)
 *     b: everything streams, one or more products a step
 * Cycles: kernels/task.h.  Vector unit: each pass of m rows adds its partial sums, n padded. */
#include "kernels/lower.h"

static uint64_t ceil_div(uint64_t a, uint64_t b)
{
    return (a + b - 1) / b;
}

struct operand {
    uint64_t bytes;
    bool streams; /* crosses the kernel's border, so its bytes are in the work's moves */
};

static struct operand operand(const struct graph *g, const struct graph_op *op, uint32_t ref)
{
    const struct graph_value *v = &g->value[g->ref[ref]];
    bool read = ref < op->first_in + op->n_in;
    /* what another member of the same fusion made is in VMEM already, even if it also leaves */
    bool made_here = read && !v->persistent && v->def == op->node;

    return (struct operand){ graph_bytes(g, g->ref[ref]), !v->on_chip && !made_here };
}

void lower_gemm(struct work *w, const struct graph *g, const struct graph_op *op,
                const struct cap *cap)
{
    const struct trace_op *o = &op->op;
    /* a filter gradient contracts over positions: x^T is A, dy is B; else the filter is B */
    struct operand a = operand(g, op, op->first_in), b = operand(g, op, op->first_in + 1);
    struct operand c = operand(g, op, op->first_out);
    uint64_t half = cap->vmem_bytes / 2;
    uint64_t blocks_m = ceil_div(ceil_div(b.bytes, o->b), half);
    uint64_t blocks_k = ceil_div(o->m * o->n * 4, half);
    uint64_t by_m = a.bytes * blocks_m + b.bytes + c.bytes;
    uint64_t by_k = a.bytes * blocks_k + b.bytes + c.bytes;

    w->gemm = (struct task_gemm){ o->b, o->m, o->k, o->n, 0 };
    uint64_t all = o->b * o->m * o->k * o->n;
    w->gemm.useful = o->flops / 2 < all ? o->flops / 2 : all;
    w->vpu += o->b * ceil_div(o->k, cap->mxu_size) *
              ceil_div(o->m * ceil_div(o->n, cap->mxu_size) * cap->mxu_size, cap->vector_elements);

    if (o->b > 1 && 2 * ((a.bytes + b.bytes + c.bytes) / o->b) <= cap->vmem_bytes) {
        w->grid = TASK_SPLIT_B;
    } else if (by_m <= by_k) {
        w->grid = TASK_SPLIT_M;
        if (b.streams) {
            w->in.bytes -= b.bytes;
            w->resident_in += b.bytes / blocks_m;
            w->in.bytes += b.bytes - b.bytes / blocks_m; /* the other blocks come in later */
        }
        if (a.streams)
            w->in.bytes += a.bytes * (blocks_m - 1);
    } else {
        w->grid = TASK_SPLIT_K;
        if (c.streams) {
            w->out.bytes -= c.bytes;
            w->resident_out += c.bytes / blocks_k;
            w->out.bytes += c.bytes - c.bytes / blocks_k;
        }
        if (a.streams)
            w->in.bytes += a.bytes * (blocks_k - 1);
    }
}
