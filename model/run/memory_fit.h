/* memory_fit.h - whether a step fits the memory of a core, and what would make it fit.
 *
 * With P bytes of persistent tensors and T others at the peak, C of capacity:
 *     remat, bf16    the peak worked out again with that change (passes/footprint.h)
 *     k cores        activations, gradients and inputs in k parts: P + T / k, the least power of
 * two for which it fits; weights and optimizer too, (P + T) / k, where P alone is too much.  Where
 * the slice has fewer cores, the next one up that has them batch of b     P + T * b / samples of a
 * step, the largest that fits machine        the built-in one with the least memory of a core that
 * is enough */
#ifndef RUN_MEMORY_FIT_H
#define RUN_MEMORY_FIT_H

#include "run/job.h"

/* Measure the step `s`, lowered from `g`: note what is alive while each row runs, and keep its peak
 * if it takes more than those before it. */
void job_measure(struct job *j, const struct step *step, struct job_step *s);

/* When all steps have been read into `g`: count state that replicas share as their shares. */
void job_share(struct job *j, const struct step *step);

/* Fill in the memory of the result, and the remedies if it does not fit. */
void job_collect_memory(const struct job *j, struct run_result *r);

#endif
