/* Peak memory by liveness: a value is in HBM from its operation to its last use. */
#include "kernels/graph.h"

#include <stdlib.h>

uint64_t graph_bytes(const struct graph *g, uint32_t value)
{
    const struct graph_value *v = &g->value[value];

    return trace_elements(&v->shape) * trace_dtype_bytes[v->stored];
}

bool graph_in_place(const struct graph *g, const struct graph_op *op)
{
    if (op->op.kind != TRACE_UPDATE_SLICE)
        return false;
    const struct graph_value *into = &g->value[g->ref[op->first_in]];
    const struct graph_value *result = &g->value[g->ref[op->first_out]];
    bool over = into->persistent ? into->role == TRACE_STATE : into->def != op->node;

    return over && into->last_use == op->node && !into->on_chip && !result->on_chip &&
           into->stored == result->stored;
}

void graph_live_bytes(const struct graph *g, uint64_t *live)
{
    uint64_t *born = calloc(g->n_nodes + 1, sizeof *born);
    uint64_t *dead = calloc(g->n_nodes + 1, sizeof *dead);
    uint64_t now = 0;

    BUG_ON(!born || !dead);
    for (uint32_t v = 0; v < g->n_values; v++) {
        const struct graph_value *x = &g->value[v];
        if (x->persistent) {
            now += graph_bytes(g, v);
            continue;
        }
        if (x->on_chip)
            continue;
        born[x->def] += graph_bytes(g, v);
        dead[x->last_use == UINT32_MAX ? x->def : x->last_use] += graph_bytes(g, v);
    }
    live[0] = now; /* of a step without nodes */
    for (uint32_t i = 0; i < g->n_nodes; i++) {
        live[i] = now += born[i];
        now -= dead[i];
    }
    free(dead);
    free(born);
}

uint64_t graph_peak_bytes(const struct graph *g, uint32_t *at)
{
    uint64_t *live = calloc((size_t)g->n_nodes + 1, sizeof *live), peak;

    BUG_ON(!live);
    graph_live_bytes(g, live);
    *at = 0;
    for (uint32_t i = 1; i < g->n_nodes; i++)
        if (live[i] > live[*at])
            *at = i;
    peak = live[*at];
    free(live);
    return peak;
}
