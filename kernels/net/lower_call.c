/* One collective of a step as a call: its group, and the plan that the machine makes of it. */
#include "kernels/common/lowering.h"

#include "kernels/net/collective.h"

static enum schedule_kind collective_kind(const struct trace_op *op)
{
    if (op->kind == TRACE_ALL_REDUCE && op->sharded)
        return SCHEDULE_REDUCE_SCATTER;
    switch (trace_kinds[op->kind].net) {
    case TRACE_NET_REDUCE_SCATTER: return SCHEDULE_REDUCE_SCATTER;
    case TRACE_NET_ALL_GATHER: return SCHEDULE_ALL_GATHER;
    case TRACE_NET_ALL_TO_ALL: return SCHEDULE_ALL_TO_ALL;
    case TRACE_NET_PERMUTE: return SCHEDULE_PERMUTE;
    case TRACE_NET_BROADCAST: return SCHEDULE_BROADCAST;
    case TRACE_NET_BARRIER: return SCHEDULE_BARRIER;
    case TRACE_NET_NONE:
    case TRACE_NET_ALL_REDUCE: break;
    }
    return SCHEDULE_ALL_REDUCE;
}

_Static_assert((int)SCHEDULE_N_ALGORITHMS == (int)TRACE_N_ALGORITHMS, "one list, twice");

/* The engine of a chip joins the cores of one program, and counts with the chips of its group. */
static int check_stage(struct lowering *l, const struct step_node *n, uint64_t group,
                       uint64_t stride)
{
    if (l->step->head.stages < 2)
        return 0;
    if (l->stage == TRACE_NO_STAGE)
        return lowering_refuse(l, n, "a collective of all stages of a pipeline; give stage=");
    if (l->peers % l->cap->net.cores_per_chip)
        return lowering_refuse(l, n,
                               "%u devices a stage on chips of %u: the collectives of two stages "
                               "would meet on a chip",
                               l->peers, l->cap->net.cores_per_chip);
    if (stride > l->peers || (group ? group : 1) * stride > l->peers ||
        l->peers % ((group ? group : 1) * stride))
        return lowering_refuse(l, n, "groups of %llu devices, %llu apart, in a stage of %u",
                               (unsigned long long)group, (unsigned long long)stride, l->peers);
    return 0;
}

int lower_call(struct lowering *l, const struct step_node *n, const struct step_op *op,
               uint32_t operands, uint64_t bytes, uint32_t element)
{
    uint32_t stride = op->op.group_stride < UINT32_MAX ? (uint32_t)op->op.group_stride : UINT32_MAX;
    struct collective c = {
        .kind = collective_kind(&op->op),
        .algorithm = (enum schedule_algorithm)op->op.algorithm,
        .bytes = bytes,
        .element = element,
        .operands = operands,
        .group = op->op.group,
        .stride = stride,
        .shift = op->op.shift,
        .members = step_optional(l->step, op->members),
        .pairs = step_optional(l->step, op->pairs),
    };
    struct err err;

    if (check_stage(l, n, op->op.group, stride) != 0)
        return -1;
    if (l->stage != TRACE_NO_STAGE && (c.members || c.pairs))
        return lowering_refuse(l, n, "members= and pairs= within a stage; give group=");
    if (l->stage != TRACE_NO_STAGE && !c.group)
        c.group = l->peers / stride;
    l->p->notes.even_pairs += c.pairs && l->cap->even_pairs;
    return collective_plan(lowering_call(l), &c, l->cap, &err) == 0
               ? 0
               : lowering_refuse(l, n, "%s", err.msg);
}
