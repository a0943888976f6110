/* One operation that cutting a step adds to it. */
#include <stdio.h>
#include <string.h>

#include "passes/shard/shard_impl.h"
#include "step/step_build.h"
#include "trace/attr.h"

struct trace_op shard_attributes(enum trace_kind kind, const char *name, uint64_t group)
{
    struct trace_op x = { .kind = kind,
                          .kind_text = trace_kind_name[kind],
                          .name = name,
                          .groups = 1,
                          .fn_flops = 1,
                          .passes = 1,
                          .shift = 1,
                          .group = (uint32_t)group,
                          .group_stride = 1,
                          .work = { .calls = 1, .threads = 1, .readers = 1 },
                          .stage = TRACE_NO_STAGE,
                          .to = TRACE_NO_STAGE,
                          .given = ATTR_BIT(NAME) };

    x.given |= group ? ATTR_BIT(GROUP) : 0;
    return x;
}

uint32_t shard_make(struct shard_making *m, enum trace_kind kind, const char *name, uint64_t group,
                    const uint32_t *in, uint32_t n_in, const char *result,
                    const struct step_value *like)
{
    struct trace_op x = shard_attributes(kind, name, group);
    uint32_t made = STEP_NONE;

    step_begin_op(m->to, &x);
    for (uint32_t i = 0; i < n_in; i++)
        step_add_operand(m->to, in[i]);
    if (result)
        made = step_add_result(m->to, result, like);
    step_end_op(m->to);
    return made;
}
