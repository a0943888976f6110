/* memory_owner.h - the buffers alive at the peak of a step; of a compiled program also added up by
 * the source line and by the scope that made them. */
#ifndef RUN_RESULT_MEMORY_OWNER_H
#define RUN_RESULT_MEMORY_OWNER_H

#include "run/result/result.h"
#include "step/step.h"

/* Fill `o` with the buffers alive at the peak `m` of a step, one by one and, if `sums`, as rows by
 * source line and by scope, most bytes first.  A scope is an operation's without its last part, as
 * in run/result/origin.h.  Buffers that have neither, as the arguments of a program, are in rows of
 * the name "", one for each role.  What kernels need while they run is in no row.  Cost: O(values
 * log values). */
void memory_owner_find(struct run_owners *o, const struct footprint *m, const struct step *step,
                       const struct footprint_core *core, uint64_t stage, bool sums);
void memory_owner_copy(struct run_owners *to, const struct run_owners *from);
void memory_owner_free(struct run_owners *o);

#endif
