/* fusion_narrow.c - values that products alone read are kept in bf16.
 *
 * The matrix unit rounds its operands to bf16 at the default precision, so a value that it alone
 * reads may be rounded where it is made.  Operations that only move elements hand the question on:
 * what is gathered or put together for a product is moved in bf16.  XLA does so on all
 * generations. */
#include <stdlib.h>

#include "fusion/fusion_impl.h"

static bool rounds_operands(const struct fusion_graph *g, const struct fusion_node *n)
{
    struct hlo_text t = hlo_attribute(g->m, n->from, "operand_precision");

    return n->class == FUSION_PRODUCT && t.at == NULL && n->shape->dtype == HLO_F32;
}

/* True if node `n` moves its first operand and has a result of the same elements or fewer. */
static bool moves_first(const struct fusion_node *n)
{
    return n->from->opcode == HLO_OP_GATHER || n->class == FUSION_MOVE;
}

static bool rounds_value(const struct fusion_graph *g, uint32_t v, const bool *narrow)
{
    const struct fusion_node *n = &g->node[v];

    if (n->shape->dtype != HLO_F32 || n->output || n->users.n == 0 || n->class == FUSION_LEAF ||
        n->class == FUSION_REDUCE ||
        (n->class == FUSION_OPAQUE && n->from->opcode != HLO_OP_GATHER))
        return false;
    for (uint32_t k = 0; k < n->users.n; k++) {
        const struct fusion_node *u = &g->node[n->users.at[k]];
        if (!rounds_operands(g, u) && !(moves_first(u) && narrow[n->users.at[k]]))
            return false;
    }
    return true;
}

/* True of a reshape or transpose of a value that is not rounded: nothing is computed on its way. */
static bool only_renames(const struct fusion_graph *g, uint32_t v, const bool *narrow)
{
    const struct fusion_node *n = &g->node[v];
    enum hlo_opcode o = n->from->opcode;

    return (o == HLO_OP_RESHAPE || o == HLO_OP_TRANSPOSE || o == HLO_OP_REDUCE) &&
           !narrow[fusion_in(g, n, 0)->node];
}

void fusion_narrow_values(struct fusion_graph *g)
{
    bool *narrow = memory_zeroed(g->n, sizeof *narrow);

    for (uint32_t v = g->n; v-- > 0;)
        narrow[v] = g->node[v].live && rounds_value(g, v, narrow);
    for (uint32_t v = 0; v < g->n; v++) {
        narrow[v] &= !only_renames(g, v, narrow);
        if (!narrow[v])
            continue;
        struct hlo_shape *s = memory_zeroed(1, sizeof *s);
        *s = *g->node[v].shape;
        s->dtype = HLO_BF16;
        MEMORY_GROW(g->narrowed, g->n_narrowed + 1, g->cap_narrowed);
        g->narrowed[g->n_narrowed++] = s;
        g->node[v].shape = s;
    }
    free(narrow);
}
