/* job.h - the inside of a replay: a trace lowered for a machine, and what was measured. */
#ifndef RUN_JOB_JOB_H
#define RUN_JOB_JOB_H

#include "base/exact.h"
#include "base/numbered.h"
#include "base/texts.h"
#include "base/wide.h"
#include "kernels/lower.h"
#include "machine/machine.h"
#include "passes/placement.h"
#include "run/job/input.h"
#include "run/job/progress.h"
#include "run/job/turns.h"
#include "run/result/account.h"
#include "run/result/result.h"
#include "step/step.h"

/* One step of the trace, lowered. */
struct job_step {
    struct task_program program;
    uint64_t every;       /* 0, or N: it runs between the others, once in N of them */
    struct job_row *row;  /* [program.n_rows] its operations */
    uint64_t measured;    /* how many times */
    struct run_flow flow; /* of its operations */
    uint64_t *live;       /* [row] bytes of memory alive at the operation */
    uint64_t work;        /* grid steps of a core, loops multiplied out, and */
    uint64_t walked;      /* those that are simulated */
    struct turns turns;   /* of its loops that are simulated: all, or some */
};

/* One operation of a step. */
struct job_row {
    /* texts of the job, as all others here */
    const char *name, *phase, *kind;
    const char *scope, *source; /* of a compiled program, else NULL */
    uint64_t estimate;          /* cycles of one execution by the compiler; 0: it says nothing */
    const char *signature;      /* of its node (step/signature.h) */
    const char *group,
        *phase_group;       /* labels of the identical layers it belongs to (layer_group.h) */
    const char *tensors[2]; /* "x, w": that it reads, that it writes; NULL where nobody looks */
    uint64_t count;         /* executions in the step, loops multiplied out */
    uint32_t rate;          /* speed of its products as a multiple of bf16's: 2 for int8 */
    mpz_t flops;            /* useful ones of all executions */
    mpz_t gemm;             /* those of them that the matrix units do */
    mpz_t hbm_bytes;        /* of all executions */
    const struct task_kernel *product; /* its largest product, of the program; NULL: none */
    uint32_t padding;                  /* the padded rows that it is on, from 1; 0: none */
    struct account_note note;          /* what is known of it */
    uint8_t retiled;                   /* 1 + enum task_retiled; 0: it runs as the trace states */
    bool staged;                       /* run by the cores of one stage of a pipeline */
    bool tensor;                       /* in the tensor cores of a GPU */
};

#define JOB_N_CHANGES 3 /* ways to keep less in memory that are tried: run/memory/memory_fit.c */

struct job {
    const struct run_request *q;
    struct progress_part told; /* progress of the step under way */
    const struct machine_spec *spec;
    struct machine_spec *loaded; /* by the job; NULL: `spec` is the request's */
    struct machine_spec running; /* `spec` as its clocks are while the step runs */
    struct cap cap;
    struct input input;
    struct trace *trace; /* of the input */
    struct job_step *step;
    size_t n_steps, n_between; /* all; those that run between the others */
    struct texts texts;        /* of the rows; handed to the result that is collected */
    struct footprint memory;   /* of the step that needs most */
    struct footprint changed[JOB_N_CHANGES]; /* of the same step, with each change */
    struct footprint switched;  /* the highest peak with the other value of xla.narrow_activations;
                                   a total of 0: it makes no difference */
    char *peak_at;              /* operation where memory peaks */
    struct run_owners owners;   /* of a compiled program */
    uint32_t stages;            /* of a pipelined step; 1: it is not pipelined */
    uint32_t peak_stage;        /* the one that needs most memory */
    uint64_t *stage_peak;       /* [stage] bytes, of the step that needs most */
    struct account_kinds kinds; /* measured ones */
    bool compiled;              /* the trace is a compiled program */
    bool cut;                   /* of some step not all turns are simulated */
    bool unwatched;             /* observers were told that measuring is over */
    const char **text;          /* what timelines show: the program and its rows, for each step */
    uint32_t n_text;
};

/* On-chip memory of a core for values between kernels. */
struct placement_room job_room(const struct cap *cap);
/* The layout and the sharing of tensors in the main memory of a core. */
struct footprint_core job_core(const struct cap *cap);

/* Read and lower the whole trace.  Errors: of the reader and of lowering. */
int job_open(struct job *j, const struct run_request *q, struct err *err);
void job_close(struct job *j);

/* The memory that the job's trace takes on a core of another machine, without the request's --set.
 * Standard input is read again, which changes its trace_checksum().  Errors: those of job_open().
 */
int job_footprint(const struct job *j, const char *machine, struct footprint *m, struct err *err);

/* Refuse what the finite clock of a run cannot hold: an operation of more than an hour of simulated
 * time, or a step certainly beyond MACHINE_LIMIT_FS; else note the work of the step.  `step` names
 * the operations of `s`.  Errors: ERR_FIT with file:line.  O(operations). */
int job_check_time(const struct job *j, struct job_step *s, const struct step *step,
                   struct err *err);

/* Set `j->running`: a step that strains the matrix units, of which more than mxu.strained of the
 * multiply-accumulates switch, has mxu.sustained of their rate; a lone kernel has all.  O(tasks).
 */
void job_strain(struct job *j);

/* Core cycles in which the matrix units stream the products of a kernel: it takes no less. */
u128 job_product_cycles(const struct job *j, const struct task_kernel *k);

/* True if a step exchanges data with a host. */
bool job_is_fed(const struct job *j);
/* True of a compiled program that exchanges nothing with a host: its input is in memory already. */
bool job_is_unfed(const struct job *j);

/* The part of the chips that run alike that is simulated: all of them where an observer wants to
 * see all. */
enum images_part job_images(const struct job *j);

/* Leave turns of loops out where all of them take too long to simulate on so many cores: more than
 * RUN_WALKED_STEPS. */
void job_cut_turns(struct job *j, uint32_t cores);
/* Refuse what takes longer than a few minutes to simulate on so many cores.  Errors: ERR_FIT. */
int job_check_work(const struct job *j, uint32_t cores, struct err *err);

/* Sums that are gathered run by run: of the measured steps, then of each step that runs between
 * them.  Each run has the weight of how often it comes, so that sums are averages of a step. */
struct job_figures {
    mpq_t *num, *den;    /* [n_figures] counters that each figure of the result divides */
    mpq_t *moved, *room; /* [n_links] bytes that a link moved, and could have moved */
    size_t n_links;
    mpq_t cycles;           /* of the core clock */
    struct numbered phases; /* "every name" of the phases of the result */
    struct account_sum account;
};
void job_collect_begin(struct job *j, struct job_figures *f, struct run_result *r);
/* Add the books and statistics of `m` since its reset: `fs` of measured time, in which the steps
 * with this `every` were run `steps` times in all. */
void job_collect(struct job *j, struct job_figures *f, struct machine *m, uint64_t fs,
                 uint64_t steps, uint64_t every, struct run_result *r);
void job_collect_end(struct job *j, struct job_figures *f, struct machine *m, uint64_t steps,
                     struct run_result *r);
/* The rows of operations and phases of the steps with this `every`, which are means over `steps`;
 * after the last of them, what follows from their sums (collect_rows.c). */
void job_collect_rows(const struct job *j, struct job_figures *f, struct machine *m, uint64_t steps,
                      uint64_t every, struct run_result *r);
void job_finish_phases(const struct job *j, struct run_result *r);

/* q = seconds of one of `cores` in one of `steps`, from femtoseconds of all of them. */
void job_seconds(mpq_t q, const mpz_t fs, uint64_t cores, uint64_t steps);
/* q = peak FLOP/s of one core in bf16. */
void job_peak_flops(const struct job *j, mpq_t q);

/* Give up: frees what job_collect_begin() and job_collect() made. */
void job_collect_drop(struct job_figures *f, struct run_result *r);

/* Ratios and links of the statistics (figures.c); `steps` as above, times every. */
void job_figures_init(struct job_figures *f);
void job_figures_add(struct job_figures *f, struct machine *m, uint64_t steps,
                     struct run_result *r);
void job_figures_end(struct job_figures *f, struct run_result *r);
void job_figures_clear(struct job_figures *f, size_t n);

/* Epochs and samples a second (epoch.c). */
void job_epoch(const struct job *j, struct run_result *r);

#endif
