#include "kernels/memory.h"

#include <stdlib.h>

#include "base/arith.h"
#include "kernels/layout.h"

/* When a value is in memory: in one stretch of nodes, or in two if it is worked out again. */
struct life {
    uint32_t from, to, again, until; /* again = until = UINT32_MAX: once */
    uint32_t place;                  /* value whose bytes these are */
    /* replicas that have a share each after node `summed`; UINT32_MAX: it is one from the start */
    uint32_t replicas, summed; /* 0: it stays whole */
};

struct plan {
    const struct step *step;
    const struct cap *cap;
    const struct memory_change *change;
    struct life *life; /* [value] */
    uint64_t stage;    /* whose memory it is, or TRACE_NO_STAGE: of all */
    uint32_t turn;     /* the first node that makes a gradient; n_nodes: none does */
};

/* Is what has, or runs on, `stage` there? */
static bool here(const struct plan *p, uint64_t stage)
{
    return p->stage == TRACE_NO_STAGE || stage == TRACE_NO_STAGE || stage == p->stage;
}

static uint32_t last(const struct step_value *v)
{
    return v->last_use == UINT32_MAX ? v->def : v->last_use;
}

/* --- lives -------------------------------------------------------------------------------- */

static void live_once(struct plan *p)
{
    const struct step *step = p->step;

    for (uint32_t v = 0; v < step->n_values; v++)
        p->life[v] = (struct life){
            step->value[v].def, last(&step->value[v]), UINT32_MAX, UINT32_MAX, v, 0, 0
        };
    /* in order of operations, so that an operand's own place is known */
    for (uint32_t i = 0; i < step->n_ops; i++) {
        const struct step_op *op = &step->op[i];
        if (!step_in_place(step, op))
            continue;
        uint32_t result = step->ref[op->first_out], into = p->life[step->ref[op->first_in]].place;
        p->life[result].place = into;
        if (p->life[into].to < p->life[result].to)
            p->life[into].to = p->life[result].to;
    }
}

/* The loop that a node stands in, by where it begins; 0 outside of all, as a loop at node 0 has all
 * values of its own. */
static uint32_t loop_of(const struct step *step, uint32_t node)
{
    for (uint32_t i = node; i-- > 0;)
        if (step->node[i].kind == STEP_END)
            i = step->node[i].match;
        else if (step->node[i].kind == STEP_REPEAT)
            return i;
    return 0;
}

/* What an all-reduce sums in place can be given up but for the share when the sum is there.  Not so
 * what lives in another value's place, what comes from outside a loop, whose next turn needs it,
 * and what is there for the whole run. */
static void sum_in_place(struct plan *p, uint32_t v, uint32_t at, uint32_t replicas)
{
    const struct step_value *x = &p->step->value[v];
    struct life *l = &p->life[v];

    if (x->persistent || l->place != v || l->to != last(x) || x->def < loop_of(p->step, at))
        return;
    l->replicas = replicas;
    l->summed = at;
}

static void live_in_shares(struct plan *p)
{
    const struct step *step = p->step;

    for (uint32_t i = 0; i < step->n_ops; i++) {
        const struct step_op *end = &step->op[i], *op = end; /* which has operands and attributes */
        if (end->op.kind != TRACE_ALL_REDUCE || end->op.async == TRACE_START)
            continue;
        if (end->op.async == TRACE_DONE)
            op = &step->op[step->node[step->value[step->ref[end->first_in]].def].first_op];
        uint64_t group = op->op.group ? op->op.group : p->cap->replicas / op->op.group_stride;
        if (!op->op.sharded || group < 2)
            continue;
        for (uint32_t j = 0; j < end->n_out; j++) {
            p->life[step->ref[end->first_out + j]].replicas = (uint32_t)group;
            p->life[step->ref[end->first_out + j]].summed = UINT32_MAX;
        }
        for (uint32_t j = 0; end->n_out == 0 && j < op->n_in; j++)
            sum_in_place(p, step->ref[op->first_in + j], end->node, (uint32_t)group);
    }
}

static void find_turn(struct plan *p)
{
    const struct step *step = p->step;

    p->turn = step->n_nodes;
    for (uint32_t v = step->n_persistent; v < step->n_values; v++)
        if (step->value[v].role == TRACE_GRADIENT && here(p, step->value[v].stage) &&
            step->value[v].def < p->turn)
            p->turn = step->value[v].def;
}

/* For each value: its last use before the turn, its first one after, and whether another phase
 * reads it before. */
struct use {
    uint32_t before, after;
    bool handed_on;
};

static void note_use(const struct plan *p, struct use *use, uint32_t v, uint32_t node)
{
    const struct step *step = p->step;

    if (node < p->turn) {
        use[v].before = node;
        use[v].handed_on |= step->node[node].phase != step->node[step->value[v].def].phase;
    } else if (node < use[v].after) {
        use[v].after = node;
    }
}

/* Does the value come from a host, which feeds it? */
static bool is_fed(const struct step *step, const struct step_value *x)
{
    switch (step->op[step->node[x->def].first_op].op.kind) {
    case TRACE_INFEED:
    case TRACE_HOST:
    case TRACE_LAUNCH:
    case TRACE_LOAD: return true;
    default: return false;
    }
}

static bool is_activation(const struct step *step, uint32_t v)
{
    const struct step_value *x = &step->value[v];

    return !x->persistent && !x->on_chip && x->role == TRACE_ACTIVATION && !is_fed(step, x);
}

static bool droppable(const struct plan *p, const struct use *use, uint32_t v)
{
    const struct step_value *x = &p->step->value[v];

    return is_activation(p->step, v) && x->def < p->turn && last(x) >= p->turn &&
           !use[v].handed_on && p->life[v].place == v && p->life[v].to == last(x) &&
           !p->life[v].replicas;
}

/* Cut the lives of what can be worked out again.  A phase is worked out again as a whole, before
 * the first use of any of it. */
static void live_twice(struct plan *p)
{
    const struct step *step = p->step;
    struct use *use = calloc(step->n_values + 1, sizeof *use);
    uint32_t *again = malloc((step->n_phases + 1) * sizeof *again); /* [phase] */

    BUG_ON(!use || !again);
    for (uint32_t v = 0; v < step->n_values; v++)
        use[v] = (struct use){ step->value[v].def, UINT32_MAX, false };
    for (uint32_t i = 0; i < step->n_ops; i++)
        for (uint32_t j = 0; j < step->op[i].n_in; j++)
            note_use(p, use, step->ref[step->op[i].first_in + j], step->op[i].node);
    for (uint32_t i = 0; i <= step->n_phases; i++)
        again[i] = UINT32_MAX;
    for (uint32_t v = step->n_persistent; v < step->n_values; v++) {
        uint32_t *first = &again[step->node[step->value[v].def].phase];
        if (droppable(p, use, v) && use[v].after < *first)
            *first = use[v].after;
    }
    for (uint32_t v = step->n_persistent; v < step->n_values; v++)
        if (droppable(p, use, v)) {
            p->life[v].to = use[v].before;
            p->life[v].again = again[step->node[step->value[v].def].phase];
            p->life[v].until = last(&step->value[v]);
        }
    free(again);
    free(use);
}

/* --- bytes -------------------------------------------------------------------------------- */

static enum memory_role role(const struct step *step, uint32_t v)
{
    const struct step_value *x = &step->value[v];

    switch (x->role) {
    case TRACE_WEIGHT: return MEMORY_WEIGHTS;
    case TRACE_STATE: return MEMORY_OPTIMIZER;
    case TRACE_CONSTANT: return MEMORY_CONSTANTS;
    case TRACE_INPUT: return MEMORY_INPUTS;
    case TRACE_GRADIENT: return MEMORY_GRADIENTS;
    default: return is_activation(step, v) ? MEMORY_ACTIVATIONS : MEMORY_INPUTS;
    }
}

static enum trace_dtype kept_in(const struct plan *p, uint32_t v)
{
    const struct step_value *x = &p->step->value[v];
    bool narrow = p->change->bf16 && !x->persistent && x->stored == TRACE_F32;

    return narrow ? TRACE_BF16 : x->stored;
}

struct size {
    uint64_t padded, bare; /* in whole tiles; of the elements alone */
};

static struct size size(const struct plan *p, uint32_t v)
{
    const struct trace_shape *shape = &p->step->value[v].shape;
    enum trace_dtype t = kept_in(p, v);

    return (struct size){ layout_tiled(shape, t, p->cap).bytes,
                          trace_elements(shape) * trace_dtype_bytes[t] };
}

static struct size share_of(const struct plan *p, uint32_t v, uint32_t replicas)
{
    struct trace_shape row = { .rank = 1 };
    enum trace_dtype t = kept_in(p, v);

    row.dim[0] = arith_ceil_div(trace_elements(&p->step->value[v].shape), replicas);
    return (struct size){ layout_tiled(&row, t, p->cap).bytes, row.dim[0] * trace_dtype_bytes[t] };
}

/* Bytes that come and go at each node. */
struct flow {
    uint64_t born[N_MEMORY_ROLES], dead[N_MEMORY_ROLES];
    uint64_t bare_born, bare_dead;
};

static void add(struct flow *flow, enum memory_role r, struct size size, uint32_t from, uint32_t to)
{
    flow[from].born[r] += size.padded;
    flow[to].dead[r] += size.padded;
    flow[from].bare_born += size.bare;
    flow[to].bare_dead += size.bare;
}

static void add_life(struct flow *flow, const struct plan *p, uint32_t v)
{
    const struct life *l = &p->life[v];
    struct size all = size(p, v), share = l->replicas ? share_of(p, v, l->replicas) : all;
    enum memory_role r = role(p->step, v);

    if (l->replicas && l->summed == UINT32_MAX) {
        add(flow, r, share, l->from, l->to);
        return;
    }
    if (l->replicas && l->summed < l->to) {
        add(flow, r, all, l->from, l->summed);
        add(flow, r, share, l->summed + 1, l->to);
        return;
    }
    add(flow, r, all, l->from, l->to);
    if (l->again != UINT32_MAX)
        add(flow, r, all, l->again, l->until);
}

static void sweep(struct memory *m, const struct plan *p, const struct flow *flow,
                  const uint64_t *workspace, uint64_t bare_now, uint64_t *live)
{
    uint64_t now[N_MEMORY_ROLES], first = m->total;
    bool found = false;

    for (int r = 0; r < N_MEMORY_ROLES; r++)
        now[r] = m->role[r];
    for (uint32_t i = 0; i < p->step->n_nodes; i++) {
        uint64_t total = 0;
        for (int r = 0; r < N_MEMORY_ROLES; r++)
            total += now[r] += flow[i].born[r];
        bare_now += flow[i].bare_born;
        now[MEMORY_WORKSPACE] = workspace ? workspace[i] : 0;
        total += now[MEMORY_WORKSPACE];
        /* what comes while another stage works is there until this one uses it */
        bool own = here(p, p->step->node[i].stage);
        if (live && own)
            live[i] = total;
        if (own && (total > first || !found)) {
            found = true;
            first = m->total = total;
            m->at = i;
            m->padding = total - now[MEMORY_WORKSPACE] - bare_now;
            for (int r = 0; r < N_MEMORY_ROLES; r++)
                m->role[r] = now[r];
        }
        now[MEMORY_WORKSPACE] = 0;
        for (int r = 0; r < N_MEMORY_ROLES; r++)
            now[r] -= flow[i].dead[r];
        bare_now -= flow[i].bare_dead;
    }
}

void memory_peak(struct memory *m, const struct step *step, const struct cap *cap,
                 const uint64_t *workspace, const struct memory_change *change, uint64_t *live)
{
    memory_of_stage(m, step, cap, TRACE_NO_STAGE, workspace, change, live);
}

void memory_of_stage(struct memory *m, const struct step *step, const struct cap *cap,
                     uint64_t stage, const uint64_t *workspace, const struct memory_change *change,
                     uint64_t *live)
{
    struct plan p = { .step = step, .cap = cap, .change = change, .stage = stage };
    struct flow *flow = calloc((size_t)step->n_nodes + 1, sizeof *flow);
    uint64_t bare_bytes = 0;

    p.life = calloc((size_t)step->n_values + 1, sizeof *p.life);
    BUG_ON(!p.life || !flow);
    *m = (struct memory){ 0 };
    live_once(&p);
    live_in_shares(&p);
    find_turn(&p);
    if (change->remat && p.turn < step->n_nodes)
        live_twice(&p);
    for (uint32_t v = 0; v < step->n_values; v++) {
        if (!here(&p, step->value[v].stage))
            continue;
        if (step->value[v].persistent) {
            struct size all = size(&p, v);
            m->role[role(step, v)] += all.padded;
            m->total += all.padded;
            bare_bytes += all.bare;
        } else if (!step->value[v].on_chip && p.life[v].place == v) {
            add_life(flow, &p, v);
        }
    }
    m->persistent = m->total;
    m->padding = m->total - bare_bytes;
    sweep(m, &p, flow, workspace, bare_bytes, live);
    free(p.life);
    free(flow);
}

struct memory_less memory_shares(const struct step *step, const struct cap *cap)
{
    struct plan p = { .step = step, .cap = cap, .change = &(struct memory_change){ false, false } };
    struct memory_less less = { 0, 0 };

    for (uint32_t v = 0; cap->replicas > 1 && v < step->n_persistent; v++) {
        const struct step_value *x = &step->value[v];
        if (x->role != TRACE_STATE || !x->in_shares || x->in_full)
            continue;
        struct size all = size(&p, v), share = share_of(&p, v, cap->replicas);
        less.bytes += all.padded - share.padded;
        less.elements += all.bare - share.bare;
    }
    return less;
}

void memory_lessen(struct memory *m, const struct memory_less *less)
{
    m->role[MEMORY_OPTIMIZER] -= less->bytes;
    m->total -= less->bytes;
    m->persistent -= less->bytes;
    m->padding = m->padding + less->elements - less->bytes;
}
