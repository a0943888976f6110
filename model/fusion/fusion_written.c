/* fusion_written.c - arguments that an operation writes into.
 *
 * The caller owns its arguments, so XLA scatters into a copy of one, unless the caller gave it
 * away; an update of a part is as a scatter. */
#include "fusion/fusion_header.h"
#include "fusion/fusion_impl.h"

/* An argument that is not given away, but that an operation writes into, is copied before. */
static struct fusion_use copy_argument(struct fusion_graph *g, struct fusion_use u)
{
    const struct hlo_instruction *from = g->node[u.node].from;

    if (from->opcode != HLO_OP_PARAMETER || fusion_header_gives(g->m, (uint64_t)from->number))
        return u;
    const struct hlo_shape *shape = g->node[u.node].shape;
    uint32_t node = fusion_graph_add(g, fusion_graph_make(g, from, HLO_OP_COPY, NULL));
    g->node[node].shape = shape;
    g->node[node].class = FUSION_OPAQUE;
    fusion_graph_read(g, u);
    return (struct fusion_use){ .node = fusion_graph_settle(g) };
}

/* The operand that a result is written over, with as many results as operands of the kind. */
static bool writes_over(const struct hlo_instruction *i, uint32_t operand)
{
    if (i->opcode == HLO_OP_DYNAMIC_UPDATE_SLICE)
        return operand == 0;
    return i->opcode == HLO_OP_SCATTER && operand < i->shape->leaves;
}

struct fusion_use fusion_written_use(struct fusion_graph *g, const struct hlo_instruction *i,
                                     uint32_t operand, struct fusion_use u)
{
    return writes_over(i, operand) ? copy_argument(g, u) : u;
}
