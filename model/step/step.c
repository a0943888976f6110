#include "step/step.h"

#include "base/memory.h"

uint64_t step_bytes(const struct step *step, uint32_t value)
{
    const struct step_value *v = &step->value[value];

    if (v->shape.layout.given)
        return trace_bytes(&v->shape);
    return trace_elements(&v->shape) * trace_dtype_bytes[v->stored];
}

bool step_in_place(const struct step *step, const struct step_op *op)
{
    if (op->op.kind != TRACE_UPDATE_SLICE)
        return false;
    const struct step_value *into = &step->value[step->ref[op->first_in]];
    const struct step_value *result = &step->value[step->ref[op->first_out]];
    bool over = into->persistent ? into->role == TRACE_STATE : into->def != op->node;

    return over && into->last_use == op->node && !into->on_chip && !result->on_chip &&
           into->stored == result->stored;
}

uint32_t *step_blocks(const struct step *step)
{
    uint32_t *block = memory_zeroed((size_t)step->n_nodes + 1, sizeof *block), open = STEP_NONE;

    for (uint32_t i = 0; i < step->n_nodes; i++) {
        const struct step_node *n = &step->node[i];
        if (n->kind == STEP_END)
            open = block[n->match];
        block[i] = open;
        if (n->kind == STEP_BEGIN || n->kind == STEP_REPEAT)
            open = i;
    }
    return block;
}

struct trace_op step_attributes(const struct step *step, const struct step_op *op)
{
    struct trace_op x = op->op;

    x.name = step_text(step, op->name);
    x.kind_text = step_text(step, op->kind_text);
    x.note = step_optional(step, op->note);
    x.scope = step_optional(step, op->scope);
    x.source = step_optional(step, op->source);
    x.members = step_optional(step, op->members);
    x.pairs = step_optional(step, op->pairs);
    return x;
}

const char *step_source(const struct step *step, uint32_t value)
{
    const struct step_value *v = &step->value[value];

    if (v->op == STEP_NONE)
        return NULL;
    const struct step_op *op = &step->op[v->op];
    return step_optional(step, op->source != STEP_NONE ? op->source : step->node[op->node].source);
}

const char *step_scope(const struct step *step, uint32_t value)
{
    const struct step_value *v = &step->value[value];

    if (v->op == STEP_NONE)
        return NULL;
    const struct step_op *op = &step->op[v->op];
    return step_optional(step, op->scope != STEP_NONE ? op->scope : step->node[op->node].scope);
}

int step_refuse_compiled(const struct step *step, const char *why, struct err *err)
{
    if (!step->compiled)
        return 0;
    const char *topology = step->head.program.topology;
    return err_set(err, ERR_FIT, "%s: %s %s%s%s%s", step->file,
                   *topology ? "a compiled program" : "a step of kernels, compiled or recorded,",
                   why, *topology ? ": `scripts/compile FILE.py --topology " : "", topology,
                   *topology ? "`" : "");
}
