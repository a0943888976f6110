/* import_body.c - a kernel as a graph: its operations once each, fusions and calls inside it
 * written out, tuples taken apart. */
#include <stdlib.h>

#include "import/hlo/kernel/import_kernel.h"

#define MAX_NODES 1000000 /* of one kernel, calls written out */
#define MAX_NESTED 64

struct builder {
    struct import_body *b;
    struct importing *im;
    const struct hlo_instruction *kernel;
    uint32_t depth;
};

static uint32_t add_node(struct import_body *b, const struct hlo_instruction *i,
                         const struct hlo_shape *shape)
{
    MEMORY_GROW(b->node, b->n + 1, b->cap);
    b->node[b->n] =
        (struct import_node){ .i = i, .shape = shape, .operand = IMPORT_NONE, .first_in = b->n_in };
    return b->n++;
}

static void add_input(struct import_body *b, uint32_t node, uint32_t in)
{
    MEMORY_GROW(b->in, b->n_in + 1, b->cap_in);
    b->in[b->n_in++] = in;
    b->node[node].n_in++;
    b->node[in].read = true;
}

/* Spans of nodes, one for each leaf of a result, are kept in `of`. */
static void add_leaf_node(struct import_body *b, struct import_span *s, uint32_t node)
{
    MEMORY_GROW(b->of, b->n_of + 1, b->cap_of);
    b->of[b->n_of++] = node;
    s->n++;
}

static int build_computation(struct builder *u, const struct hlo_computation *c,
                             const struct import_span *argument, uint32_t n_arguments,
                             struct import_span *root);

/* False if there is less. */
static bool take_room(struct builder *u, uint64_t bytes)
{
    import_limit_work(u->im, 1 + bytes / 64);
    if (!import_limit_room(u->im, bytes))
        return false;
    u->b->room += bytes;
    return true;
}

/* An operation: a node, and one more for each leaf if it has several. */
static struct import_span add_operation(struct builder *u, const struct hlo_instruction *i,
                                        const struct import_span *span, uint32_t base)
{
    struct import_body *b = u->b;
    struct import_span s;
    uint32_t leaves = import_leaves(i->shape);
    uint32_t node = add_node(b, i, import_leaf_shape(i->shape, 0));

    for (uint32_t k = 0; k < i->n_operands; k++) {
        struct import_span o = span[u->im->m->operand[i->first_operand + k] - base];
        for (uint32_t j = 0; j < o.n && take_room(u, sizeof *b->in); j++)
            add_input(b, node, b->of[o.first + j]);
    }
    s = (struct import_span){ b->n_of, 0 };
    if (leaves == 1) {
        add_leaf_node(b, &s, node);
    } else {
        for (uint32_t k = 0; k < leaves; k++) {
            uint32_t leaf = add_node(b, NULL, import_leaf_shape(i->shape, k));
            add_input(b, leaf, node);
            add_leaf_node(b, &s, leaf);
        }
    }
    return s;
}

static struct import_span join_spans(struct builder *u, const struct hlo_instruction *i,
                                     const struct import_span *span, uint32_t base)
{
    struct import_body *b = u->b;
    struct import_span s = { b->n_of, 0 };

    for (uint32_t k = 0; k < i->n_operands; k++) {
        struct import_span o = span[u->im->m->operand[i->first_operand + k] - base];
        for (uint32_t j = 0; j < o.n && take_room(u, sizeof *b->of); j++)
            add_leaf_node(b, &s, b->of[o.first + j]);
    }
    return s;
}

/* The result of a start inside a body: what its computation makes, behind the operands. */
static struct import_span skip_operands(struct import_span s, const struct hlo_instruction *done,
                                        const struct hlo_instruction *start)
{
    if (start->shape->dtype == HLO_TUPLE && start->shape->n_parts > 1 && s.n > 1) {
        uint32_t first = import_leaves(&start->shape->part[0]), n = import_leaves(done->shape);
        if (first + n <= s.n)
            return (struct import_span){ s.first + first, n };
    }
    return s;
}

static int build_call(struct builder *u, const struct hlo_instruction *i,
                      const struct import_span *span, uint32_t base, struct import_span *s)
{
    const struct hlo_module *m = u->im->m;
    struct import_span *in = memory_zeroed(i->n_operands, sizeof *in), root = { 0 };

    for (uint32_t k = 0; k < i->n_operands; k++)
        in[k] = span[m->operand[i->first_operand + k] - base];
    int rc = build_computation(u, hlo_called(m, i, 0), in, i->n_operands, &root);
    free(in);
    *s = root;
    if (rc == 0 && (i->opcode == HLO_OP_CALL_START || i->opcode == HLO_OP_ASYNC_START)) {
        /* operands, results, contexts: only the results are looked at */
        struct import_body *b = u->b;
        uint32_t n = import_leaves(i->shape), at = 0;
        uint32_t first = i->shape->n_parts > 1 ? import_leaves(&i->shape->part[0]) : 0;
        *s = (struct import_span){ b->n_of, 0 };
        uint32_t nothing = add_node(b, NULL, import_leaf_shape(i->shape, UINT32_MAX));
        for (uint32_t k = 0; k < n; k++)
            add_leaf_node(b, s, k >= first && at < root.n ? b->of[root.first + at++] : nothing);
    }
    return rc;
}

static struct import_span take_element(struct builder *u, const struct hlo_instruction *i,
                                       const struct import_span *span, uint32_t base)
{
    const struct hlo_instruction *o = hlo_operand(u->im->m, i, 0);
    struct import_span s = span[u->im->m->operand[i->first_operand] - base];
    uint32_t part = (uint32_t)i->number;

    if (o->shape->dtype != HLO_TUPLE || part >= o->shape->n_parts)
        return s;
    struct import_span e = { s.first + import_leaf_of(o->shape, part),
                             import_leaves(&o->shape->part[part]) };
    return e.first + e.n > s.first + s.n ? s : e;
}

static int build_instruction(struct builder *u, const struct hlo_instruction *i,
                             const struct import_span *span, uint32_t base, struct import_span *s)
{
    const struct hlo_module *m = u->im->m;

    take_room(u, import_leaves(i->shape) * (sizeof *u->b->node + sizeof *u->b->of));
    if (import_limit_check(u->im, i) != 0)
        return -1;
    if (u->b->n > MAX_NODES)
        return hlo_error(m, i, u->im->err, "a kernel of more than %d operations", MAX_NODES);
    switch (i->opcode) {
    case HLO_OP_TUPLE: *s = join_spans(u, i, span, base); return 0;
    case HLO_OP_GET_TUPLE_ELEMENT: *s = take_element(u, i, span, base); return 0;
    case HLO_OP_FUSION:
    case HLO_OP_CALL:
    case HLO_OP_CALL_START:
    case HLO_OP_ASYNC_START:
        if (i->n_called)
            return build_call(u, i, span, base, s);
        break;
    case HLO_OP_CALL_DONE:
    case HLO_OP_ASYNC_DONE:
        *s = skip_operands(span[m->operand[i->first_operand] - base], i, hlo_operand(m, i, 0));
        return 0;
    default: break;
    }
    if (import_carry_holds(u->im, i)) { /* no work of this kernel */
        *s = (struct import_span){ u->b->n_of, 0 };
        for (uint32_t k = 0, n = import_leaves(i->shape); k < n; k++)
            add_leaf_node(u->b, s, add_node(u->b, NULL, import_leaf_shape(i->shape, k)));
        return 0;
    }
    *s = add_operation(u, i, span, base);
    return 0;
}

static int build_computation(struct builder *u, const struct hlo_computation *c,
                             const struct import_span *argument, uint32_t n_arguments,
                             struct import_span *root)
{
    struct import_span *span = memory_zeroed(c->n, sizeof *span);
    int rc = 0;

    if (++u->depth > MAX_NESTED)
        rc = hlo_error(u->im->m, u->kernel, u->im->err, "more than %d nested computations",
                       MAX_NESTED);
    for (uint32_t k = 0; k < c->n && rc == 0; k++) {
        const struct hlo_instruction *i = &u->im->m->instruction[c->first + k];
        if (i->opcode != HLO_OP_PARAMETER)
            rc = build_instruction(u, i, span, c->first, &span[k]);
        else if (i->number >= 0 && (uint64_t)i->number < n_arguments)
            span[k] = argument[i->number];
    }
    u->depth--;
    if (rc == 0)
        *root = span[c->root - c->first];
    free(span);
    return rc;
}

/* Nodes of the kernel's own operands: one for each leaf. */
static struct import_span *add_operands(struct builder *u)
{
    const struct hlo_instruction *i = u->kernel;
    struct import_span *in = memory_zeroed(i->n_operands, sizeof *in);
    uint32_t leaf = 0;

    for (uint32_t k = 0; k < i->n_operands; k++) {
        const struct hlo_shape *s = hlo_operand(u->im->m, i, k)->shape;
        uint32_t n = import_leaves(s);
        in[k] = (struct import_span){ u->b->n_of, 0 };
        for (uint32_t j = 0; j < n && take_room(u, sizeof *u->b->node + sizeof *u->b->of); j++) {
            uint32_t node = add_node(u->b, NULL, import_leaf_shape(s, j));
            u->b->node[node].operand = leaf++;
            add_leaf_node(u->b, &in[k], node);
        }
    }
    return in;
}

/* True if input `j` of a node is a part of what it makes, or a node is one and its inputs are. */
static bool hands_parts(const struct import_node *n, uint32_t j)
{
    switch (n->i ? n->i->opcode : HLO_OP_OTHER) {
    case HLO_OP_CONCATENATE: return true;
    case HLO_OP_PAD: return j == 0;
    case HLO_OP_DYNAMIC_UPDATE_SLICE: return j < 2;
    case HLO_OP_BROADCAST:
    case HLO_OP_REDUCE:
    case HLO_OP_GATHER: return false;
    case HLO_OP_DYNAMIC_SLICE: return n->joined && j == 0;
    default: return n->joined;
    }
}

/* Mark all that reaches operand 0 or 1 of a product without passing another one. */
static void mark_factors(struct import_body *b)
{
    for (uint32_t k = b->n; k-- > 0;) {
        const struct import_node *n = &b->node[k];
        bool product = n->i && (n->i->opcode == HLO_OP_CONVOLUTION || n->i->opcode == HLO_OP_DOT);
        for (uint32_t j = 0; j < n->n_in; j++) {
            struct import_node *in = import_in(b, n, j);
            in->to_a |= product ? j == 0 : n->to_a;
            in->to_b |= product ? j == 1 : n->to_b;
            in->joined |= !product && (n->to_a || n->to_b) && hands_parts(n, j);
        }
    }
}

int import_body_build(struct import_body *b, struct importing *im, const struct hlo_instruction *i)
{
    struct builder u = { b, im, i, 0 };
    struct import_span root = { 0 }, *in = add_operands(&u);
    int rc = import_limit_check(im, i);

    if (rc == 0 && i->n_called &&
        (i->opcode == HLO_OP_FUSION || i->opcode == HLO_OP_CALL || i->opcode == HLO_OP_CALL_START ||
         i->opcode == HLO_OP_ASYNC_START || i->opcode == HLO_OP_START)) {
        rc = build_computation(&u, hlo_called(im->m, i, 0), in, i->n_operands, &root);
    } else if (rc == 0) {
        uint32_t node = add_node(b, i, import_leaf_shape(i->shape, 0));
        for (uint32_t k = 0; k < i->n_operands; k++)
            for (uint32_t j = 0; j < in[k].n && take_room(&u, sizeof *b->in); j++)
                add_input(b, node, b->of[in[k].first + j]);
        root = (struct import_span){ b->n_of, 0 };
        take_room(&u, import_leaves(i->shape) * sizeof *b->of);
        for (uint32_t k = import_leaves(i->shape); k; k--)
            add_leaf_node(b, &root, node);
    }
    for (uint32_t k = 0; k < root.n && rc == 0; k++) {
        MEMORY_GROW(b->root, b->n_roots + 1, b->cap_roots);
        b->root[b->n_roots++] = b->of[root.first + k];
        b->node[b->of[root.first + k]].result = true;
    }
    mark_factors(b);
    free(in);
    return rc == 0 ? import_limit_check(im, i) : -1;
}

void import_body_free(struct importing *im, struct import_body *b)
{
    import_limit_return(im, b->room);
    free(b->node);
    free(b->in);
    free(b->root);
    free(b->of);
    *b = (struct import_body){ 0 };
}

uint32_t import_body_source(const struct import_body *b, uint32_t node)
{
    for (;;) {
        const struct import_node *n = &b->node[node];
        bool same = n->i && n->n_in == 1 &&
                    (n->i->opcode == HLO_OP_BITCAST || n->i->opcode == HLO_OP_RESHAPE ||
                     n->i->opcode == HLO_OP_COPY || n->i->opcode == HLO_OP_CONVERT ||
                     n->i->opcode == HLO_OP_TRANSPOSE || n->i->opcode == HLO_OP_REDUCE_PRECISION ||
                     n->i->opcode == HLO_OP_BITCAST_CONVERT);
        if (!same)
            return node;
        node = b->in[n->first_in];
    }
}
