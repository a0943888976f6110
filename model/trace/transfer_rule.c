/* transfer_rule.c - rules of what moves between cores, or to and from the host, and of every start
 * with its done. */
#include <inttypes.h>
#include <string.h>

#include "base/memory.h"
#include "trace/attr.h"
#include "trace/rule.h"
#include "trace/shape.h"

static int fail_mismatch(const struct trace *t, const struct trace_op *op, uint32_t i,
                         struct trace_value from, const char *expected)
{
    char found[SHAPE_TEXT_MAX], was[SHAPE_TEXT_MAX];

    return lex_fail(&t->lex, t->out_at[i], ERR_FORMAT, "'%s' of %%%.64s %s gives %s, expected %s%s",
                    op->kind_text, trace_tensor(t, from)->name,
                    shape_text(was, rule_shape(t, from)),
                    shape_text(found, rule_shape(t, op->out[i])), expected,
                    op->async == TRACE_START ? ", or a handle u32[]" : "");
}

/* True if the results are made of the operands of other cores. */
static bool has_peers(enum trace_kind k)
{
    return trace_kinds[k].family != TRACE_OF_FEED;
}

/* True if the results may replace the operands, without names of their own. */
static bool is_in_place(enum trace_kind k)
{
    return trace_kinds[k].changes == TRACE_CHANGES_UNNAMED;
}

/* Check the results of a collective against its operands. */
static int check_results(const struct trace *t, const struct trace_op *op,
                         const struct trace_value *in, uint32_t n_in)
{
    if (op->n_out != n_in && !(is_in_place(op->kind) && op->n_out == 0))
        return lex_fail(&t->lex, t->kind_at, ERR_FORMAT,
                        "'%s' of %" PRIu32 " operands has %" PRIu32 " results, expected as many",
                        op->kind_text, n_in, op->n_out);
    for (uint32_t i = 0; i < op->n_out; i++) {
        const struct trace_shape *a = rule_shape(t, in[i]), *r = rule_shape(t, op->out[i]);
        uint64_t small = trace_elements(a), large = trace_elements(r);
        if (op->kind != TRACE_REDUCE_SCATTER && op->kind != TRACE_ALL_GATHER) {
            if (a->dtype != r->dtype || a->rank != r->rank ||
                memcmp(a->dim, r->dim, a->rank * sizeof *a->dim) != 0)
                return fail_mismatch(t, op, i, in[i], "the same shape");
            continue;
        }
        if (op->kind == TRACE_REDUCE_SCATTER) {
            small = large;
            large = trace_elements(a);
        }
        bool fits =
            op->group ? large % op->group == 0 && large / op->group == small : large % small == 0;
        if (a->dtype != r->dtype || !fits)
            return fail_mismatch(t, op, i, in[i],
                                 op->kind == TRACE_ALL_GATHER
                                     ? "a part of it from each replica of the group"
                                     : "one part of it for each replica of the group");
    }
    return 0;
}

int rule_keep_start(struct trace *t, const struct trace_op *op)
{
    struct scope_start *s = &scope_at(&t->scope, op->out[0].id)->start;
    const struct trace_shape *shape = rule_shape(t, op->out[0]);
    bool handle = op->n_out == 1 && shape->dtype == TRACE_U32 && shape->rank == 0;
    char found[SHAPE_TEXT_MAX];

    if (!handle && !rule_has_destinations(op->kind))
        return lex_fail(&t->lex, t->out_at[0], ERR_FORMAT,
                        "the result of '%s' is its handle, expected u32[], found %s", op->kind_text,
                        shape_text(found, shape));
    for (uint32_t i = 0; i < op->n_out; i++) {
        struct scope_tensor *r = scope_at(&t->scope, op->out[i].id);
        r->handle = true;
        r->start.first = op->out[0].id;
    }
    s->destinations = !handle;
    s->kind = op->kind;
    s->done = false;
    s->sync = op->sync;
    s->group = op->group;
    s->group_stride = op->group_stride;
    s->payload = op->payload;
    s->to = op->to;
    for (s->n_in = 0; s->n_in < op->n_in; s->n_in++) {
        MEMORY_GROW(s->in, s->n_in + 1, s->cap_in);
        s->in[s->n_in] = op->in[s->n_in];
    }
    return 0;
}

/* The operands of a done are results of one start, and what that has made is where its own results
 * are. */
static int check_done(const struct trace *t, const struct trace_op *op, const struct scope_start *s)
{
    for (uint32_t i = 1; i < op->n_in; i++)
        if (scope_at(&t->scope, op->in[i].id)->start.first != s->first)
            return lex_fail(&t->lex, t->in_at[i], ERR_FORMAT,
                            "%%%.64s is of another start than %%%.64s",
                            trace_tensor(t, op->in[i])->name, trace_tensor(t, op->in[0])->name);
    for (uint32_t i = 0; s->destinations && i < op->n_out; i++) {
        const struct trace_tensor *r = trace_tensor(t, op->out[i]);
        if (!r->placed || scope_at(&t->scope, r->at.id)->start.first != s->first)
            return lex_fail(&t->lex, t->out_at[i], ERR_FORMAT,
                            "%%%.64s of '%s' has no place: expected 'at' a result of its start, "
                            "such as %%%.64s",
                            r->name, op->kind_text, trace_tensor(t, op->in[0])->name);
    }
    return 0;
}

int rule_finish_start(struct trace *t, struct trace_op *op)
{
    struct scope_start *s = rule_start(t, op->in[0]);

    if (s->kind != op->kind)
        return lex_fail(&t->lex, t->in_at[0], ERR_FORMAT,
                        "%%%.64s is the handle of '%s-start', expected one of '%s-start'",
                        trace_tensor(t, op->in[0])->name, trace_kind_name[s->kind],
                        trace_kind_name[op->kind]);
    op->group = s->group;
    op->group_stride = s->group_stride;
    op->payload = s->payload;
    op->sync = s->sync;
    s->done = true;
    return check_done(t, op, s);
}

/* `results`: bytes of the results of the done. */
static int finish_transfer(struct trace *t, struct trace_op *op, uint64_t results)
{
    if (rule_finish_start(t, op) != 0)
        return -1;
    if (trace_has_trait(op->kind, TRACE_AHEAD) && results != op->payload)
        return lex_fail(&t->lex, t->kind_at, ERR_FORMAT,
                        "the results of '%s' have %" PRIu64 " bytes, expected the payload=%" PRIu64
                        " of its start",
                        op->kind_text, results, op->payload);
    const struct scope_start *s = rule_start(t, op->in[0]);
    return has_peers(op->kind) ? check_results(t, op, s->in, s->n_in) : 0;
}

/* Begin a transfer: set its payload and keep it for its done. */
static int begin_transfer(struct trace *t, struct trace_op *op, uint64_t operands, uint64_t results)
{
    if (rule_keep_start(t, op) != 0)
        return -1;
    struct scope_start *s = rule_start(t, op->out[0]);
    if (s->destinations && check_results(t, op, op->in, op->n_in) != 0)
        return -1;
    if (!trace_has_trait(op->kind, TRACE_AHEAD))
        op->payload = operands;
    else if (!(op->given & ATTR_BIT(PAYLOAD)) && s->destinations)
        op->payload = results;
    else if (!(op->given & ATTR_BIT(PAYLOAD)))
        return lex_fail(&t->lex, t->kind_at, ERR_FORMAT,
                        "'%s' needs payload=, the bytes of the results of its done", op->kind_text);
    s->payload = op->payload;
    return 0;
}

/* Replicas that are listed leave nothing else to say of them. */
int rule_joined(struct trace *t, struct trace_op *op)
{
    uint64_t more = ATTR_BIT(GROUP) | ATTR_BIT(GROUP_STRIDE);

    if (op->members && op->given & more)
        return lex_fail(&t->lex, t->kind_at, ERR_FORMAT,
                        "'%s' has members=, which lists its groups, and group= or group-stride= "
                        "beside it",
                        op->kind_text);
    if (op->pairs && op->given & (more | ATTR_BIT(MEMBERS) | ATTR_BIT(SHIFT)))
        return lex_fail(&t->lex, t->kind_at, ERR_FORMAT,
                        "'%s' has pairs=, which lists who sends to whom, and shift= or groups "
                        "beside it",
                        op->kind_text);
    return 0;
}

int rule_transfer(struct trace *t, struct trace_op *op)
{
    uint64_t operands, results;

    if (rule_joined(t, op) != 0)
        return -1;
    if (rule_bytes(t, op->in, op->n_in, &operands) != 0 ||
        rule_bytes(t, op->out, op->n_out, &results) != 0)
        return -1;
    if (op->async == TRACE_START) {
        if (begin_transfer(t, op, operands, results) != 0)
            return -1;
        results = 0; /* what arrives is written when it is there */
    } else if (op->async == TRACE_DONE) {
        operands = 0;
        if (finish_transfer(t, op, results) != 0)
            return -1;
    } else {
        op->payload = trace_has_trait(op->kind, TRACE_AHEAD) ? results : operands;
        if (has_peers(op->kind) && check_results(t, op, op->in, op->n_in) != 0)
            return -1;
    }
    if (is_in_place(op->kind) && op->async != TRACE_START && op->n_out == 0)
        results = op->payload; /* in place */
    if (!(op->given & ATTR_BIT(READS)))
        op->reads = operands;
    if (!(op->given & ATTR_BIT(WRITES)))
        op->writes = results;
    return 0;
}
