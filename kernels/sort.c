/* Sorting, as XLA lowers it on TPU: a bitonic network over each row of keys.
 *
 *     stages = p (p + 1) / 2  with  2^p >= keys
 *     per stage and register of keys: compare, select, select on the vector unit; one permutation
 *     on the XLU to bring the partners together
 * Where the results have only k of each row's keys, top-k, blocks of 2^q >= k keys are sorted; then
 * blocks are halved in number p - q times: of two the larger keys of each pair are kept, which
 * takes a stage, and q more put them in order again.
 *     stages = q (q + 1) / 2  on all keys  +  sum of (1 + q) on 2^(p - i) of them, i = 1 .. p - q
 * rows = number of sorts, cols = keys of one (docs/trace-format.md).  Source of the second network:
 * Shanbhag et al., "Efficient Top-K Query Processing on Massively Parallel Hardware", SIGMOD 2018;
 * that XLA does so on TPU is unverified. */
#include "base/arith.h"
#include "kernels/lower.h"

/* Keys of a row that the results hold, at most all. */
static uint64_t count_kept(const struct step *step, const struct step_op *op, uint64_t keys)
{
    if (op->n_out == 0 || op->op.rows == 0)
        return keys;
    uint64_t k = trace_elements(&step->value[step->ref[op->first_out]].shape) / op->op.rows;
    return k > 0 && k < keys ? k : keys;
}

/* The least exponent of 2 that reaches `n`. */
static uint64_t find_exponent(uint64_t n)
{
    uint64_t p = 0;

    while (p < 63 && (UINT64_C(1) << p) < n)
        p++;
    return p;
}

/* Stages times registers of one row. */
static uint64_t count_passes(uint64_t p, uint64_t q, const struct cap *cap)
{
    uint64_t sum = arith_ceil_div(UINT64_C(1) << p, cap->vector_elements) * (q * (q + 1) / 2);

    for (uint64_t left = p; left-- > q;)
        sum += arith_ceil_div(UINT64_C(1) << left, cap->vector_elements) * (1 + q);
    return sum;
}

void lower_sort(struct work *w, const struct step *step, const struct step_op *op,
                const struct cap *cap)
{
    uint64_t keys = op->op.cols ? op->op.cols : 1;
    uint64_t p = find_exponent(keys), q = find_exponent(count_kept(step, op, keys));
    uint64_t passes = op->op.rows * count_passes(p, q, cap);

    w->vpu[VECTOR_ADD] += passes;
    w->vpu[VECTOR_SELECT] += 2 * passes;
    w->xlu += passes;
    /* keys stay in VMEM from stage to stage */
    w->loads += passes;
    w->stores += passes;
}
