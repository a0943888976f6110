/* The class of each operation, and the values that are added up over the micro-batches.
 *
 * For each micro-batch: what comes from the input, and what has a row for each sample; backward if
 * it makes a gradient, or stands behind what does: it reads that, or works activations out again.
 *
 * After all of them: updates by gradients, all-reduces, what reads their results, and an outfeed of
 * what has no row for each sample.  They read sums.
 *
 * Before: the rest, what comes of tensors alone. */
#include <stdlib.h>

#include "base/memory.h"
#include "passes/shard/pipeline_impl.h"

bool pipeline_updates(const struct pipeline *p, uint32_t n)
{
    const struct shard_op *op = &p->s.op[n];

    if (op->is->op.kind != TRACE_OPTIMIZER)
        return false;
    for (uint32_t i = 0; i < op->is->n_in; i++)
        if (shard_in(&p->s, op, i)->is->role == TRACE_GRADIENT)
            return true;
    return false;
}

static bool has_rows(const struct pipeline *p, uint32_t n)
{
    const struct shard_op *op = &p->s.op[n];

    for (uint32_t i = 0; i < op->is->n_out; i++)
        if (shard_out(&p->s, op, i)->split != SHARD_WHOLE)
            return true;
    return false;
}

static bool reads_rows(const struct pipeline *p, uint32_t n)
{
    for (uint32_t i = 0; i < p->s.op[n].is->n_in; i++)
        if (p->s.value[pipeline_operand(p, n, i)].split != SHARD_WHOLE)
            return true;
    return false;
}

static bool sums_up(const struct pipeline *p, uint32_t n)
{
    enum trace_kind k = p->s.op[n].is->op.kind;

    return k == TRACE_ALL_REDUCE || pipeline_updates(p, n) ||
           (k == TRACE_OUTFEED && !reads_rows(p, n));
}

static bool makes_gradient(const struct pipeline *p, uint32_t n)
{
    const struct shard_op *op = &p->s.op[n];

    for (uint32_t i = 0; i < op->is->n_out; i++)
        if (shard_out(&p->s, op, i)->is->role == TRACE_GRADIENT)
            return true;
    return false;
}

/* `turned`: the first gradient has been made. */
static enum pipeline_class class_of(const struct pipeline *p, uint32_t n, bool turned)
{
    const struct shard_op *op = &p->s.op[n];
    bool after = false, each = op->is->op.kind == TRACE_INFEED || has_rows(p, n);

    if (sums_up(p, n))
        return PIPELINE_AFTER;
    for (uint32_t i = 0; i < pipeline_operands(op); i++) {
        uint32_t v = pipeline_operand(p, n, i);
        if (pipeline_persistent(p, v) || p->op[p->s.value[v].is->op].node == p->op[n].node)
            continue;
        enum pipeline_class c = pipeline_class_of(p, p->s.value[v].is->op);
        after |= c == PIPELINE_AFTER;
        each |= pipeline_each(c);
    }
    if (each)
        return op->is->op.kind != TRACE_INFEED && (turned || makes_gradient(p, n))
                   ? PIPELINE_BACKWARD
                   : PIPELINE_FORWARD;
    return after ? PIPELINE_AFTER : PIPELINE_BEFORE;
}

/* A fusion has the class of its last member; a backward member makes it backward. */
static int classify_node(struct pipeline *p, struct pipeline_node *n, bool *turned, struct err *err)
{
    enum pipeline_class most = PIPELINE_BEFORE;

    for (uint32_t i = n->first; i < n->first + n->n; i++) {
        enum pipeline_class c = class_of(p, i, *turned);
        if (c == PIPELINE_AFTER && n->is->fusion && pipeline_each(most))
            return err_set(err, ERR_FIT,
                           "%s:%u: a fusion of what runs for each micro-batch and of what follows "
                           "all of them",
                           p->step->file, n->is->line);
        most = c > most ? c : most;
    }
    n->class = most;
    *turned |= most == PIPELINE_BACKWARD;
    return 0;
}

/* Gradients are there after the last micro-batch; no operation of one may need them. */
static int check_operand(struct pipeline *p, uint32_t n, uint32_t v, const bool *updated,
                         struct err *err)
{
    const struct shard_op *op = &p->s.op[n];
    const struct shard_value *x = &p->s.value[v];
    bool each = pipeline_each(pipeline_class_of(p, n));

    if (pipeline_persistent(p, v)) {
        if (!each || !updated[v])
            return 0;
        return err_set(err, ERR_FIT,
                       "%s:%u: %s reads %%%s, which this step has updated: a step of several "
                       "passes cannot be cut into stages",
                       p->step->file, op->is->op.line, trace_kind_name[op->is->op.kind],
                       step_text(p->step, x->is->name));
    }
    enum pipeline_class c = pipeline_class_of(p, x->is->op);
    if (each && c == PIPELINE_AFTER)
        return err_set(err, ERR_FIT,
                       "%s:%u: %s reads %%%s, which is there after all micro-batches: a step of "
                       "several passes cannot be cut into stages",
                       p->step->file, op->is->op.line, trace_kind_name[op->is->op.kind],
                       step_text(p->step, x->is->name));
    if (each || !pipeline_each(c)) {
        p->used_each[v] |= each && p->op[x->is->op].node != p->op[n].node;
        return 0;
    }
    if (x->split != SHARD_WHOLE)
        return err_set(err, ERR_FIT,
                       "%s:%u: %s needs the whole batch of %%%s, which is cut into micro-batches",
                       p->step->file, op->is->op.line, trace_kind_name[op->is->op.kind],
                       step_text(p->step, x->is->name));
    p->summed[v] = true;
    return 0;
}

static int check_fixes(const struct pipeline *p, uint32_t n, struct err *err)
{
    const struct shard_op *op = &p->s.op[n];

    for (uint32_t i = 0; i < op->is->n_in; i++)
        if (p->s.fix[op->is->first_in + i] == SHARD_GATHER)
            return err_set(err, ERR_FIT,
                           "%s:%u: %s needs the whole batch of %%%s, which is cut into "
                           "micro-batches",
                           p->step->file, op->is->op.line, trace_kind_name[op->is->op.kind],
                           step_text(p->step, shard_in(&p->s, op, i)->is->name));
    return 0;
}

static int check_op(struct pipeline *p, uint32_t n, bool *updated, struct err *err)
{
    const struct shard_op *op = &p->s.op[n];

    if (check_fixes(p, n, err) != 0)
        return -1;
    for (uint32_t i = 0; i < pipeline_operands(op); i++)
        if (check_operand(p, n, pipeline_operand(p, n, i), updated, err) != 0)
            return -1;
    for (uint32_t i = 0; i < op->is->n_in && pipeline_updates(p, n); i++) {
        uint32_t v = pipeline_operand(p, n, i);
        updated[v] |= p->s.value[v].is->role == TRACE_WEIGHT;
    }
    return 0;
}

/* Let the operands of all-reduces that were left out stand for their results. */
static void find_aliases(struct pipeline *p)
{
    for (uint32_t v = 0; v < p->s.step->n_values; v++)
        p->alias[v] = STEP_NONE;
    for (uint32_t n = 0; n < p->s.step->n_ops; n++)
        for (uint32_t i = 0; p->s.op[n].dropped && i < p->s.op[n].is->n_out; i++)
            p->alias[p->s.step->ref[p->s.op[n].is->first_out + i]] = pipeline_operand(p, n, i);
}

int pipeline_classify(struct pipeline *p, struct err *err)
{
    bool *updated = memory_zeroed((size_t)p->s.step->n_values + 1, sizeof *updated), turned = false;
    int rc = 0;

    find_aliases(p);
    for (uint32_t i = 0; i < p->n_nodes && rc == 0; i++)
        rc = classify_node(p, &p->node[i], &turned, err);
    for (uint32_t n = 0; n < p->s.step->n_ops && rc == 0; n++)
        if (p->op[n].node != STEP_NONE)
            rc = check_op(p, n, updated, err);
    free(updated);
    return rc;
}
