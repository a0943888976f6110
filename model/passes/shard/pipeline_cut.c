/* The cuts of the forward operations into stages.  With c[i] the cost of forward operation i and of
 * the backward ones that go with it, and least[k][n] the largest stage of the first n in k stages,
 *
 *      least[k][n] = min over j of max(least[k-1][j], c[j] + ... + c[n-1])
 *
 * where a cut before j is allowed unless a weight is used on both sides of it.  The first of the
 * two grows with j and the second falls, so the least is where they cross, and the crossing moves
 * up with n: one walk for each k.  (A part of n operations can be cut once more wherever a cut is
 * left, and no stage grows by that: so least[k] grows with n.) */
#include <inttypes.h>
#include <stdlib.h>

#include "base/memory.h"
#include "passes/shard/pipeline_impl.h"

#define MOST_CUTS (1 << 27) /* 4 bytes each */

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

static int refuse_cut(const struct cutting *c, uint32_t stages, struct err *err)
{
    const struct pipeline *p = c->p;
    uint32_t longest = STEP_NONE;

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
        "%" PRIu32 ", and a weight is of one stage; at most %" PRIu32 " stages can be cut",
        p->step->file, p->node[c->list[c->first[longest]]].is->line, p->plan->stages,
        step_name(p->step, longest), p->node[c->list[c->last[longest]]].is->line, stages);
}

/* The places at which a stage may begin: before these operations, the first at place 0. */
struct places {
    uint32_t *at;    /* in order */
    uint32_t *equal; /* the first of those with as much before it */
    uint32_t n;
};

/* The best last cut of the first `end` operations, whose crossing is from *cross on, and what the
 * largest stage is then.  Place i may be the last cut before stage k if least[i] is known. */
static uint32_t cut_last(const struct places *x, const uint64_t *before, const uint64_t *least,
                         uint32_t first, uint32_t end, uint32_t *cross, uint64_t *largest)
{
    uint32_t i = *cross;

    while (i < x->n && x->at[i] < end && least[i] < before[end] - before[x->at[i]])
        i++;
    *cross = i;
    *largest = i < x->n && x->at[i] < end ? least[i] : UINT64_MAX;
    if (i == first || before[end] - before[x->at[i - 1]] > *largest)
        return i;
    *largest = before[end] - before[x->at[i - 1]];
    return x->equal[i - 1] > first ? x->equal[i - 1] : first;
}

/* Fills `begin` [stage], places in the list, which has enough of them.  A stage ends where a place
 * is left for each one behind it. */
static void part_list(uint32_t stages, uint32_t n, const uint64_t *before, const struct places *x,
                      uint32_t *begin)
{
    uint32_t width = x->n - stages + 1; /* of the places that the cut before a stage may have */
    uint64_t *least = memory_zeroed(x->n, sizeof *least), *next = memory_zeroed(x->n, sizeof *next);
    uint32_t *from = memory_zeroed((size_t)stages * width, sizeof *from);

    /* least[i]: of the stages so far, which end at place i; the last one ends at n */
    for (uint32_t i = 1; i < x->n; i++)
        least[i] = before[x->at[i]];
    for (uint32_t k = 1; k < stages; k++) {
        uint32_t cross = k, last = k + 1 < stages ? width : 1;
        for (uint32_t i = 0; i < last; i++) {
            uint32_t to = k + 1 < stages ? k + 1 + i : x->n;
            uint32_t end = to < x->n ? x->at[to] : n;
            uint64_t largest;
            from[(size_t)k * width + i] = cut_last(x, before, least, k, end, &cross, &largest) - k;
            if (to < x->n)
                next[to] = largest;
        }
        uint64_t *spare = least;
        least = next;
        next = spare;
    }
    for (uint32_t k = stages - 1, i = 0; k > 0; k--) {
        i = from[(size_t)k * width + i];
        begin[k] = x->at[k + i];
    }
    begin[0] = 0;
    free(least);
    free(next);
    free(from);
}

/* The places to cut: not between two uses of a weight. */
static struct places find_places(const struct cutting *c, const uint64_t *before)
{
    struct places x = { .at = memory_zeroed((size_t)c->n + 1, sizeof *x.at),
                        .equal = memory_zeroed((size_t)c->n + 1, sizeof *x.equal) };
    int64_t *opens = memory_zeroed((size_t)c->n + 1, sizeof *opens), open = 0;

    for (uint32_t v = 0; v < c->p->s.step->n_values; v++)
        if (c->first[v] != STEP_NONE) {
            opens[c->first[v] + 1]++;
            opens[c->last[v] + 1]--;
        }
    for (uint32_t i = 0; i < c->n; i++) {
        open += opens[i];
        if (open > 0)
            continue;
        bool same = x.n > 0 && before[x.at[x.n - 1]] == before[i];
        x.equal[x.n] = same ? x.equal[x.n - 1] : x.n;
        x.at[x.n++] = i;
    }
    free(opens);
    return x;
}

static int check_places(const struct cutting *c, const struct places *x, struct err *err)
{
    uint64_t stages = c->p->plan->stages;

    if (stages > x->n)
        return refuse_cut(c, x->n, err);
    if (stages * (x->n - stages + 1) > MOST_CUTS)
        return err_set(err, ERR_RANGE,
                       "%s: pipeline = %" PRIu64 ": with %" PRIu32 " places to cut, more than %d "
                       "ways to begin a stage are to be compared",
                       c->p->step->file, stages, x->n, MOST_CUTS);
    return 0;
}

static uint64_t add_cost(uint64_t a, uint64_t b)
{
    return a + b < a ? UINT64_MAX : a + b;
}

static int cut_list(const struct cutting *c, struct err *err)
{
    struct pipeline *p = c->p;
    uint32_t stages = (uint32_t)p->plan->stages;
    uint32_t *begin = memory_zeroed((size_t)stages + 1, sizeof *begin);
    uint64_t *before = memory_zeroed((size_t)c->n + 1, sizeof *before);

    for (uint32_t i = 0; i < p->n_nodes; i++) {
        uint32_t at = p->node[i].class == PIPELINE_BACKWARD ? p->node[i].owner : c->place[i];
        if (at != STEP_NONE)
            before[at + 1] = add_cost(before[at + 1], p->node[i].cost);
    }
    for (uint32_t i = 0; i < c->n; i++)
        before[i + 1] = add_cost(before[i], before[i + 1]);
    struct places x = find_places(c, before);
    int rc = check_places(c, &x, err);
    if (rc == 0) {
        part_list(stages, c->n, before, &x, begin);
        for (uint32_t k = 0; k < stages; k++)
            for (uint32_t i = begin[k]; i < (k + 1 < stages ? begin[k + 1] : c->n); i++)
                p->node[c->list[i]].stage = k;
    }
    free(begin);
    free(before);
    free(x.at);
    free(x.equal);
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
