/* Nodes of a graph of arrays, the values that they read, and lists of them. */
#include <string.h>

#include "fusion/fusion_impl.h"

void fusion_list_add(struct fusion_list *l, uint32_t x)
{
    MEMORY_GROW(l->at, l->n + 1, l->cap);
    l->at[l->n++] = x;
}

bool fusion_list_has(const struct fusion_list *l, uint32_t x)
{
    for (uint32_t k = l->n; k-- > 0;)
        if (l->at[k] == x)
            return true;
    return false;
}

const struct hlo_shape *fusion_graph_leaf(const struct hlo_shape *s, uint32_t leaf)
{
    while (s->dtype == HLO_TUPLE && s->n_parts) {
        uint32_t k = s->n_parts - 1;
        while (k > 0 && s->part[k].first_leaf > leaf)
            k--;
        leaf -= s->part[k].first_leaf;
        s = &s->part[k];
    }
    return s;
}

uint32_t fusion_graph_add(struct fusion_graph *g, const struct hlo_instruction *i)
{
    MEMORY_GROW(g->node, g->n + 1, g->cap);
    g->node[g->n] = (struct fusion_node){ .from = i,
                                          .shape = i->shape,
                                          .class = fusion_class_of(i->opcode),
                                          .first_in = g->n_in,
                                          .home = FUSION_NONE };
    return g->n++;
}

void fusion_graph_read(struct fusion_graph *g, struct fusion_use use)
{
    MEMORY_GROW(g->in, g->n_in + 1, g->cap_in);
    g->in[g->n_in++] = use;
    g->node[g->n - 1].n_in++;
}

const struct hlo_instruction *fusion_graph_make(struct fusion_graph *g,
                                                const struct hlo_instruction *like,
                                                enum hlo_opcode opcode, const char *literal)
{
    struct hlo_instruction *i = memory_zeroed(1, sizeof *i);
    const char *name = hlo_opcode_name[opcode];

    *i = *like;
    i->opcode = opcode;
    i->opcode_text = (struct hlo_text){ name, (uint32_t)strlen(name) };
    i->literal = (struct hlo_text){ literal, literal ? (uint32_t)strlen(literal) : 0 };
    i->n_attributes = i->n_called = 0;
    MEMORY_GROW(g->made, g->n_made + 1, g->cap_made);
    return g->made[g->n_made++] = i;
}
