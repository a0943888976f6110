/* Matrix products and convolutions on the systolic array.
 *
 *     C[b,m,n] = A[b,m,k] B[b,k,n]            bf16 operands, f32 accumulation
 *
 * A convolution is the GEMM of its im2col matrix, formed on the fly from the image tile in VMEM:
 * K = kernel volume * input channels folded to multiples of the array, N = output channels padded
 * to it, one streamed row a cycle.  B stays stationary in the array (v2 and v3 keep the K x N
 * operand), or whichever operand is faster (v4 on): grid.c.
 *
 * A product with a dimension of 1 leaves the array nearly idle; where the machine says so it is
 * multiplied and added up on the vector unit instead:
 *
 *     vector operations = 2 m k n / elements of a register
 *     besides: dot_time to lay the operands out anew (dot_small_time where every dimension fits an
 *     array), dot_reduce_time where k is longer than one, and the first `dot_tile` bytes alone
 *     with k = 1 and another dimension of 1 it is a scaling like any element-wise operation
 *
 * How it is cut into blocks: grid.c.
 * Cycles: kernels/task.h.  Vector unit: each pass of m rows adds its partial sums, n padded. */
#include "kernels/layout.h"
#include "kernels/lower.h"

static uint64_t ceil_div(uint64_t a, uint64_t b)
{
    return (a + b - 1) / b;
}

/* Bytes of an operand or result, and through `border` those that cross the kernel's border. */
static uint64_t size(const struct work *w, const struct graph *g, const struct graph_op *op,
                     uint32_t ref, const struct cap *cap, uint64_t *border)
{
    const struct graph_value *v = &g->value[g->ref[ref]];
    bool read = ref < op->first_in + op->n_in;
    /* what another member of the same fusion made is in VMEM already, even if it also leaves */
    bool made_here = read && !v->persistent && v->def == op->node;
    bool on_chip = v->on_chip || made_here || w->resident[g->ref[ref]];
    uint64_t bytes = layout_bytes(g, g->ref[ref], cap);

    *border = on_chip ? 0 : bytes;
    return bytes;
}

/* Does the vector unit do it?  Then do what there is to say of it. */
static bool on_vector_unit(struct work *w, const struct trace_op *o, const struct cap *cap)
{
    const struct cap_vector *v = &cap->vector;
    uint64_t size = cap->mxu.size, bytes = w->in.bytes + w->out.bytes;

    if (!v->on || o->b > 1 || (o->m > 1 && o->k > 1 && o->n > 1))
        return false;
    w->vpu[VECTOR_ADD] += ceil_div(2 * o->m * o->k * o->n, cap->vector_elements);
    if (o->k == 1 && (o->m == 1 || o->n == 1))
        return true;
    if (o->m <= size && o->k <= size && o->n <= size) {
        w->extra_cycles += v->small_cycles;
        return true;
    }
    w->extra_cycles += v->cycles + (o->k > size ? v->reduce_cycles : 0);
    w->extra_cycles += (bytes < v->tile ? bytes : v->tile) * cap->core_hz / cap->hbm_bytes_per_s;
    return true;
}

void lower_gemm(struct work *w, const struct graph *g, const struct graph_op *op,
                const struct cap *cap)
{
    const struct trace_op *o = &op->op;

    if (on_vector_unit(w, o, cap))
        return;
    /* a filter gradient contracts over positions: x^T is A, dy is B; else the filter is B */
    w->a_bytes = size(w, g, op, op->first_in, cap, &w->a);
    w->b_bytes = size(w, g, op, op->first_in + 1, cap, &w->b);
    w->c_bytes = size(w, g, op, op->first_out, cap, &w->c);
    /* x * x reads x once */
    if (g->ref[op->first_in] == g->ref[op->first_in + 1])
        w->b = 0;
    w->gemm = (struct task_gemm){ o->b, o->m, o->k, o->n, 0 };
    uint64_t all = o->b * o->m * o->k * o->n;
    w->gemm.useful = o->flops / 2 < all ? o->flops / 2 : all;
}
