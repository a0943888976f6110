/* The operations of the step that is cut, and what they are of one micro-batch. */
#include <string.h>

#include "base/memory.h"
#include "passes/shard/pipeline_impl.h"
#include "trace/attr.h"

static uint64_t part_of(const struct pipeline *p, uint64_t n)
{
    return n / p->s.parts + (n % p->s.parts != 0);
}

/* Scale the work of an operation to one micro-batch. */
static void scale_work(const struct pipeline *p, const struct shard_op *op, struct trace_op *x)
{
    if (!op->share)
        return;
    x->flops = part_of(p, x->flops);
    x->reads = part_of(p, x->reads);
    x->writes = part_of(p, x->writes);
    x->work.bytes = part_of(p, x->work.bytes);
    x->work.items = part_of(p, x->work.items);
    x->work.calls = part_of(p, x->work.calls);
    if (x->kind == TRACE_GATHER || x->kind == TRACE_SCATTER || x->kind == TRACE_SORT) {
        bool columns = shard_out(&p->s, op, 0)->split > 0;
        const struct shard_value *table =
            shard_in(&p->s, op, 0)->split == 0 && x->kind == TRACE_GATHER ? shard_in(&p->s, op, 0)
            : x->kind == TRACE_SCATTER                                    ? shard_out(&p->s, op, 0)
                                                                          : NULL;
        if (columns)
            x->cols = part_of(p, x->cols);
        else
            x->rows = part_of(p, x->rows);
        if (table && table->split == 0)
            x->table_rows = part_of(p, x->table_rows);
    }
}

static int refuse_op(const struct pipeline *p, uint32_t line, const char *kind, const char *why,
                     struct err *err)
{
    return err_set(err, ERR_FIT, "%s:%u: %s: %s", p->step->file, line, kind, why);
}

/* Refuse operations that a stage cannot run by itself. */
static int check_kind(const struct pipeline *p, const struct trace_op *x, bool between,
                      struct err *err)
{
    if (between) {
        if (trace_is_host(x->kind))
            return 0;
        return refuse_op(p, x->line, x->kind_text,
                         "in a step between the others a pipeline has work of the host only", err);
    }
    if (trace_is_host(x->kind))
        return refuse_op(p, x->line, x->kind_text, "a stage cannot wait for the host by itself",
                         err);
    if (x->sync)
        return refuse_op(p, x->line, x->kind_text,
                         "sync=1: a stage cannot wait for the host by itself", err);
    if (x->async != TRACE_SYNC)
        return refuse_op(p, x->line, x->kind_text,
                         "asynchronous operations are not cut into micro-batches", err);
    if (x->kind == TRACE_BARRIER || x->kind == TRACE_UNKNOWN)
        return refuse_op(p, x->line, x->kind_text, "is not cut into stages", err);
    if (x->sharded)
        return refuse_op(p, x->line, x->kind_text, "sharded=1 and a pipeline do not go together",
                         err);
    if (trace_is_collective(x->kind) && x->given & (ATTR_BIT(GROUP) | ATTR_BIT(GROUP_STRIDE)))
        return refuse_op(p, x->line, x->kind_text,
                         "a step with collectives of groups was cut already", err);
    return 0;
}

/* The operations of node `at`; `between`: of a step that runs between the others. */
static int begin_ops(struct pipeline *p, uint32_t at, bool between, struct err *err)
{
    const struct step_node *n = &p->step->node[at];

    for (uint32_t i = n->first_op; i < n->first_op + n->n_ops; i++) {
        struct pipeline_op *op = &p->op[i];
        op->x = step_attributes(p->step, &p->step->op[i]);
        op->node = between ? STEP_NONE : p->n_nodes;
        if (check_kind(p, &op->x, between, err) != 0)
            return -1;
        if (between)
            continue;
        op->x.kind_text = trace_kind_name[op->x.kind];
        /* the name is that of the operation, not of one micro-batch */
        op->x.given |= ATTR_BIT(NAME);
        scale_work(p, &p->s.op[i], &op->x);
    }
    return 0;
}

static void add_node(struct pipeline *p, const struct step_node *n)
{
    const struct step *step = p->step;
    const struct step_op *first = &step->op[n->first_op];
    uint32_t note = n->fusion ? n->note : first->note;
    struct pipeline_node *node = &p->node[p->n_nodes++];

    *node = (struct pipeline_node){
        .is = n,
        .first = n->first_op,
        .n = n->n_ops,
        .named = (n->fusion ? n->given : first->op.given) & ATTR_BIT(NAME),
        .name = step_text(step, n->fusion ? n->name : first->name),
        .note = note == STEP_NONE ? NULL : step_text(step, note),
        .phase = n->phase ? step_phase_name(step, n) : NULL,
        .owner = STEP_NONE,
    };
    for (uint32_t i = n->first_op; i < n->first_op + n->n_ops; i++)
        node->gemm |= trace_is_gemm(step->op[i].op.kind);
}

static int begin_step(struct pipeline *p, uint32_t at, struct err *err)
{
    const struct step_node *n = &p->step->node[at];

    if (n->count > 1)
        return 0;
    if (p->end)
        return refuse_op(p, n->line, "step", "a trace of several steps cannot be cut into stages",
                         err);
    p->begin = at;
    p->end = n->match;
    return 0;
}

int pipeline_begin(struct pipeline *p, struct err *err)
{
    const struct step *step = p->step;

    p->op = memory_zeroed(step->n_ops, sizeof *p->op);
    p->node = memory_zeroed(step->n_nodes, sizeof *p->node);
    for (uint32_t i = 0; i < step->n_nodes; i++) {
        const struct step_node *n = &step->node[i];
        bool between = !p->end || i < p->begin || i > p->end;
        if (n->kind == STEP_BEGIN && begin_step(p, i, err) != 0)
            return -1;
        if (n->kind == STEP_REPEAT && !between)
            return refuse_op(p, n->line, "repeat", "a loop cannot be cut into stages", err);
        if (n->kind != STEP_OP)
            continue;
        if (begin_ops(p, i, between, err) != 0)
            return -1;
        if (!between)
            add_node(p, n);
    }
    return 0;
}
