#include "base/memory.h"
#include "base/units.h"
#include "base/wide.h"
#include "kernels/common/lowering.h"
#include "kernels/net/collective.h"
#include "schedule/schedule_list.h"

#include <stdlib.h>
#include <string.h>

/* True if one call takes all operands, each where it lies: so in compiled programs of TPUs. */
static bool joins_operands(const struct lowering *l, const struct step_op *op)
{
    return !op->op.combine &&
           (l->cap->xla.combine_all_reduce || (l->step->compiled && l->cap->kind == CHIP_TPU));
}

/* Operands from `first` on that one call takes: as many in a row as fit the bucket, at least one.
 * `*bytes` is what they have. */
static uint32_t fill_bucket(const struct lowering *l, const struct step_op *op, uint32_t first,
                            uint64_t *bytes)
{
    uint64_t most = op->op.combine          ? op->op.combine
                    : joins_operands(l, op) ? UINT64_MAX
                                            : l->cap->bucket_bytes;
    uint32_t n = 0;

    for (*bytes = 0; first + n < op->n_in; n++) {
        uint64_t more = step_bytes(l->step, l->step->ref[op->first_in + first + n]);
        if (n > 0 && (*bytes > most || more > most - *bytes))
            break;
        *bytes += more;
    }
    return n;
}

/* Bytes that the start of the last call sends by itself: kernels carry the rest of it. */
static uint64_t bytes_of_start(const struct lowering *l, uint64_t bytes)
{
    uint32_t chips = l->p->call[l->p->n_calls - 1].schedule.group.size;
    uint64_t share = chips > 1 ? l->cap->xla.carried_steps / (chips - 1) : 0;

    share = share < l->cap->xla.carried_share ? share : l->cap->xla.carried_share;
    return (uint64_t)((u128)bytes * share / PPB_PER_ONE);
}

/* Cut the last call in two, the first of which the start waits for. */
static int cut_carried(struct lowering *l, const struct step_node *n, const struct step_op *op,
                       uint32_t operands, uint64_t bytes, uint32_t element)
{
    uint64_t part = bytes_of_start(l, bytes) / element * element;

    if (part == 0)
        return 0;
    schedule_list_free(l->p->call[--l->p->n_calls].schedule.list);
    if (lower_call(l, n, op, operands, part, element) != 0)
        return -1;
    return lower_call(l, n, op, 1, bytes - part, element);
}

int lower_collective(struct lowering *l, const struct step_node *n, const struct step_op *op,
                     uint32_t row)
{
    const struct step *step = l->step;
    if (lower_overlap_end(l, op, row))
        return 0;
    struct task *t = lowering_task(l, TASK_COLLECTIVE, row);
    bool each = op->op.kind == TRACE_ALL_REDUCE;
    uint32_t at = 0, first = l->p->n_calls;
    uint64_t workspace = 0;
    int rc = 0;

    t->async = lowering_async(op->op.async);
    if (t->async == TASK_DONE) {
        t->start = lowering_start(l, op);
        return 0;
    }
    do {
        uint64_t bytes = op->op.payload;
        uint32_t v = op->n_in ? step->ref[op->first_in + at] : UINT32_MAX;
        uint32_t taken = each ? fill_bucket(l, op, at, &bytes) : op->n_in;
        /* tensors of a bucket go as one from a buffer of their own */
        if (taken > 1 && bytes > workspace && !(each && joins_operands(l, op)))
            workspace = bytes;
        uint32_t element = op->n_in ? trace_dtype_bytes[step->value[v].stored] : 1;
        rc = lower_call(l, n, op, taken, bytes, element);
        if (rc == 0 && op->op.carried && at == 0)
            rc = cut_carried(l, n, op, taken, bytes, element);
        at += taken;
    } while (at < op->n_in && rc == 0);
    t->collective.first = first;
    t->collective.count = l->p->n_calls - first;
    t->collective.first_waits = op->op.carried && t->collective.count > 1;
    t->workspace = workspace;
    return rc;
}

/* From the last node to the first, as what comes next is needed.  What comes behind the bracket of
 * a loop may not be next. */
void lower_find_gathers(struct lowering *l)
{
    const struct step *step = l->step;
    bool *shared_next = memory_zeroed(step->n_values + 1, sizeof *shared_next);

    for (uint32_t i = step->n_nodes; i-- > 0;) {
        const struct step_node *n = &step->node[i];
        if (n->kind != STEP_OP)
            memset(shared_next, 0, step->n_values * sizeof *shared_next);
        for (uint32_t k = n->first_op; n->kind == STEP_OP && k < n->first_op + n->n_ops; k++) {
            const struct step_op *op = &step->op[k];
            bool shares = op->op.kind == TRACE_OPTIMIZER && op->op.sharded;
            for (uint32_t j = op->first_in; j < op->first_in + op->n_in; j++) {
                l->goes_on[j] = shares && shared_next[step->ref[j]];
                shared_next[step->ref[j]] = shares;
            }
            if (op->bias != STEP_NONE)
                shared_next[op->bias] = false;
        }
    }
    free(shared_next);
}

int lower_gather_weights(struct lowering *l, const struct step_node *n, const struct step_op *op,
                         uint32_t row)
{
    uint64_t bytes = 0;
    uint32_t element = 1, operands = 0;

    for (uint32_t i = 0; i < op->n_in; i++) {
        const struct step_value *v = &l->step->value[l->step->ref[op->first_in + i]];
        if (v->role != TRACE_WEIGHT || l->goes_on[op->first_in + i])
            continue;
        bytes += step_bytes(l->step, l->step->ref[op->first_in + i]);
        element = trace_dtype_bytes[v->stored];
        operands++;
    }
    if (bytes == 0)
        return 0;
    struct task *t = lowering_task(l, TASK_COLLECTIVE, row);
    t->collective.first = l->p->n_calls;
    t->collective.count = 1;
    return lower_call(l, n, op, operands, bytes, element);
}
