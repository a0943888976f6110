/* Element-wise operations, reductions, copies, pooling and random numbers on the vector unit.
 *
 *     vector operations = max(flops, elements read or written) / elements of a vector register
 *
 * A reduction adds whole vectors on the vector unit; what is left, one register for every
 * `sublanes` results, is reduced across lanes on the XLU.  A copy that widens its input (upsample,
 * broadcast) replicates across lanes on the XLU, one register of source a pass. */
#include "kernels/lower.h"

static uint64_t ceil_div(uint64_t a, uint64_t b)
{
    return (a + b - 1) / b;
}

static uint64_t elements(const struct graph *g, uint32_t first, uint32_t n)
{
    uint64_t sum = 0;

    for (uint32_t i = 0; i < n; i++)
        sum += trace_elements(&g->value[g->ref[first + i]].shape);
    return sum;
}

void lower_vector(struct work *w, const struct graph *g, const struct graph_op *op,
                  const struct cap *cap)
{
    uint64_t in = elements(g, op->first_in, op->n_in), out = elements(g, op->first_out, op->n_out);
    uint64_t ops = op->op.flops;

    if (ops < out)
        ops = out;
    if (op->op.kind == TRACE_REDUCE && ops < in)
        ops = in;
    w->vpu += ceil_div(ops, cap->vector_elements);
    if (op->op.kind == TRACE_REDUCE)
        w->xlu += ceil_div(out, cap->sublanes);
    else if (op->op.kind == TRACE_COPY && op->n_in == 1 && out > 2 * in)
        w->xlu += ceil_div(in, cap->vector_elements);
}
