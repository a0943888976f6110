/* Equal nodes of a graph become one. */
#include <stdlib.h>
#include <string.h>

#include "fusion/fusion_impl.h"

static bool same_text(struct hlo_text a, struct hlo_text b)
{
    return a.size == b.size && (a.size == 0 || memcmp(a.at, b.at, a.size) == 0);
}

bool fusion_same_shape(const struct hlo_shape *a, const struct hlo_shape *b)
{
    return a->dtype == b->dtype && a->dtype != HLO_TUPLE && a->rank == b->rank &&
           (a->rank == 0 || memcmp(a->dim, b->dim, a->rank * sizeof *a->dim) == 0);
}

/* True if both compute the same of the same. */
static bool same_node(const struct fusion_graph *g, const struct fusion_node *a,
                      const struct fusion_node *b)
{
    const struct hlo_instruction *x = a->from, *y = b->from;

    if (x->opcode != y->opcode || a->n_in != b->n_in || x->n_attributes != y->n_attributes ||
        !fusion_same_shape(a->shape, b->shape) || !same_text(x->literal, y->literal) ||
        strcmp(a->attributes ? a->attributes : "", b->attributes ? b->attributes : "") != 0)
        return false;
    if (a->n_in && memcmp(&g->in[a->first_in], &g->in[b->first_in], a->n_in * sizeof *g->in) != 0)
        return false;
    for (uint32_t k = 0; k < x->n_attributes; k++) {
        const struct hlo_attribute *p = &g->m->attribute[x->first_attribute + k];
        const struct hlo_attribute *q = &g->m->attribute[y->first_attribute + k];
        if (!same_text(p->key, q->key) ||
            (!same_text(p->value, q->value) && !hlo_text_is(p->key, "metadata")))
            return false;
    }
    return true;
}

/* An earlier reader of the same first operand that computes the same, or FUSION_NONE. */
static uint32_t find_same(const struct fusion_graph *g, uint32_t node)
{
    const struct fusion_node *n = &g->node[node];

    if (n->class == FUSION_OPAQUE || n->n_in == 0)
        return FUSION_NONE;
    const struct fusion_list *users = &g->node[g->in[n->first_in].node].users;
    for (uint32_t k = 0; k < users->n && k < 64; k++)
        if (users->at[k] != node && same_node(g, &g->node[users->at[k]], n))
            return users->at[k];
    return FUSION_NONE;
}

/* A sum over dimensions of one element changes nothing. */
static bool sums_ones(const struct fusion_graph *g, const struct fusion_node *n)
{
    const struct hlo_shape *in = n->n_in == 2 ? g->node[fusion_in(g, n, 0)->node].shape : NULL;

    return n->class == FUSION_REDUCE && in && in->dtype == n->shape->dtype &&
           hlo_elements(in) == hlo_elements(n->shape);
}

uint32_t fusion_graph_settle(struct fusion_graph *g)
{
    uint32_t node = g->n - 1, same;

    if (sums_ones(g, &g->node[node])) {
        g->node[node].class = FUSION_MOVE;
        g->node[node].n_in = 1;
    }
    if ((same = find_same(g, node)) != FUSION_NONE) {
        g->n_in = g->node[node].first_in;
        free(g->node[node].attributes);
        g->n--;
        return same;
    }
    for (uint32_t k = 0; k < g->node[node].n_in; k++) {
        struct fusion_list *users = &g->node[g->in[g->node[node].first_in + k].node].users;
        if (users->n == 0 || users->at[users->n - 1] != node)
            fusion_list_add(users, node);
    }
    return node;
}
