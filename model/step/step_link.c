/* Where each value is made and read last.
 *
 * A value that a loop reads from outside must last until the loop ends, so the end of the outermost
 * loop that begins behind it counts as the use.  The network reads the operands of a start until
 * its done.  What a stage receives is there from the send-start on. */
#include "step/step_build.h"

#define MAX_DEPTH 64 /* blocks inside each other; the reader of traces allows no more */

struct walk {
    struct step *step;
    uint32_t node;
    uint32_t loop[MAX_DEPTH]; /* open STEP_REPEAT nodes around it */
    uint32_t depth;
};

static void use_value(struct walk *w, uint32_t value)
{
    struct step_value *v = &w->step->value[value];
    uint32_t at = w->node;

    for (uint32_t i = 0; i < w->depth; i++)
        if (v->def < w->loop[i]) {
            at = w->step->node[w->loop[i]].match;
            break;
        }
    v->last_use = at;
}

/* Note whether a replica needs its share of the state alone, or all of it.  A restart takes what
 * there is.
 */
static void note_sharing(struct step_value *v, const struct trace_op *op)
{
    if (op->kind == TRACE_OPTIMIZER && op->sharded)
        v->in_shares = true;
    else if (op->kind != TRACE_RESTART)
        v->in_full = true;
}

static void link_op(struct walk *w, uint32_t at)
{
    struct step *step = w->step;
    const struct step_op *op = &step->op[at];
    bool done = op->op.async == TRACE_DONE, received = done && op->op.kind == TRACE_SEND;

    for (uint32_t i = 0; i < op->n_in; i++) {
        uint32_t v = step_operand(step, op, i);
        use_value(w, v);
        note_sharing(&step->value[v], &op->op);
    }
    if (done && !received) {
        const struct step_op *start = &step->op[step->value[step_operand(step, op, 0)].op];
        for (uint32_t i = 0; i < start->n_in; i++)
            use_value(w, step_operand(step, start, i));
    }
    if (op->bias != STEP_NONE)
        use_value(w, op->bias);
    for (uint32_t i = 0; i < op->n_out; i++) {
        struct step_value *v = &step->value[step_result(step, op, i)];
        v->op = at;
        v->def = received ? step->value[step_operand(step, op, 0)].def : w->node;
    }
}

void step_link(struct step *step)
{
    struct walk w = { .step = step };

    BUG_ON(step->open != STEP_NONE || step->in_fusion);
    for (uint32_t v = 0; v < step->n_values; v++)
        step->value[v].last_use = STEP_NONE;
    for (w.node = 0; w.node < step->n_nodes; w.node++) {
        const struct step_node *n = &step->node[w.node];
        if (n->kind == STEP_REPEAT) {
            BUG_ON(w.depth == MAX_DEPTH);
            w.loop[w.depth++] = w.node;
        } else if (n->kind == STEP_END) {
            w.depth -= step->node[n->match].kind == STEP_REPEAT;
        } else if (n->kind == STEP_OP) {
            for (uint32_t i = n->first_op; i < n->first_op + n->n_ops; i++)
                link_op(&w, i);
        }
    }
}
