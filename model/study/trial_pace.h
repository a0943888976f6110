/* trial_pace.h - how much of a step the unverified values of its machine move.
 *
 *     seconds moved = |step with the value changed - step| / relative change
 *
 * The change is a twentieth, or 1 of a small count; of values out of their range the other way.
 * Names, such as sm.constants, have no twentieth and keep the seconds whose pace they set. */
#ifndef STUDY_TRIAL_PACE_H
#define STUDY_TRIAL_PACE_H

#include "run/result/result.h"

/* Replay `q`, whose result is `r`, once for each unverified value in its account, if they are what
 * the account lists (account_is_open), and correct it.  Counted in r->trials. */
void trial_pace(const struct run_request *q, struct run_result *r);

#endif
