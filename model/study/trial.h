/* trial.h - trials of the changes that a report advises: each is replayed before it is advised.
 *
 * Advice on operations (run/advice.h) names changes.  Each of them is tried once: by a preview
 * (run/preview.h), or by a replay where a preview cannot tell and no other change gains far more.
 * A change stays advised if it fits and gains more samples a second than TRIAL_NOISE; the sentence
 * then states the gain.  Some changes cannot be tried, such as less padding, or another batch of a
 * trace that no generator wrote: their sentence states the gain if that time were none.
 *
 * Where kernels of a compiled program were cut anew because the machine was changed, the machine as
 * it stands is replayed with the compiler's kernels and with ours.  trial_pace.h finds the seconds
 * that unverified values move. */
#ifndef STUDY_TRIAL_H
#define STUDY_TRIAL_H

#include "run/result/result.h"

#define TRIAL_NOISE 10 /* thousandths: the bar of tests/physics/test_monotonic.c */
#define TRIAL_LOW 5    /* thousandths: gains by a preview from here */
#define TRIAL_HIGH 25  /* to here are replayed whole */
#define TRIAL_ROUND 30 /* thousandths: gains from here on are said in whole percent */

enum trial_extent {
    TRIAL_SHOWN, /* the first sentence of each row that a text report advises on */
    TRIAL_ALL,   /* each sentence of each operation */
};

/* Try what `r`, the result of `q`, advises, and count previews and replays in r->trials. */
void trial_run(const struct run_request *q, enum trial_extent extent, struct run_result *r);

/* Replay `q` beside the run of `r`, and count it there; false: it cannot be. */
bool trial_replay(struct run_request q, struct run_result *r, struct run_result *other);

/* (x / y - 1) in thousandths, towards zero. */
int32_t trial_permille(const mpq_t x, const mpq_t y);

#endif
