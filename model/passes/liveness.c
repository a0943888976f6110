#include "passes/liveness_impl.h"

#include <stdlib.h>

#include "base/memory.h"

bool liveness_has_stage(const struct liveness *l, uint64_t stage)
{
    return l->stage == TRACE_NO_STAGE || stage == TRACE_NO_STAGE || stage == l->stage;
}

static uint32_t last_node(const struct step_value *v)
{
    return v->last_use == STEP_NONE ? v->def : v->last_use;
}

static void find_lives(struct liveness *l)
{
    const struct step *step = l->step;

    for (uint32_t v = 0; v < step->n_values; v++)
        l->life[v] = (struct liveness_life){
            .from = step->value[v].def,
            .to = last_node(&step->value[v]),
            .again = STEP_NONE,
            .until = STEP_NONE,
            .place = v,
        };
    liveness_place(l);
    /* in order of operations, so that an operand's own place is known */
    for (uint32_t i = 0; i < step->n_ops; i++) {
        const struct step_op *op = &step->op[i];
        uint32_t result = op->n_out ? step->ref[op->first_out] : STEP_NONE;
        if (!step_in_place(step, op) || step->value[result].placed)
            continue;
        uint32_t into = l->life[step->ref[op->first_in]].place;
        l->life[result].place = into;
        if (l->life[into].to < l->life[result].to)
            l->life[into].to = l->life[result].to;
    }
}

/* The loop that a node stands in, by where it begins; 0 outside of all, as a loop at node 0 has all
 * values of its own. */
static uint32_t find_loop(const struct step *step, uint32_t node)
{
    for (uint32_t i = node; i-- > 0;)
        if (step->node[i].kind == STEP_END)
            i = step->node[i].match;
        else if (step->node[i].kind == STEP_REPEAT)
            return i;
    return 0;
}

/* Shrink a value that a sharded all-reduce sums in place to the replica's share, from the sum on.
 * Three kinds of values stay whole: one that lives in the place of another, one from outside the
 * loop, which the next trip needs, and a persistent one. */
static void sum_in_place(struct liveness *l, uint32_t v, uint32_t at, uint32_t replicas)
{
    const struct step_value *x = &l->step->value[v];
    struct liveness_life *life = &l->life[v];

    if (x->persistent || life->place != v || life->to != last_node(x) ||
        x->def < find_loop(l->step, at))
        return;
    life->replicas = replicas;
    life->summed = at;
}

static void find_shares(struct liveness *l)
{
    const struct step *step = l->step;

    for (uint32_t i = 0; i < step->n_ops; i++) {
        const struct step_op *end = &step->op[i], *op = end; /* which has operands and attributes */
        if (end->op.kind != TRACE_ALL_REDUCE || end->op.async == TRACE_START)
            continue;
        if (end->op.async == TRACE_DONE)
            op = &step->op[step->node[step->value[step->ref[end->first_in]].def].first_op];
        uint64_t group = op->op.group ? op->op.group : l->replicas / op->op.group_stride;
        if (!op->op.sharded || group < 2)
            continue;
        for (uint32_t j = 0; j < end->n_out; j++) {
            l->life[step->ref[end->first_out + j]].replicas = (uint32_t)group;
            l->life[step->ref[end->first_out + j]].summed = STEP_NONE;
        }
        for (uint32_t j = 0; end->n_out == 0 && j < op->n_in; j++)
            sum_in_place(l, step->ref[op->first_in + j], end->node, (uint32_t)group);
    }
}

static void find_turn(struct liveness *l)
{
    const struct step *step = l->step;

    l->turn = step->n_nodes;
    for (uint32_t v = step->n_persistent; v < step->n_values; v++)
        if (step->value[v].role == TRACE_GRADIENT && liveness_has_stage(l, step->value[v].stage) &&
            step->value[v].def < l->turn)
            l->turn = step->value[v].def;
}

/* For each value: its last use before the turn, its first one after, and whether another phase
 * reads it before. */
struct value_use {
    uint32_t before, after;
    bool handed_on;
};

static void note_use(const struct liveness *l, struct value_use *use, uint32_t v, uint32_t node)
{
    const struct step *step = l->step;

    if (node < l->turn) {
        use[v].before = node;
        use[v].handed_on |= step->node[node].phase != step->node[step->value[v].def].phase;
    } else if (node < use[v].after) {
        use[v].after = node;
    }
}

/* True if the value comes from a host, which feeds it. */
static bool is_fed(const struct step *step, const struct step_value *x)
{
    return trace_has_trait(step->op[step->node[x->def].first_op].op.kind, TRACE_FED);
}

bool liveness_is_activation(const struct step *step, uint32_t v)
{
    const struct step_value *x = &step->value[v];

    return !x->persistent && !x->on_chip && x->role == TRACE_ACTIVATION && !is_fed(step, x);
}

static bool can_give_up(const struct liveness *l, const struct value_use *use, uint32_t v)
{
    const struct step_value *x = &l->step->value[v];

    return liveness_is_activation(l->step, v) && x->def < l->turn && last_node(x) >= l->turn &&
           !use[v].handed_on && l->life[v].place == v && l->life[v].to == last_node(x) &&
           !l->life[v].replicas;
}

/* Cut the lives of what can be computed again.  A phase is computed again as a whole, before
 * the first use of any of it. */
static void give_up_activations(struct liveness *l)
{
    const struct step *step = l->step;
    struct value_use *use = memory_zeroed(step->n_values + 1, sizeof *use);
    uint32_t *again = memory_zeroed((step->n_phases + 1), sizeof *again); /* [phase] */

    for (uint32_t v = 0; v < step->n_values; v++)
        use[v] = (struct value_use){ step->value[v].def, STEP_NONE, false };
    for (uint32_t i = 0; i < step->n_ops; i++)
        for (uint32_t j = 0; j < step->op[i].n_in; j++)
            note_use(l, use, step->ref[step->op[i].first_in + j], step->op[i].node);
    for (uint32_t i = 0; i <= step->n_phases; i++)
        again[i] = STEP_NONE;
    for (uint32_t v = step->n_persistent; v < step->n_values; v++) {
        uint32_t *first = &again[step->node[step->value[v].def].phase];
        if (can_give_up(l, use, v) && use[v].after < *first)
            *first = use[v].after;
    }
    for (uint32_t v = step->n_persistent; v < step->n_values; v++)
        if (can_give_up(l, use, v)) {
            l->life[v].to = use[v].before;
            l->life[v].again = again[step->node[step->value[v].def].phase];
            l->life[v].until = last_node(&step->value[v]);
        }
    free(again);
    free(use);
}

void liveness_find(struct liveness *l, const struct step *step, uint64_t stage, uint32_t replicas,
                   bool remat)
{
    *l = (struct liveness){ .step = step, .stage = stage, .replicas = replicas };
    l->life = memory_zeroed(step->n_values, sizeof *l->life);
    find_lives(l);
    find_shares(l);
    find_turn(l);
    if (remat && !step->compiled && l->turn < step->n_nodes)
        give_up_activations(l);
}

void liveness_free(struct liveness *l)
{
    free(l->life);
    free(l->gap);
    *l = (struct liveness){ .step = l->step };
}
