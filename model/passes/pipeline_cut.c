/* Where the forward operations are cut.  With c[i] the cost of forward operation i and of the
 * backward ones that go with it, and least[k][n] the largest stage of the first n in k stages,
 *
 *      least[k][n] = min over j of max(least[k-1][j], c[j] + ... + c[n-1])
 *
 * where a cut before j is allowed unless a weight is used on both sides of it. */
#include <inttypes.h>
#include <stdlib.h>

#include "base/memory.h"
#include "passes/pipeline_impl.h"

/* --- costs -------------------------------------------------------------------------------- */

static uint64_t bytes_of(const struct pipeline *p, uint32_t v)
{
    const struct shard_value *x = &p->s.value[v];
    uint64_t bytes = trace_bytes(&x->is->shape);

    return x->split == SHARD_WHOLE ? bytes : bytes / p->s.parts;
}

/* FLOPs and bytes that cross the border of a kernel; an operand of two members counts twice. */
static uint64_t cost_of(const struct pipeline *p, uint32_t node)
{
    const struct pipeline_node *n = &p->node[node];
    uint64_t flops = 0, bytes = 0;

    for (uint32_t i = n->first; i < n->first + n->n; i++) {
        const struct shard_op *op = &p->s.op[i];
        flops += p->op[i].x.flops;
        for (uint32_t j = 0; j < pipeline_operands(op); j++) {
            uint32_t v = pipeline_operand(p, i, j);
            if (pipeline_persistent(p, v) || p->op[p->s.value[v].is->op].node != node)
                bytes += bytes_of(p, v);
        }
        for (uint32_t j = 0; j < op->is->n_out; j++)
            if (!n->is->fusion || !shard_out(&p->s, op, j)->is->on_chip)
                bytes += bytes_of(p, p->s.step->ref[op->is->first_out + j]);
    }
    return flops + PIPELINE_BYTE_FLOPS * bytes;
}

/* --- which weight a gradient is for ------------------------------------------------------- */

uint32_t pipeline_group_begin(const struct pipeline *p, uint32_t n, uint32_t i)
{
    uint32_t first = i;

    while (first > 0 && shard_in(&p->s, &p->s.op[n], first)->is->role != TRACE_WEIGHT)
        first--;
    for (i = first; i > 0; i--) /* what stands before the first weight is of its group */
        if (shard_in(&p->s, &p->s.op[n], i - 1)->is->role == TRACE_WEIGHT)
            return first;
    return 0;
}

uint32_t pipeline_group_end(const struct pipeline *p, uint32_t n, uint32_t i)
{
    const struct shard_op *op = &p->s.op[n];
    uint32_t begin = pipeline_group_begin(p, n, i), end = i + 1;

    while (end < op->is->n_in && pipeline_group_begin(p, n, end) == begin)
        end++;
    return end;
}

static int note_gradient(struct pipeline *p, uint32_t n, uint32_t weight, uint32_t v,
                         struct err *err)
{
    const struct shard_value *w = &p->s.value[weight], *x = &p->s.value[v];

    if (trace_elements(&w->is->shape) != trace_elements(&x->is->shape))
        return err_set(err, ERR_FIT,
                       "%s:%u: optimizer: %%%s stands behind %%%s and is not of its size; expected "
                       "each weight with its gradient behind it",
                       p->step->file, p->s.op[n].is->op.line, step_text(p->step, x->is->name),
                       step_text(p->step, w->is->name));
    p->weight[v] = weight;
    if (p->s.op[x->is->op].is->op.kind != TRACE_ALL_REDUCE)
        return 0;
    for (uint32_t i = 0; i < p->step->op[x->is->op].n_out; i++)
        if (shard_out(&p->s, &p->s.op[x->is->op], i) == x)
            p->weight[pipeline_operand(p, x->is->op, i)] = weight;
    return 0;
}

static int find_weights(struct pipeline *p, struct err *err)
{
    for (uint32_t v = 0; v < p->s.step->n_values; v++)
        p->weight[v] = STEP_NONE;
    for (uint32_t n = 0; n < p->s.step->n_ops; n++) {
        const struct shard_op *op = &p->s.op[n];
        uint32_t weight = STEP_NONE;
        if (p->op[n].node == STEP_NONE || !pipeline_updates(p, n))
            continue;
        for (uint32_t i = op->is->n_in; i-- > 0;) /* of those before the first weight, that one's */
            if (shard_in(&p->s, op, i)->is->role == TRACE_WEIGHT)
                weight = p->s.step->ref[op->is->first_in + i];
        for (uint32_t i = 0; i < op->is->n_in && weight != STEP_NONE; i++) {
            uint32_t v = pipeline_operand(p, n, i);
            if (p->s.value[v].is->role == TRACE_WEIGHT)
                weight = v;
            else if (!pipeline_persistent(p, v) && note_gradient(p, n, weight, v, err) != 0)
                return -1;
        }
    }
    return 0;
}

/* --- which forward operation a backward one goes with ------------------------------------- */

struct cutting {
    struct pipeline *p;
    uint32_t *list;  /* forward nodes, without those that only bring input */
    uint32_t n;      /* of them */
    uint32_t *place; /* [node] in the list, or STEP_NONE */
    uint32_t *first,
        *last; /* [value] of tensors: places in the list that use it; STEP_NONE: none */
};

static bool is_trained(const struct shard_value *v)
{
    return v->is->role == TRACE_WEIGHT || v->is->role == TRACE_STATE;
}

static void note_use(struct cutting *c, uint32_t v, uint32_t place)
{
    if (!pipeline_persistent(c->p, v) || !is_trained(&c->p->s.value[v]))
        return;
    if (c->first[v] == STEP_NONE)
        c->first[v] = place;
    c->last[v] = place;
}

static void list_forward(struct cutting *c)
{
    struct pipeline *p = c->p;

    for (uint32_t i = 0; i < p->n_nodes; i++) {
        const struct pipeline_node *n = &p->node[i];
        c->place[i] = STEP_NONE;
        if (n->class != PIPELINE_FORWARD || p->s.op[n->first].is->op.kind == TRACE_INFEED)
            continue;
        c->place[i] = c->n;
        c->list[c->n++] = i;
        for (uint32_t k = n->first; k < n->first + n->n; k++)
            for (uint32_t j = 0; j < pipeline_operands(&p->s.op[k]); j++)
                note_use(c, pipeline_operand(p, k, j), c->place[i]);
    }
}

/* The place of the forward operation that a backward node goes with, or STEP_NONE. */
static uint32_t find_owner(const struct cutting *c, const struct pipeline_node *n)
{
    const struct pipeline *p = c->p;
    uint32_t latest = STEP_NONE, follows = STEP_NONE;

    for (uint32_t i = n->first; i < n->first + n->n; i++)
        for (uint32_t j = 0; j < p->s.op[i].is->n_in; j++) {
            uint32_t v = pipeline_operand(p, i, j);
            if (pipeline_persistent(p, v) && c->first[v] != STEP_NONE)
                return c->first[v];
        }
    for (uint32_t i = n->first; i < n->first + n->n; i++) {
        const struct shard_op *op = &p->s.op[i];
        for (uint32_t j = 0; j < op->is->n_out; j++) {
            uint32_t w = p->weight[p->s.step->ref[op->is->first_out + j]];
            if (w != STEP_NONE && c->first[w] != STEP_NONE)
                return c->first[w];
        }
        for (uint32_t j = 0; j < op->is->n_in; j++) {
            uint32_t v = pipeline_operand(p, i, j);
            if (pipeline_persistent(p, v))
                continue;
            uint32_t from = p->op[p->s.value[v].is->op].node, at = c->place[from];
            if (at != STEP_NONE && (latest == STEP_NONE || at > latest))
                latest = at;
            if (p->node[from].class == PIPELINE_BACKWARD && &p->node[from] != n)
                follows = p->node[from].owner;
        }
    }
    return latest != STEP_NONE ? latest : follows;
}

/* --- the cut ------------------------------------------------------------------------------ */

static int refuse_cut(const struct cutting *c, const bool *tied, struct err *err)
{
    const struct pipeline *p = c->p;
    uint32_t longest = STEP_NONE;
    uint64_t stages = 1;

    for (uint32_t i = 1; i < c->n; i++)
        stages += !tied[i];
    for (uint32_t v = 0; v < p->s.step->n_values; v++)
        if (c->first[v] != STEP_NONE &&
            (longest == STEP_NONE ||
             c->last[v] - c->first[v] > c->last[longest] - c->first[longest]))
            longest = v;
    if (longest == STEP_NONE || c->first[longest] == c->last[longest])
        return err_set(err, ERR_RANGE,
                       "%s: pipeline = %" PRIu64 ": the step has %" PRIu32 " forward operations",
                       p->step->file, p->plan->stages, c->n);
    return err_set(
        err, ERR_FIT,
        "%s:%" PRIu32 ": pipeline = %" PRIu64 ": %%%s is used here and up to line "
        "%" PRIu32 ", and a weight is of one stage; at most %" PRIu64 " stages can be cut",
        p->step->file, p->node[c->list[c->first[longest]]].is->line, p->plan->stages,
        step_name(p->step, longest), p->node[c->list[c->last[longest]]].is->line, stages);
}

/* Fills `begin` [stage], places in the list; false: there are not enough places to cut. */
static bool part_list(const struct cutting *c, const uint64_t *before, const bool *tied,
                      uint32_t *begin)
{
    uint32_t stages = (uint32_t)c->p->plan->stages, n = c->n;
    uint64_t *least = memory_zeroed(((size_t)stages + 1) * (n + 1), sizeof *least);
    uint32_t *from = memory_zeroed(((size_t)stages + 1) * (n + 1), sizeof *from);

    for (size_t i = 0; i < ((size_t)stages + 1) * (n + 1); i++)
        least[i] = UINT64_MAX;
    least[0] = 0;
    for (uint32_t k = 1; k <= stages; k++)
        for (uint32_t end = k; end <= n; end++) {
            uint64_t *best = &least[(size_t)k * (n + 1) + end];
            for (uint32_t j = k - 1; j < end; j++) {
                uint64_t most = least[(size_t)(k - 1) * (n + 1) + j];
                if (most == UINT64_MAX || (j > 0 && tied[j]))
                    continue;
                uint64_t last = before[end] - before[j];
                most = last > most ? last : most;
                if (most < *best) {
                    *best = most;
                    from[(size_t)k * (n + 1) + end] = j;
                }
            }
        }
    bool can = least[(size_t)stages * (n + 1) + n] != UINT64_MAX;
    for (uint32_t k = stages, end = n; can && k > 0; k--)
        begin[k - 1] = end = from[(size_t)k * (n + 1) + end];
    free(least);
    free(from);
    return can;
}

static int cut_list(const struct cutting *c, struct err *err)
{
    struct pipeline *p = c->p;
    uint32_t *begin = memory_zeroed(p->plan->stages + 1, sizeof *begin);
    uint64_t *before = memory_zeroed((size_t)c->n + 1, sizeof *before);
    bool *tied = memory_zeroed((size_t)c->n + 1, sizeof *tied);
    int rc = 0;

    for (uint32_t i = 0; i < p->n_nodes; i++) {
        uint32_t at = p->node[i].class == PIPELINE_BACKWARD ? p->node[i].owner : c->place[i];
        if (at != STEP_NONE)
            before[at + 1] += p->node[i].cost;
    }
    for (uint32_t i = 0; i < c->n; i++)
        before[i + 1] += before[i];
    for (uint32_t v = 0; v < p->s.step->n_values; v++)
        for (uint32_t i = c->first[v]; c->first[v] != STEP_NONE && i < c->last[v]; i++)
            tied[i + 1] = true;
    if (part_list(c, before, tied, begin)) {
        for (uint32_t k = 0; k < p->plan->stages; k++)
            for (uint32_t i = begin[k]; i < (k + 1 < p->plan->stages ? begin[k + 1] : c->n); i++)
                p->node[c->list[i]].stage = k;
    } else {
        rc = refuse_cut(c, tied, err);
    }
    free(begin);
    free(before);
    free(tied);
    return rc;
}

/* A backward node runs with its owner, but not behind what it reads: gradients go down. */
static void place_backward(const struct cutting *c)
{
    struct pipeline *p = c->p;

    for (uint32_t i = 0; i < p->n_nodes; i++) {
        struct pipeline_node *n = &p->node[i];
        if (n->class != PIPELINE_BACKWARD)
            continue;
        n->stage = n->owner == STEP_NONE ? (uint32_t)p->plan->stages - 1
                                         : p->node[c->list[n->owner]].stage;
        for (uint32_t k = n->first; k < n->first + n->n; k++)
            for (uint32_t j = 0; j < p->s.op[k].is->n_in; j++) {
                uint32_t v = pipeline_operand(p, k, j);
                if (pipeline_persistent(p, v))
                    continue;
                const struct pipeline_node *from = &p->node[p->op[p->s.value[v].is->op].node];
                if (from->class == PIPELINE_BACKWARD && from->stage < n->stage)
                    n->stage = from->stage;
            }
    }
}

int pipeline_cut(struct pipeline *p, struct err *err)
{
    struct cutting c = { .p = p };
    size_t values = (size_t)p->s.step->n_values + 1, nodes = (size_t)p->n_nodes + 1;

    if (find_weights(p, err) != 0)
        return -1;
    c.list = memory_zeroed(nodes, sizeof *c.list);
    c.place = memory_zeroed(nodes, sizeof *c.place);
    c.first = memory_zeroed(values, sizeof *c.first);
    c.last = memory_zeroed(values, sizeof *c.last);
    for (size_t v = 0; v < values; v++)
        c.first[v] = c.last[v] = STEP_NONE;
    list_forward(&c);
    for (uint32_t i = 0; i < p->n_nodes; i++) {
        p->node[i].cost = cost_of(p, i);
        if (p->node[i].class == PIPELINE_BACKWARD)
            p->node[i].owner = find_owner(&c, &p->node[i]);
    }
    int rc = cut_list(&c, err);
    if (rc == 0)
        place_backward(&c);
    free(c.list);
    free(c.place);
    free(c.first);
    free(c.last);
    return rc;
}
