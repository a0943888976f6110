/* dynamic-update-slice: a part of a tensor written over, as a cache of keys and values is.
 *
 *     for each tile of the update u:  result[start + i, ..] = u[i, ..]
 *
 * In place, where nothing else needs the tensor (step_in_place):
 *     bytes = update in, update out        (out in whole tiles of its own layout)
 * otherwise the tensor is copied and the update with it:
 *     bytes = tensor + update in, tensor out
 *
 *     vector operations (select) = elements moved / elements of a register */
#include "base/arith.h"
#include "kernels/common/layout.h"
#include "kernels/common/work.h"

bool lower_update_apart(const struct step *step, const struct step_op *op, bool in, uint32_t j)
{
    (void)in; /* the first operand and the only result are the same place */
    return j == 0 && step_in_place(step, op);
}

void lower_update(struct work *w, const struct step *step, const struct step_op *op,
                  const struct cap *cap)
{
    bool in_place = step_in_place(step, op);
    uint32_t update = step->ref[op->first_in + 1], result = step->ref[op->first_out];
    uint64_t moved = trace_elements(&step->value[in_place ? update : result].shape);
    uint64_t registers = arith_ceil_div(moved, cap->vector_elements);

    w->vpu[VECTOR_SELECT] += registers;
    w->loads += registers;
    w->stores += registers;
    if (in_place && !w->resident[result])
        w->out.bytes +=
            cap_compact(cap)
                ? layout_of(&step->value[update].shape, step->value[result].stored, cap).bytes
                : trace_elements(&step->value[update].shape) *
                      trace_dtype_bytes[step->value[result].stored];
}
