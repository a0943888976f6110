/* fusion_return.c - results that are arguments.
 *
 * The caller owns its arguments, so XLA copies one that is returned, as it is or under another
 * shape, unless the caller gave it away.  Seen in programs that libtpu 0.0.42 compiled for v5e. */
#include "fusion/fusion_header.h"
#include "fusion/fusion_impl.h"

/* The parameter that node `v` renames, or FUSION_NONE if something is computed on the way. */
static uint32_t find_argument(const struct fusion_graph *g, uint32_t v)
{
    while (g->node[v].bitcast)
        v = fusion_in(g, &g->node[v], 0)->node;
    return g->node[v].from->opcode == HLO_OP_PARAMETER ? v : FUSION_NONE;
}

/* A node at the end that copies node `v`, an array. */
static uint32_t add_copy(struct fusion_graph *g, uint32_t v)
{
    const struct hlo_shape *shape = g->node[v].shape;
    uint32_t copy = fusion_graph_add(g, fusion_graph_make(g, g->node[v].from, HLO_OP_COPY, NULL));

    fusion_graph_read(g, (struct fusion_use){ v, 0 });
    fusion_list_add(&g->node[v].users, copy);
    g->node[copy].shape = shape;
    g->node[copy].live = true;
    fusion_layout_plain(g, &g->node[copy]);
    return copy;
}

void fusion_return_arguments(struct fusion_graph *g)
{
    uint32_t n = g->n;

    for (uint32_t k = 0; k < g->n_out; k++) {
        uint32_t v = g->out[k].node, argument = find_argument(g, v);
        if (argument == FUSION_NONE || g->node[v].shape->dtype == HLO_TUPLE ||
            (v == argument && fusion_header_gives(g->m, (uint64_t)g->node[argument].from->number)))
            continue;
        g->out[k].node = add_copy(g, v);
    }
    if (g->n == n)
        return;
    for (uint32_t v = 0; v < g->n; v++)
        g->node[v].output = false;
    for (uint32_t k = 0; k < g->n_out; k++)
        g->node[g->out[k].node].output = true;
}
