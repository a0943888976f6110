/* Sorting, as XLA lowers it on TPU: a bitonic network over each row of keys.
 *
 *     stages = p (p + 1) / 2  with  2^p >= keys
 *     per stage and register of keys: compare, select, select on the vector unit; one permutation
 *     on the XLU to bring the partners together
 * rows = number of sorts, cols = keys of one (docs/trace-format.md). */
#include "base/arith.h"
#include "kernels/lower.h"

void lower_sort(struct work *w, const struct graph *g, const struct graph_op *op,
                const struct cap *cap)
{
    uint64_t p = 0;
    uint64_t keys = op->op.cols ? op->op.cols : 1;

    (void)g;
    while (p < 63 && (UINT64_C(1) << p) < keys)
        p++;
    uint64_t registers = ceil_div(UINT64_C(1) << p, cap->vector_elements);
    uint64_t passes = op->op.rows * registers * (p * (p + 1) / 2);
    w->vpu[VECTOR_ADD] += passes;
    w->vpu[VECTOR_SELECT] += 2 * passes;
    w->xlu += passes;
    /* keys stay in VMEM from stage to stage */
    w->loads += passes;
    w->stores += passes;
}
