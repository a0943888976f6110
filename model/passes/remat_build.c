/* The step that is left: kernels of the forward pass shrink to what must run in its place, and what
 * was given up stands again before the gradients that read it, in a phase of its own. */
#include <stdlib.h>

#include "base/memory.h"
#include "passes/remat_impl.h"
#include "step/step_build.h"
#include "trace/attr.h"

struct build {
    const struct remat *r;
    const struct step *from;
    struct step *to;
    uint32_t *first, *second; /* [value of `from`] in `to`: made in its place; computed again */
    uint32_t *list;           /* room for the values that leave a fusion */
    bool again;               /* what is added is computed again */
};

static bool runs_now(const struct build *b, uint32_t op)
{
    return b->again ? b->r->op[op].again : b->r->op[op].first;
}

/* True if `op` reads the value that was computed again. */
static bool reads_again(const struct build *b, const struct step_op *op, uint32_t v)
{
    if (b->r->value[v].kept || !remat_is_forward(b->r, v))
        return false;
    return b->again || (b->r->node[op->node].backward && remat_maker(b->r, v) != op->node);
}

static uint32_t map_operand(const struct build *b, const struct step_op *op, uint32_t v)
{
    return reads_again(b, op, v) ? b->second[v] : b->first[v];
}

static void add_op(struct build *b, uint32_t at)
{
    const struct step *from = b->from;
    const struct step_op *op = &from->op[at];
    struct trace_op x = step_attributes(from, op);

    if (b->again)
        x.given |= ATTR_BIT(NAME);
    step_begin_op(b->to, &x);
    for (uint32_t i = 0; i < op->n_in; i++)
        step_add_operand(b->to, map_operand(b, op, step_operand(from, op, i)));
    if (op->bias != STEP_NONE)
        step_set_bias(b->to, map_operand(b, op, op->bias));
    for (uint32_t i = 0; i < op->n_out; i++) {
        uint32_t v = step_result(from, op, i);
        char *name = memory_format("%s%s", step_name(from, v), b->again ? REMAT_TAIL : "");
        *(b->again ? &b->second[v] : &b->first[v]) = step_add_result(b->to, name, &from->value[v]);
        free(name);
    }
    step_end_op(b->to);
}

/* True if the value leaves its fusion. */
static bool leaves_fusion(const struct build *b, uint32_t v)
{
    const struct remat_value *x = &b->r->value[v];

    if (b->again)
        return x->out2 && !x->kept;
    return !b->from->value[v].on_chip && (x->out1 || !x->used);
}

static void add_fusion(struct build *b, const struct step_node *n)
{
    struct trace_op x = { .kind = TRACE_FUSION,
                          .kind_text = step_text(b->from, n->kind_text),
                          .name = step_text(b->from, n->name),
                          .note = n->note == STEP_NONE ? NULL : step_text(b->from, n->note),
                          .stage = n->stage,
                          .given = n->given,
                          .line = n->line };
    uint32_t listed = 0;

    if (b->again)
        x.given |= ATTR_BIT(NAME);
    step_begin_fusion(b->to, &x, n->title != n->name);
    for (uint32_t i = n->first_op; i < n->first_op + n->n_ops; i++) {
        const struct step_op *op = &b->from->op[i];
        if (!runs_now(b, i))
            continue;
        add_op(b, i);
        for (uint32_t k = 0; k < op->n_out; k++) {
            uint32_t v = step_result(b->from, op, k);
            if (leaves_fusion(b, v))
                b->list[listed++] = b->again ? b->second[v] : b->first[v];
        }
    }
    step_end_fusion(b->to, b->list, listed);
}

static void add_kernel(struct build *b, const struct step_node *n)
{
    bool some = false;

    for (uint32_t i = n->first_op; i < n->first_op + n->n_ops; i++)
        some |= runs_now(b, i);
    if (some && n->fusion)
        add_fusion(b, n);
    else if (some)
        add_op(b, n->first_op);
}

/* The kernels that run again before each node, in their own order: a list. */
static uint32_t *queue_kernels(const struct remat *r, uint32_t *first)
{
    uint32_t n = r->step->n_nodes, *next = memory_zeroed((size_t)n + 1, sizeof *next);

    for (uint32_t i = 0; i < n; i++)
        first[i] = STEP_NONE;
    for (uint32_t i = n; i-- > 0;) {
        uint32_t at = r->node[i].at;
        if (at == STEP_NONE)
            continue;
        next[i] = first[at];
        first[at] = i;
    }
    return next;
}

static void add_again(struct build *b, uint32_t first, const uint32_t *next, uint32_t phase)
{
    b->again = true;
    step_add_phase(b->to, REMAT_PHASE);
    for (uint32_t i = first; i != STEP_NONE; i = next[i])
        add_kernel(b, &b->from->node[i]);
    b->again = false;
    if (phase)
        step_add_phase(b->to, step_text(b->from, b->from->phase[phase].name));
}

static void add_node(struct build *b, uint32_t i)
{
    const struct step_node *n = &b->from->node[i];

    switch (n->kind) {
    case STEP_OP: add_kernel(b, n); break;
    case STEP_REPEAT: step_begin_repeat(b->to, n->count); break;
    case STEP_BEGIN: step_begin_step(b->to, n->count); break;
    case STEP_END: step_end_block(b->to); break;
    }
}

void remat_build(const struct remat *r, struct step *to)
{
    const struct step *from = r->step;
    struct build b = { .r = r, .from = from, .to = to };
    uint32_t *first = memory_zeroed((size_t)from->n_nodes + 1, sizeof *first), *next, phase = 1;

    b.first = memory_zeroed(from->n_values, sizeof *b.first);
    b.second = memory_zeroed(from->n_values, sizeof *b.second);
    b.list = memory_zeroed(from->n_values, sizeof *b.list);
    next = queue_kernels(r, first);
    step_clear(to, from);
    for (uint32_t v = 0; v < from->n_persistent; v++)
        b.first[v] = step_add_value(to, step_name(from, v), &from->value[v]);
    for (uint32_t i = 0; i <= from->n_nodes; i++) {
        for (; phase < from->n_phases && from->phase[phase].before == i; phase++)
            step_add_phase(to, step_text(from, from->phase[phase].name));
        if (i == from->n_nodes)
            break;
        if (first[i] != STEP_NONE)
            add_again(&b, first[i], next, r->node[i].phase);
        add_node(&b, i);
    }
    step_link(to);
    free(next);
    free(first);
    free(b.first);
    free(b.second);
    free(b.list);
}
