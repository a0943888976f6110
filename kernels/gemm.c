/* Matrix products and convolutions on the systolic array.
 *
 *     C[b,m,n] = A[b,m,k] B[b,k,n]            bf16 operands, f32 accumulation
 *
 * A convolution is the GEMM of its im2col matrix, formed on the fly from the image tile in VMEM:
 * K = kernel volume * input channels folded to multiples of the array, N = output channels padded
 * to it, one streamed row a cycle.  B stays stationary in the array (v2 and v3 keep the K x N
 * operand).
 *
 * How it is cut into blocks: grid.c.
 * Cycles: kernels/task.h.  Vector unit: each pass of m rows adds its partial sums, n padded. */
#include "kernels/lower.h"

static uint64_t ceil_div(uint64_t a, uint64_t b)
{
    return (a + b - 1) / b;
}

/* Bytes of an operand or result, and through `border` those that cross the kernel's border. */
static uint64_t size(const struct work *w, const struct graph *g, const struct graph_op *op,
                     uint32_t ref, uint64_t *border)
{
    const struct graph_value *v = &g->value[g->ref[ref]];
    bool read = ref < op->first_in + op->n_in;
    /* what another member of the same fusion made is in VMEM already, even if it also leaves */
    bool made_here = read && !v->persistent && v->def == op->node;
    bool on_chip = v->on_chip || made_here || w->resident[g->ref[ref]];
    uint64_t bytes = graph_bytes(g, g->ref[ref]);

    *border = on_chip ? 0 : bytes;
    return bytes;
}

void lower_gemm(struct work *w, const struct graph *g, const struct graph_op *op,
                const struct cap *cap)
{
    const struct trace_op *o = &op->op;

    /* a filter gradient contracts over positions: x^T is A, dy is B; else the filter is B */
    w->a_bytes = size(w, g, op, op->first_in, &w->a);
    w->b_bytes = size(w, g, op, op->first_in + 1, &w->b);
    w->c_bytes = size(w, g, op, op->first_out, &w->c);
    /* x * x reads x once */
    if (g->ref[op->first_in] == g->ref[op->first_in + 1])
        w->b = 0;
    w->gemm = (struct task_gemm){ o->b, o->m, o->k, o->n, 0 };
    uint64_t all = o->b * o->m * o->k * o->n;
    w->gemm.useful = o->flops / 2 < all ? o->flops / 2 : all;
    w->vpu += o->b * ceil_div(o->k, cap->mxu.size) *
              ceil_div(o->m * ceil_div(o->n, cap->mxu.size) * cap->mxu.size, cap->vector_elements);
}
