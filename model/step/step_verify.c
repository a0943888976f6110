/* The invariants of a step, which every reader makes and every pass keeps. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/plain.h"
#include "step/step.h"

struct check {
    const struct step *step;
    const char *pass;
    struct err *err;
    uint32_t *block; /* [node] the innermost bracket around it, or STEP_NONE */
    bool *made;      /* [value] by an operation before the one at hand */
};

__attribute__((format(printf, 2, 3))) static int fail_check(const struct check *c, const char *fmt,
                                                            ...)
{
    char why[256];
    va_list args;

    va_start(args, fmt);
    plain_text_list(why, sizeof why, fmt, args);
    va_end(args);
    return err_set(c->err, ERR_FORMAT, "after %s: %s", c->pass, why);
}

/* --- arrays ------------------------------------------------------------------------------- */

static bool has_text(const struct step *step, uint32_t offset)
{
    return offset < step->n_text;
}

static bool has_refs(const struct step *step, uint32_t first, uint32_t n)
{
    return first <= step->n_refs && n <= step->n_refs - first;
}

static bool has_stage(const struct step *step, uint64_t stage)
{
    return stage == TRACE_NO_STAGE || stage < step->head.stages;
}

/* A value that lies as the program says is kept as it is, in the place of one before it. */
static int check_place(const struct check *c, uint32_t v)
{
    const struct step_value *x = &c->step->value[v];
    const char *name = step_name(c->step, v);

    if (x->shape.layout.given && x->stored != x->shape.dtype)
        return fail_check(c, "%%%s: kept in another dtype than its layout states", name);
    if (!x->placed)
        return 0;
    if (x->persistent || x->at >= v)
        return fail_check(c, "%%%s takes the place of a value that is not made before it", name);
    if (trace_bytes(&x->shape) > trace_bytes(&c->step->value[x->at].shape))
        return fail_check(c, "%%%s takes the place of %%%s, which is smaller", name,
                          step_name(c->step, x->at));
    return 0;
}

static int check_values(const struct check *c)
{
    const struct step *step = c->step;

    for (uint32_t v = 0; v < step->n_values; v++) {
        const struct step_value *x = &step->value[v];
        if (!has_text(step, x->name))
            return fail_check(c, "value %" PRIu32 " has no name", v);
        const char *name = step_name(step, v);
        if (x->persistent != (v < step->n_persistent))
            return fail_check(c, "%%%s: persistent values stand first", name);
        if (!x->persistent && (x->op >= step->n_ops || x->def >= step->n_nodes))
            return fail_check(c, "%%%s: no operation makes it", name);
        if (x->last_use != STEP_NONE && (x->last_use >= step->n_nodes || x->last_use < x->def))
            return fail_check(c, "%%%s: its last use is node %" PRIu32, name, x->last_use);
        if (check_place(c, v) != 0)
            return -1;
        if (trace_dtype_bytes[x->stored] > trace_dtype_bytes[x->shape.dtype])
            return fail_check(c, "%%%s: kept in more bits than it has", name);
        if (!has_stage(step, x->stage))
            return fail_check(c, "%%%s: stage %" PRIu64 " of %" PRIu64, name, x->stage,
                              step->head.stages);
    }
    for (uint32_t i = 0; i < step->n_refs; i++)
        if (step->ref[i] >= step->n_values)
            return fail_check(c, "reference %" PRIu32 " to no value", i);
    for (uint32_t i = 1; i < step->n_phases; i++)
        if (step->phase[i].before < step->phase[i - 1].before ||
            step->phase[i].before > step->n_nodes || !has_text(step, step->phase[i].name))
            return fail_check(c, "phase %" PRIu32 " stands in no order", i);
    return 0;
}

/* --- brackets ----------------------------------------------------------------------------- */

static int check_blocks(const struct check *c)
{
    const struct step *step = c->step;
    uint32_t open = STEP_NONE;

    for (uint32_t i = 0; i < step->n_nodes; i++) {
        const struct step_node *n = &step->node[i];
        c->block[i] = open;
        if (n->kind == STEP_OP)
            continue;
        if (n->match >= step->n_nodes || step->node[n->match].match != i)
            return fail_check(c, "the bracket of node %" PRIu32 " has no other", i);
        if (n->kind != STEP_END) {
            if ((n->kind == STEP_BEGIN) != (step->whole && open == STEP_NONE))
                return fail_check(c, "node %" PRIu32 ": a loop outside a step", i);
            if (n->count == 0 && n->kind == STEP_REPEAT)
                return fail_check(c, "node %" PRIu32 ": a block that never runs", i);
            open = i;
        } else if (open == STEP_NONE || n->match != open) {
            return fail_check(c, "node %" PRIu32 " closes another block", i);
        } else {
            open = c->block[open];
            c->block[i] = open;
        }
    }
    return open == STEP_NONE ? 0 : fail_check(c, "node %" PRIu32 " is never closed", open);
}

/* --- operations --------------------------------------------------------------------------- */

/* True if values made in block `at` are in scope in block `from`. */
static bool sees_block(const struct check *c, uint32_t from, uint32_t at)
{
    while (from != at && from != STEP_NONE)
        from = c->block[from];
    return from == at;
}

/* True if the value leaves its kernel: it was made alone, or its fusion lists it. */
static bool is_listed(const struct step *step, uint32_t v)
{
    const struct step_node *n = &step->node[step->op[step->value[v].op].node];

    for (uint32_t i = 0; i < n->n_listed; i++)
        if (step->ref[n->first_listed + i] == v)
            return true;
    return !n->fusion;
}

static int check_operand(const struct check *c, const struct step_op *op, uint32_t v)
{
    const struct step_value *x = &c->step->value[v];
    const char *kind = step_text(c->step, op->kind_text), *name = step_name(c->step, v);
    bool handle = op->op.async == TRACE_DONE;

    bool late = x->last_use == STEP_NONE || x->last_use < op->node;
    if (x->persistent)
        return late ? fail_check(c, "%s reads %%%s after its last use", kind, name) : 0;
    if (!c->made[v])
        return fail_check(c, "%s reads %%%s before it is made", kind, name);
    uint32_t from = c->step->op[x->op].node;
    if (!sees_block(c, c->block[op->node], c->block[from]))
        return fail_check(c, "%s reads %%%s of a block that has ended", kind, name);
    if (from != op->node && !handle && (x->on_chip || !is_listed(c->step, v)))
        return fail_check(c, "%s reads %%%s, which does not leave its fusion", kind, name);
    if (late)
        return fail_check(c, "%s reads %%%s after its last use", kind, name);
    return 0;
}

static int check_done(const struct check *c, const struct step_op *op)
{
    const char *kind = step_text(c->step, op->kind_text);

    if (op->op.async != TRACE_DONE)
        return 0;
    uint32_t v = op->n_in ? step_operand(c->step, op, 0) : STEP_NONE;
    if (v == STEP_NONE || c->step->value[v].persistent)
        return fail_check(c, "%s has no start", kind);
    const struct trace_op *start = &c->step->op[c->step->value[v].op].op;
    if (start->async != TRACE_START || start->kind != op->op.kind)
        return fail_check(c, "%s has no start", kind);
    return 0;
}

static int check_op(const struct check *c, uint32_t at)
{
    const struct step *step = c->step;
    const struct step_op *op = &step->op[at];

    if (!has_text(step, op->name) || !has_text(step, op->kind_text) ||
        (op->note != STEP_NONE && !has_text(step, op->note)) ||
        (op->tail != STEP_NONE && !has_text(step, op->tail)))
        return fail_check(c, "operation %" PRIu32 " has no name", at);
    if ((op->scope != STEP_NONE && !has_text(step, op->scope)) ||
        (op->source != STEP_NONE && !has_text(step, op->source)))
        return fail_check(c, "operation %" PRIu32 " has a scope or source without text", at);
    if ((op->members != STEP_NONE && !has_text(step, op->members)) ||
        (op->pairs != STEP_NONE && !has_text(step, op->pairs)))
        return fail_check(c, "operation %" PRIu32 " has members or pairs without text", at);
    const char *kind = step_text(step, op->kind_text);
    if ((op->op.kind == TRACE_KERNEL && op->op.async != TRACE_DONE) != (op->op.compiled != NULL))
        return fail_check(c, "%s: a kernel, and nothing else, states its work", kind);
    if (!has_refs(step, op->first_in, op->n_in) || !has_refs(step, op->first_out, op->n_out) ||
        (op->bias != STEP_NONE && op->bias >= step->n_values))
        return fail_check(c, "%s: operands or results that are not there", kind);
    if (op->op.n_in != op->n_in || op->op.n_out != op->n_out ||
        op->op.has_bias != (op->bias != STEP_NONE))
        return fail_check(c, "%s: its attributes say otherwise", kind);
    for (uint32_t i = 0; i < step_n_operands(op); i++)
        if (check_operand(c, op, step_operand(step, op, i)) != 0)
            return -1;
    for (uint32_t i = 0; i < op->n_out; i++) {
        uint32_t v = step_result(step, op, i);
        if (step->value[v].persistent || c->made[v] || step->value[v].op != at)
            return fail_check(c, "%s makes %%%s, which is made elsewhere", kind,
                              step_name(step, v));
        bool received = op->op.kind == TRACE_SEND && op->op.async == TRACE_DONE;
        if (!received && step->value[v].def != op->node)
            return fail_check(c, "%s makes %%%s at another node", kind, step_name(step, v));
        c->made[v] = true;
    }
    return check_done(c, op);
}

static int check_fusion(const struct check *c, uint32_t at)
{
    const struct step_node *n = &c->step->node[at];

    if (n->n_ops == 0 || !has_text(c->step, n->name) ||
        !has_refs(c->step, n->first_listed, n->n_listed))
        return fail_check(c, "node %" PRIu32 ": a fusion of nothing", at);
    for (uint32_t i = 0; i < n->n_listed; i++) {
        const struct step_value *v = &c->step->value[c->step->ref[n->first_listed + i]];
        if (v->persistent || c->step->op[v->op].node != at || v->on_chip)
            return fail_check(c, "%s lists %%%s, which it does not make",
                              step_text(c->step, n->name), step_text(c->step, v->name));
    }
    return 0;
}

static int check_nodes(const struct check *c)
{
    const struct step *step = c->step;
    uint32_t at = 0;

    for (uint32_t i = 0; i < step->n_nodes; i++) {
        const struct step_node *n = &step->node[i];
        if (n->phase >= step->n_phases || n->first_op != at || !has_stage(step, n->stage))
            return fail_check(c, "node %" PRIu32 ": its phase, operations or stage", i);
        if (n->kind != STEP_OP)
            continue;
        if (n->n_ops > step->n_ops - at || (!n->fusion && n->n_ops != 1))
            return fail_check(c, "node %" PRIu32 ": %" PRIu32 " operations", i, n->n_ops);
        for (uint32_t end = at + n->n_ops; at < end; at++) {
            if (step->op[at].node != i)
                return fail_check(c, "operation %" PRIu32 " is of another node", at);
            if (check_op(c, at) != 0)
                return -1;
        }
        if (n->fusion && check_fusion(c, i) != 0)
            return -1;
    }
    return at == step->n_ops ? 0 : fail_check(c, "operation %" PRIu32 " is of no node", at);
}

int step_verify(const struct step *step, const char *pass, struct err *err)
{
    struct check c = { .step = step, .pass = pass, .err = err };

    c.block = memory_zeroed(step->n_nodes, sizeof *c.block);
    c.made = memory_zeroed(step->n_values, sizeof *c.made);
    int rc = check_values(&c);
    if (rc == 0)
        rc = check_blocks(&c);
    if (rc == 0)
        rc = check_nodes(&c);
    free(c.block);
    free(c.made);
    return rc;
}
