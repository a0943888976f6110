/* memory_fit.h - the verdict whether a step fits the memory of a core, and changes that would help.
 *
 * With P bytes of persistent tensors, T bytes of others at the peak, and S samples of a step:
 *
 *     remat, bf16    the peak, computed again with that change (passes/footprint.h)
 *     k cores        P + T / k: activations, gradients and inputs in k parts; (P + T) / k, weights
 *                    and optimizer state too, where P alone is too much.  k is the least power of
 *                    two that fits; where the slice has fewer cores, a machine that has k
 *     batch of b     P + T * b / S, the largest b that fits
 *     machine        the smallest built-in slice that holds it (run/memory/smallest_slice.h)
 */
#ifndef RUN_MEMORY_MEMORY_FIT_H
#define RUN_MEMORY_MEMORY_FIT_H

#include "run/job/job.h"

/* True if the step that needs most fits. */
bool memory_fits(const struct job *j);

/* Fill in the memory of the result, and the remedies if it does not fit. */
void memory_fit_collect(const struct job *j, struct run_result *r);

#endif
