/* kineto_job.h - recordings of several ranks of one job.
 *
 * Ranks of a job run the same step on their parts of a batch, so one recording is the step of all;
 * that of the rank whose own work takes longest is, since the others wait for it. */
#ifndef IMPORT_KINETO_KINETO_JOB_H
#define IMPORT_KINETO_KINETO_JOB_H

#include <stddef.h>

#include "base/err.h"

struct kineto_job {
    size_t chosen;   /* of the files */
    char notes[200]; /* how ranks differ, as a sentence */
};

/* Read `n` recordings, one after the other.  Errors: those of kineto_read(); ERR_FORMAT a file that
 * does not say which rank it is, or that is of another job. */
int kineto_job_read(struct kineto_job *job, const char *const *path, size_t n, struct err *err);

#endif
