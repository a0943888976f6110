#include "step/step.h"

#include <stdlib.h>
#include <string.h>

void step_init(struct step *step)
{
    *step = (struct step){ 0 };
}

void step_free(struct step *step)
{
    free(step->value);
    free(step->op);
    free(step->node);
    free(step->ref);
    free(step->text);
    free(step->slot);
    *step = (struct step){ 0 };
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

static uint32_t add_text(struct step *step, const char *s)
{
    uint32_t at = step->n_text, length = (uint32_t)strlen(s) + 1;

    step->text = room(step->text, at + length, &step->cap_text, 1);
    memcpy(step->text + at, s, length);
    step->n_text += length;
    return at;
}

static uint32_t add_value(struct step *step, struct trace *t, struct trace_value id,
                          bool persistent)
{
    const struct trace_tensor *x = trace_tensor(t, id);

    step->value = room(step->value, step->n_values, &step->cap_values, sizeof *step->value);
    step->value[step->n_values] = (struct step_value){ .shape = x->shape,
                                                       .role = x->role,
                                                       .stored = x->shape.dtype,
                                                       .persistent = persistent,
                                                       .stage = x->stage,
                                                       .def = step->n_nodes,
                                                       .last_use = UINT32_MAX };
    step->slot = room(step->slot, id.id, &step->cap_slots, sizeof *step->slot);
    step->slot[id.id] = step->n_values;
    return step->n_values++;
}

static uint32_t add_ref(struct step *step, uint32_t value)
{
    step->ref = room(step->ref, step->n_refs, &step->cap_refs, sizeof *step->ref);
    step->ref[step->n_refs] = value;
    return step->n_refs++;
}

int step_read_tensors(struct step *step, struct trace *t, struct err *err)
{
    struct trace_item item;

    step->matmul = trace_head(t)->matmul;
    step->stages = trace_head(t)->stages;

    for (;;) {
        if (trace_next(t, &item, err) != 0)
            return -1;
        if (item.kind == TRACE_ITEM_TENSOR)
            add_value(step, t, item.value, true);
        else if (item.kind != TRACE_ITEM_HEADER)
            break;
    }
    /* the reader allows nothing but a step after the tensors */
    BUG_ON(item.kind != TRACE_ITEM_STEP_BEGIN);
    step->n_persistent = step->n_values;
    step->every = item.count;
    return 0;
}

struct reading {
    struct step *step;
    struct trace *t;
    uint32_t phase;
    uint32_t loop[64]; /* open STEP_REPEAT nodes; the reader allows no deeper nesting */
    uint32_t depth;
    bool in_fusion;
    bool unnamed; /* the open fusion has no name of its own yet */
};

static void use(struct reading *r, uint32_t value)
{
    struct step_value *v = &r->step->value[value];
    uint32_t at = r->step->n_nodes;

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
    struct step *step = r->step;
    uint32_t begin = r->loop[--r->depth];

    step->node[begin].match = end;
    step->node[end].match = begin;
    for (uint32_t v = 0; v < step->n_values; v++)
        if (step->value[v].last_use == begin && step->value[v].def < begin)
            step->value[v].last_use = end;
}

static struct step_node *add_node(struct reading *r, enum step_kind kind,
                                  const struct trace_item *item)
{
    struct step *step = r->step;

    step->node = room(step->node, step->n_nodes, &step->cap_nodes, sizeof *step->node);
    step->node[step->n_nodes] = (struct step_node){
        .kind = kind,
        .line = item->line,
        .phase = r->phase,
        .first_op = step->n_ops,
        .stage = kind == STEP_OP ? item->op.stage : TRACE_NO_STAGE,
    };
    return &step->node[step->n_nodes];
}

/* Does a replica need its share of the state alone, or all of it?  A restart takes what there is.
 */
static void note_sharing(struct step_value *v, const struct trace_op *op)
{
    if (op->kind == TRACE_OPTIMIZER && op->sharded)
        v->in_shares = true;
    else if (op->kind != TRACE_RESTART)
        v->in_full = true;
}

static void add_op(struct reading *r, const struct trace_item *item)
{
    struct step *step = r->step;

    step->op = room(step->op, step->n_ops, &step->cap_ops, sizeof *step->op);
    struct step_op *op = &step->op[step->n_ops++];
    *op = (struct step_op){ .op = item->op, .bias = UINT32_MAX, .node = step->n_nodes };
    op->first_in = step->n_refs;
    op->n_in = item->op.n_in;
    for (uint32_t i = 0; i < item->op.n_in; i++) {
        uint32_t v = step->slot[item->op.in[i].id];
        use(r, v);
        note_sharing(&step->value[v], &item->op);
        add_ref(step, v);
    }
    /* the network reads the operands of a start until its done */
    bool received = item->op.kind == TRACE_SEND && item->op.async == TRACE_DONE;
    if (item->op.async == TRACE_DONE && !received) {
        const struct step_node *start = &step->node[step->value[step->ref[op->first_in]].def];
        const struct step_op *begun = &step->op[start->first_op];
        for (uint32_t i = 0; i < begun->n_in; i++)
            use(r, step->ref[begun->first_in + i]);
    }
    if (item->op.has_bias) {
        op->bias = step->slot[item->op.bias.id];
        use(r, op->bias);
    }
    op->first_out = step->n_refs;
    op->n_out = item->op.n_out;
    for (uint32_t i = 0; i < item->op.n_out; i++) {
        uint32_t v = add_value(step, r->t, item->op.out[i], false);
        /* who sends something is done with it, and has no use for the handle */
        step->value[v].on_chip =
            r->in_fusion || (item->op.kind == TRACE_SEND && item->op.async == TRACE_START);
        if (received)
            step->value[v].def = step->value[step->ref[op->first_in]].def;
        add_ref(step, v);
    }
}

static void add_named(struct reading *r, const struct trace_item *item, bool fusion)
{
    struct step_node *n = add_node(r, STEP_OP, item);
    uint32_t name = add_text(r->step, item->op.name), kind = add_text(r->step, item->op.kind_text);

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
    uint32_t name = add_text(r->step, op->name), text = add_text(r->step, op->kind_text);
    r->step->node[r->step->n_nodes].name = name;
    r->step->node[r->step->n_nodes].kind_text = text;
}

static void read_item(struct reading *r, const struct trace_item *item)
{
    struct step *step = r->step;

    switch (item->kind) {
    case TRACE_ITEM_PHASE: r->phase = add_text(step, item->name); break;
    case TRACE_ITEM_OP:
        if (!r->in_fusion)
            add_named(r, item, false);
        else
            name_after(r, &item->op);
        add_op(r, item);
        if (!r->in_fusion)
            step->node[step->n_nodes++].n_ops = 1;
        break;
    case TRACE_ITEM_FUSION_BEGIN:
        add_named(r, item, true);
        r->in_fusion = true;
        r->unnamed =
            item->op.n_out && strcmp(item->op.name, trace_tensor(r->t, item->op.out[0])->name) == 0;
        break;
    case TRACE_ITEM_FUSION_END:
        for (uint32_t i = 0; i < item->op.n_out; i++)
            step->value[step->slot[item->op.out[i].id]].on_chip = false;
        step->node[step->n_nodes].n_ops = step->n_ops - step->node[step->n_nodes].first_op;
        step->n_nodes++;
        r->in_fusion = false;
        break;
    case TRACE_ITEM_REPEAT_BEGIN:
        add_node(r, STEP_REPEAT, item)->count = item->count;
        r->loop[r->depth++] = step->n_nodes++;
        break;
    case TRACE_ITEM_REPEAT_END:
        add_node(r, STEP_END, item);
        close_loop(r, step->n_nodes++);
        break;
    default: break;
    }
}

int step_read_next(struct step *step, struct trace *t, struct err *err)
{
    struct trace_item item;
    struct reading r = { .step = step, .t = t };

    step->n_values = step->n_persistent;
    step->n_ops = step->n_nodes = step->n_refs = step->n_text = 0;
    for (uint32_t v = 0; v < step->n_values; v++)
        step->value[v].last_use = UINT32_MAX;
    r.phase = add_text(step, "");
    for (;;) {
        if (trace_next(t, &item, err) != 0)
            return -1;
        if (item.kind == TRACE_ITEM_STEP_BEGIN) {
            step->every = item.count; /* of the second step on; step_read_tensors took the first */
            continue;
        }
        if (item.kind == TRACE_ITEM_END)
            return 0;
        if (item.kind == TRACE_ITEM_STEP_END)
            return 1;
        read_item(&r, &item);
    }
}
