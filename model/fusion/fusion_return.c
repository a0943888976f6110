/* fusion_return.c - results that no kernel writes.
 *
 * The caller owns its arguments, so XLA copies one that is returned, as it is or under another
 * shape, unless the caller gave it away.  A result of 64-bit numbers is put together of the two
 * arrays of 32-bit ones that a TPU computes with.  Seen in programs that libtpu 0.0.42 compiled for
 * v3 and v5e. */
#include "fusion/fusion_header.h"
#include "fusion/fusion_impl.h"

/* The parameter that node `v` renames, or FUSION_NONE if something is computed on the way. */
static uint32_t find_argument(const struct fusion_graph *g, uint32_t v)
{
    while (g->node[v].bitcast)
        v = fusion_in(g, &g->node[v], 0)->node;
    return g->node[v].from->opcode == HLO_OP_PARAMETER ? v : FUSION_NONE;
}

/* True of a result of 64-bit numbers on a TPU; a dot puts its own together. */
static bool has_halves(const struct fusion_graph *g, uint32_t v)
{
    const struct hlo_shape *s = g->node[v].shape;

    return !g->gpu && g->node[v].from->opcode != HLO_OP_DOT && s->rank > 0 &&
           hlo_dtype_bits[s->dtype] >= 64;
}

/* A node at the end that copies node `v`, an array. */
static uint32_t add_copy(struct fusion_graph *g, uint32_t v)
{
    const struct hlo_shape *shape = g->node[v].shape;
    uint32_t copy = fusion_graph_add(g, fusion_graph_make(g, g->node[v].from, HLO_OP_COPY, NULL));

    fusion_graph_read(g, (struct fusion_use){ .node = v });
    fusion_list_add(&g->node[v].users, copy);
    g->node[copy].shape = shape;
    g->node[copy].live = true;
    if (has_halves(g, v))
        g->node[copy].class = FUSION_OPAQUE;
    fusion_layout_plain(g, &g->node[copy]);
    return copy;
}

void fusion_return_results(struct fusion_graph *g)
{
    uint32_t n = g->n;

    for (uint32_t k = 0; k < g->n_out; k++) {
        uint32_t v = g->out[k].node;
        if (g->node[v].shape->dtype == HLO_TUPLE)
            continue;
        uint32_t argument = find_argument(g, v);
        bool given =
            v == argument && fusion_header_gives(g->m, (uint64_t)g->node[argument].from->number);
        if (!given && (argument != FUSION_NONE || has_halves(g, v)))
            g->out[k].node = add_copy(g, v);
    }
    if (g->n == n)
        return;
    for (uint32_t v = 0; v < g->n; v++)
        g->node[v].output = false;
    for (uint32_t k = 0; k < g->n_out; k++)
        g->node[g->out[k].node].output = true;
}
