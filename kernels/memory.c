#include "kernels/memory.h"

#include <stdlib.h>

#include "kernels/layout.h"

/* When a value is in memory: in one stretch of nodes, or in two if it is worked out again. */
struct life {
    uint32_t from, to, again, until; /* again = until = UINT32_MAX: once */
    uint32_t place;                  /* value whose bytes these are */
};

struct plan {
    const struct graph *g;
    const struct cap *cap;
    const struct memory_change *change;
    struct life *life; /* [value] */
    uint32_t turn;     /* the first node that makes a gradient; n_nodes: none does */
};

static uint32_t last(const struct graph_value *v)
{
    return v->last_use == UINT32_MAX ? v->def : v->last_use;
}

/* --- lives -------------------------------------------------------------------------------- */

static void live_once(struct plan *p)
{
    const struct graph *g = p->g;

    for (uint32_t v = 0; v < g->n_values; v++)
        p->life[v] =
            (struct life){ g->value[v].def, last(&g->value[v]), UINT32_MAX, UINT32_MAX, v };
    /* in order of operations, so that an operand's own place is known */
    for (uint32_t i = 0; i < g->n_ops; i++) {
        const struct graph_op *op = &g->op[i];
        if (!graph_in_place(g, op))
            continue;
        uint32_t result = g->ref[op->first_out], into = p->life[g->ref[op->first_in]].place;
        p->life[result].place = into;
        if (p->life[into].to < p->life[result].to)
            p->life[into].to = p->life[result].to;
    }
}

static void find_turn(struct plan *p)
{
    const struct graph *g = p->g;

    p->turn = g->n_nodes;
    for (uint32_t v = g->n_persistent; v < g->n_values; v++)
        if (g->value[v].role == TRACE_GRADIENT && g->value[v].def < p->turn)
            p->turn = g->value[v].def;
}

/* For each value: its last use before the turn, its first one after, and whether another phase
 * reads it before. */
struct use {
    uint32_t before, after;
    bool handed_on;
};

static void note_use(const struct plan *p, struct use *use, uint32_t v, uint32_t node)
{
    const struct graph *g = p->g;

    if (node < p->turn) {
        use[v].before = node;
        use[v].handed_on |= g->node[node].phase != g->node[g->value[v].def].phase;
    } else if (node < use[v].after) {
        use[v].after = node;
    }
}

/* Does the value come from a host, which feeds it? */
static bool is_fed(const struct graph *g, const struct graph_value *x)
{
    switch (g->op[g->node[x->def].first_op].op.kind) {
    case TRACE_INFEED:
    case TRACE_HOST:
    case TRACE_LAUNCH:
    case TRACE_LOAD: return true;
    default: return false;
    }
}

static bool is_activation(const struct graph *g, uint32_t v)
{
    const struct graph_value *x = &g->value[v];

    return !x->persistent && !x->on_chip && x->role == TRACE_ACTIVATION && !is_fed(g, x);
}

static bool droppable(const struct plan *p, const struct use *use, uint32_t v)
{
    const struct graph_value *x = &p->g->value[v];

    return is_activation(p->g, v) && x->def < p->turn && last(x) >= p->turn && !use[v].handed_on &&
           p->life[v].place == v && p->life[v].to == last(x);
}

/* Cut the lives of what can be worked out again.  A phase is worked out again as a whole, before
 * the first use of any of it. */
static void live_twice(struct plan *p)
{
    const struct graph *g = p->g;
    struct use *use = calloc(g->n_values + 1, sizeof *use);
    uint32_t *again = malloc((g->n_text + 1) * sizeof *again); /* [phase: offset of its text] */

    BUG_ON(!use || !again);
    for (uint32_t v = 0; v < g->n_values; v++)
        use[v] = (struct use){ g->value[v].def, UINT32_MAX, false };
    for (uint32_t i = 0; i < g->n_ops; i++)
        for (uint32_t j = 0; j < g->op[i].n_in; j++)
            note_use(p, use, g->ref[g->op[i].first_in + j], g->op[i].node);
    for (uint32_t i = 0; i <= g->n_text; i++)
        again[i] = UINT32_MAX;
    for (uint32_t v = g->n_persistent; v < g->n_values; v++) {
        uint32_t *first = &again[g->node[g->value[v].def].phase];
        if (droppable(p, use, v) && use[v].after < *first)
            *first = use[v].after;
    }
    for (uint32_t v = g->n_persistent; v < g->n_values; v++)
        if (droppable(p, use, v)) {
            p->life[v].to = use[v].before;
            p->life[v].again = again[g->node[g->value[v].def].phase];
            p->life[v].until = last(&g->value[v]);
        }
    free(again);
    free(use);
}

/* --- bytes -------------------------------------------------------------------------------- */

static enum memory_role role(const struct graph *g, uint32_t v)
{
    const struct graph_value *x = &g->value[v];

    switch (x->role) {
    case TRACE_WEIGHT: return MEMORY_WEIGHTS;
    case TRACE_STATE: return MEMORY_OPTIMIZER;
    case TRACE_CONSTANT: return MEMORY_CONSTANTS;
    case TRACE_INPUT: return MEMORY_INPUTS;
    case TRACE_GRADIENT: return MEMORY_GRADIENTS;
    default: return is_activation(g, v) ? MEMORY_ACTIVATIONS : MEMORY_INPUTS;
    }
}

static enum trace_dtype kept_in(const struct plan *p, uint32_t v)
{
    const struct graph_value *x = &p->g->value[v];
    bool narrow = p->change->bf16 && !x->persistent && x->stored == TRACE_F32;

    return narrow ? TRACE_BF16 : x->stored;
}

static uint64_t padded(const struct plan *p, uint32_t v)
{
    return layout_tiled(&p->g->value[v].shape, kept_in(p, v), p->cap).bytes;
}

static uint64_t bare(const struct plan *p, uint32_t v)
{
    return trace_elements(&p->g->value[v].shape) * trace_dtype_bytes[kept_in(p, v)];
}

/* Bytes that come and go at each node. */
struct flow {
    uint64_t born[N_MEMORY_ROLES], dead[N_MEMORY_ROLES];
    uint64_t bare_born, bare_dead;
};

static void add(struct flow *flow, const struct plan *p, uint32_t v, uint32_t from, uint32_t to)
{
    enum memory_role r = role(p->g, v);

    flow[from].born[r] += padded(p, v);
    flow[to].dead[r] += padded(p, v);
    flow[from].bare_born += bare(p, v);
    flow[to].bare_dead += bare(p, v);
}

static void sweep(struct memory *m, const struct plan *p, const struct flow *flow,
                  const uint64_t *workspace, uint64_t bare_now, uint64_t *live)
{
    uint64_t now[N_MEMORY_ROLES], first = m->total;

    for (int r = 0; r < N_MEMORY_ROLES; r++)
        now[r] = m->role[r];
    for (uint32_t i = 0; i < p->g->n_nodes; i++) {
        uint64_t total = 0;
        for (int r = 0; r < N_MEMORY_ROLES; r++)
            total += now[r] += flow[i].born[r];
        bare_now += flow[i].bare_born;
        now[MEMORY_WORKSPACE] = workspace ? workspace[i] : 0;
        total += now[MEMORY_WORKSPACE];
        if (live)
            live[i] = total;
        if (total > first || i == 0) {
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

void memory_peak(struct memory *m, const struct graph *g, const struct cap *cap,
                 const uint64_t *workspace, const struct memory_change *change, uint64_t *live)
{
    struct plan p = { .g = g, .cap = cap, .change = change };
    struct flow *flow = calloc((size_t)g->n_nodes + 1, sizeof *flow);
    uint64_t bare_bytes = 0;

    p.life = calloc((size_t)g->n_values + 1, sizeof *p.life);
    BUG_ON(!p.life || !flow);
    *m = (struct memory){ 0 };
    live_once(&p);
    find_turn(&p);
    if (change->remat && p.turn < g->n_nodes)
        live_twice(&p);
    for (uint32_t v = 0; v < g->n_values; v++) {
        const struct life *l = &p.life[v];
        if (g->value[v].persistent) {
            m->role[role(g, v)] += padded(&p, v);
            m->total += padded(&p, v);
            bare_bytes += bare(&p, v);
        } else if (!g->value[v].on_chip && l->place == v) {
            add(flow, &p, v, l->from, l->to);
            if (l->again != UINT32_MAX)
                add(flow, &p, v, l->again, l->until);
        }
    }
    m->persistent = m->total;
    m->padding = m->total - bare_bytes;
    sweep(m, &p, flow, workspace, bare_bytes, live);
    free(p.life);
    free(flow);
}
