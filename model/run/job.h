/* job.h - the inside of a replay: a trace lowered for a machine, and what was measured. */
#ifndef RUN_JOB_H
#define RUN_JOB_H

#include "base/exact.h"
#include "kernels/graph.h"
#include "kernels/lower.h"
#include "machine/machine.h"
#include "run/result.h"

struct job_step { /* one step of the trace */
    struct task_program program;
    struct job_row *row; /* program.n_rows of them */
    uint64_t measured;   /* times it was measured */
};

struct job_row {
    char *name, *phase, *kind;
    uint64_t count; /* executions in the step, loops multiplied out */
    uint32_t rate;  /* of its products, in that of bf16 */
    mpz_t flops;    /* useful, of all executions */
    mpz_t gemm;     /* of the flops, the matrix units' */
    mpz_t hbm_bytes;
    bool unknown;
};

struct job {
    const struct run_request *q;
    struct machine_spec *spec;
    struct cap cap;
    struct trace *trace;
    struct job_step *step;
    size_t n_steps;
    uint64_t peak_bytes;
    char *peak_at;
    uint64_t uncovered;
};

/* Read and lower the whole trace.  Errors: of the reader and of lowering. */
int job_open(struct job *j, const struct run_request *q, struct err *err);
void job_close(struct job *j);

/* Refuse what the finite clock of a run cannot hold: an operation of more than an hour of simulated
 * time, or a step certainly beyond MACHINE_LIMIT_FS.  `g` names the operations of `p`.
 * Errors: ERR_RANGE with file:line. */
int job_check_time(const struct job *j, const struct task_program *p, const struct graph *g,
                   struct err *err);

/* Turn the books and statistics of `m` into `r`: `fs` of measured time, `steps` steps. */
void job_collect(struct job *j, struct machine *m, uint64_t fs, uint64_t steps,
                 struct run_result *r);

#endif
