/* validate_job.h - inside a validation: which runs serve which rows.  Private to validate*.c. */
#ifndef STUDY_VALIDATE_VALIDATE_JOB_H
#define STUDY_VALIDATE_VALIDATE_JOB_H

#include "run/result/published.h"
#include "study/validate/measured_kernel.h"
#include "study/validate/validate.h"

/* Classes of steps of fully connected networks; the result decides which one a step is in. */
#define VALIDATE_FC_STEP_CLASSES                                                                   \
    "fc, steps, device-bound\n"                                                                    \
    "fc, steps, host-bound, batch >= 1024\n"                                                       \
    "fc, steps, host-bound, batch < 1024\n"

/* Parts that the profile of a fully connected step lists, each a row after that of the device time.
 */
#define VALIDATE_N_PARTS 3

enum validate_kind {
    VALIDATE_WORKLOAD,  /* a training step or an operation */
    VALIDATE_FC_STEP,   /* one of a fully connected network: its class depends on the result */
    VALIDATE_FC_DEVICE, /* the time of its device: measured as FLOPs of the step / rate */
    VALIDATE_KERNEL,    /* a measured kernel as one operation */
    VALIDATE_COMPILED,  /* a measured kernel as the compiler makes it */
    VALIDATE_PROGRAM,   /* a compiled or recorded step: `workload` is the name of its module */
    VALIDATE_MACHINE,   /* a value of a machine file */
    VALIDATE_CLAIMS,    /* a run, and mostly a second one to compare it with */
    VALIDATE_MEMORY,    /* a step that is lowered, not run */
};

/* One run; it serves rows [first, first + n). */
struct validate_job {
    enum validate_kind kind;
    size_t first, n;
    char *machine, *workload, *parameters;
    char *base;               /* CLAIMS: "MACHINE WORKLOAD PARAMETERS" of the second run, or "" */
    double utilization, busy; /* FC_DEVICE: of the peak; share of the traced time */
    double share[VALIDATE_N_PARTS]; /* of the traced time: matrix products, RMSprop, all-reduce */
    uint64_t batch;                 /* FC_STEP */
    struct measured_kernel kernel;
};

#define VALIDATE_CHIPS 5 /* room for measured chips */

struct validate_plan {
    struct validate_result *v;
    struct machine_spec *spec[VALIDATE_CHIPS]; /* of the measured chips */
    struct packed packed[VALIDATE_CHIPS];      /* their compiled kernels */
    struct packed program[VALIDATE_CHIPS];     /* compiled programs, by generation */
    struct validate_job *job;
    size_t n_jobs;
};

/* The one copy of a class's name, which lives as long as the result. */
const char *validate_intern(struct validate_result *v, const char *name);
struct validate_row *validate_add_row(struct validate_result *v, const char *class,
                                      const char *machine, const char *what, const char *metric,
                                      const char *unit, const char *source);
/* Append a job for the last row. */
struct validate_job *validate_add_job(struct validate_plan *p, enum validate_kind kind,
                                      const char *machine, const char *workload,
                                      const char *parameters, const char *base);
/* A job for the last row: the last job if that is the same run, else a new one. */
void validate_need_job(struct validate_plan *p, enum validate_kind kind, const char *machine,
                       const char *workload, const char *parameters, const char *base);
/* The jobs from number `from` on are not run. */
void validate_drop_jobs(struct validate_plan *p, size_t from);
void validate_plan_free(struct validate_plan *p);
/* Replace `*text` by a copy of `s`. */
void validate_set_text(char **text, const char *s);
void validate_fail(struct validate_row *r, const char *why);

/* Read all tables: rows to p->v, and jobs for those that can be predicted.  Errors: ERR_FORMAT. */
int validate_read(struct validate_plan *p, struct err *err);
int validate_read_claims(struct validate_plan *p, const struct published_file *file,
                         struct err *err);
/* A row for each kernel of a table; and one for each as the compiler makes it. */
int validate_read_kernels(struct validate_plan *p, const struct published_file *file,
                          const struct measured_chip *chip, struct err *err);
int validate_read_compiled(struct validate_plan *p, struct err *err);
/* A row for each measured program that is kept as compiled: forward passes of GPT-2, training steps
 * of ResNet-50. */
int validate_read_forward(struct validate_plan *p, const struct published_file *file,
                          struct err *err);
int validate_read_resnet(struct validate_plan *p, const struct published_file *file,
                         struct err *err);
/* A row for each step that PyTorch's profiler recorded: its time on the wall, or in kernels. */
int validate_read_recorded(struct validate_plan *p, const struct published_file *file,
                           struct err *err);
/* A row for each measured collective of GPUs that no constant is fitted on. */
int validate_read_collectives(struct validate_plan *p, const struct published_file *file,
                              struct err *err);
/* A row for each measured kernel of GPUs that no constant is fitted on: without the time that the
 * measuring added, unless that is most of it. */
bool validate_is_gpu(const struct published_file *file);
int validate_read_gpu(struct validate_plan *p, const struct published_file *file, struct err *err);
/* Unpack the programs; none of a generation that has none. */
int validate_open_programs(struct validate_plan *p, struct err *err);
/* Replay the program of its row. */
int validate_run_program(const struct validate_plan *p, const struct validate_job *j,
                         const struct validate_request *q, struct err *err);
/* Load the machines of measured chips, for all their kernels; NULL where the request's changes do
 * not go with one. */
void validate_load_chips(struct validate_plan *p, const struct validate_request *q);

/* Note the kinds of kernels that most of a result is. */
void validate_note_kinds(struct validate_row *r, const struct run_result *result);

/* Run job `j`, of steps and claims through `runs`, and fill in its rows. */
struct validate_runs;
void validate_run_job(const struct validate_plan *p, const struct validate_job *j,
                      const struct validate_request *q, struct validate_runs *runs);
/* Fill in the prediction, the estimate and the regime of its row. */
int validate_run_kernel(const struct validate_plan *p, const struct validate_job *j,
                        const struct validate_request *q, struct err *err);
/* Mark kernels whose measured time is near the shortest of their generation. */
void validate_mark_floors(struct validate_result *v);
void validate_run_claims(const struct validate_plan *p, const struct validate_job *j,
                         const struct validate_request *q, struct validate_runs *runs);

/* Fill in the classes and their sums, from all rows (validate_sum.c). */
void validate_sum(struct validate_result *v);

#endif
