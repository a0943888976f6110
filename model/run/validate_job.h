/* validate_job.h - the inside of a validation: what has to be run for which rows. */
#ifndef RUN_VALIDATE_JOB_H
#define RUN_VALIDATE_JOB_H

#include "run/kernel.h"
#include "run/validate.h"

/* Classes of steps of fully connected networks: which, the result decides. */
#define VALIDATE_FC_STEP_CLASSES                                                                   \
    "fc, steps, device-bound\n"                                                                    \
    "fc, steps, host-bound, batch >= 1024\n"                                                       \
    "fc, steps, host-bound, batch < 1024\n"

enum validate_kind {
    VALIDATE_WORKLOAD,  /* a training step */
    VALIDATE_FC_STEP,   /* one of a fully connected network: its class depends on the result */
    VALIDATE_FC_DEVICE, /* the time of its device: measured as FLOPs of the step / rate */
    VALIDATE_OP,        /* a single operation */
    VALIDATE_KERNEL,    /* a measured kernel */
};

/* One run; it serves rows [first, first + n). */
struct validate_job {
    enum validate_kind kind;
    size_t first, n;
    char *machine, *workload, *parameters;
    double utilization, busy; /* FC_DEVICE: of the peak; share of the traced time */
    uint64_t batch;           /* FC_STEP */
    struct kernel_row kernel;
};

struct validate_plan {
    struct validate_result *v;
    struct validate_job *job;
    size_t n_jobs;
};

/* Read the tables: rows of `v`, jobs of `p` for those that can be predicted. */
int validate_read(struct validate_plan *p, struct err *err);
void validate_plan_free(struct validate_plan *p);

/* Run job `j` and fill in its rows. */
void validate_run_job(const struct validate_plan *p, const struct validate_job *j,
                      const struct validate_request *q);

/* Classes and their sums, of all rows (validate_sum.c). */
void validate_sum(struct validate_result *v);

#endif
