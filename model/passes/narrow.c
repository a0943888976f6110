#include "passes/narrow.h"
#include "base/memory.h"

#include <stdlib.h>

/* Kinds that hand on what they read, so that rounding before or after them is the same. */
static bool moves_only(enum trace_kind k)
{
    return k == TRACE_COPY || k == TRACE_GATHER;
}

/* A value of a stage is kept as the stage that it was sent to keeps it. */
static void narrow_sent(const struct step *step, const struct step_op *done, bool *rounded)
{
    const struct step_node *n = &step->node[step->value[step->ref[done->first_in]].def];
    const struct step_op *start = &step->op[n->first_op];

    for (uint32_t j = 0; j < done->n_out; j++)
        rounded[step->ref[start->first_in + j]] |= rounded[step->ref[done->first_out + j]];
}

void narrow_step(struct step *step, enum trace_dtype to)
{
    bool *rounded = memory_zeroed(step->n_values ? step->n_values : 1, sizeof *rounded);

    /* backwards, so that the readers of a copy's result are known before the copy */
    for (uint32_t i = step->n_ops; i-- > 0;) {
        const struct step_op *op = &step->op[i];
        bool rounds = trace_is_gemm(op->op.kind) && op->op.precision == TRACE_DEFAULT;
        for (uint32_t j = 0; moves_only(op->op.kind) && j < op->n_out; j++)
            rounds |= rounded[step->ref[op->first_out + j]];
        for (uint32_t j = 0; rounds && j < op->n_in; j++)
            rounded[step->ref[op->first_in + j]] = true;
        if (op->op.kind == TRACE_SEND && op->op.async == TRACE_DONE)
            narrow_sent(step, op, rounded);
    }
    for (uint32_t v = 0; v < step->n_values; v++)
        if (rounded[v] && !step->value[v].persistent && step->value[v].shape.dtype == TRACE_F32 &&
            !step->value[v].shape.layout.given &&
            trace_dtype_bytes[to] < trace_dtype_bytes[TRACE_F32])
            step->value[v].stored = to;
    free(rounded);
}

void narrow_undo(struct step *step)
{
    for (uint32_t v = 0; v < step->n_values; v++)
        step->value[v].stored = step->value[v].shape.dtype;
}
