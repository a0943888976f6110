/* liveness_impl.h - steps of the pass that are files of their own (liveness.h). */
#ifndef PASSES_LIVENESS_IMPL_H
#define PASSES_LIVENESS_IMPL_H

#include "passes/liveness.h"

/* Let each value that takes the place of another live there, and find when that is in use; keep
 * what a program returns.  Cost: O(references x log references). */
void liveness_place(struct liveness *l);

/* Let temporaries lie in arguments that are given away and free meanwhile; after liveness_place().
 * Cost: O(values x log values). */
void liveness_lend(struct liveness *l);

#endif
