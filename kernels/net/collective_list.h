/* collective_list.h - collectives whose groups or pairs a trace lists (trace/kind/members.h), on a
 * machine. */
#ifndef KERNELS_NET_COLLECTIVE_LIST_H
#define KERNELS_NET_COLLECTIVE_LIST_H

#include "kernels/net/collective.h"

/* Cores of a chip that are in one group, and groups that a chip has cores of. */
struct sharing {
    uint32_t fan, lanes;
};

/* Set the groups of `call`, whose mesh and kind are set, to those of c->members or c->pairs;
 * call->schedule.list then belongs to the call.  Errors: ERR_FIT, when the machine has fewer cores,
 * or a group reaches over slices or differs between them. */
int collective_list_plan(struct task_call *call, struct sharing *share, const struct collective *c,
                         const struct cap *cap, struct err *err);

/* Let pairs count as a shift by one chip, in which all chips do the same: each sends as many bytes
 * as the link that most of them pass carries.  Pairs within chips stay as they are.  Errors: those
 * of collective_list_plan().  O(pairs times links of their ways). */
int collective_list_even(struct collective *c, const struct cap *cap, struct err *err);

/* Groups as the library of GPUs counts them: how many of a box and how many boxes, of the largest
 * one; pairs as the shift that leaves a box as often as they do.  Sizes are rounded up to such as
 * part the machine evenly. */
int collective_list_count(struct collective *c, const struct cap *cap, struct err *err);

#endif
