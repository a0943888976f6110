#include "kernels/common/lower_overlap.h"

#include "base/memory.h"
#include "kernels/common/lowering.h"

#include <stdlib.h>

/* A gradient, and the node behind which it is final, + 1. */
struct ready {
    uint32_t value, after, order;
};

/* The state of lower_overlap_find(). */
struct finder {
    struct overlap *o;
    const struct step *step;
    const struct cap_overlap *plan;
    uint32_t cap_buckets;
    uint32_t *touched;   /* [value] the last node that made, read or changed it; STEP_NONE */
    uint32_t *around;    /* [node] the bracket of the innermost loop around it; STEP_NONE */
    struct ready *ready; /* of the all-reduce at hand */
    uint32_t cap_ready;
};

static bool is_candidate(const struct step *step, const struct step_node *n)
{
    const struct step_op *op = &step->op[n->first_op];

    if (n->fusion || n->stage != TRACE_NO_STAGE || op->n_in == 0 ||
        op->op.kind != TRACE_ALL_REDUCE || op->op.async != TRACE_SYNC || op->op.combine)
        return false;
    for (uint32_t i = op->first_in; i < op->first_in + op->n_in; i++)
        if (step->value[step->ref[i]].role != TRACE_GRADIENT ||
            step_bytes(step, step->ref[i]) > LOWER_MAX_VALUE_BYTES)
            return false;
    return true;
}

/* Nodes before which a value is not final, for an operation at node `at`: up to the last one in its
 * block that touches the value, or a loop there that does. */
static uint32_t find_ready(const struct finder *f, uint32_t value, uint32_t at)
{
    uint32_t block = f->around[at], t = f->touched[value];

    if (t == STEP_NONE || (block != STEP_NONE && t < block))
        return block == STEP_NONE ? 0 : block + 1;
    while (f->around[t] != block)
        t = f->step->node[f->around[t]].match;
    return t + 1;
}

static int compare_ready(const void *a, const void *b)
{
    const struct ready *x = a, *y = b;

    if (x->after != y->after)
        return x->after < y->after ? -1 : 1;
    return x->order < y->order ? -1 : x->order > y->order;
}

static int compare_buckets(const void *a, const void *b)
{
    const struct overlap_bucket *x = a, *y = b;

    return x->after < y->after ? -1 : x->after > y->after;
}

/* Put the gradients of one dtype, of `n` in order, in buckets. */
static void fill_buckets(struct finder *f, uint32_t n, enum trace_dtype dtype,
                         const struct overlap_bucket *like)
{
    struct overlap *o = f->o;
    bool open = false, first = true;

    for (uint32_t i = 0; i < n; i++) {
        uint32_t v = f->ready[i].value;
        if (f->step->value[v].stored != dtype)
            continue;
        if (!open) {
            MEMORY_GROW(o->bucket, o->n_buckets + 1, f->cap_buckets);
            o->bucket[o->n_buckets] = *like;
            o->bucket[o->n_buckets++].element = trace_dtype_bytes[dtype];
        }
        struct overlap_bucket *b = &o->bucket[o->n_buckets - 1];
        b->bytes += step_bytes(f->step, v);
        b->after = f->ready[i].after;
        b->tensors++;
        open = b->bytes < (first ? f->plan->first_bytes : f->plan->bytes);
        first = first && open;
    }
}

static void find_of_node(struct finder *f, uint32_t node, uint32_t row)
{
    const struct step_op *op = &f->step->op[f->step->node[node].first_op];
    struct overlap_bucket like = { .node = node, .row = row };
    uint32_t first = f->o->n_buckets;

    MEMORY_GROW(f->ready, op->n_in, f->cap_ready);
    for (uint32_t i = 0; i < op->n_in; i++) {
        uint32_t v = f->step->ref[op->first_in + i];
        f->ready[i] = (struct ready){ v, find_ready(f, v, node), i };
    }
    qsort(f->ready, op->n_in, sizeof *f->ready, compare_ready);
    for (int d = 0; d < TRACE_N_DTYPES; d++)
        fill_buckets(f, op->n_in, (enum trace_dtype)d, &like);
    qsort(f->o->bucket + first, f->o->n_buckets - first, sizeof *f->o->bucket, compare_buckets);
    f->o->first[node] = first + 1;
}

/* Note that a node makes, reads or changes values. */
static void touch_values(struct finder *f, uint32_t node)
{
    const struct step_node *n = &f->step->node[node];

    for (uint32_t k = n->first_op; k < n->first_op + n->n_ops; k++) {
        const struct step_op *op = &f->step->op[k];
        for (uint32_t i = 0; i < step_n_operands(op); i++)
            f->touched[step_operand(f->step, op, i)] = node;
        for (uint32_t i = 0; i < op->n_out; i++)
            f->touched[step_result(f->step, op, i)] = node;
    }
}

static void find_all(struct finder *f)
{
    uint32_t open = STEP_NONE, row = 0;

    for (uint32_t i = 0; i < f->step->n_nodes; i++) {
        const struct step_node *n = &f->step->node[i];
        if (n->kind == STEP_END)
            open = f->around[n->match];
        f->around[i] = open;
        if (n->kind == STEP_REPEAT)
            open = i;
        if (n->kind != STEP_OP)
            continue;
        if (is_candidate(f->step, n))
            find_of_node(f, i, row);
        touch_values(f, i);
        row++;
    }
}

/* The trace states a framework, and it reduces gradients where the backward pass has ended. */
static bool packs_at_end(const struct step *step)
{
    return step->head.framework == TRACE_TENSORFLOW || step->head.framework == TRACE_JAX;
}

void lower_overlap_find(struct overlap *o, const struct step *step, const struct cap_overlap *plan)
{
    *o = (struct overlap){ .first = memory_zeroed(step->n_nodes + 1, sizeof *o->first),
                           .begin = memory_zeroed(step->n_nodes + 1, sizeof *o->begin) };
    if (!plan->bytes || step->compiled || (plan->follows && packs_at_end(step)))
        return;
    struct finder f = { .o = o, .step = step, .plan = plan };
    f.touched = memory_zeroed(step->n_values + 1, sizeof *f.touched);
    f.around = memory_zeroed(step->n_nodes + 1, sizeof *f.around);
    for (uint32_t v = 0; v < step->n_values; v++)
        f.touched[v] = STEP_NONE;
    find_all(&f);
    for (uint32_t i = o->n_buckets; i-- > 0;) {
        uint32_t *begin = &o->begin[o->bucket[i].after];
        o->bucket[i].next = *begin;
        *begin = i + 1;
    }
    free(f.ready);
    free(f.around);
    free(f.touched);
}

void lower_overlap_free(struct overlap *o)
{
    free(o->begin);
    free(o->first);
    free(o->bucket);
    *o = (struct overlap){ 0 };
}

/* --- tasks -------------------------------------------------------------------------------- */

int lower_overlap_begin(struct lowering *l, uint32_t n)
{
    struct overlap *o = &l->overlap;
    int rc = 0;

    for (uint32_t i = o->begin[n]; i && rc == 0; i = o->bucket[i - 1].next) {
        struct overlap_bucket *b = &o->bucket[i - 1];
        const struct step_node *node = &l->step->node[b->node];
        l->stage = node->stage;
        l->peers = l->cap->replicas;
        b->task = l->p->n_tasks;
        struct task *t = lowering_task(l, TASK_COLLECTIVE, b->row);
        t->async = TASK_START;
        t->collective.first = l->p->n_calls;
        t->collective.count = 1;
        rc = lower_call(l, node, &l->step->op[node->first_op], b->tensors, b->bytes, b->element);
    }
    return rc;
}

bool lower_overlap_end(struct lowering *l, const struct step_op *op, uint32_t row)
{
    const struct overlap *o = &l->overlap;
    uint32_t i = o->first[op->node];
    uint64_t workspace = 0;

    if (i == 0)
        return false;
    for (i--; i < o->n_buckets && o->bucket[i].node == op->node; i++) {
        struct task *t = lowering_task(l, TASK_COLLECTIVE, row);
        t->async = TASK_DONE;
        t->start = o->bucket[i].task;
        /* several tensors go as one from a buffer of their own */
        workspace += o->bucket[i].tensors > 1 ? o->bucket[i].bytes : 0;
        t->workspace = workspace;
    }
    return true;
}
