#include "base/memory.h"
#include "passes/remat_impl.h"

/* Can it be run again, and give the same?  What changes an operand cannot; nor, since it would need
 * another name, a bias that is worked out. */
static bool is_repeatable(const struct step *step, const struct step_op *op)
{
    return trace_has_trait(op->op.kind, TRACE_REPEATS) && op->n_out > 0 &&
           (op->bias == STEP_NONE || step->value[op->bias].persistent);
}

/* True if `op` changes its operand `i` in place. */
static bool changes_operand(const struct step *step, const struct step_op *op, uint32_t i)
{
    switch (trace_kinds[op->op.kind].changes) {
    case TRACE_CHANGES_NOTHING: return false;
    case TRACE_CHANGES_FIRST: return i == 0;
    case TRACE_CHANGES_VARIABLES: return step->value[step_operand(step, op, i)].persistent;
    case TRACE_CHANGES_UNNAMED: return op->n_out == 0 || op->op.async == TRACE_START;
    case TRACE_CHANGES_OPERANDS: return true;
    }
    return false;
}

/* Decide whether a kernel is of the forward pass or backward, once those before it are known. */
static void classify_node(struct remat *r, uint32_t at)
{
    const struct step *step = r->step;
    const struct step_node *from = &step->node[at];
    struct remat_node *n = &r->node[at];
    bool tainted = false;

    n->forward = true;
    for (uint32_t i = from->first_op; i < from->first_op + from->n_ops; i++) {
        const struct step_op *op = &step->op[i];
        n->forward &= is_repeatable(step, op);
        r->op[i].product = trace_is_gemm(op->op.kind);
        for (uint32_t k = 0; k < step_n_operands(op); k++) {
            uint32_t v = step_operand(step, op, k);
            tainted |= r->value[v].tainted;
            r->op[i].product |= remat_maker(r, v) == at && r->op[step->value[v].op].product;
        }
        for (uint32_t k = 0; k < op->n_out; k++)
            n->backward |= step->value[step_result(step, op, k)].role == TRACE_GRADIENT;
    }
    n->backward |= tainted;
    n->forward &= !n->backward;
    for (uint32_t i = from->first_op; i < from->first_op + from->n_ops; i++)
        for (uint32_t k = 0; k < step->op[i].n_out; k++)
            r->value[step_result(step, &step->op[i], k)].tainted = n->backward;
}

static void note_uses(struct remat *r, uint32_t at)
{
    const struct step *step = r->step;
    const struct step_node *from = &step->node[at];
    const struct remat_node *n = &r->node[at];

    for (uint32_t i = from->first_op; i < from->first_op + from->n_ops; i++)
        for (uint32_t k = 0; k < step_n_operands(&step->op[i]); k++) {
            uint32_t v = step_operand(step, &step->op[i], k), maker = remat_maker(r, v);
            struct remat_value *x = &r->value[v];
            x->used = true;
            if (maker == at)
                continue;
            bool inner = maker != STEP_NONE && r->node[maker].loop != n->loop;
            x->graded |= n->backward;
            x->fixed |= inner || (!n->backward && !n->forward) || k >= step->op[i].n_in;
        }
}

static void note_writes(struct remat *r)
{
    const struct step *step = r->step;

    for (uint32_t i = 0; i < step->n_ops; i++)
        for (uint32_t k = 0; k < step->op[i].n_in; k++) {
            if (!changes_operand(step, &step->op[i], k))
                continue;
            uint32_t v = step_operand(step, &step->op[i], k);
            r->value[v].written = true;
            MEMORY_GROW(r->write, r->n_writes + 1, r->cap_writes);
            r->write[r->n_writes++] = (struct remat_write){ v, step->op[i].node };
        }
}

/* The block that each node stands in: its phase, which ends with it, and its loop. */
static void find_blocks(struct remat *r)
{
    const struct step *step = r->step;
    uint32_t phase = 0, next = 1, loop = STEP_NONE;

    for (uint32_t i = 0; i < step->n_nodes; i++) {
        const struct step_node *n = &step->node[i];
        for (; next < step->n_phases && step->phase[next].before == i; next++)
            phase = next;
        r->node[i] = (struct remat_node){ .phase = phase, .loop = loop, .at = STEP_NONE };
        if (n->kind == STEP_REPEAT) {
            loop = i;
        } else if (n->kind == STEP_END) {
            phase = r->node[n->match].phase;
            loop = r->node[n->match].loop;
        }
    }
}

void remat_classify(struct remat *r)
{
    const struct step *step = r->step;
    uint32_t pass = 0;
    bool gradients = false;

    find_blocks(r);
    for (uint32_t i = 0; i < step->n_nodes; i++) {
        struct remat_node *n = &r->node[i];
        pass += step->node[i].kind != STEP_OP;
        n->pass = pass;
        if (step->node[i].kind != STEP_OP)
            continue;
        classify_node(r, i);
        pass += n->forward && gradients;
        gradients = n->backward || (gradients && !n->forward);
        n->pass = pass;
        note_uses(r, i);
    }
    note_writes(r);
}
