/* Sorting, as XLA lowers it on TPU: a bitonic network over each row of keys.
 *
 *     stages = p (p + 1) / 2  with  2^p >= keys
 *     per stage and register of keys: compare, select, select on the vector unit; one permutation
 *     on the XLU to bring the partners together
 * Where the results have only k of each row's keys, top-k, blocks of 2^q >= k keys are sorted; then
 * blocks are halved in number p - q times: of two the larger keys of each pair are kept, which
 * takes a stage, and q more put them in order again.
 *     stages = q (q + 1) / 2  on all keys  +  sum of (1 + q) on 2^(p - i) of them, i = 1 .. p - q
 * Beyond the k that XLA has this kernel for (top_k.h), pairs of keys and indices are sorted whole
 * and cut, with keys along the sublanes: a copy turns the rows before and two turn the pairs back;
 * or pieces of rows are sorted so, then what is left of them.  rows = number of sorts, cols = keys
 * of one (docs/reference/trace-format.md).  Source of the second network: Shanbhag et al.,
 * "Efficient Top-K Query Processing on Massively Parallel Hardware", SIGMOD 2018; that XLA does so
 * on TPU is unverified. */
#include "base/arith.h"
#include "kernels/common/work.h"

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

/* Add the traffic of a sort of whole rows besides its operand and results: keys turned and sorted,
 * indices made and sorted, both turned back. */
static void add_pairs(struct work *w, uint64_t rows, uint64_t keys, const struct cap *cap)
{
    uint64_t bytes = 4 * rows * keys, registers = arith_ceil_div(rows * keys, cap->vector_elements);

    w->in.bytes += 4 * bytes;
    w->out.bytes += 6 * bytes;
    w->xlu += 3 * registers;
    w->workspace += 3 * bytes;
}

/* Register passes of sorts of whole rows, with their pairs. */
static uint64_t sort_pairs(struct work *w, uint64_t rows, uint64_t keys, const struct cap *cap)
{
    uint64_t p = find_exponent(keys);

    add_pairs(w, rows, keys, cap);
    return rows * count_passes(p, p, cap);
}

/* Register passes of the `kept` largest of each row. */
static uint64_t count_top(struct work *w, uint64_t rows, uint64_t keys, uint64_t kept,
                          const struct cap *cap)
{
    uint64_t pieces = cap->top_k.pieces;

    switch (top_k_choose(&cap->top_k, keys, kept)) {
    case TOP_K_KERNEL: return rows * count_passes(find_exponent(keys), find_exponent(kept), cap);
    case TOP_K_SORT: return sort_pairs(w, rows, keys, cap);
    case TOP_K_PIECES: break;
    }
    return sort_pairs(w, rows * pieces, keys / pieces, cap) +
           sort_pairs(w, rows, pieces * kept, cap);
}

void lower_sort(struct work *w, const struct step *step, const struct step_op *op,
                const struct cap *cap)
{
    uint64_t keys = op->op.cols ? op->op.cols : 1, kept = count_kept(step, op, keys);
    uint64_t p = find_exponent(keys);
    uint64_t passes = kept < keys && (!op->op.compiled || op->op.compiled->form == TRACE_FORM_TOP_K)
                          ? count_top(w, op->op.rows, keys, kept, cap)
                          : op->op.rows * count_passes(p, find_exponent(kept), cap);

    w->vpu[VECTOR_ADD] += passes;
    w->vpu[VECTOR_SELECT] += 2 * passes;
    w->xlu += passes;
    /* keys stay in VMEM from stage to stage */
    w->loads += passes;
    w->stores += passes;
}
