/* waste.h - the ledger of the matrix units: what became of every multiply-accumulate they could
 * have done.
 *
 * The matrix units say what they did with the slots of their commands, the sequencer counts the
 * cycles in which they had none.  Nothing is the rest of something else: that the two add up to the
 * sequencer's cycles, row by row, and to the units' own counters, over all, is asserted. */
#ifndef RUN_WASTE_H
#define RUN_WASTE_H

#include "run/job.h"

/* Fill `s` for `row` of the step `st`, measured over `steps` steps: means per step and core. */
void waste_row(struct run_slots *s, const struct job *j, const struct machine *m,
               const struct job_step *st, uint32_t row, uint64_t steps);

/* A bug unless `sum`, of all rows, is what the statistics of the units of `m` hold. */
void waste_check(const struct run_slots *sum, const struct job *j, struct machine *m,
                 uint64_t steps);

#endif
