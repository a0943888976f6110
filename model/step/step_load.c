/* A step from a trace: the calls of step_build.h that its items stand for. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "step/step_build.h"

static struct step_value value_of_tensor(const struct step *step, const struct trace_tensor *x,
                                         bool persistent)
{
    return (struct step_value){ .placed = x->placed,
                                .at = x->placed ? step->slot[x->at.id] : 0,
                                .shape = x->shape,
                                .role = x->role,
                                .stored = x->shape.dtype,
                                .persistent = persistent,
                                .stage = x->stage };
}

static void note_slot(struct step *step, struct trace_value id, uint32_t value)
{
    MEMORY_GROW(step->slot, id.id + 1, step->cap_slots);
    step->slot[id.id] = value;
}

static void add_tensor(struct step *step, const struct trace *t, struct trace_value id)
{
    const struct trace_tensor *x = trace_tensor(t, id);
    struct step_value v = value_of_tensor(step, x, true);

    note_slot(step, id, step_add_value(step, x->name, &v));
}

static void add_op(struct step *step, const struct trace *t, const struct trace_op *op)
{
    step_begin_op(step, op);
    for (uint32_t i = 0; i < op->n_in; i++)
        step_add_operand(step, step->slot[op->in[i].id]);
    if (op->has_bias)
        step_set_bias(step, step->slot[op->bias.id]);
    for (uint32_t i = 0; i < op->n_out; i++) {
        const struct trace_tensor *x = trace_tensor(t, op->out[i]);
        struct step_value v = value_of_tensor(step, x, false);
        note_slot(step, op->out[i], step_add_result(step, x->name, &v));
    }
    step_end_op(step);
}

static void begin_fusion(struct step *step, const struct trace *t, const struct trace_op *op)
{
    bool untitled = op->n_out && strcmp(op->name, trace_tensor(t, op->out[0])->name) == 0;

    step_begin_fusion(step, op, untitled);
}

static void end_fusion(struct step *step, const struct trace_op *op)
{
    uint32_t *listed = memory_zeroed(op->n_out, sizeof *listed);

    for (uint32_t i = 0; i < op->n_out; i++)
        listed[i] = step->slot[op->out[i].id];
    step_end_fusion(step, listed, op->n_out);
    free(listed);
}

static void add_item(struct step *step, const struct trace *t, const struct trace_item *item)
{
    switch (item->kind) {
    case TRACE_ITEM_PHASE:
        step_add_phase(step, item->name);
        step->phase[step->n_phases - 1].line = item->line;
        break;
    case TRACE_ITEM_OP: add_op(step, t, &item->op); break;
    case TRACE_ITEM_FUSION_BEGIN: begin_fusion(step, t, &item->op); break;
    case TRACE_ITEM_FUSION_END: end_fusion(step, &item->op); break;
    case TRACE_ITEM_REPEAT_BEGIN:
        step_begin_repeat(step, item->count);
        step->node[step->n_nodes - 1].line = item->line;
        break;
    case TRACE_ITEM_REPEAT_END:
        step_end_block(step);
        step->node[step->n_nodes - 1].line = item->line;
        break;
    default: break;
    }
}

/* Takes the item behind the tensors. */
static int read_tensors(struct step *step, struct trace *t, struct trace_item *item,
                        struct err *err)
{
    step_clear(step, NULL);
    for (;;) {
        if (trace_next(t, item, err) != 0)
            return -1;
        if (item->kind == TRACE_ITEM_TENSOR)
            add_tensor(step, t, item->value);
        else if (item->kind != TRACE_ITEM_HEADER)
            break;
    }
    /* the reader allows nothing but a step after the tensors */
    BUG_ON(item->kind != TRACE_ITEM_STEP_BEGIN);
    step->head = *trace_head(t);
    step->compiled |= step->head.program.given;
    free(step->file);
    step->file = memory_copy(trace_file(t));
    return 0;
}

int step_read_tensors(struct step *step, struct trace *t, struct err *err)
{
    struct trace_item item;

    if (read_tensors(step, t, &item, err) != 0)
        return -1;
    step->whole = false;
    step->every = item.count;
    return 0;
}

int step_read_next(struct step *step, struct trace *t, struct err *err)
{
    struct trace_item item;

    step_drop_nodes(step);
    for (;;) {
        if (trace_next(t, &item, err) != 0)
            return -1;
        if (item.kind == TRACE_ITEM_STEP_BEGIN) {
            step->every = item.count; /* of the second step on; step_read_tensors took the first */
            continue;
        }
        if (item.kind == TRACE_ITEM_END)
            return 0;
        if (item.kind == TRACE_ITEM_STEP_END)
            break;
        add_item(step, t, &item);
    }
    step_link(step);
    return 1;
}

int step_read_all(struct step *step, struct trace *t, struct err *err)
{
    struct trace_item item;

    if (read_tensors(step, t, &item, err) != 0)
        return -1;
    step->whole = true;
    step->every = 0;
    while (item.kind != TRACE_ITEM_END) {
        if (item.kind == TRACE_ITEM_STEP_BEGIN)
            step_begin_step(step, item.count);
        else if (item.kind == TRACE_ITEM_STEP_END)
            step_end_block(step);
        else
            add_item(step, t, &item);
        if (item.kind == TRACE_ITEM_STEP_BEGIN || item.kind == TRACE_ITEM_STEP_END)
            step->node[step->n_nodes - 1].line = item.line;
        if (trace_next(t, &item, err) != 0)
            return -1;
    }
    step_link(step);
    return 0;
}
