/* trial.h - what a report says of changes is tried before: the change is replayed.
 *
 * Advice on operations (run/advice.h) names changes; each of them is replayed once.  What does not
 * gain samples a second beyond TRIAL_NOISE, or does not fit, is advised no more; what does, says by
 * how much.  Where a change cannot be made, as the batch of a trace that no generator wrote, the
 * sentence says that it was not tried.
 *
 * Where kernels of a compiled program were cut anew because the machine was changed, the machine as
 * it stands is replayed by both hands, the compiler's and ours. */
#ifndef STUDY_TRIAL_H
#define STUDY_TRIAL_H

#include "run/result.h"

#define TRIAL_NOISE 10 /* thousandths: the bar of tests/physics/test_monotonic.c */

/* Try what `r`, the result of `q`, advises, and count the replays in r->trials.  A change that
 * cannot be replayed counts as not tried. */
void trial_run(const struct run_request *q, struct run_result *r);

/* A change: "twice the batch". */
extern const char *const trial_name[RUN_N_TRIALS];

/* Replay one change: *gain in thousandths of the samples a second of `r`.  Returns whether it could
 * be made. */
bool trial_gain(enum run_trial trial, const struct run_request *q, struct run_result *r,
                int32_t *gain);

#endif
