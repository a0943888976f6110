/* stage_rule.c - rules of a pipelined step.  Every value is on the cores of one stage, or on all
 * cores, and an operation runs on the stage of its operands.  A value goes to another stage by two
 * lines: send-start on the stage that has it, send-done on the stage that gets it. */
#include <inttypes.h>

#include "trace/attr.h"
#include "trace/rule.h"

int rule_stage_range(const struct trace *t, uint64_t stage, size_t at, const char *key)
{
    uint64_t n = t->head.stages;

    if (n < 2)
        return lex_fail(&t->lex, at, ERR_RANGE,
                        "%s = %" PRIu64 " in a trace without 'samples stages='", key, stage);
    if (stage >= n)
        return lex_fail(&t->lex, at, ERR_RANGE, "%s = %" PRIu64 ": outside [0, %" PRIu64 "]", key,
                        stage, n - 1);
    return 0;
}

static int check_send(struct trace *t, struct trace_op *op)
{
    bool from = op->stage != TRACE_NO_STAGE, to = op->to != TRACE_NO_STAGE;

    if (op->async == TRACE_SYNC)
        return lex_fail(&t->lex, t->kind_at, ERR_FORMAT,
                        "'send' is written as two: send-start where the value is, send-done where "
                        "it goes");
    if (!from || !to)
        return lex_fail(&t->lex, t->kind_at, ERR_FORMAT, "'send-start' needs %s",
                        from ? "to=, the stage that receives" : "stage=, the stage that sends");
    if (rule_stage_range(t, op->to, t->kind_at, "to") != 0)
        return -1;
    if (op->to == op->stage)
        return lex_fail(&t->lex, t->kind_at, ERR_RANGE,
                        "'send-start' from stage %" PRIu64 " to itself", op->stage);
    return 0;
}

/* A send-done runs on the stage that the value was sent to. */
static int check_receive(struct trace *t, struct trace_op *op)
{
    uint64_t to = scope_at(&t->scope, op->in[0].id)->start.to;

    if (op->stage == TRACE_NO_STAGE)
        op->stage = to;
    if (op->stage == to)
        return 0;
    return lex_fail(&t->lex, t->kind_at, ERR_RANGE,
                    "stage = %" PRIu64 ": %%%.64s was sent to stage %" PRIu64, op->stage,
                    trace_tensor(t, op->in[0])->name, to);
}

static int check_use(const struct trace *t, const struct trace_op *op, struct trace_value v,
                     size_t at)
{
    const struct trace_tensor *x = trace_tensor(t, v);

    if (x->stage == TRACE_NO_STAGE || x->stage == op->stage)
        return 0;
    if (op->stage == TRACE_NO_STAGE && trace_is_host(op->kind))
        return 0; /* the host takes the value from the cores that have it */
    if (op->stage == TRACE_NO_STAGE)
        return lex_fail(&t->lex, at, ERR_FORMAT,
                        "%%%.64s is of stage %" PRIu64 ", and an operation without stage= runs on "
                        "all of them",
                        x->name, x->stage);
    return lex_fail(&t->lex, at, ERR_FORMAT,
                    "%%%.64s is of stage %" PRIu64 ", the operation of stage %" PRIu64
                    "; send it there first",
                    x->name, x->stage, op->stage);
}

int rule_stage(struct trace *t, struct trace_op *op)
{
    const struct reader_block *b = &t->block[t->n_blocks - 1];
    bool receives = op->kind == TRACE_SEND && op->async == TRACE_DONE;

    if (op->stage != TRACE_NO_STAGE && rule_stage_range(t, op->stage, t->kind_at, "stage") != 0)
        return -1;
    if (b->kind == TRACE_ITEM_FUSION_BEGIN) {
        if (op->stage != TRACE_NO_STAGE)
            return lex_fail(&t->lex, t->kind_at, ERR_FORMAT,
                            "stage= inside the fusion of line %" PRIu32 ", which has its own",
                            b->line);
        op->stage = b->stage;
    }
    if (receives ? check_receive(t, op) != 0 : op->kind == TRACE_SEND && check_send(t, op) != 0)
        return -1;
    for (uint32_t i = 0; i < op->n_in && !receives; i++)
        if (check_use(t, op, op->in[i], t->in_at[i]) != 0)
            return -1;
    if (op->has_bias && check_use(t, op, op->bias, t->kind_at) != 0)
        return -1;
    for (uint32_t i = 0; i < op->n_out; i++)
        scope_at(&t->scope, op->out[i].id)->tensor.stage = op->stage;
    return 0;
}
