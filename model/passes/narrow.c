#include "passes/narrow.h"
#include "base/memory.h"

#include <stdlib.h>

/* Readers by value: a product, itself or through what only moves elements; any other operation;
 * one in another kernel than that which makes the value. */
struct readers {
    bool *products, *others, *outside;
};

/* A value of a stage is kept as the stage that it was sent to keeps it. */
static void find_sent(const struct step *step, const struct step_op *done, struct readers *r)
{
    const struct step_node *n = &step->node[step->value[step->ref[done->first_in]].def];
    const struct step_op *start = &step->op[n->first_op];

    for (uint32_t j = 0; j < done->n_out; j++) {
        uint32_t here = step->ref[done->first_out + j], sent = step->ref[start->first_in + j];
        r->products[sent] |= r->products[here];
        r->others[sent] |= r->others[here];
        r->outside[sent] |= r->others[here];
    }
}

static bool is_made_in(const struct step *step, uint32_t value, uint32_t node)
{
    return !step->value[value].persistent && step->value[value].def == node;
}

/* Note how one operation reads its operands; the readers of its results are known. */
static void find_readers(const struct step *step, const struct step_op *op, struct readers *r)
{
    bool product = trace_is_gemm(op->op.kind) && op->op.precision == TRACE_DEFAULT;
    bool other = !product && !trace_has_trait(op->op.kind, TRACE_HANDS_ON);

    if (op->op.kind == TRACE_SEND)
        return;
    for (uint32_t j = 0; trace_has_trait(op->op.kind, TRACE_HANDS_ON) && j < op->n_out; j++) {
        uint32_t v = step->ref[op->first_out + j];
        product |= r->products[v];
        other |= r->others[v] || !r->products[v];
    }
    for (uint32_t j = 0; j < op->n_in; j++) {
        uint32_t v = step->ref[op->first_in + j];
        r->products[v] |= product;
        r->others[v] |= other;
        r->outside[v] |= other && !is_made_in(step, v, op->node);
    }
}

void narrow_step(struct step *step, enum trace_dtype to)
{
    size_t n = step->n_values ? step->n_values : 1;
    struct readers r = { memory_zeroed(n, sizeof *r.products), memory_zeroed(n, sizeof *r.others),
                         memory_zeroed(n, sizeof *r.outside) };
    bool alone = step->head.activations == TRACE_ACTIVATIONS_PRODUCTS;

    /* backwards, so that the readers of a copy's result are known before the copy */
    for (uint32_t i = step->n_ops; i-- > 0;) {
        const struct step_op *op = &step->op[i];
        find_readers(step, op, &r);
        if (op->op.kind == TRACE_SEND && op->op.async == TRACE_DONE)
            find_sent(step, op, &r);
    }
    for (uint32_t v = 0; v < step->n_values; v++)
        if (r.products[v] && !(alone && r.outside[v]) && !step->value[v].persistent &&
            step->value[v].shape.dtype == TRACE_F32 && !step->value[v].shape.layout.given &&
            trace_dtype_bytes[to] < trace_dtype_bytes[TRACE_F32])
            step->value[v].stored = to;
    free(r.products);
    free(r.others);
    free(r.outside);
}

void narrow_undo(struct step *step)
{
    for (uint32_t v = 0; v < step->n_values; v++)
        step->value[v].stored = step->value[v].shape.dtype;
}
