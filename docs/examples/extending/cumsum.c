/* Running sums along the last dimension, by doubling, as kernels on the vector unit do them:
 *
 *     y[r,j] = x[r,0] + ... + x[r,j]
 *
 * A register holds `lanes` elements of each of `sublanes` rows.  Within it, for s = 1, 2, 4 ...
 * below its elements of a row: shift by s lanes, zero what came in, add.  Then its last column is
 * spread over the lanes of the next register of the row and added there.
 *
 *     registers   ceil(rows / sublanes) * ceil(n / lanes)        n elements of a row
 *     stages      p with 2^p >= min(n, lanes)
 *     XLU         registers * stages, and one more each if n > lanes
 *     operations  as many additions; registers * stages selects
 *     bytes       operand in, result out
 *     cycles      max(bytes / HBM, slots / alus, XLU registers * cycles_per_register) + grid steps
 *
 * Source: Hillis and Steele, "Data parallel algorithms", CACM 29 (1986), section "sum of an array
 * of numbers".  XLA transposes instead and adds windows of 128 rows (jax 0.10.2, v5e). */
#include "base/arith.h"
#include "kernels/common/vector.h"

void lower_cumsum(struct work *w, const struct step *step, const struct step_op *op,
                  const struct cap *cap)
{
    const struct trace_shape *x = &step->value[step->ref[op->first_in]].shape;
    uint64_t n = x->rank ? x->dim[x->rank - 1] : 1, rows = n ? trace_elements(x) / n : 0;
    uint64_t registers = arith_ceil_div(rows, cap->sublanes) * arith_ceil_div(n, cap->lanes);
    uint64_t stages = 0;

    while ((UINT64_C(1) << stages) < n && (UINT64_C(1) << stages) < cap->lanes)
        stages++;
    uint64_t moves = registers * (stages + (n > cap->lanes));
    w->xlu += moves;
    w->vpu[VECTOR_ADD] += moves;
    w->vpu[VECTOR_SELECT] += registers * stages;
    vector_cross(w, step, op, cap);
}
