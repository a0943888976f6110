/* waste.h - the ledger of the matrix units: each multiply-accumulate slot that they had, by what
 * became of it.
 *
 * The units count what they did with the slots of their commands; the sequencer counts the cycles
 * in which they had no command.  No part is computed as a remainder, so the sums can be checked: of
 * each row against the sequencer's cycles, of all rows against the units' own counters. */
#ifndef RUN_WASTE_H
#define RUN_WASTE_H

#include "run/job/job.h"

/* Fill `s` for `row` of the step `st`, measured over `steps` steps: slots of one step and core. */
void waste_row(struct run_slots *s, const struct job *j, const struct machine *m,
               const struct job_step *st, uint32_t row, uint64_t steps);

/* BUG unless `sum`, over all rows, equals the statistics of the units of `m`. */
void waste_check(const struct run_slots *sum, const struct job *j, struct machine *m,
                 uint64_t steps);

#endif
