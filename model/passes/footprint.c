#include "passes/footprint.h"

#include <stdlib.h>

#include "base/arith.h"
#include "base/memory.h"
#include "passes/liveness.h"

struct plan {
    const struct step *step;
    const struct footprint_core *core;
    const struct footprint_change *change;
    struct liveness lives;
};

enum footprint_role footprint_role_of(const struct step *step, uint32_t v)
{
    const struct step_value *x = &step->value[v];

    switch (x->role) {
    case TRACE_WEIGHT: return FOOTPRINT_WEIGHTS;
    case TRACE_STATE: return FOOTPRINT_OPTIMIZER;
    case TRACE_CONSTANT: return FOOTPRINT_CONSTANTS;
    case TRACE_INPUT: return FOOTPRINT_INPUTS;
    case TRACE_GRADIENT: return FOOTPRINT_GRADIENTS;
    default: return liveness_is_activation(step, v) ? FOOTPRINT_ACTIVATIONS : FOOTPRINT_INPUTS;
    }
}

static enum trace_dtype dtype_of_value(const struct plan *p, uint32_t v)
{
    const struct step_value *x = &p->step->value[v];
    bool narrow =
        p->change->bf16 && !x->persistent && x->stored == TRACE_F32 && !x->shape.layout.given;

    return narrow ? TRACE_BF16 : x->stored;
}

struct size {
    uint64_t padded, bare; /* in whole tiles and granules; of the elements alone */
};

static uint64_t round_allocation(const struct plan *p, uint64_t bytes)
{
    return p->core->granule ? arith_round_up(bytes, p->core->granule) : bytes;
}

#define GRANULE 512 /* bytes of HBM to which the compiler rounds a buffer */

static struct size size_of_value(const struct plan *p, uint32_t v)
{
    const struct trace_shape *shape = &p->step->value[v].shape;
    enum trace_dtype t = dtype_of_value(p, v);

    if (shape->layout.given)
        return (struct size){ arith_round_up(trace_bytes(shape), GRANULE),
                              trace_bare_bytes(shape) };

    return (struct size){ round_allocation(p, tiling_least(shape, t, p->core->tiling).bytes),
                          trace_elements(shape) * trace_dtype_bytes[t] };
}

static struct size size_of_share(const struct plan *p, uint32_t v, uint32_t replicas)
{
    struct trace_shape row = { .rank = 1 };
    enum trace_dtype t = dtype_of_value(p, v);

    row.dim[0] = arith_ceil_div(trace_elements(&p->step->value[v].shape), replicas);
    return (struct size){ round_allocation(p, tiling_least(&row, t, p->core->tiling).bytes),
                          row.dim[0] * trace_dtype_bytes[t] };
}

/* Bytes that come and go at each node. */
struct flow {
    uint64_t born[N_FOOTPRINT_ROLES], dead[N_FOOTPRINT_ROLES];
    uint64_t bare_born, bare_dead;
};

static void add_bytes(struct flow *flow, enum footprint_role r, struct size size, uint32_t from,
                      uint32_t to)
{
    flow[from].born[r] += size.padded;
    flow[to].dead[r] += size.padded;
    flow[from].bare_born += size.bare;
    flow[to].bare_dead += size.bare;
}

/* Take out the nodes at which a place, or a part of it, is free.  Counters wrap around, as a part
 * may be missing from the first node of the place on. */
static void remove_bytes(struct flow *flow, enum footprint_role r, struct size size,
                         const struct liveness_gap *gap)
{
    if (gap->bytes < size.padded)
        size.padded = gap->bytes;
    if (gap->bytes < size.bare)
        size.bare = gap->bytes;
    flow[gap->from].born[r] -= size.padded;
    flow[gap->from].bare_born -= size.bare;
    flow[gap->to].dead[r] -= size.padded;
    flow[gap->to].bare_dead -= size.bare;
}

static void add_life(struct flow *flow, const struct plan *p, uint32_t v)
{
    const struct liveness_life *l = &p->lives.life[v];
    struct size all = size_of_value(p, v),
                share = l->replicas ? size_of_share(p, v, l->replicas) : all;
    enum footprint_role r = footprint_role_of(p->step, v);

    if (l->replicas && l->summed == STEP_NONE) {
        add_bytes(flow, r, share, l->from, l->to);
        return;
    }
    if (l->replicas && l->summed < l->to) {
        add_bytes(flow, r, all, l->from, l->summed);
        add_bytes(flow, r, share, l->summed + 1, l->to);
        return;
    }
    add_bytes(flow, r, all, l->from, l->to);
    for (uint32_t i = 0; i < l->n_gaps; i++)
        remove_bytes(flow, r, all, &p->lives.gap[l->first_gap + i]);
    if (l->again != STEP_NONE)
        add_bytes(flow, r, all, l->again, l->until);
}

/* --- other memories ----------------------------------------------------------------------- */

/* The peak of the memory space `in`, with `flow` as room to work in; `temporaries`: of what is
 * neither an argument nor a result alone. */
static uint64_t find_peak_in(const struct plan *p, enum trace_space in, bool temporaries,
                             struct flow *flow)
{
    const struct step *step = p->step;
    uint64_t now = 0, most;

    for (uint32_t i = 0; i < step->n_nodes; i++)
        flow[i].bare_born = flow[i].bare_dead = 0;
    for (uint32_t v = 0; v < step->n_values; v++) {
        const struct liveness_life *l = &p->lives.life[v];
        if (step_space(step, v) != in || l->place != v || step->value[v].on_chip ||
            !liveness_has_stage(&p->lives, step->value[v].stage) ||
            (temporaries && (step->value[v].persistent || l->returned)))
            continue;
        struct size size = { 0, step_bytes(step, v) };
        if (step->value[v].persistent) {
            now += size.bare;
            continue;
        }
        add_bytes(flow, FOOTPRINT_ACTIVATIONS, size, l->from, l->to);
        for (uint32_t i = 0; i < l->n_gaps; i++)
            remove_bytes(flow, FOOTPRINT_ACTIVATIONS, size, &p->lives.gap[l->first_gap + i]);
    }
    most = now;
    for (uint32_t i = 0; i < step->n_nodes; i++) {
        now += flow[i].bare_born;
        most = now > most ? now : most;
        now -= flow[i].bare_dead;
    }
    return most;
}

/* Add up what the program returns, each place once, and what of its arguments a host has. */
static void add_lasting(struct footprint *m, const struct plan *p)
{
    for (uint32_t v = 0; v < p->step->n_values; v++) {
        bool persistent = p->step->value[v].persistent;
        if ((!persistent && !p->lives.life[v].returned) || p->lives.life[v].place != v)
            continue;
        if (step_space(p->step, v) == TRACE_IN_HOST)
            m->on_host += step_bytes(p->step, v);
        else if (step_space(p->step, v) == TRACE_IN_HBM && !persistent)
            m->returned += size_of_value(p, v).padded;
    }
}

static void find_elsewhere(struct footprint *m, const struct plan *p, struct flow *flow)
{
    bool used[TRACE_N_SPACES] = { false };

    for (uint32_t v = 0; v < p->step->n_values; v++)
        used[step_space(p->step, v)] = true;
    for (unsigned in = TRACE_IN_HBM + 1; in < TRACE_N_SPACES; in++)
        if (used[in])
            m->elsewhere[in] = find_peak_in(p, (enum trace_space)in, false, flow);
    if (used[TRACE_IN_HOST])
        m->host_temporaries = find_peak_in(p, TRACE_IN_HOST, true, flow);
}

/* --- HBM ---------------------------------------------------------------------------------- */

static void find_peak(struct footprint *m, const struct plan *p, const struct flow *flow,
                      const uint64_t *workspace, uint64_t bare_now, uint64_t *live)
{
    uint64_t now[N_FOOTPRINT_ROLES], first = m->total;
    bool found = false;

    for (int r = 0; r < N_FOOTPRINT_ROLES; r++)
        now[r] = m->role[r];
    for (uint32_t i = 0; i < p->step->n_nodes; i++) {
        uint64_t total = 0;
        for (int r = 0; r < N_FOOTPRINT_ROLES; r++)
            total += now[r] += flow[i].born[r];
        bare_now += flow[i].bare_born;
        /* what comes while another stage works is there until this one uses it */
        bool own = liveness_has_stage(&p->lives, p->step->node[i].stage);
        m->named = own && total > m->named ? total : m->named;
        now[FOOTPRINT_WORKSPACE] = workspace ? workspace[i] : 0;
        total += now[FOOTPRINT_WORKSPACE];
        if (live && own)
            live[i] = total;
        if (own && (total > first || !found)) {
            found = true;
            first = m->total = total;
            m->at = i;
            m->padding = total - now[FOOTPRINT_WORKSPACE] - bare_now;
            for (int r = 0; r < N_FOOTPRINT_ROLES; r++)
                m->role[r] = now[r];
        }
        now[FOOTPRINT_WORKSPACE] = 0;
        for (int r = 0; r < N_FOOTPRINT_ROLES; r++)
            now[r] -= flow[i].dead[r];
        bare_now -= flow[i].bare_dead;
    }
}

void footprint_peak(struct footprint *m, const struct step *step, const struct footprint_core *core,
                    const uint64_t *workspace, const struct footprint_change *change,
                    uint64_t *live)
{
    footprint_of_stage(m, step, core, TRACE_NO_STAGE, workspace, change, live);
}

void footprint_of_stage(struct footprint *m, const struct step *step,
                        const struct footprint_core *core, uint64_t stage,
                        const uint64_t *workspace, const struct footprint_change *change,
                        uint64_t *live)
{
    struct plan p = { .step = step, .core = core, .change = change };
    struct flow *flow = memory_zeroed((size_t)step->n_nodes + 1, sizeof *flow);
    uint64_t bare_bytes = 0;

    *m = (struct footprint){ .total = core->process };
    m->role[FOOTPRINT_PROCESS] = core->process;
    bare_bytes = core->process;
    liveness_find(&p.lives, step, stage, core->replicas, change->remat);
    for (uint32_t v = 0; v < step->n_values; v++) {
        if (!liveness_has_stage(&p.lives, step->value[v].stage) ||
            step_space(step, v) != TRACE_IN_HBM)
            continue;
        if (step->value[v].persistent) {
            struct size all = size_of_value(&p, v);
            m->role[footprint_role_of(step, v)] += all.padded;
            m->total += all.padded;
            bare_bytes += all.bare;
        } else if (!step->value[v].on_chip && p.lives.life[v].place == v && !p.lives.life[v].lent) {
            add_life(flow, &p, v);
        }
    }
    m->persistent = m->named = m->total;
    m->padding = m->total - bare_bytes;
    find_peak(m, &p, flow, workspace, bare_bytes, live);
    find_elsewhere(m, &p, flow);
    add_lasting(m, &p);
    liveness_free(&p.lives);
    free(flow);
}

/* --- who owns them ------------------------------------------------------------------------ */

/* Bytes of a value at a node; 0: it is not alive there. */
static uint64_t bytes_at(const struct plan *p, uint32_t v, uint32_t node)
{
    const struct liveness_life *l = &p->lives.life[v];

    if (p->step->value[v].persistent)
        return size_of_value(p, v).padded;
    if (node < l->from || node > l->to || l->lent)
        return 0;
    for (uint32_t i = 0; i < l->n_gaps; i++) {
        const struct liveness_gap *gap = &p->lives.gap[l->first_gap + i];
        if (gap->from <= node && node <= gap->to)
            return 0; /* in HBM all of a place is free at once */
    }
    bool share = l->replicas && (l->summed == STEP_NONE || node > l->summed);
    return share ? size_of_share(p, v, l->replicas).padded : size_of_value(p, v).padded;
}

#define MOST_COPIES 64 /* of copies, that are followed back */

/* The value that `v` is a copy of, as far as no source is stated. */
static uint32_t find_origin(const struct step *step, uint32_t v)
{
    for (int i = 0; i < MOST_COPIES && !step_source(step, v); i++) {
        if (step->value[v].persistent)
            break;
        const struct step_op *op = &step->op[step->value[v].op];
        bool copies = op->op.kind == TRACE_COPY ||
                      (op->op.compiled && op->op.compiled->form == TRACE_FORM_COPY);
        if (!copies || op->n_in == 0)
            break;
        v = step_operand(step, op, 0);
    }
    return v;
}

/* The latest value in each place at a node whose source is known; STEP_NONE: there is none. */
static uint32_t *find_contents(const struct plan *p, uint32_t node)
{
    const struct step *step = p->step;
    uint32_t *holds = memory_zeroed((size_t)step->n_values + 1, sizeof *holds);

    for (uint32_t v = 0; v < step->n_values; v++)
        holds[v] = STEP_NONE;
    for (uint32_t v = 0; v < step->n_values; v++) {
        uint32_t root = p->lives.life[v].place;
        if (!step->value[v].on_chip && step_source(step, find_origin(step, v)) &&
            (holds[root] == STEP_NONE || step->value[v].def <= node))
            holds[root] = v;
    }
    return holds;
}

struct footprint_buffer *footprint_buffers(const struct footprint *m, const struct step *step,
                                           const struct footprint_core *core, uint64_t stage,
                                           size_t *n)
{
    struct plan p = { .step = step,
                      .core = core,
                      .change = &(struct footprint_change){ false, false } };
    struct footprint_buffer *list = NULL;

    liveness_find(&p.lives, step, stage, core->replicas, false);
    uint32_t *holds = find_contents(&p, m->at);
    *n = 0;
    for (uint32_t v = 0; v < step->n_values; v++) {
        const struct step_value *x = &step->value[v];
        if (!liveness_has_stage(&p.lives, x->stage) || step_space(step, v) != TRACE_IN_HBM ||
            x->on_chip || (!x->persistent && p.lives.life[v].place != v))
            continue;
        uint64_t bytes = bytes_at(&p, v, m->at);
        if (bytes == 0)
            continue;
        uint32_t in = x->persistent || holds[v] == STEP_NONE ? v : holds[v];
        MEMORY_ADD(list, *n);
        list[(*n)++] = (struct footprint_buffer){ v, in, find_origin(step, in), bytes,
                                                  footprint_role_of(step, v) };
    }
    free(holds);
    liveness_free(&p.lives);
    return list;
}

uint64_t footprint_by_xla(const struct footprint *m, bool gpu)
{
    uint64_t fixed = m->persistent + m->returned, most = (gpu ? m->named : m->total) - fixed;

    for (unsigned in = TRACE_IN_HBM + 1; in < TRACE_N_SPACES; in++)
        if ((in == TRACE_IN_VMEM || in == TRACE_IN_CMEM) && m->elsewhere[in] > most)
            most = m->elsewhere[in];
    most = m->host_temporaries > most ? m->host_temporaries : most;
    return fixed + m->on_host + most - m->role[FOOTPRINT_PROCESS];
}

struct footprint_less footprint_shares(const struct step *step, const struct footprint_core *core)
{
    struct plan p = { .step = step,
                      .core = core,
                      .change = &(struct footprint_change){ false, false } };
    struct footprint_less less = { 0, 0 };

    for (uint32_t v = 0; core->replicas > 1 && v < step->n_persistent; v++) {
        const struct step_value *x = &step->value[v];
        if (x->role != TRACE_STATE || !x->in_shares || x->in_full)
            continue;
        struct size all = size_of_value(&p, v), share = size_of_share(&p, v, core->replicas);
        less.bytes += all.padded - share.padded;
        less.elements += all.bare - share.bare;
    }
    return less;
}

void footprint_lessen(struct footprint *m, const struct footprint_less *less)
{
    m->role[FOOTPRINT_OPTIMIZER] -= less->bytes;
    m->total -= less->bytes;
    m->persistent -= less->bytes;
    m->named -= less->bytes;
    m->padding = m->padding + less->elements - less->bytes;
}
