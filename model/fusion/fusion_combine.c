/* fusion_combine.c - all-reduces joined into one.
 *
 * XLA joins all-reduces of the same kind, in the order of the program, as long as their operands
 * stay below 128 MiB together; one that does not fit goes alone.  All-reduces of which one waits
 * for the other are not joined: they follow each other in the graph. */
#include <string.h>

#include "fusion/fusion_impl.h"

#define MOST_BYTES (UINT64_C(128) << 20)

static bool same_attribute(const struct fusion_graph *g, const struct hlo_instruction *a,
                           const struct hlo_instruction *b, const char *key)
{
    struct hlo_text x = hlo_attribute(g->m, a, key), y = hlo_attribute(g->m, b, key);

    return x.size == y.size && (x.size == 0 || memcmp(x.at, y.at, x.size) == 0);
}

/* The operation that an all-reduce applies. */
static enum hlo_opcode function_of(const struct fusion_graph *g, const struct hlo_instruction *i)
{
    const struct hlo_computation *c = i->n_called ? hlo_called(g->m, i, 0) : NULL;

    return c ? g->m->instruction[c->root].opcode : HLO_OP_OTHER;
}

static bool are_alike(const struct fusion_graph *g, uint32_t a, uint32_t b)
{
    const struct fusion_node *x = &g->node[a], *y = &g->node[b];

    return x->shape->dtype == y->shape->dtype && x->shape->dtype != HLO_TUPLE &&
           function_of(g, x->from) == function_of(g, y->from) &&
           same_attribute(g, x->from, y->from, "replica_groups");
}

/* Join node `v` to the kernel of `first`. */
static void join_sum(struct fusion_graph *g, uint32_t first, uint32_t v)
{
    uint32_t from = g->node[v].home, to = g->node[first].home;

    g->group[from].gone = true;
    g->group[from].nodes.n = 0;
    g->node[v].groups.n = 0;
    fusion_list_add(&g->node[v].groups, to);
    fusion_list_add(&g->group[to].nodes, v);
    g->node[v].home = to;
    g->joined[v] = first;
}

void fusion_combine_sums(struct fusion_graph *g)
{
    g->joined = memory_zeroed(g->n, sizeof *g->joined);
    for (uint32_t v = 0; v < g->n; v++)
        g->joined[v] = v;
    for (uint32_t v = 0; v < g->n; v++) {
        if (!g->node[v].live || g->node[v].from->opcode != HLO_OP_ALL_REDUCE || g->joined[v] != v)
            continue;
        uint64_t bytes = hlo_bytes(g->node[v].shape);
        for (uint32_t w = v + 1; w < g->n; w++) {
            const struct fusion_node *n = &g->node[w];
            if (!n->live || n->from->opcode != HLO_OP_ALL_REDUCE || g->joined[w] != w ||
                g->group[n->home].nodes.n > 1 || !are_alike(g, v, w) ||
                bytes + hlo_bytes(n->shape) >= MOST_BYTES ||
                fusion_path_between(g, g->node[v].home, n->home, FUSION_NONE))
                continue;
            bytes += hlo_bytes(n->shape);
            join_sum(g, v, w);
        }
    }
}
