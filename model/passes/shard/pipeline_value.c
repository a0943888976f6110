/* The values of all stages: what they are called, where they are, how they come to other stages. */
#include <inttypes.h>
#include <stdlib.h>

#include "base/memory.h"
#include "passes/shard/pipeline_making.h"
#include "step/step_build.h"
#include "trace/attr.h"

uint64_t pipeline_which_micro(const struct pipeline_making *b, uint32_t v, uint64_t micro)
{
    return pipeline_value_each(b->p, v) ? micro : b->once;
}

uint32_t *pipeline_find_each(const struct pipeline_making *b, uint32_t v, uint64_t micro)
{
    return &b->each[v * (b->once + 1) + pipeline_which_micro(b, v, micro)];
}

/* The sum up to a micro-batch; of the first it is the value itself. */
uint32_t *pipeline_find_sum(const struct pipeline_making *b, uint32_t v, uint64_t micro)
{
    return micro ? &b->sum[v * b->once + micro] : pipeline_find_each(b, v, 0);
}

uint32_t *pipeline_find_local(const struct pipeline_making *b, uint32_t v, uint64_t micro)
{
    if (pipeline_value_each(b->p, v) && micro == b->once)
        return pipeline_find_sum(b, v, b->once - 1);
    return pipeline_find_each(b, v, micro);
}

static struct pipeline_copy *find_copy(const struct pipeline_making *b, uint32_t v,
                                       struct pipeline_at at)
{
    return &b->copy[((size_t)v * b->p->plan->stages + at.stage) * (b->once + 1) + at.micro];
}

uint32_t pipeline_find_value(const struct pipeline_making *b, uint32_t v, struct pipeline_at at)
{
    if (pipeline_persistent(b->p, v) || b->p->stage[v] == at.stage)
        return *pipeline_find_local(b, v, at.micro);
    return find_copy(b, v, (struct pipeline_at){ at.stage, pipeline_which_micro(b, v, at.micro) })
        ->value;
}

char *pipeline_name_sum(const struct pipeline_making *b, uint32_t v, uint64_t micro)
{
    return memory_format("%s:%s%" PRIu64, step_name(b->from, v), micro ? "acc" : "", micro);
}

char *pipeline_name_local(const struct pipeline_making *b, uint32_t v, uint64_t micro)
{
    if (!pipeline_value_each(b->p, v))
        return memory_copy(step_name(b->from, v));
    if (micro == b->once)
        return pipeline_name_sum(b, v, b->once - 1);
    return memory_format("%s:%" PRIu64, step_name(b->from, v), micro);
}

struct step_value pipeline_value_of_micro(const struct pipeline_making *b, uint32_t v,
                                          uint64_t stage)
{
    struct step_value x = b->from->value[v];
    int split = b->p->s.value[v].split;

    if (split != SHARD_WHOLE)
        x.shape.dim[split] /= b->p->s.parts;
    x.stage = stage;
    return x;
}

/* --- between stages ----------------------------------------------------------------------- */

/* "%a:s1 = send-done(%a:s1:t)", or the send-start with its handle. */
static uint32_t add_send(struct pipeline_making *b, enum trace_async async, uint32_t v,
                         struct pipeline_at at, uint32_t in)
{
    bool start = async == TRACE_START;
    struct step_value handle = { .shape = { .dtype = TRACE_U32 },
                                 .role = TRACE_ACTIVATION,
                                 .stored = TRACE_U32,
                                 .stage = b->p->stage[v] };
    struct step_value x = start ? handle : pipeline_value_of_micro(b, v, at.stage);
    char *local = pipeline_name_local(b, v, at.micro);
    char *result = memory_format("%s:s%" PRIu32 "%s", local, at.stage, start ? ":t" : "");
    char *name = memory_format("%s.%s", step_name(b->from, v), start ? "send" : "receive");
    struct trace_op op = shard_attributes(TRACE_SEND, name, 0);

    op.async = async;
    op.kind_text = start ? "send-start" : "send-done";
    op.stage = start ? b->p->stage[v] : at.stage;
    op.given |= ATTR_BIT(STAGE);
    if (start) {
        op.to = at.stage;
        op.given |= ATTR_BIT(TO);
    }
    step_begin_op(b->to, &op);
    step_add_operand(b->to, in);
    uint32_t made = step_add_result(b->to, result, &x);
    step_end_op(b->to);
    free(local);
    free(result);
    free(name);
    return made;
}

/* Append the receive of a value before its first use in another stage. */
void pipeline_receive(struct pipeline_making *b, uint32_t v, struct pipeline_at at)
{
    at.micro = pipeline_which_micro(b, v, at.micro);
    if (pipeline_persistent(b->p, v) || b->p->stage[v] == at.stage)
        return;
    struct pipeline_copy *copy = find_copy(b, v, at);
    if (!copy->value)
        copy->value = add_send(b, TRACE_DONE, v, at, copy->handle);
}

/* Append the sends of a value to all stages that need it, right after its operation. */
void pipeline_send(struct pipeline_making *b, uint32_t v, uint64_t micro)
{
    const struct pipeline *p = b->p;

    for (uint32_t k = 0; k < p->plan->stages; k++) {
        struct pipeline_at at = { k, micro };
        if (!p->needs[((size_t)v * p->plan->stages + k) * 2 + (micro == b->once)])
            continue;
        find_copy(b, v, at)->handle =
            add_send(b, TRACE_START, v, at, *pipeline_find_local(b, v, micro));
    }
}
