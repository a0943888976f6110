/* fusion_half.c - arguments of 64-bit numbers, which a TPU computes with as two arrays of 32-bit
 * ones: their halves are copied out of them. */
#include "fusion/fusion_impl.h"

uint32_t fusion_half_copy(struct fusion_graph *g, uint32_t node)
{
    const struct hlo_shape *s = g->node[node].shape;

    if (g->gpu || s->dtype == HLO_TUPLE || s->rank == 0 || hlo_dtype_bits[s->dtype] < 64)
        return node;
    uint32_t copy =
        fusion_graph_add(g, fusion_graph_make(g, g->node[node].from, HLO_OP_COPY, NULL));
    g->node[copy].class = FUSION_OPAQUE;
    fusion_graph_read(g, (struct fusion_use){ .node = node });
    return fusion_graph_settle(g);
}

static bool is_copied_argument(const struct fusion_graph *g, const struct fusion_node *n)
{
    return n->class == FUSION_OPAQUE && n->from->opcode == HLO_OP_COPY && n->n_in == 1 &&
           g->node[fusion_in(g, n, 0)->node].from->opcode == HLO_OP_PARAMETER;
}

void fusion_half_drop(struct fusion_graph *g)
{
    for (uint32_t v = 0; v < g->n; v++) {
        struct fusion_node *n = &g->node[v];
        bool products = true;
        if (!is_copied_argument(g, n))
            continue;
        for (uint32_t k = 0; k < n->users.n; k++)
            products &= g->node[n->users.at[k]].from->opcode == HLO_OP_DOT;
        for (uint32_t k = 0; k < g->n_out; k++)
            products &= g->out[k].node != v;
        if (!products)
            continue;
        uint32_t argument = fusion_in(g, n, 0)->node;
        for (uint32_t k = 0; k < n->users.n; k++) {
            struct fusion_node *u = &g->node[n->users.at[k]];
            for (uint32_t j = 0; j < u->n_in; j++)
                if (fusion_in(g, u, j)->node == v)
                    fusion_in(g, u, j)->node = argument;
            fusion_list_add(&g->node[argument].users, n->users.at[k]);
        }
        n->users.n = 0;
    }
}
