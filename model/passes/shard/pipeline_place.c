/* The stage that makes or keeps each value, and the stages that need it.  Input comes to the first
 * stage that uses it, a weight is where it is used, its state and its update with it; what comes of
 * tensors alone is made where it is used first. */
#include <stdlib.h>

#include "base/memory.h"
#include "passes/shard/pipeline_impl.h"

/* --- updates and all-reduces, operand by operand ------------------------------------------ */

static uint32_t group_weight(const struct pipeline *p, uint32_t n, uint32_t i)
{
    for (uint32_t j = pipeline_group_begin(p, n, i); j < pipeline_group_end(p, n, i); j++)
        if (shard_in(&p->s, &p->s.op[n], j)->is->role == TRACE_WEIGHT)
            return pipeline_operand(p, n, j);
    return STEP_NONE;
}

uint32_t pipeline_use_stage(const struct pipeline *p, uint32_t n, uint32_t i)
{
    const struct pipeline_node *node = &p->node[p->op[n].node];
    uint32_t v = pipeline_operand(p, n, i), w = STEP_NONE;

    if (node->is->fusion)
        return node->stage;
    if (pipeline_updates(p, n))
        w = group_weight(p, n, i);
    else if (p->s.op[n].is->op.kind == TRACE_ALL_REDUCE)
        w = p->weight[v];
    else
        return node->stage;
    if (w != STEP_NONE && p->stage[w] != STEP_NONE)
        return p->stage[w];
    return pipeline_persistent(p, v) ? node->stage : p->stage[v];
}

/* --- tensors ------------------------------------------------------------------------------ */

/* A use of a tensor by what runs on `stage`. */
static int keep_tensor(struct pipeline *p, uint32_t *line, uint32_t v, uint32_t stage, uint32_t at,
                       struct err *err)
{
    const struct shard_value *x = &p->s.value[v];
    bool trained = x->is->role == TRACE_WEIGHT || x->is->role == TRACE_STATE;

    if (line[v] == 0) {
        line[v] = at;
        p->stage[v] = stage;
    } else if (p->stage[v] != stage && trained) {
        return err_set(err, ERR_FIT,
                       "%s:%u: %%%s is used here in stage %u and in line %u in stage %u; a weight "
                       "is of one stage",
                       p->step->file, at, step_text(p->step, x->is->name), stage, line[v],
                       p->stage[v]);
    } else if (p->stage[v] != stage) {
        p->stage[v] = STEP_NONE;
    }
    return 0;
}

static int keep_operands(struct pipeline *p, uint32_t *line, const struct pipeline_node *n,
                         struct err *err)
{
    for (uint32_t i = n->first; i < n->first + n->n; i++)
        for (uint32_t j = 0; j < pipeline_operands(&p->s.op[i]); j++) {
            uint32_t v = pipeline_operand(p, i, j);
            if (pipeline_persistent(p, v) &&
                keep_tensor(p, line, v, n->stage, p->s.op[i].is->op.line, err) != 0)
                return -1;
        }
    return 0;
}

/* --- input, and what comes of tensors alone ----------------------------------------------- */

/* Place nodes that bring input or use tensors alone on the first stage that uses a result. */
static void place_first(struct pipeline *p, uint32_t *first)
{
    for (uint32_t i = p->n_nodes; i-- > 0;) {
        struct pipeline_node *n = &p->node[i];
        bool brings = p->s.op[n->first].is->op.kind == TRACE_INFEED;
        uint32_t least = STEP_NONE;
        for (uint32_t k = n->first; k < n->first + n->n; k++)
            for (uint32_t j = 0; j < p->s.op[k].is->n_out; j++) {
                uint32_t v = p->s.step->ref[p->s.op[k].is->first_out + j];
                least = first[v] < least ? first[v] : least;
            }
        if (brings || n->class == PIPELINE_BEFORE)
            n->stage = least == STEP_NONE ? 0 : least;
        for (uint32_t k = n->first; k < n->first + n->n && n->class != PIPELINE_AFTER; k++)
            for (uint32_t j = 0; j < pipeline_operands(&p->s.op[k]); j++) {
                uint32_t v = pipeline_operand(p, k, j);
                first[v] = n->stage < first[v] ? n->stage : first[v];
            }
    }
}

static void place_results(struct pipeline *p, const struct pipeline_node *n, const uint32_t *first)
{
    for (uint32_t i = n->first; i < n->first + n->n; i++) {
        const struct shard_op *op = &p->s.op[i];
        for (uint32_t j = 0; j < op->is->n_out; j++) {
            uint32_t v = p->s.step->ref[op->is->first_out + j];
            p->stage[v] = n->stage;
            if (op->is->op.kind == TRACE_INFEED)
                p->stage[v] = first[v] == STEP_NONE ? n->stage : first[v];
            else if (op->is->op.kind == TRACE_ALL_REDUCE && p->alias[v] == STEP_NONE)
                p->stage[v] = pipeline_use_stage(p, i, j);
        }
    }
}

/* --- what follows all micro-batches ------------------------------------------------------- */

/* The stage of a node that is not parted: that of its weights, or of its first operand. */
static int place_after(struct pipeline *p, struct pipeline_node *n, struct err *err)
{
    uint32_t with = STEP_NONE;

    n->stage = STEP_NONE;
    for (uint32_t i = n->first; i < n->first + n->n; i++)
        for (uint32_t j = 0; j < pipeline_operands(&p->s.op[i]); j++) {
            uint32_t v = pipeline_operand(p, i, j), at = p->stage[v];
            bool weight = p->s.value[v].is->role == TRACE_WEIGHT;
            if (at == STEP_NONE ||
                (!pipeline_persistent(p, v) && p->op[p->s.value[v].is->op].node == p->op[i].node))
                continue;
            if (n->stage == STEP_NONE)
                n->stage = at;
            if (!weight)
                continue;
            if (with != STEP_NONE && with != at && n->is->fusion)
                return err_set(err, ERR_FIT,
                               "%s:%u: a fusion that updates weights of stages %u and %u",
                               p->step->file, n->is->line, with, at);
            with = with == STEP_NONE ? at : with;
        }
    if (with != STEP_NONE)
        n->stage = with;
    if (n->stage == STEP_NONE)
        n->stage = 0;
    return 0;
}

/* Tensors that nothing but an update uses: a weight where its gradient is made, its state there. */
static int keep_updated(struct pipeline *p, uint32_t *line, const struct pipeline_node *n,
                        struct err *err)
{
    for (uint32_t i = n->first; i < n->first + n->n; i++) {
        const struct shard_op *op = &p->s.op[i];
        for (uint32_t j = 0; j < op->is->n_in && pipeline_updates(p, i); j++) {
            uint32_t v = pipeline_operand(p, i, j);
            uint32_t w = p->weight[v];
            if (!pipeline_persistent(p, v) && w != STEP_NONE && line[w] == 0) {
                line[w] = op->is->op.line;
                p->stage[w] = p->stage[v];
            }
        }
        for (uint32_t j = 0; j < op->is->n_in && pipeline_updates(p, i); j++) {
            uint32_t v = pipeline_operand(p, i, j), w = group_weight(p, i, j);
            if (!pipeline_persistent(p, v) || w == STEP_NONE || line[v])
                continue;
            if (keep_tensor(p, line, v, p->stage[w] == STEP_NONE ? 0 : p->stage[w], op->is->op.line,
                            err) != 0)
                return -1;
        }
    }
    return 0;
}

/* --- what is needed elsewhere ------------------------------------------------------------- */

static void find_needs(struct pipeline *p)
{
    for (uint32_t n = 0; n < p->s.step->n_ops; n++)
        for (uint32_t i = 0; p->op[n].node != STEP_NONE && i < pipeline_operands(&p->s.op[n]);
             i++) {
            uint32_t v = pipeline_operand(p, n, i);
            if (p->s.op[n].dropped || pipeline_persistent(p, v))
                continue;
            uint32_t at = pipeline_use_stage(p, n, i);
            bool once = !pipeline_each(pipeline_class_of(p, n)) || !pipeline_value_each(p, v);
            if (at != p->stage[v])
                p->needs[((size_t)v * p->plan->stages + at) * 2 + once] = true;
        }
}

static int place_nodes(struct pipeline *p, uint32_t *line, const uint32_t *first, struct err *err)
{
    for (uint32_t i = 0; i < p->n_nodes; i++) {
        const struct pipeline_node *n = &p->node[i];
        if (n->class == PIPELINE_AFTER)
            continue;
        if (keep_operands(p, line, n, err) != 0)
            return -1;
        place_results(p, n, first);
    }
    for (uint32_t i = 0; i < p->n_nodes; i++)
        if (p->node[i].class == PIPELINE_AFTER && keep_updated(p, line, &p->node[i], err) != 0)
            return -1;
    for (uint32_t i = 0; i < p->n_nodes; i++) {
        struct pipeline_node *n = &p->node[i];
        if (n->class != PIPELINE_AFTER)
            continue;
        if (place_after(p, n, err) != 0)
            return -1;
        place_results(p, n, first);
    }
    return 0;
}

int pipeline_place(struct pipeline *p, struct err *err)
{
    size_t values = (size_t)p->s.step->n_values + 1;
    uint32_t *first = memory_zeroed(values, sizeof *first),
             *line = memory_zeroed(values, sizeof *line);

    for (size_t v = 0; v < values; v++)
        first[v] = p->stage[v] = STEP_NONE;
    place_first(p, first);
    int rc = place_nodes(p, line, first, err);
    if (rc == 0)
        find_needs(p);
    free(first);
    free(line);
    return rc;
}
