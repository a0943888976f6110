/* dynamic-update-slice: a part of a tensor written over, as a cache of keys and values is.
 *
 *     for each tile of the update u:  result[start + i, ..] = u[i, ..]
 *
 * In place, where nothing else needs the tensor (graph_in_place):
 *     bytes = update in, update out        (out in whole tiles of its own layout)
 * otherwise the tensor is copied and the update with it:
 *     bytes = tensor + update in, tensor out
 *
 *     vector operations (select) = elements moved / elements of a register */
#include "base/arith.h"
#include "kernels/layout.h"
#include "kernels/lower.h"

bool update_apart(const struct graph *g, const struct graph_op *op, bool in, uint32_t j)
{
    (void)in; /* the first operand and the only result are the same place */
    return j == 0 && graph_in_place(g, op);
}

void lower_update(struct work *w, const struct graph *g, const struct graph_op *op,
                  const struct cap *cap)
{
    bool in_place = graph_in_place(g, op);
    uint32_t update = g->ref[op->first_in + 1], result = g->ref[op->first_out];
    uint64_t moved = trace_elements(&g->value[in_place ? update : result].shape);
    uint64_t registers = arith_ceil_div(moved, cap->vector_elements);

    w->vpu[VECTOR_SELECT] += registers;
    w->loads += registers;
    w->stores += registers;
    if (in_place && !w->resident[result])
        w->out.bytes += cap->compact
                            ? layout_of(&g->value[update].shape, g->value[result].stored, cap).bytes
                            : trace_elements(&g->value[update].shape) *
                                  trace_dtype_bytes[g->value[result].stored];
}
