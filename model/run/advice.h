/* advice.h - what the ledger of an operation suggests, by rules with thresholds (docs/metrics.md).
 *
 * Each rule looks at one part of the ledger.  It speaks if that part is at least ADVICE_SHARE of
 * what the matrix units could have done in the operation's time. */
#ifndef RUN_ADVICE_H
#define RUN_ADVICE_H

#include "run/job.h"

#define ADVICE_SHARE 10 /* per cent */

/* Fill `w->advice` from `w->slots`, the largest part first; `row` of `program` is the operation. */
void advice_write(struct run_row *w, const struct job *j, const struct task_program *program,
                  uint32_t row);

#endif
