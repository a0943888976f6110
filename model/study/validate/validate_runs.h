/* validate_runs.h - runs of a validation that several rows need: each is done once, and its result
 * is kept until the last of them has seen it. */
#ifndef STUDY_VALIDATE_VALIDATE_RUNS_H
#define STUDY_VALIDATE_VALIDATE_RUNS_H

#include "study/validate/validate_case.h"
#include "study/validate/validate_job.h"

struct validate_runs;

/* The runs that jobs of the plan have in common.  `q` outlives them. */
struct validate_runs *validate_runs_new(const struct validate_plan *p,
                                        const struct validate_request *q);
void validate_runs_free(struct validate_runs *runs);

/* Number of runs that are needed more than once; do the i-th of them, in the order in which jobs
 * first need them. */
size_t validate_runs_shared(const struct validate_runs *runs);
void validate_runs_do(struct validate_runs *runs, size_t i);

/* The result of a run of some job: that of another job, which is waited for, or a new one.  A job
 * takes each of its runs once, and leaves it if there was no error.  From several threads.  Errors:
 * those of validate_case_run(). */
struct validate_taken {
    const struct run_result *result;
    struct shared_run *shared; /* NULL: it is `own` */
    struct run_result own;
};
int validate_runs_take(struct validate_runs *runs, const struct validate_case *r,
                       struct validate_taken *t, struct err *err);
void validate_runs_leave(struct validate_runs *runs, struct validate_taken *t);

/* The case of a job of steps and claims; the second one of a claim, whose words go to `text`.  With
 * base == "" there is none. */
struct validate_case validate_runs_case(const struct validate_job *j);
struct validate_case validate_runs_base(const struct validate_job *j, char text[PUBLISHED_FIELD]);

#endif
