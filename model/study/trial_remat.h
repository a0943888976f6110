/* trial_remat.h - what XLA does by itself near the limit of the memory: it computes activations
 * again until a step fits, and refuses only one that no way makes fit. */
#ifndef STUDY_TRIAL_REMAT_H
#define STUDY_TRIAL_REMAT_H

#include "run/result/result.h"

/* If `r`, the result of `q` on a TPU, does not fit by little (xla.remat_most): rematerialise its
 * step the way that takes the fewest FLOPs and fits, replay it, and put that before the other
 * remedies, with its cost in time. Nothing of a compiled program, whose compiler has decided, nor
 * of a step that no way makes fit. Cost: up to eighty ways worked out, and a replay. */
void trial_remat(const struct run_request *q, struct run_result *r);

#define TRIAL_REMEDIES 2000 /* operations of a step whose remedies are made */

/* Make the steps that remedies of memory estimate and lower them: a remedy that was made fits or
 * not, by the count of a replay.  What cannot be made, such as a smaller batch of a trace that no
 * generator wrote, stays an estimate.  Cost: up to eighty lowerings for each remedy. */
void trial_remedies(const struct run_request *q, struct run_result *r);

#endif
