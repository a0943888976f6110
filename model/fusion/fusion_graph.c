/* fusion_graph.c - the program as a graph of arrays: calls written out, tuples taken apart.
 *
 * Annotations hand their operand on.  GlobalToLocalShape gives a parameter the shape that one
 * device has of it.  A node that no result needs is not live; equal nodes are one. */
#include <stdlib.h>
#include <string.h>

#include "fusion/fusion_impl.h"

#define MAX_NODES 50000 /* calls may call others twice, and those again */

struct span {
    uint32_t first, n; /* in builder.leaf */
};

struct builder {
    struct fusion_graph *g;
    struct fusion_use *leaf;
    uint32_t n_leaves, cap_leaves;
    uint32_t depth, barriers;
};

static struct fusion_use leaf_at(const struct builder *b, uint32_t i)
{
    BUG_ON(!b->leaf || i >= b->n_leaves);
    return b->leaf[i];
}

static void add_leaf(struct builder *b, struct span *s, struct fusion_use u)
{
    MEMORY_GROW(b->leaf, b->n_leaves + 1, b->cap_leaves);
    b->leaf[b->n_leaves++] = u;
    s->n++;
}

/* --- nodes -------------------------------------------------------------------------------- */

static struct span begin_span(const struct builder *b)
{
    return (struct span){ b->n_leaves, 0 };
}

static struct span join_spans(struct builder *b, const struct hlo_instruction *i,
                              const struct span *span, uint32_t base)
{
    struct span s = begin_span(b);

    for (uint32_t k = 0; k < i->n_operands; k++) {
        struct span in = span[b->g->m->operand[i->first_operand + k] - base];
        for (uint32_t j = 0; j < in.n; j++)
            add_leaf(b, &s, leaf_at(b, in.first + j));
    }
    return s;
}

/* Nothing is computed on both sides of a barrier: what passes it is written, and read behind it. */
static struct span pass_barrier(struct builder *b, const struct hlo_instruction *i,
                                const struct span *span, uint32_t base)
{
    struct span s = join_spans(b, i, span, base);

    b->barriers++;
    for (uint32_t k = 0; k < s.n; k++) {
        struct fusion_use *u = &b->leaf[s.first + k];
        u->barrier = b->barriers;
        b->g->node[u->node].kept = true;
    }
    return s;
}

static struct span take_element(const struct builder *b, const struct hlo_instruction *i,
                                const struct span *span, uint32_t base)
{
    const struct hlo_shape *s = hlo_operand(b->g->m, i, 0)->shape;
    struct span from = span[b->g->m->operand[i->first_operand] - base];

    if ((uint64_t)i->number >= s->n_parts)
        return (struct span){ 0, 0 };
    const struct hlo_shape *part = &s->part[i->number];
    if (part->first_leaf + part->leaves > from.n)
        return (struct span){ 0, 0 };
    return (struct span){ from.first + part->first_leaf, part->leaves };
}

static struct span add_result(struct builder *b, uint32_t node, uint32_t leaves)
{
    struct span s = begin_span(b);

    for (uint32_t k = 0; k < leaves; k++)
        add_leaf(b, &s, (struct fusion_use){ .node = node, .leaf = k });
    return s;
}

static struct span add_operation(struct builder *b, const struct hlo_instruction *i,
                                 const struct span *span, uint32_t base)
{
    struct fusion_graph *g = b->g;
    struct span in = begin_span(b);

    for (uint32_t k = 0; k < i->n_operands; k++) {
        struct span from = span[g->m->operand[i->first_operand + k] - base];
        for (uint32_t j = 0; j < from.n; j++) {
            struct fusion_use u = leaf_at(b, from.first + j);
            add_leaf(b, &in, fusion_written_use(g, i, k, u));
        }
    }
    fusion_graph_add(g, i);
    for (uint32_t k = 0; k < in.n; k++)
        fusion_graph_read(g, leaf_at(b, in.first + k));
    b->n_leaves = in.first;
    uint32_t node = i->opcode == HLO_OP_DOT       ? fusion_dot_reduce(g)
                    : i->opcode == HLO_OP_SCATTER ? fusion_scatter_choose(g)
                                                  : fusion_graph_settle(g);
    if (i->opcode == HLO_OP_PARAMETER)
        node = fusion_half_copy(g, node);
    return add_result(b, node, i->shape->leaves);
}

static bool is_target(const struct fusion_graph *g, const struct hlo_instruction *i,
                      const char *target)
{
    return hlo_text_is(hlo_unquoted(hlo_attribute(g->m, i, "custom_call_target")), target);
}

/* A custom call: shapes of one device, annotations; others are not handled. */
static struct span read_custom(struct builder *b, const struct hlo_instruction *i,
                               const struct span *span, uint32_t base)
{
    static const char *const names[] = { "xla.sdy.LocalToGlobalShape", "xla.sdy.FuncResultSharding",
                                         "xla.sdy.PropagationBarrier" };
    struct span s = join_spans(b, i, span, base);

    if (is_target(b->g, i, "xla.sdy.GlobalToLocalShape")) {
        for (uint32_t k = 0; k < s.n; k++) {
            struct fusion_node *n = &b->g->node[leaf_at(b, s.first + k).node];
            if (n->from->opcode == HLO_OP_PARAMETER)
                n->shape = fusion_graph_leaf(i->shape, k);
            else if (n->from->opcode == HLO_OP_COPY && n->class == FUSION_OPAQUE)
                n->shape = b->g->node[fusion_in(b->g, n, 0)->node].shape =
                    fusion_graph_leaf(i->shape, k);
            else if (!fusion_same_shape(n->shape, fusion_graph_leaf(i->shape, k)))
                b->g->unknown = true;
        }
        return s;
    }
    for (size_t k = 0; k < sizeof names / sizeof *names; k++)
        if (is_target(b->g, i, names[k]))
            return s;
    b->g->unknown = true;
    return s;
}

static struct span build_computation(struct builder *b, const struct hlo_computation *c,
                                     const struct span *argument, uint32_t n_arguments);

static struct span build_instruction(struct builder *b, const struct hlo_instruction *i,
                                     const struct span *span, uint32_t base)
{
    const struct hlo_module *m = b->g->m;

    switch (i->opcode) {
    case HLO_OP_TUPLE: return join_spans(b, i, span, base);
    case HLO_OP_OPT_BARRIER: return pass_barrier(b, i, span, base);
    case HLO_OP_GET_TUPLE_ELEMENT: return take_element(b, i, span, base);
    case HLO_OP_CUSTOM_CALL: return read_custom(b, i, span, base);
    case HLO_OP_CALL: {
        struct span *argument = memory_zeroed(i->n_operands, sizeof *argument);
        for (uint32_t k = 0; k < i->n_operands; k++)
            argument[k] = span[m->operand[i->first_operand + k] - base];
        struct span s = { 0, 0 };
        if (i->n_called == 1 && b->depth < HLO_MAX_CALLS)
            s = build_computation(b, hlo_called(m, i, 0), argument, i->n_operands);
        else
            b->g->unknown = true;
        free(argument);
        return s;
    }
    case HLO_OP_WHILE:
    case HLO_OP_CONDITIONAL:
    case HLO_OP_FUSION:
    case HLO_OP_INFEED:
    case HLO_OP_OUTFEED:
    case HLO_OP_SEND:
    case HLO_OP_RECV:
    case HLO_OP_AFTER_ALL:
    case HLO_OP_DOMAIN:
    case HLO_OP_ASYNC_START:
    case HLO_OP_START: b->g->unknown = true; return (struct span){ 0, 0 };
    default: return add_operation(b, i, span, base);
    }
}

static struct span build_computation(struct builder *b, const struct hlo_computation *c,
                                     const struct span *argument, uint32_t n_arguments)
{
    const struct hlo_module *m = b->g->m;
    struct span *span = memory_zeroed(c->n, sizeof *span), root;

    b->depth++;
    for (uint32_t k = 0; k < c->n && !b->g->unknown; k++) {
        b->g->unknown |= b->g->n >= MAX_NODES;
        const struct hlo_instruction *i = &m->instruction[c->first + k];
        if (i->opcode == HLO_OP_PARAMETER && argument) {
            if (i->number >= 0 && (uint64_t)i->number < n_arguments)
                span[k] = argument[i->number];
        } else {
            span[k] = build_instruction(b, i, span, c->first);
        }
        uint32_t leaves = i->shape->leaves;
        if (span[k].n != leaves || (leaves && i->shape->dtype == HLO_TOKEN))
            b->g->unknown = true;
    }
    b->depth--;
    root = span[c->root - c->first];
    free(span);
    return root;
}

/* Operands that each class of node has, whatever the text says. */
static bool has_operands(const struct fusion_node *n)
{
    switch (n->class) {
    case FUSION_MAP: return n->n_in > 0 && n->shape->dtype != HLO_TUPLE;
    case FUSION_MOVE:
        return (n->n_in > 0 || n->from->opcode == HLO_OP_IOTA) && n->shape->dtype != HLO_TUPLE;
    case FUSION_REDUCE: return n->n_in > 1;
    case FUSION_PRODUCT: return n->n_in == 2 && n->shape->dtype != HLO_TUPLE;
    case FUSION_OPAQUE: return n->from->opcode != HLO_OP_ALL_REDUCE || n->n_in > 0;
    default: return true;
    }
}

static void check_shapes(struct fusion_graph *g)
{
    for (uint32_t k = 0; k < g->n; k++)
        g->unknown |= !has_operands(&g->node[k]);
    for (uint32_t k = 0; k < g->n; k++)
        for (uint32_t j = 0; j < g->node[k].shape->leaves; j++) {
            const struct hlo_shape *s = fusion_graph_leaf(g->node[k].shape, j);
            if (s->rank > FUSION_DIMS || hlo_dtype_bits[s->dtype] == 0 || s->dynamic)
                g->unknown = true;
        }
}

static void mark_live(struct fusion_graph *g)
{
    for (uint32_t k = 0; k < g->n_out; k++)
        g->node[g->out[k].node].live = g->node[g->out[k].node].output = true;
    for (uint32_t k = g->n; k-- > 0;) {
        struct fusion_node *n = &g->node[k];
        for (uint32_t j = 0; n->live && j < n->n_in; j++)
            g->node[fusion_in(g, n, j)->node].live = true;
        n->live |= n->from->opcode == HLO_OP_PARAMETER;
    }
    for (uint32_t k = 0; k < g->n; k++) { /* readers that nobody needs read nothing */
        struct fusion_list *u = &g->node[k].users;
        uint32_t kept = 0;
        for (uint32_t j = 0; j < u->n; j++)
            if (g->node[u->at[j]].live)
                u->at[kept++] = u->at[j];
        u->n = kept;
    }
}

bool fusion_graph_build(struct fusion_graph *g)
{
    struct builder b = { .g = g };
    struct span root = build_computation(&b, &g->m->computation[g->m->entry], NULL, 0);

    for (uint32_t k = 0; k < root.n && !g->unknown; k++) {
        MEMORY_GROW(g->out, g->n_out + 1, g->cap_out);
        g->out[g->n_out++] = leaf_at(&b, root.first + k);
    }
    free(b.leaf);
    check_shapes(g);
    fusion_half_drop(g);
    if (!g->unknown)
        mark_live(g);
    return !g->unknown;
}

void fusion_graph_free(struct fusion_graph *g)
{
    for (uint32_t k = 0; k < g->n; k++) {
        free(g->node[k].users.at);
        free(g->node[k].groups.at);
        free(g->node[k].attributes);
    }
    for (uint32_t k = 0; k < g->n_made; k++)
        free(g->made[k]);
    for (uint32_t k = 0; k < g->n_narrowed; k++)
        free(g->narrowed[k]);
    free(g->made);
    free(g->narrowed);
    for (uint32_t k = 0; k < g->n_groups; k++)
        free(g->group[k].nodes.at);
    free(g->node);
    free(g->in);
    free(g->out);
    free(g->group);
    free(g->order.at);
    free(g->joined);
}
