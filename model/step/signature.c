#include "step/signature.h"

#include "trace/attr.h"
#include "trace/compiled_attr.h"
#include "trace/shape.h"

/* True if an operation of the node makes the value. */
static bool is_made_in(const struct step *step, const struct step_node *n, uint32_t value)
{
    uint32_t op = step->value[value].op;

    return op != STEP_NONE && op >= n->first_op && op - n->first_op < n->n_ops;
}

/* "#2.0": the first result of the third operation. */
static void write_made(const struct step *step, const struct step_node *n, uint32_t value,
                       FILE *out)
{
    const struct step_op *op = &step->op[step->value[value].op];
    uint32_t place = 0;

    while (step_result(step, op, place) != value)
        place++;
    fprintf(out, "#%lu.%lu", (unsigned long)(step->value[value].op - n->first_op),
            (unsigned long)place);
}

static void write_value(const struct step_value *v, FILE *out)
{
    struct trace_shape shape = v->shape;
    char text[SHAPE_TEXT_MAX];

    shape.dtype = v->stored;
    fputs(shape_text(text, &shape), out);
}

static void write_operand(const struct step *step, const struct step_node *n, uint32_t value,
                          FILE *out)
{
    if (is_made_in(step, n, value))
        write_made(step, n, value, out);
    else
        write_value(&step->value[value], out);
}

static void write_op(const struct step *step, const struct step_node *n, const struct step_op *op,
                     FILE *out)
{
    struct trace_op x = step_attributes(step, op);
    struct trace_compiled stated;

    x.given &= ~(ATTR_TEXTS | ATTR_BIT(BASIS) | ATTR_BIT(BIAS) | ATTR_BIT(STAGE) | ATTR_BIT(TO));
    if (x.compiled) {
        stated = *x.compiled;
        stated.given &= ~COMPILED_BIT(ESTIMATE);
        x.compiled = &stated;
    }
    fputs(x.kind_text, out);
    for (uint32_t i = 0; i < step_n_operands(op); i++) {
        fputs(i == op->n_in ? " bias=" : i ? ", " : " ", out);
        write_operand(step, n, step_operand(step, op, i), out);
    }
    fputs(" ->", out);
    for (uint32_t i = 0; i < op->n_out; i++) {
        putc(' ', out);
        write_value(&step->value[step_result(step, op, i)], out);
    }
    attr_print(&x, NULL, out);
    if (op->tail != STEP_NONE)
        fprintf(out, " %s", step_text(step, op->tail));
    putc('\n', out);
}

void signature_write(const struct step *step, const struct step_node *n, FILE *out)
{
    for (uint32_t k = n->first_op; k < n->first_op + n->n_ops; k++)
        write_op(step, n, &step->op[k], out);
    for (uint32_t i = 0; i < n->n_listed; i++) {
        fputs("out ", out);
        write_made(step, n, step->ref[n->first_listed + i], out);
        putc('\n', out);
    }
}
