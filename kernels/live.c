/* Bytes of a value, and whether it has a place of its own; what is alive when: memory.c. */
#include "kernels/graph.h"

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
