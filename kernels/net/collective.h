/* collective.h - collectives of cores: what their chips do together, and what each does by itself.
 *
 * Cores that share a chip and are in one group add up their copies in HBM first, and the result is
 * copied for them last; between chips the buffer goes once.  Cores of one chip in different groups
 * go side by side, one buffer behind the other.
 *
 * A group stands within a slice, or has every stride-th core of whole slices, or the same core of
 * several (model/schedule/schedule_slices.h). */
#ifndef KERNELS_NET_COLLECTIVE_H
#define KERNELS_NET_COLLECTIVE_H

#include "base/err.h"
#include "kernels/common/cap.h"
#include "task/task.h"

/* A collective as a trace has it. */
struct collective {
    enum schedule_kind kind;
    enum schedule_algorithm algorithm; /* AUTO: the machine's, or by the rule */
    uint64_t bytes;                    /* payload of a core */
    uint32_t element;                  /* bytes of what is added */
    uint32_t operands;                 /* tensors that are the payload */
    uint32_t group, stride;            /* cores, 0: all, and 1; a group is every stride-th core */
    uint64_t shift;                    /* permute: places */
    const char *members, *pairs;       /* groups, or who sends to whom, one by one; or NULL */
};

/* call->schedule.list, where the groups are listed, belongs to the call.  Errors: ERR_FIT, a clause
 * without the operation, when the group does not stand on the machine or the algorithm does not do
 * it. */
int collective_plan(struct task_call *call, const struct collective *c, const struct cap *cap,
                    struct err *err);

#endif
