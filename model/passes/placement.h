/* placement.h - pass: values that stay on chip between kernels.
 *
 * From TPU v4 on a compiler keeps values that live for few kernels in memory on chip: CMEM of v4,
 * VMEM of later ones, of which windows of kernels have a part for themselves.  A value is a
 * candidate from the kernel that makes it to the last one that reads it, if kernels alone touch it.
 * Candidates are taken in the order of the accesses that they save for each kernel that they stay
 * through, the first of the step first among equals, and placed where all of their nodes have room.
 *
 * Weights and other values that are there for the whole run stay in HBM: to bring them ahead of
 * their kernels is a decision of the compiler that this pass does not have.  Programs that a
 * compiler has scheduled keep its places.
 *
 * Source of the rule: values of XLA's programs for v4 to v7, whose S(1) and S(3) fill CMEM, or VMEM
 * but for 16 to 32 MiB. */
#ifndef PASSES_PLACEMENT_H
#define PASSES_PLACEMENT_H

#include "step/step.h"
#include "step/tiling.h"

struct placement_room {
    uint64_t bytes;         /* of a core, for values between kernels; 0: nothing is placed */
    enum trace_space space; /* TRACE_IN_VMEM or TRACE_IN_CMEM */
    struct tiling tiling;   /* of values whose layout the trace does not give */
    uint32_t replicas;
};

/* Put values of the step into `room->space`: their layout says so from then on.  Cost: O(references
 * + candidates x (log candidates + nodes that they live through)). */
void placement_step(struct step *step, const struct placement_room *room);

#endif
