/* memory_measure.h - the memory that a core needs at every moment of a step. */
#ifndef RUN_JOB_MEMORY_MEASURE_H
#define RUN_JOB_MEMORY_MEASURE_H

#include "run/job/job.h"

/* Measure the step `s`, lowered from `step`: note the bytes alive while each row runs, and keep its
 * peak if it is higher than those of the steps before. */
void job_measure(struct job *j, const struct step *step, struct job_step *s);

/* Measure `step` once more as it is with the other value of xla.narrow_activations, if the trace
 * lets it have one, and keep the highest peak.  What is stored of each value is as on another
 * machine afterwards.  Cost: that of a lowering. */
void job_measure_switched(struct job *j, struct step *step);

/* After all steps: count a state that replicas share as the share of one replica. */
void job_share(struct job *j, const struct step *step);

#endif
