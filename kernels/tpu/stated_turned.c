/* Tables that lie with their rows along the lanes, in programs whose layouts are our own: XLA
 * copies one that is given to the step, or that the step gives back, into rows of whole lanes
 * before a gather or a scatter, and back after a scatter, as in traces by hand (rows.c).  A
 * compiled program has kernels of its own for that. */
#include <string.h>

#include "base/arith.h"
#include "kernels/tpu/stated.h"

/* The table, of which all rows are whole.  STEP_NONE: there is none of two dimensions. */
static uint32_t find_table(const struct stated *c)
{
    const struct step_op *op = c->op;
    bool writes = c->kernel->row_writes;

    for (uint32_t i = 0; i < (writes ? op->n_out : op->n_in); i++) {
        uint32_t v = writes ? step_result(c->step, op, i) : step_operand(c->step, op, i);
        const struct trace_shape *s = &c->step->value[v].shape;
        bool whole = (writes ? c->kernel->store : c->kernel->fetch)[i] != 0;
        if (!whole && s->rank == 2 && s->layout.given && s->layout.minor_first[0] == 0 &&
            s->dim[1] > 1 && trace_space(s) == TRACE_IN_HBM &&
            c->kernel->row_bytes == arith_ceil_div(s->dim[1] * trace_dtype_bits[s->dtype], 8))
            return v;
    }
    return STEP_NONE;
}

bool stated_turned(struct work *w, const struct stated *c)
{
    enum trace_form form = c->kernel->form;
    uint64_t held;

    if ((form != TRACE_FORM_GATHER && form != TRACE_FORM_SCATTER) || !c->kernel->row_bytes ||
        strcmp(c->step->head.program.compiler, TRACE_OWN_COMPILER) != 0)
        return false;
    uint32_t table = find_table(c);
    if (table == STEP_NONE)
        return false;
    const struct step_value *v = &c->step->value[table];
    const struct step_value *from = v->placed ? &c->step->value[v->at] : v;
    bool adds = c->kernel->row_writes;
    if (!(from->persistent || (adds && v->last_use == STEP_NONE)) ||
        lower_rows_stay(v, !adds, c->cap))
        return false;
    stated_work(w, c, &held);
    if (w->in.rows + w->out.rows == 0) /* it is on the chip */
        return false;
    w->turned = trace_bytes(&v->shape);
    w->wide = lower_rows_wide(v, c->cap);
    w->turn_in = true;
    w->turn_out = adds;
    return true;
}
