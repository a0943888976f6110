#include <stdlib.h>

#include "remat/remat_impl.h"

/* Can it be run again, and give the same?  What changes an operand cannot; nor, since it would need
 * another name, a bias that is worked out. */
static bool repeatable(const struct remat_step *s, const struct remat_op *op)
{
    switch (op->kind) {
    case TRACE_MATMUL:
    case TRACE_CONV:
    case TRACE_CONV_DGRAD:
    case TRACE_CONV_WGRAD:
    case TRACE_ELEMENTWISE:
    case TRACE_REDUCE:
    case TRACE_COPY:
    case TRACE_POOL:
    case TRACE_RNG:
    case TRACE_SORT:
    case TRACE_GATHER:
    case TRACE_SCATTER:
        return op->n_out > 0 && (!op->biased || remat_in(s, op, op->n_in - 1)->node == REMAT_NONE);
    default: return false;
    }
}

/* What a kernel is, once those before it are known. */
static void classify(struct remat_step *s, struct remat_node *n)
{
    bool tainted = false;

    n->forward = true;
    for (uint32_t i = n->first_op; i < n->first_op + n->n_ops; i++) {
        struct remat_op *op = &s->op[i];
        n->forward &= repeatable(s, op);
        op->product = trace_is_gemm(op->kind);
        for (uint32_t k = 0; k < op->n_in; k++) {
            const struct remat_value *v = remat_in(s, op, k);
            tainted |= v->tainted;
            op->product |= v->node == op->node && s->op[v->op].product;
        }
        for (uint32_t k = 0; k < op->n_out; k++)
            n->backward |= remat_out(s, op, k)->role == TRACE_GRADIENT;
    }
    n->backward |= tainted;
    n->forward &= !n->backward;
    for (uint32_t i = n->first_op; i < n->first_op + n->n_ops; i++)
        for (uint32_t k = 0; k < s->op[i].n_out; k++)
            remat_out(s, &s->op[i], k)->tainted = n->backward;
}

static void note_uses(struct remat_step *s, uint32_t node)
{
    const struct remat_node *n = &s->node[node];

    for (uint32_t i = n->first_op; i < n->first_op + n->n_ops; i++)
        for (uint32_t k = 0; k < s->op[i].n_in; k++) {
            struct remat_value *v = remat_in(s, &s->op[i], k);
            v->used = true;
            if (v->node == node)
                continue;
            bool inner = v->node != REMAT_NONE && s->node[v->node].loop != n->loop;
            v->graded |= n->backward;
            v->fixed |= inner || (!n->backward && !n->forward) ||
                        (s->op[i].biased && k + 1 == s->op[i].n_in);
        }
}

void remat_classify(struct remat_step *s)
{
    uint32_t pass = 0;
    bool gradients = false;

    for (uint32_t v = 0; v < s->n_persistent; v++) {
        struct remat_value *x = &s->value[v];
        x->tainted = x->graded = x->fixed = x->written = x->used = false;
    }
    for (uint32_t i = 0; i < s->n_nodes; i++) {
        struct remat_node *n = &s->node[i];
        pass += n->kind == REMAT_REPEAT || n->kind == REMAT_END;
        n->pass = pass;
        if (n->kind != REMAT_KERNEL)
            continue;
        classify(s, n);
        pass += n->forward && gradients;
        gradients = n->backward || (gradients && !n->forward);
        n->pass = pass;
        note_uses(s, i);
    }
    for (uint32_t i = 0; i < s->n_writes; i++)
        s->value[s->write[i].value].written = true;
}
