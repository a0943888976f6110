/* The operations of the step as they stand in its text, and what they are of one micro-batch. */
#include <stdlib.h>
#include <string.h>

#include "shard/pipeline_impl.h"
#include "trace/attr.h"

struct load {
    struct pipe *p;
    struct trace *t;
    struct err *err;
    const char *phase;
    uint32_t op;          /* the next */
    bool inside, between; /* a fusion; a step that runs between the others */
    bool had;             /* the step that is cut has begun */
    FILE *before, *after;
};

static char *copy(const char *s)
{
    char *c = s ? strdup(s) : NULL;

    BUG_ON(s && !c);
    return c;
}

static struct pipe_node *add_node(struct load *l, const struct trace_item *item)
{
    struct pipe *p = l->p;

    if (p->n_nodes == p->cap_nodes) {
        p->cap_nodes = p->cap_nodes ? 2 * p->cap_nodes : 256;
        p->node = realloc(p->node, p->cap_nodes * sizeof *p->node);
        BUG_ON(!p->node);
    }
    struct pipe_node *n = &p->node[p->n_nodes++];
    *n = (struct pipe_node){ .first = l->op,
                             .line = item->line,
                             .named = item->op.given & ATTR_BIT(NAME),
                             .name = copy(item->op.name),
                             .note = copy(item->op.note),
                             .phase = copy(l->phase),
                             .owner = PIPE_NONE };
    return n;
}

static uint64_t part(const struct pipe *p, uint64_t n)
{
    return n / p->s.parts + (n % p->s.parts != 0);
}

/* What it does of one micro-batch. */
static void scale(const struct pipe *p, const struct shard_op *op, struct trace_op *x)
{
    if (!op->share)
        return;
    x->flops = part(p, x->flops);
    x->reads = part(p, x->reads);
    x->writes = part(p, x->writes);
    x->work.bytes = part(p, x->work.bytes);
    x->work.items = part(p, x->work.items);
    x->work.calls = part(p, x->work.calls);
    if (op->kind == TRACE_GATHER || op->kind == TRACE_SCATTER || op->kind == TRACE_SORT) {
        bool columns = shard_out(&p->s, op, 0)->split > 0;
        const struct shard_value *table =
            shard_in(&p->s, op, 0)->split == 0 && op->kind == TRACE_GATHER ? shard_in(&p->s, op, 0)
            : op->kind == TRACE_SCATTER                                    ? shard_out(&p->s, op, 0)
                                                                           : NULL;
        if (columns)
            x->cols = part(p, x->cols);
        else
            x->rows = part(p, x->rows);
        if (table && table->split == 0)
            x->table_rows = part(p, x->table_rows);
    }
}

static int refuse(const struct load *l, uint32_t line, const char *kind, const char *why)
{
    return err_set(l->err, ERR_FIT, "%s:%u: %s: %s", l->p->file, line, kind, why);
}

/* What a stage does not do by itself. */
static int check_kind(const struct load *l, const struct trace_op *x)
{
    if (l->between) {
        if (x->kind >= TRACE_HOST && x->kind <= TRACE_RESTART)
            return 0;
        return refuse(l, x->line, x->kind_text,
                      "in a step between the others a pipeline has work of the host only");
    }
    if (x->kind >= TRACE_HOST && x->kind <= TRACE_RESTART)
        return refuse(l, x->line, x->kind_text, "a stage cannot wait for the host by itself");
    if (x->sync)
        return refuse(l, x->line, x->kind_text,
                      "sync=1: a stage cannot wait for the host by itself");
    if (x->async != TRACE_SYNC)
        return refuse(l, x->line, x->kind_text,
                      "asynchronous operations are not cut into micro-batches");
    if (x->kind == TRACE_BARRIER || x->kind == TRACE_UNKNOWN)
        return refuse(l, x->line, x->kind_text, "is not cut into stages");
    if (x->sharded)
        return refuse(l, x->line, x->kind_text, "sharded=1 and a pipeline do not go together");
    if (trace_is_collective(x->kind) && x->given & (ATTR_BIT(GROUP) | ATTR_BIT(GROUP_STRIDE)))
        return refuse(l, x->line, x->kind_text,
                      "a step with collectives of groups was cut already");
    return 0;
}

static void take_op(struct load *l, const struct trace_item *item)
{
    struct pipe *p = l->p;
    struct pipe_op *o = &p->op[l->op];

    if (!l->inside) {
        struct pipe_node *n = add_node(l, item);
        n->n = 1;
        n->gemm = trace_is_gemm(item->op.kind);
    } else {
        struct pipe_node *n = &p->node[p->n_nodes - 1];
        n->n++;
        n->gemm |= trace_is_gemm(item->op.kind);
    }
    *o = (struct pipe_op){ .x = item->op,
                           .name = copy(item->op.name),
                           .note = copy(item->op.note),
                           .node = p->n_nodes - 1 };
    o->x.name = o->name;
    o->x.note = o->note;
    o->x.kind_text = trace_kind_name[o->x.kind];
    o->x.in = o->x.out = NULL;
    /* the bias has another name; the name is that of the operation, not of one micro-batch */
    o->x.given = (o->x.given & ~ATTR_BIT(BIAS)) | ATTR_BIT(NAME);
    scale(p, &p->s.op[l->op], &o->x);
}

static int take_step(struct load *l, const struct trace_item *item)
{
    l->between = item->count > 1;
    if (!l->between && l->had)
        return refuse(l, item->line, "step", "a trace of several steps cannot be cut into stages");
    l->had |= !l->between;
    return 0;
}

static int take(struct load *l, const struct trace_item *item)
{
    struct pipe *p = l->p;
    bool op = item->kind == TRACE_ITEM_OP;

    if (item->kind == TRACE_ITEM_STEP_BEGIN && take_step(l, item) != 0)
        return -1;
    if (op && check_kind(l, &item->op) != 0)
        return -1;
    if (l->between) {
        trace_print(l->t, item, l->had ? l->after : l->before);
        if (op)
            p->op[l->op++].node = PIPE_NONE;
        l->between = item->kind != TRACE_ITEM_STEP_END;
        return 0;
    }
    switch (item->kind) {
    case TRACE_ITEM_REPEAT_BEGIN:
        return refuse(l, item->line, "repeat", "a loop cannot be cut into stages");
    case TRACE_ITEM_PHASE: l->phase = item->name; break;
    case TRACE_ITEM_FUSION_BEGIN:
        add_node(l, item)->fusion = true;
        l->inside = true;
        break;
    case TRACE_ITEM_FUSION_END: l->inside = false; break;
    case TRACE_ITEM_OP:
        take_op(l, item);
        l->op++;
        break;
    default: break;
    }
    return 0;
}

int pipe_load(struct pipe *p, struct trace *t, struct err *err)
{
    struct trace_item item = { .kind = TRACE_ITEM_HEADER };
    struct load l = { .p = p, .t = t, .err = err };
    char *phase = NULL;
    size_t size[2];
    int rc = 0;

    p->op = calloc((size_t)p->s.n_ops + 1, sizeof *p->op);
    l.before = open_memstream(&p->before, &size[0]);
    l.after = open_memstream(&p->after, &size[1]);
    BUG_ON(!p->op || !l.before || !l.after);
    while (rc == 0 && item.kind != TRACE_ITEM_END) {
        rc = trace_next(t, &item, err);
        if (rc == 0)
            rc = take(&l, &item);
        if (rc == 0 && item.kind == TRACE_ITEM_PHASE) { /* the reader's own text does not last */
            free(phase);
            l.phase = phase = copy(item.name);
        }
        if (item.kind == TRACE_ITEM_STEP_BEGIN)
            l.phase = NULL;
    }
    free(phase);
    fclose(l.before);
    fclose(l.after);
    return rc;
}
