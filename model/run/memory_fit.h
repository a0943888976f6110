/* memory_fit.h - the verdict whether a step fits the memory of a core, and changes that would help.
 *
 * With P bytes of persistent tensors, T bytes of others at the peak, and S samples of a step:
 *
 *     remat, bf16    the peak, computed again with that change (passes/footprint.h)
 *     k cores        P + T / k: activations, gradients and inputs in k parts; (P + T) / k, weights
 *                    and optimizer state too, where P alone is too much.  k is the least power of
 *                    two that fits; where the slice has fewer cores, a machine that has k
 *     batch of b     P + T * b / S, the largest b that fits
 *     machine        the smallest built-in slice that holds it (run/smallest_slice.h)
 */
#ifndef RUN_MEMORY_FIT_H
#define RUN_MEMORY_FIT_H

#include "run/job.h"

/* Measure the step `s`, lowered from `step`: note the bytes alive while each row runs, and keep its
 * peak if it is higher than those of the steps before. */
void job_measure(struct job *j, const struct step *step, struct job_step *s);

/* Measure `step` once more as it is with the other value of xla.narrow_activations, if the trace
 * lets it have one, and keep the highest peak.  What is stored of each value is as on another
 * machine afterwards.  Cost: that of a lowering. */
void job_measure_switched(struct job *j, struct step *step);

/* After all steps: count a state that replicas share as the share of one replica. */
void job_share(struct job *j, const struct step *step);

/* True if the step that needs most fits. */
bool job_fits(const struct job *j);

/* Fill in the memory of the result, and the remedies if it does not fit. */
void job_collect_memory(const struct job *j, struct run_result *r);

#endif
