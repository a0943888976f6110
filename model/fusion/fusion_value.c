/* fusion_value.c - values that kernels hand each other through memory. */
#include "fusion/fusion_impl.h"

bool fusion_value_is_held(const struct fusion_graph *g, uint32_t v)
{
    const struct fusion_node *n = &g->node[v];

    return n->from->opcode == HLO_OP_CONSTANT;
}

bool fusion_value_written(const struct fusion_graph *g, uint32_t v)
{
    const struct fusion_node *n = &g->node[v];

    if (n->output)
        return true;
    for (uint32_t k = 0; k < n->users.n; k++) {
        const struct fusion_list *groups = &g->node[n->users.at[k]].groups;
        for (uint32_t j = 0; j < groups->n; j++)
            if (!fusion_list_has(&n->groups, groups->at[j]))
                return true;
    }
    return false;
}

void fusion_value_read(const struct fusion_graph *g, uint32_t group, struct fusion_list *in)
{
    const struct fusion_list *nodes = &g->group[group].nodes;

    for (uint32_t k = 0; k < nodes->n; k++) {
        const struct fusion_node *n = &g->node[nodes->at[k]];
        for (uint32_t j = 0; j < n->n_in; j++) {
            uint32_t v = fusion_in(g, n, j)->node;
            if (!fusion_list_has(&g->node[v].groups, group) && !fusion_value_is_held(g, v) &&
                !fusion_list_has(in, v))
                fusion_list_add(in, v);
        }
    }
}

void fusion_value_results(const struct fusion_graph *g, uint32_t group, struct fusion_list *out)
{
    const struct fusion_list *nodes = &g->group[group].nodes;

    for (uint32_t k = 0; k < nodes->n; k++)
        if (g->node[nodes->at[k]].home == group && fusion_value_written(g, nodes->at[k]))
            fusion_list_add(out, nodes->at[k]);
}

uint64_t fusion_value_bytes(const struct fusion_graph *g, uint32_t v)
{
    const struct fusion_node *n = &g->node[v];
    uint64_t bytes = 0;

    if (n->shape->dtype != HLO_TUPLE)
        return fusion_layout_bytes(n->shape, n->order);
    for (uint32_t k = 0; k < n->shape->leaves; k++)
        bytes += hlo_bytes(fusion_graph_leaf(n->shape, k));
    return bytes;
}
