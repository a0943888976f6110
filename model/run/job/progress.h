/* progress.h - progress of one of several runs, told as progress of all of them. */
#ifndef RUN_JOB_PROGRESS_H
#define RUN_JOB_PROGRESS_H

#include <stdint.h>

/* Called now and then: `done` of `all` in units of `what`; all = 0 is unknown. */
typedef void progress_fn(void *self, const char *what, uint64_t done, uint64_t all);

struct progress_part {
    progress_fn *tell; /* who is told of all runs; NULL: nobody */
    void *self;
    const char *what;     /* what it is told; NULL: what the run says */
    uint64_t part, parts; /* the run under way, from 0, of so many that take about as long */
};

#define PROGRESS_PART 1000000 /* units of a run, as those who are told of all of them see it */

/* A progress_fn; `self` is a struct progress_part. */
void progress_part(void *self, const char *what, uint64_t done, uint64_t all);

#endif
