/* Canonical text of a step: the lines of trace/print.h, the attributes of trace/attr.h. */
#include "step/step.h"
#include "trace/attr.h"
#include "trace/print.h"

static struct trace_shape stored_shape(const struct step_value *v)
{
    struct trace_shape shape = v->shape;

    shape.dtype = v->stored;
    return shape;
}

void step_print_head(const struct step *step, FILE *out)
{
    print_header(&step->head, out);
    for (uint32_t i = 0; i < step->n_persistent; i++) {
        const struct step_value *v = &step->value[i];
        struct trace_shape shape = stored_shape(v);
        print_tensor(step_name(step, i), &shape, v->role, v->stage, out);
    }
}

void step_print_result(const struct step *step, const struct step_op *op, uint32_t i, FILE *out)
{
    const struct step_value *v = &step->value[step_result(step, op, i)];
    struct trace_shape shape = stored_shape(v);

    print_result(true, step_text(step, v->name), &shape, v->role == TRACE_GRADIENT, out);
    if (v->placed)
        print_place(step_name(step, v->at), out);
}

static void print_op(const struct step *step, const struct step_op *op, uint32_t depth, FILE *out)
{
    struct trace_op x = step_attributes(step, op);
    const char *bias = op->bias == STEP_NONE ? NULL : step_name(step, op->bias);

    print_indent(depth, out);
    for (uint32_t i = 0; i < op->n_out; i++) {
        fputs(i ? ", " : "", out);
        step_print_result(step, op, i, out);
    }
    print_kind(op->n_out > 0, x.kind_text, out);
    for (uint32_t i = 0; i < op->n_in; i++)
        print_name(i == 0, step_name(step, step_operand(step, op, i)), out);
    putc(')', out);
    attr_print(&x, bias, out);
    if (op->tail != STEP_NONE)
        fprintf(out, " %s", step_text(step, op->tail));
    putc('\n', out);
}

void step_print_fusion(const struct step *step, const struct step_node *n, FILE *out)
{
    struct trace_op x = { .kind = TRACE_FUSION,
                          .given = n->given,
                          .stage = n->stage,
                          .name = step_text(step, n->name),
                          .note = step_optional(step, n->note),
                          .scope = step_optional(step, n->scope),
                          .source = step_optional(step, n->source) };

    fputs(n->n_listed ? "fusion " : "fusion", out);
    for (uint32_t i = 0; i < n->n_listed; i++)
        print_name(i == 0, step_name(step, step->ref[n->first_listed + i]), out);
    attr_print(&x, NULL, out);
}

static void print_fusion(const struct step *step, const struct step_node *n, uint32_t depth,
                         FILE *out)
{
    print_indent(depth, out);
    step_print_fusion(step, n, out);
    fputs(" {\n", out);
    for (uint32_t i = n->first_op; i < n->first_op + n->n_ops; i++)
        print_op(step, &step->op[i], depth + 1, out);
    print_close(depth, out);
}

/* `depth`: of the blocks around it; returns that of what follows. */
static uint32_t print_node(const struct step *step, const struct step_node *n, uint32_t depth,
                           FILE *out)
{
    switch (n->kind) {
    case STEP_BEGIN: print_step(n->count, out); return depth + 1;
    case STEP_REPEAT: print_repeat(depth, n->count, out); return depth + 1;
    case STEP_END: print_close(depth - 1, out); return depth - 1;
    case STEP_OP: break;
    }
    if (n->fusion)
        print_fusion(step, n, depth, out);
    else
        print_op(step, &step->op[n->first_op], depth, out);
    return depth;
}

void step_print(const struct step *step, FILE *out)
{
    uint32_t depth = !step->whole, phase = 1;

    if (!step->whole)
        print_step(step->every, out);
    for (uint32_t i = 0; i <= step->n_nodes; i++) {
        for (; phase < step->n_phases && step->phase[phase].before == i; phase++)
            print_phase(depth, step_text(step, step->phase[phase].name), out);
        if (i < step->n_nodes)
            depth = print_node(step, &step->node[i], depth, out);
    }
    if (!step->whole)
        print_close(0, out);
}
