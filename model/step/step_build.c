#include "step/step_build.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "trace/attr.h"

void step_init(struct step *step)
{
    *step = (struct step){ .open = STEP_NONE };
}

static void free_stated(struct step *step)
{
    for (uint32_t i = 0; i < step->n_stated; i++)
        free(step->stated[i]);
    step->n_stated = 0;
}

void step_free(struct step *step)
{
    free_stated(step);
    free(step->stated);
    free(step->file);
    free(step->value);
    free(step->op);
    free(step->node);
    free(step->phase);
    free(step->ref);
    free(step->text);
    free(step->slot);
    step_init(step);
}

void step_drop_nodes(struct step *step)
{
    step->n_values = step->n_persistent;
    step->n_text = step->n_persistent_text;
    free_stated(step);
    step->n_ops = step->n_nodes = step->n_refs = step->n_phases = 0;
    step->open = STEP_NONE;
    step->in_phase = 0;
    MEMORY_GROW(step->phase, 1, step->cap_phases);
    step->phase[step->n_phases++] = (struct step_phase){ step_add_text(step, ""), 0, 0 };
}

void step_clear(struct step *step, const struct step *like)
{
    if (like) {
        free(step->file);
        step->file = memory_copy(like->file);
        step->head = like->head;
        step->whole = like->whole;
        step->every = like->every;
    }
    step->compiled = like && like->head.program.given;
    step->n_persistent = step->n_persistent_text = 0;
    step_drop_nodes(step);
}

/* --- text and values ---------------------------------------------------------------------- */

uint32_t step_add_text(struct step *step, const char *text)
{
    uint32_t at = step->n_text, length = (uint32_t)strlen(text) + 1;

    MEMORY_GROW(step->text, at + length, step->cap_text);
    memcpy(step->text + at, text, length);
    step->n_text += length;
    return at;
}

static uint32_t add_optional(struct step *step, const char *text)
{
    return text ? step_add_text(step, text) : STEP_NONE;
}

void step_set_tail(struct step *step, const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    char *text = memory_format_list(fmt, args);
    va_end(args);
    step->op[step->n_ops - 1].tail = step_add_text(step, text);
    free(text);
}

uint32_t step_add_value(struct step *step, const char *name, const struct step_value *v)
{
    uint32_t at = step->n_values;

    BUG_ON(v->persistent && step->n_nodes > 0);
    MEMORY_GROW(step->value, at + 1, step->cap_values);
    struct step_value *x = &step->value[at];
    *x = *v;
    x->name = step_add_text(step, name);
    x->op = v->persistent ? STEP_NONE : step->n_ops - 1;
    x->def = v->persistent ? 0 : step->n_nodes - 1;
    x->last_use = STEP_NONE;
    x->on_chip = false;
    step->compiled |= v->placed || v->shape.layout.given;
    step->n_values++;
    if (v->persistent) {
        step->n_persistent = step->n_values;
        step->n_persistent_text = step->n_text;
    }
    return at;
}

static void add_ref(struct step *step, uint32_t value)
{
    MEMORY_GROW(step->ref, step->n_refs + 1, step->cap_refs);
    step->ref[step->n_refs++] = value;
}

/* --- nodes -------------------------------------------------------------------------------- */

static struct step_node *add_node(struct step *step, enum step_kind kind)
{
    BUG_ON(step->in_fusion);
    MEMORY_GROW(step->node, step->n_nodes + 1, step->cap_nodes);
    struct step_node *n = &step->node[step->n_nodes++];
    *n = (struct step_node){
        .kind = kind,
        .note = STEP_NONE,
        .scope = STEP_NONE,
        .source = STEP_NONE,
        .phase = step->in_phase,
        .first_op = step->n_ops,
        .stage = TRACE_NO_STAGE,
    };
    return n;
}

/* Open brackets are chained by `match`, until they are closed. */
static void begin_block(struct step *step, enum step_kind kind, uint64_t count)
{
    struct step_node *n = add_node(step, kind);

    n->count = count;
    n->match = step->open;
    step->open = step->n_nodes - 1;
}

void step_begin_step(struct step *step, uint64_t every)
{
    step->in_phase = 0;
    begin_block(step, STEP_BEGIN, every);
}

void step_begin_repeat(struct step *step, uint64_t count)
{
    begin_block(step, STEP_REPEAT, count);
}

void step_end_block(struct step *step)
{
    uint32_t begin = step->open;

    BUG_ON(begin == STEP_NONE);
    struct step_node *n = add_node(step, STEP_END);
    step->open = step->node[begin].match;
    step->node[begin].match = step->n_nodes - 1;
    n->match = begin;
}

void step_add_phase(struct step *step, const char *name)
{
    BUG_ON(step->in_fusion);
    MEMORY_GROW(step->phase, step->n_phases + 1, step->cap_phases);
    step->in_phase = step->n_phases++;
    step->phase[step->in_phase] =
        (struct step_phase){ step_add_text(step, name), step->n_nodes, 0 };
}

static void name_node(struct step *step, const struct trace_op *op)
{
    struct step_node *n = &step->node[step->n_nodes - 1];

    n->title = step_add_text(step, op->name);
    n->kind_text = step_add_text(step, op->kind_text);
    n->line = op->line;
    n->stage = op->stage;
}

void step_begin_fusion(struct step *step, const struct trace_op *op, bool untitled)
{
    struct step_node *n = add_node(step, STEP_OP);

    n->fusion = true;
    n->library = op->given & ATTR_BIT(LIBRARY);
    n->given = op->given;
    name_node(step, op);
    n->name = n->title;
    n->note = add_optional(step, op->note);
    n->scope = add_optional(step, op->scope);
    n->source = add_optional(step, op->source);
    step->in_fusion = true;
    step->untitled = untitled;
}

void step_end_fusion(struct step *step, const uint32_t *listed, uint32_t n)
{
    struct step_node *node = &step->node[step->n_nodes - 1];

    BUG_ON(!step->in_fusion);
    step->in_fusion = false;
    node->n_ops = step->n_ops - node->first_op;
    node->first_listed = step->n_refs;
    node->n_listed = n;
    for (uint32_t i = 0; i < n; i++) {
        add_ref(step, listed[i]);
        step->value[listed[i]].on_chip = false;
    }
}

/* --- operations --------------------------------------------------------------------------- */

/* A fusion that was not named is best known by the matmul or convolution inside it. */
static void title_fusion(struct step *step, const struct trace_op *op)
{
    struct step_node *n = &step->node[step->n_nodes - 1];

    if (!step->untitled || !trace_is_gemm(op->kind))
        return;
    step->untitled = false;
    n->title = step_add_text(step, op->name);
    n->kind_text = step_add_text(step, op->kind_text);
}

static const struct trace_compiled *keep_stated(struct step *step, const struct trace_op *x)
{
    MEMORY_GROW(step->stated, step->n_stated + 1, step->cap_stated);
    step->stated[step->n_stated] = trace_copy_compiled(x->compiled, x->n_in, x->n_out);
    step->compiled = true;
    return step->stated[step->n_stated++];
}

struct step_op *step_begin_op(struct step *step, const struct trace_op *x)
{
    if (step->in_fusion) {
        title_fusion(step, x);
    } else {
        add_node(step, STEP_OP)->n_ops = 1;
        name_node(step, x);
    }
    MEMORY_GROW(step->op, step->n_ops + 1, step->cap_ops);
    struct step_op *op = &step->op[step->n_ops++];
    *op = (struct step_op){ .op = *x,
                            .bias = STEP_NONE,
                            .tail = STEP_NONE,
                            .node = step->n_nodes - 1,
                            .first_in = step->n_refs,
                            .first_out = step->n_refs };
    op->name = step_add_text(step, x->name);
    op->kind_text = step_add_text(step, x->kind_text);
    op->note = add_optional(step, x->note);
    op->scope = add_optional(step, x->scope);
    op->source = add_optional(step, x->source);
    op->members = add_optional(step, x->members);
    op->pairs = add_optional(step, x->pairs);
    op->op.in = op->op.out = NULL;
    op->op.name = op->op.kind_text = op->op.note = op->op.scope = op->op.source = NULL;
    op->op.members = op->op.pairs = NULL;
    if (x->compiled)
        op->op.compiled = keep_stated(step, x);
    return op;
}

void step_add_operand(struct step *step, uint32_t value)
{
    struct step_op *op = &step->op[step->n_ops - 1];

    BUG_ON(op->n_out > 0);
    add_ref(step, value);
    op->n_in++;
    op->first_out = step->n_refs;
}

void step_set_bias(struct step *step, uint32_t value)
{
    step->op[step->n_ops - 1].bias = value;
}

uint32_t step_add_result(struct step *step, const char *name, const struct step_value *v)
{
    struct step_op *op = &step->op[step->n_ops - 1];
    uint32_t at = step_add_value(step, name, v);

    /* who sends something is done with it, and has no use for the handle */
    step->value[at].on_chip =
        step->in_fusion || (op->op.kind == TRACE_SEND && op->op.async == TRACE_START);
    add_ref(step, at);
    op->n_out++;
    return at;
}

void step_end_op(struct step *step)
{
    struct step_op *op = &step->op[step->n_ops - 1];

    op->op.n_in = op->n_in;
    op->op.n_out = op->n_out;
    op->op.has_bias = op->bias != STEP_NONE;
}
