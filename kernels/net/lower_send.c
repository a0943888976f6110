/* From a core of one stage to the core in the same place of another. */
#include "kernels/common/lowering.h"

int lower_send(struct lowering *l, const struct step_node *n, const struct step_op *op,
               uint32_t row)
{
    bool receives = op->op.async == TRACE_DONE;
    uint64_t bytes = 0;

    for (uint32_t i = 0; i < op->n_in && !receives; i++)
        bytes += step_bytes(l->step, l->step->ref[op->first_in + i]);
    if (bytes > LOWER_MAX_VALUE_BYTES)
        return lowering_refuse(l, n, "sends more than 1 PiB");
    struct task *t = lowering_task(l, receives ? TASK_RECEIVE : TASK_SEND, row);
    if (receives) {
        t->async = TASK_DONE;
        t->start = lowering_start(l, op);
        t->send.id = l->p->task[t->start].send.id;
        return 0;
    }
    t->send.bytes = bytes;
    t->send.id = l->p->n_sends++;
    t->send.away = ((int64_t)op->op.to - (int64_t)op->op.stage) * (int64_t)l->peers;
    return 0;
}
