/* liveness_place.c - the times at which memory that several values take in turn is in use.
 *
 * All values at one place are one buffer.  It is in use from each value to the last use of that,
 * and free between there and the next value that is written whole: a loop that copies what it
 * carries elsewhere, and writes the next of it at its end, leaves the buffer to others meanwhile.
 * XLA gives it to them; so does this.
 *
 * For each place its events are put in order of nodes: a use; a definition, which overwrites all of
 * it.  A result that is smaller than its place is a use, as the rest must stay, and so is a copy of
 * a part.  A loop that begins behind the place carries its contents from turn to turn: where the
 * first event in it is a use, the buffer is in use at its end too.
 *
 * An on-chip buffer that copies fill piece by piece takes memory for a piece when that copy starts:
 * XLA lets others have the room of later pieces until then. */
#include <stdlib.h>

#include "base/memory.h"
#include "passes/liveness_impl.h"

enum event_kind { EVENT_USE, EVENT_DEF }; /* at one node a use comes first */

struct event {
    uint32_t root, node;
    enum event_kind kind;
    bool empty;     /* it makes the place, and writes nothing to it */
    uint64_t piece; /* bytes of a part of the place that begin to arrive, or 0 */
};

struct places {
    struct liveness *l;
    const struct step *step;
    uint32_t *outer; /* [node] the innermost loop around it, by where it begins, or STEP_NONE */
    bool *shared;    /* [value] others take its place */
    struct event *event;
    uint32_t n_events, cap_events;
};

/* --- events ------------------------------------------------------------------------------- */

static uint32_t *find_loops(const struct step *step)
{
    uint32_t *outer = memory_zeroed((size_t)step->n_nodes + 1, sizeof *outer), open = STEP_NONE;

    for (uint32_t i = 0; i < step->n_nodes; i++) {
        const struct step_node *n = &step->node[i];
        bool ends = n->kind == STEP_END && step->node[n->match].kind == STEP_REPEAT;
        if (ends)
            open = outer[n->match];
        outer[i] = open;
        if (n->kind == STEP_REPEAT)
            open = i;
    }
    return outer;
}

static struct event *add_event(struct places *p, uint32_t value, uint32_t node,
                               enum event_kind kind)
{
    uint32_t root = p->l->life[value].place;

    if (!p->shared[root])
        return NULL;
    MEMORY_GROW(p->event, p->n_events + 1, p->cap_events);
    p->event[p->n_events] = (struct event){ .root = root, .node = node, .kind = kind };
    return &p->event[p->n_events++];
}

static void add_uses(struct places *p, const struct step_op *op, uint32_t node)
{
    for (uint32_t i = 0; i < step_n_operands(op); i++)
        add_event(p, step_operand(p->step, op, i), node, EVENT_USE);
}

/* True of a line that makes a buffer and writes nothing to it. */
static bool is_empty(const struct step_op *op)
{
    return op->op.compiled && op->op.compiled->form == TRACE_FORM_SCALAR && op->n_in == 0;
}

/* True of a copy in the background that brings a part of `v`, the rest of which stays. */
static bool is_update(const struct step *step, const struct step_op *op, uint32_t v)
{
    return op->op.kind == TRACE_COPY && op->op.async == TRACE_START &&
           op->op.payload < trace_bytes(&step->value[v].shape);
}

static void add_op(struct places *p, const struct step_op *op)
{
    const struct step *step = p->step;

    add_uses(p, op, op->node);
    if (op->op.async == TRACE_DONE) /* until here its start reads its operands */
        add_uses(p, &step->op[step->value[step_operand(step, op, 0)].op], op->node);
    for (uint32_t i = 0; i < op->n_out; i++) {
        uint32_t v = step_result(step, op, i), root = p->l->life[v].place;
        bool whole = step_bytes(step, v) == step_bytes(step, root) && !is_update(step, op, v);
        struct event *e = add_event(p, v, step->value[v].def, whole ? EVENT_DEF : EVENT_USE);
        if (!e)
            continue;
        e->empty = is_empty(op);
        if (!whole && op->op.kind == TRACE_COPY && op->op.async == TRACE_START &&
            !is_update(step, op, v))
            e->piece = step_bytes(step, v);
    }
}

/* --- one place ---------------------------------------------------------------------------- */

static int compare_events(const void *a, const void *b)
{
    const struct event *x = a, *y = b;

    if (x->root != y->root)
        return x->root < y->root ? -1 : 1;
    if (x->node != y->node)
        return x->node < y->node ? -1 : 1;
    return (int)x->kind - (int)y->kind;
}

/* Add the uses at the ends of loops that carry the contents of places.  The events are in order. */
static void add_carried(struct places *p)
{
    uint32_t n = p->n_events, before = 0;

    for (uint32_t i = 0; i < n; i++) {
        struct event e = p->event[i];
        bool first = i == 0 || p->event[i - 1].root != e.root;
        bool all = first && p->step->value[e.root].persistent; /* it is there before any loop */
        before = first ? p->step->value[e.root].def : p->event[i - 1].node;
        if (e.kind != EVENT_USE)
            continue;
        for (uint32_t loop = p->outer[e.node]; loop != STEP_NONE && (all || loop > before);
             loop = p->outer[loop])
            add_event(p, e.root, p->step->node[loop].match, EVENT_USE);
    }
}

static void add_gap(struct liveness *l, uint32_t from, uint32_t to, uint64_t bytes)
{
    MEMORY_GROW(l->gap, l->n_gaps + 1, l->cap_gaps);
    l->gap[l->n_gaps++] = (struct liveness_gap){ from, to, bytes };
}

/* Find how many of the first events of an empty place it takes until pieces have filled it; 0: they
 * do not. */
static uint32_t count_filling(const struct liveness *l, const struct event *event, uint32_t n)
{
    uint64_t missing = step_bytes(l->step, event[0].root);

    if (!event[0].empty || step_space(l->step, event[0].root) == TRACE_IN_HBM)
        return 0;
    for (uint32_t i = 1; i < n && event[i].kind == EVENT_USE && event[i].piece <= missing; i++) {
        missing -= event[i].piece;
        if (missing == 0)
            return i + 1;
    }
    return 0;
}

/* Set the life of a place from its events, the first of which makes it. */
static void set_life(struct liveness *l, const struct event *event, uint32_t n)
{
    struct liveness_life *life = &l->life[event[0].root];
    uint32_t last = event[0].node, filling = count_filling(l, event, n);

    life->first_gap = l->n_gaps;
    for (uint32_t i = 1; i < filling; i++)
        if (event[i].piece && event[i].node > event[0].node)
            add_gap(l, event[0].node, event[i].node - 1, event[i].piece);
    for (uint32_t i = 1; i < n; i++) {
        if (event[i].kind == EVENT_DEF && event[i].node > last + 1)
            add_gap(l, last + 1, event[i].node - 1, LIVENESS_WHOLE);
        last = event[i].node;
    }
    life->n_gaps = l->n_gaps - life->first_gap;
    life->to = last;
}

static void set_lives(struct places *p)
{
    for (uint32_t i = 0, n; i < p->n_events; i += n) {
        for (n = 1; i + n < p->n_events && p->event[i + n].root == p->event[i].root;)
            n++;
        set_life(p->l, &p->event[i], n);
    }
}

static void sort_events(struct places *p)
{
    if (p->n_events)
        qsort(p->event, p->n_events, sizeof *p->event, compare_events);
}

/* --- what is returned --------------------------------------------------------------------- */

/* The memory of what a program returns is there before it begins. */
static void keep_returned(struct liveness *l)
{
    const struct step *step = l->step;
    uint32_t begin = 0;

    for (uint32_t i = 0; i < step->n_ops; i++) {
        const struct step_op *op = &step->op[i];
        if (op->op.kind != TRACE_RETURN)
            continue;
        for (uint32_t n = begin; n < op->node; n++)
            if (step->node[n].kind == STEP_BEGIN)
                begin = n;
        for (uint32_t j = 0; j < op->n_in; j++) {
            struct liveness_life *life = &l->life[l->life[step_operand(step, op, j)].place];
            life->from = begin;
            life->n_gaps = 0;
            life->returned = true;
        }
    }
}

void liveness_place(struct liveness *l)
{
    struct places p = { .l = l, .step = l->step };
    const struct step *step = l->step;

    if (!step->compiled)
        return;
    p.shared = memory_zeroed((size_t)step->n_values + 1, sizeof *p.shared);
    /* a value stands behind the one whose place it takes */
    for (uint32_t v = step->n_persistent; v < step->n_values; v++)
        if (step->value[v].placed) {
            l->life[v].place = l->life[step->value[v].at].place;
            p.shared[l->life[v].place] = true;
        }
    p.outer = find_loops(step);
    for (uint32_t i = 0; i < step->n_ops; i++)
        add_op(&p, &step->op[i]);
    sort_events(&p);
    add_carried(&p);
    sort_events(&p);
    set_lives(&p);
    keep_returned(l);
    liveness_lend(l);
    free(p.event);
    free(p.outer);
    free(p.shared);
}
