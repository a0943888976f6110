#include "kernels/graph.h"

#include <stdlib.h>
#include <string.h>

void graph_init(struct graph *g)
{
    *g = (struct graph){ 0 };
}

void graph_free(struct graph *g)
{
    free(g->value);
    free(g->op);
    free(g->node);
    free(g->ref);
    free(g->text);
    free(g->slot);
    *g = (struct graph){ 0 };
}

/* Room for element `n` of an array of `cap` elements of `size` bytes. */
static void *room(void *array, uint32_t n, uint32_t *cap, size_t size)
{
    if (n < *cap)
        return array;
    uint32_t more = *cap ? 2 * *cap : 64;
    while (more <= n)
        more *= 2;
    array = realloc(array, more * size);
    BUG_ON(!array);
    memset((char *)array + *cap * size, 0, (more - *cap) * size);
    *cap = more;
    return array;
}

static uint32_t add_text(struct graph *g, const char *s)
{
    uint32_t at = g->n_text, length = (uint32_t)strlen(s) + 1;

    g->text = room(g->text, at + length, &g->cap_text, 1);
    memcpy(g->text + at, s, length);
    g->n_text += length;
    return at;
}

static uint32_t add_value(struct graph *g, struct trace *t, struct trace_value id, bool persistent)
{
    const struct trace_tensor *x = trace_tensor(t, id);

    g->value = room(g->value, g->n_values, &g->cap_values, sizeof *g->value);
    g->value[g->n_values] = (struct graph_value){ .shape = x->shape,
                                                  .role = x->role,
                                                  .stored = x->shape.dtype,
                                                  .persistent = persistent,
                                                  .stage = x->stage,
                                                  .def = g->n_nodes,
                                                  .last_use = UINT32_MAX };
    g->slot = room(g->slot, id.id, &g->cap_slots, sizeof *g->slot);
    g->slot[id.id] = g->n_values;
    return g->n_values++;
}

static uint32_t add_ref(struct graph *g, uint32_t value)
{
    g->ref = room(g->ref, g->n_refs, &g->cap_refs, sizeof *g->ref);
    g->ref[g->n_refs] = value;
    return g->n_refs++;
}

int graph_read_tensors(struct graph *g, struct trace *t, struct err *err)
{
    struct trace_item item;

    g->matmul = trace_head(t)->matmul;
    g->stages = trace_head(t)->stages;

    for (;;) {
        if (trace_next(t, &item, err) != 0)
            return -1;
        if (item.kind == TRACE_ITEM_TENSOR)
            add_value(g, t, item.value, true);
        else if (item.kind != TRACE_ITEM_HEADER)
            break;
    }
    /* the reader allows nothing but a step after the tensors */
    BUG_ON(item.kind != TRACE_ITEM_STEP_BEGIN);
    g->n_persistent = g->n_values;
    g->every = item.count;
    return 0;
}

struct reading {
    struct graph *g;
    struct trace *t;
    uint32_t phase;
    uint32_t loop[64]; /* open GRAPH_REPEAT nodes; the reader allows no deeper nesting */
    uint32_t depth;
    bool in_fusion;
    bool unnamed; /* the open fusion has no name of its own yet */
};

static void use(struct reading *r, uint32_t value)
{
    struct graph_value *v = &r->g->value[value];
    uint32_t at = r->g->n_nodes;

    /* what a loop reads from outside must last until the loop ends; its end is not known yet, so
     * the outermost such loop stands for it until close_loop() */
    for (uint32_t i = 0; i < r->depth; i++)
        if (v->def < r->loop[i]) {
            at = r->loop[i];
            break;
        }
    v->last_use = at;
}

static void close_loop(struct reading *r, uint32_t end)
{
    struct graph *g = r->g;
    uint32_t begin = r->loop[--r->depth];

    g->node[begin].match = end;
    g->node[end].match = begin;
    for (uint32_t v = 0; v < g->n_values; v++)
        if (g->value[v].last_use == begin && g->value[v].def < begin)
            g->value[v].last_use = end;
}

static struct graph_node *add_node(struct reading *r, enum graph_kind kind,
                                   const struct trace_item *item)
{
    struct graph *g = r->g;

    g->node = room(g->node, g->n_nodes, &g->cap_nodes, sizeof *g->node);
    g->node[g->n_nodes] = (struct graph_node){
        .kind = kind,
        .line = item->line,
        .phase = r->phase,
        .first_op = g->n_ops,
        .stage = kind == GRAPH_OP ? item->op.stage : TRACE_NO_STAGE,
    };
    return &g->node[g->n_nodes];
}

/* Does a replica need its share of the state alone, or all of it?  A restart takes what there is.
 */
static void note_sharing(struct graph_value *v, const struct trace_op *op)
{
    if (op->kind == TRACE_OPTIMIZER && op->sharded)
        v->in_shares = true;
    else if (op->kind != TRACE_RESTART)
        v->in_full = true;
}

static void add_op(struct reading *r, const struct trace_item *item)
{
    struct graph *g = r->g;

    g->op = room(g->op, g->n_ops, &g->cap_ops, sizeof *g->op);
    struct graph_op *op = &g->op[g->n_ops++];
    *op = (struct graph_op){ .op = item->op, .bias = UINT32_MAX, .node = g->n_nodes };
    op->first_in = g->n_refs;
    op->n_in = item->op.n_in;
    for (uint32_t i = 0; i < item->op.n_in; i++) {
        uint32_t v = g->slot[item->op.in[i].id];
        use(r, v);
        note_sharing(&g->value[v], &item->op);
        add_ref(g, v);
    }
    /* the network reads the operands of a start until its done */
    bool received = item->op.kind == TRACE_SEND && item->op.async == TRACE_DONE;
    if (item->op.async == TRACE_DONE && !received) {
        const struct graph_node *start = &g->node[g->value[g->ref[op->first_in]].def];
        const struct graph_op *begun = &g->op[start->first_op];
        for (uint32_t i = 0; i < begun->n_in; i++)
            use(r, g->ref[begun->first_in + i]);
    }
    if (item->op.has_bias) {
        op->bias = g->slot[item->op.bias.id];
        use(r, op->bias);
    }
    op->first_out = g->n_refs;
    op->n_out = item->op.n_out;
    for (uint32_t i = 0; i < item->op.n_out; i++) {
        uint32_t v = add_value(g, r->t, item->op.out[i], false);
        /* who sends something is done with it, and has no use for the handle */
        g->value[v].on_chip =
            r->in_fusion || (item->op.kind == TRACE_SEND && item->op.async == TRACE_START);
        if (received)
            g->value[v].def = g->value[g->ref[op->first_in]].def;
        add_ref(g, v);
    }
}

static void add_named(struct reading *r, const struct trace_item *item, bool fusion)
{
    struct graph_node *n = add_node(r, GRAPH_OP, item);
    uint32_t name = add_text(r->g, item->op.name), kind = add_text(r->g, item->op.kind_text);

    n->name = name;
    n->kind_text = kind;
    n->fusion = fusion;
}

/* A fusion that was not named is best known by the matmul or convolution inside it. */
static void name_after(struct reading *r, const struct trace_op *op)
{
    if (!r->unnamed || !trace_is_gemm(op->kind))
        return;
    r->unnamed = false;
    uint32_t name = add_text(r->g, op->name), text = add_text(r->g, op->kind_text);
    r->g->node[r->g->n_nodes].name = name;
    r->g->node[r->g->n_nodes].kind_text = text;
}

static void read_item(struct reading *r, const struct trace_item *item)
{
    struct graph *g = r->g;

    switch (item->kind) {
    case TRACE_ITEM_PHASE: r->phase = add_text(g, item->name); break;
    case TRACE_ITEM_OP:
        if (!r->in_fusion)
            add_named(r, item, false);
        else
            name_after(r, &item->op);
        add_op(r, item);
        if (!r->in_fusion)
            g->node[g->n_nodes++].n_ops = 1;
        break;
    case TRACE_ITEM_FUSION_BEGIN:
        add_named(r, item, true);
        r->in_fusion = true;
        r->unnamed =
            item->op.n_out && strcmp(item->op.name, trace_tensor(r->t, item->op.out[0])->name) == 0;
        break;
    case TRACE_ITEM_FUSION_END:
        for (uint32_t i = 0; i < item->op.n_out; i++)
            g->value[g->slot[item->op.out[i].id]].on_chip = false;
        g->node[g->n_nodes].n_ops = g->n_ops - g->node[g->n_nodes].first_op;
        g->n_nodes++;
        r->in_fusion = false;
        break;
    case TRACE_ITEM_REPEAT_BEGIN:
        add_node(r, GRAPH_REPEAT, item)->count = item->count;
        r->loop[r->depth++] = g->n_nodes++;
        break;
    case TRACE_ITEM_REPEAT_END:
        add_node(r, GRAPH_END, item);
        close_loop(r, g->n_nodes++);
        break;
    default: break;
    }
}

int graph_read_step(struct graph *g, struct trace *t, struct err *err)
{
    struct trace_item item;
    struct reading r = { .g = g, .t = t };

    g->n_values = g->n_persistent;
    g->n_ops = g->n_nodes = g->n_refs = g->n_text = 0;
    for (uint32_t v = 0; v < g->n_values; v++)
        g->value[v].last_use = UINT32_MAX;
    r.phase = add_text(g, "");
    for (;;) {
        if (trace_next(t, &item, err) != 0)
            return -1;
        if (item.kind == TRACE_ITEM_STEP_BEGIN) {
            g->every = item.count; /* of the second step on; graph_read_tensors took the first */
            continue;
        }
        if (item.kind == TRACE_ITEM_END)
            return 0;
        if (item.kind == TRACE_ITEM_STEP_END)
            return 1;
        read_item(&r, &item);
    }
}
