/* between.h - the time between two programs, as an operation of its own.
 *
 * From one program to the next a TPU takes core.program_time, however many kernels they have.  A
 * step that the host does not start itself ends with it, in a row of its own; a lone kernel does
 * not. */
#ifndef RUN_JOB_BETWEEN_H
#define RUN_JOB_BETWEEN_H

#include "run/job/job.h"

#define BETWEEN_KIND "program" /* of the row */

/* Add the task to a lowered step, for the row behind the last one; false if it has none. */
bool between_add(struct job *j, struct job_step *s);
/* Describe that row, once the others are described and their memory is measured. */
void between_describe(struct job *j, struct job_step *s);

#endif
