/* The dtype a value has in memory: XLA's bf16 propagation, as far as it concerns traffic.
 *
 * The profiler's byte counters of f32 training steps on a TPU v2 show weights and their gradients
 * in f32, and activations, which matmuls, masks and bias gradients all read, in bf16 [calibrated:
 * tpu_v2-8_fc].  So a value that the MXU will round anyway is kept rounded. */
#include "kernels/graph.h"

#include <stdlib.h>

/* Kinds that hand on what they read, so that rounding before or after them is the same. */
static bool moves_only(enum trace_kind k)
{
    return k == TRACE_COPY || k == TRACE_GATHER;
}

/* A value of a stage is kept as the stage that it was sent to keeps it. */
static void narrow_sent(const struct graph *g, const struct graph_op *done, bool *rounded)
{
    const struct graph_node *n = &g->node[g->value[g->ref[done->first_in]].def];
    const struct graph_op *start = &g->op[n->first_op];

    for (uint32_t j = 0; j < done->n_out; j++)
        rounded[g->ref[start->first_in + j]] |= rounded[g->ref[done->first_out + j]];
}

void graph_narrow(struct graph *g, enum trace_dtype to)
{
    bool *rounded = calloc(g->n_values ? g->n_values : 1, sizeof *rounded);

    BUG_ON(!rounded);
    /* backwards, so that the readers of a copy's result are known before the copy */
    for (uint32_t i = g->n_ops; i-- > 0;) {
        const struct graph_op *op = &g->op[i];
        bool rounds = trace_is_gemm(op->op.kind) && op->op.precision == TRACE_DEFAULT;
        for (uint32_t j = 0; moves_only(op->op.kind) && j < op->n_out; j++)
            rounds |= rounded[g->ref[op->first_out + j]];
        for (uint32_t j = 0; rounds && j < op->n_in; j++)
            rounded[g->ref[op->first_in + j]] = true;
        if (op->op.kind == TRACE_SEND && op->op.async == TRACE_DONE)
            narrow_sent(g, op, rounded);
    }
    for (uint32_t v = 0; v < g->n_values; v++)
        if (rounded[v] && !g->value[v].persistent && g->value[v].shape.dtype == TRACE_F32 &&
            trace_dtype_bytes[to] < trace_dtype_bytes[TRACE_F32])
            g->value[v].stored = to;
    free(rounded);
}
