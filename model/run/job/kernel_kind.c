#include "run/job/kernel_kind.h"

#include <stdio.h>
#include <string.h>

static const struct step_op *find_leader(const struct step *step, const struct step_node *n)
{
    const struct step_op *best = &step->op[n->first_op];

    for (uint32_t k = n->first_op + 1; k < n->first_op + n->n_ops; k++)
        if (trace_kinds[step->op[k].op.kind].rank > trace_kinds[best->op.kind].rank)
            best = &step->op[k];
    return best;
}

static const char *name_type(enum trace_dtype dtype, const struct kernel_place *place)
{
    return place->tensor && dtype == TRACE_F32 ? "tf32" : trace_dtype_name[dtype];
}

/* The dtype of the first operand, of what has none the first result; "" without either. */
static const char *name_dtype(const struct step *step, const struct step_op *op,
                              const struct kernel_place *place)
{
    if (op->n_in)
        return name_type(step->value[step_operand(step, op, 0)].shape.dtype, place);
    if (op->n_out)
        return name_type(step->value[step_result(step, op, 0)].shape.dtype, place);
    return "";
}

static const char *name_form(const struct trace_compiled *c)
{
    if (c->queries)
        return c->gradient ? "attention gradient" : "attention";
    if (trace_has_product(c) && (c->conv || c->taps > 1))
        return "conv";
    return trace_form_name[c->form];
}

static const char *name_compiled(char *buf, const struct step *step, const struct step_op *op,
                                 const struct kernel_place *place)
{
    const struct trace_compiled *c = op->op.compiled;
    const char *dtype =
        c->operands ? name_type(c->operands - 1, place) : name_dtype(step, op, place);
    bool moves = c->pattern != TRACE_PATTERN_CONTIGUOUS;

    if (!trace_has_product(c))
        dtype = moves ? trace_pattern_name[c->pattern] : "";
    snprintf(buf, KERNEL_KIND_MAX, "%s %s%s%s%s",
             op->op.basis & TRACE_BASIS_BIT(HAND) ? "by hand" : "compiled", name_form(c),
             *dtype ? " " : "", dtype, c->unit == TRACE_ON_SPARSECORE ? " on SparseCores" : "");
    return buf;
}

const char *kernel_kind_of(char buf[KERNEL_KIND_MAX], const struct step *step,
                           const struct step_node *n, const struct kernel_place *place)
{
    const struct step_op *op = find_leader(step, n);
    enum trace_precision precision = place->passes ? op->op.precision : TRACE_DEFAULT;

    if (op->op.compiled)
        return name_compiled(buf, step, op, place);
    if (trace_is_collective(op->op.kind))
        snprintf(buf, KERNEL_KIND_MAX, "%s%s", trace_kind_name[op->op.kind],
                 place->far ? " between slices" : "");
    else if (trace_is_computed(op->op.kind))
        snprintf(buf, KERNEL_KIND_MAX, "%s %s%s%s", trace_kind_name[op->op.kind],
                 name_dtype(step, op, place), precision == TRACE_DEFAULT ? "" : " ",
                 precision == TRACE_DEFAULT ? "" : trace_precision_name[precision]);
    else
        snprintf(buf, KERNEL_KIND_MAX, "%.64s", step_text(step, op->kind_text));
    return buf;
}
