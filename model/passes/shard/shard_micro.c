/* Operations that micro-batches are no obstacle to.  Samples know nothing of each other: indices of
 * a sample are those of its own rows, so a part of the samples' indices needs that part of the
 * table alone.  (Cut over cores the table is needed whole, or its rows are exchanged.)  And what is
 * summed over samples is known by its shape. */
#include "passes/shard/shard_impl.h"

/* True if an input of the step has so many rows, one or more for each sample. */
static bool rows_of_samples(const struct shard *s, uint64_t rows)
{
    for (uint32_t v = 0; v < s->step->n_values; v++) {
        const struct shard_value *x = &s->value[v];
        if (x->is->op != STEP_NONE && s->op[x->is->op].is->op.kind == TRACE_INFEED &&
            x->split == 0 && x->is->shape.dim[0] == rows)
            return true;
    }
    return false;
}

static void cut_results(struct shard *s, struct shard_op *op)
{
    for (uint32_t i = 0; i < op->is->n_out; i++)
        shard_out(s, op, i)->split = 0;
    op->share = true;
}

/* A gradient that has the dimensions behind the samples is their sum, also where there are as many
 * of those as of samples. */
static bool sums_samples(const struct shard *s, const struct shard_op *op)
{
    const struct trace_shape *in = &shard_in(s, op, 0)->is->shape;

    for (uint32_t k = 0; k < op->is->n_out; k++) {
        const struct shard_value *out = shard_out(s, op, k);
        if (out->is->role != TRACE_GRADIENT || out->is->shape.rank >= in->rank)
            return false;
        for (uint32_t i = 0; i < out->is->shape.rank; i++)
            if (out->is->shape.dim[i] != in->dim[in->rank - out->is->shape.rank + i])
                return false;
    }
    return true;
}

bool shard_decide_micro(struct shard *s, struct shard_op *op)
{
    const struct shard_value *first = op->is->n_in ? shard_in(s, op, 0) : NULL;
    const struct shard_value *out = op->is->n_out ? shard_out(s, op, 0) : NULL;
    bool takes = false;

    if (!s->micro || !first || !out || first->split != 0)
        return false;
    enum trace_kind kind = op->is->op.kind;
    if (kind == TRACE_REDUCE && sums_samples(s, op)) {
        for (uint32_t k = 0; k < op->is->n_out; k++)
            shard_out(s, op, k)->partial = true;
        op->share = true;
        return true;
    }
    if (kind == TRACE_GATHER)
        takes = shard_in(s, op, 1)->split == 0;
    else if (kind == TRACE_SCATTER)
        takes = shard_in(s, op, 1)->split == 0 && op->is->n_in == 2 && out->is->shape.rank &&
                rows_of_samples(s, out->is->shape.dim[0]);
    else if (kind == TRACE_SORT) /* along the last dimension */
        takes = first->is->shape.rank > 1 && out->is->shape.rank == first->is->shape.rank;
    if (takes)
        cut_results(s, op);
    return takes;
}
