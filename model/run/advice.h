/* advice.h - sentences on how to make an operation faster, from its ledger
 * (docs/reference/metrics.md).
 *
 * Each rule is about one part of the ledger, and applies if that part is at least ADVICE_SHARE of
 * the slots that the matrix units had in the operation's time. */
#ifndef RUN_ADVICE_H
#define RUN_ADVICE_H

#include "run/job/job.h"

#define ADVICE_SHARE 10 /* per cent */
/* the end of each sentence until it is tried (study/trial.h) */
#define ADVICE_UNTRIED "(not tried)"

/* Fill `w->advice` from `w->slots`, or on machines without matrix units from `w->cause`, the
 * largest part first; `row` is the operation.  O(rules). */
void advice_write(struct run_row *w, const struct job *j, const struct job_row *row);

#endif
