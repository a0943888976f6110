/* profiled.h - a step as a profiler measured it, beside its prediction: kernel by kernel, and the
 * difference of the steps divided among classes of kernels and idle time.
 *
 * A measured kernel's seconds of a step are the mean of its occurrences times how often it comes in
 * a step.  How often is known where the profile has runs of the program; else the number of steps
 * is the median over all kernels with a partner of occurrences measured to occurrences predicted,
 * so that a capture which cuts its first and last step does no harm.
 *
 * Predicted kernels have no core.kernel_gap, since a profiler times what is between two of them as
 * idle. */
#ifndef STUDY_PROFILED_PROFILED_H
#define STUDY_PROFILED_PROFILED_H

#include "hlo/hlo_module.h"
#include "profile/profile.h"
#include "run/result/result.h"
#include "study/profiled/pairing.h"

struct machine_spec;

/* Classes of kernels, and of a step's time without one. */
/* clang-format off */
#define PROFILED_CLASSES(C)                                                                        \
    C(MXU,        "mxu",        "MXU",           "matrix products and convolutions")               \
    C(VECTOR,     "vector",     "vector",        "element-wise, reductions, other computation")    \
    C(MOVEMENT,   "movement",   "data movement", "copies, layout changes, waiting for transfers")  \
    C(COLLECTIVE, "collective", "collectives",   "between chips, what nothing hides")              \
    C(FEED,       "feed",       "infeed",        "infeed, outfeed, send and receive of the host")  \
    C(IDLE,       "idle",       "idle",          "in a step, no kernel runs: launch, barriers")    \
    C(GAP,        "gap",        "host gap",      "from the end of a step to the next one's begin")
/* clang-format on */
enum profiled_class {
#define C(id, key, name, text) PROFILED_##id,
    PROFILED_CLASSES(C)
#undef C
        PROFILED_N_CLASSES
};
extern const char *const profiled_class_key[PROFILED_N_CLASSES];
extern const char *const profiled_class_name[PROFILED_N_CLASSES];
extern const char *const profiled_class_text[PROFILED_N_CLASSES];

struct profiled_kernel {
    char *name;                 /* in the program; "": the program has none such */
    const char *measured_name;  /* in the profile; "": the profile has none such */
    const char *scope, *source; /* where it comes from; "": not known */
    enum profiled_class class;
    enum pairing_how how; /* PAIRING_NONE: it has no partner */
    uint64_t count;       /* in a step: as predicted, without a partner as measured */
    uint64_t occurrences; /* measured in all */
    mpq_t predicted, measured, estimated; /* seconds of a step; 0: there are none */
    uint32_t kernel;                      /* of the profile; UINT32_MAX: none */
    char *alike;                          /* what it computes (pairing.h); NULL: not known */
    bool waits;                           /* a start or a done: its time is that of others */
    uint32_t place; /* by the order in which they run; those only measured are last */
};

/* Seconds of a step. */
struct profiled_pair {
    mpq_t predicted, measured;
};

struct profiled_request {
    /* run.trace NULL: the program that the profile holds */
    /* its trace, machine (NULL: the program's own, or the devices of the profile), set, exact,
     * progress */
    struct run_request run;
    const char *profile; /* its path; NULL: predict alone, for report_profile_export() */
    const char *module;  /* which of its programs; NULL: the one most kernels of which are here */
};

struct profiled {
    struct run_result run; /* of the step as it is */
    struct profile *profile;
    uint32_t program;               /* of profile.program */
    struct profiled_kernel *kernel; /* most seconds of difference first */
    size_t n_kernels;
    size_t n_pairs, n_only_predicted, n_only_measured;
    bool step_known; /* the profile has runs or steps; else its step is the sum of its kernels */
    uint64_t steps;  /* measured, of all devices; without runs as derived above */
    struct profiled_pair step, in_kernels;
    struct profiled_pair class[PROFILED_N_CLASSES]; /* all but GAP add up to `step` */
    mpq_t error;        /* sum of |predicted - measured| over kernels / their measured sum */
    mpq_t paired_error; /* the same over pairs alone */
    mpq_t paired_share; /* of measured kernel time, those with a partner */

    /* for those who predict the same step again */
    struct machine_spec *spec;
    char *file; /* the program's, for messages: "step.hlo", "a.xplane.pb, jit_step" */
    char *text;
    size_t text_size;
    struct hlo_module *module; /* NULL: the program is a trace */
    uint32_t *kernel_of_row;   /* [run.n_ops] an index of `kernel` */
};

/* The name of a class on that machine: what an MXU does on a TPU are products elsewhere. */
const char *profiled_class_label(const struct profiled *p, enum profiled_class class);

/* Replay the program, read the profile, pair them.  Errors: those of both readers and of the
 * replay; ERR_UNKNOWN for a module that the profile does not have; ERR_FIT if no kernel has a
 * partner. */
int profiled_make(struct profiled *p, const struct profiled_request *q, struct err *err);
void profiled_free(struct profiled *p);

/* True if the profile is hardly one of that program: less than half of the measured time has a
 * partner, or under a third of the pairs agree in name and over a quarter of all kernels have no
 * partner.  *by_name = the pairs that agree in name. */
bool profiled_is_doubtful(const struct profiled *p, size_t *by_name);

/* Seconds of a measured step in which no kernel runs and none is launched; 0: not known. */
void profiled_host_wait(mpq_t seconds, const struct profiled *p);

/* "TPU v6e": the generation of the devices of the profile; where it does not say, that of the
 * machine, or the name of a machine of a file of its own.  To be freed. */
char *profiled_generation(const struct profiled *p);

/* The machine without what a profiler times as idle: time between programs and gaps between
 * kernels; on a GPU also waits for the host, each of whose kernels is there when the one before it
 * ends.  It shares what `spec` points to. */
struct machine_spec profiled_leave_gaps(const struct machine_spec *spec);

/* Predict the kernels anew: seconds[i] of a step of p->kernel[i], on `spec`.  Errors: of a replay.
 */
int profiled_predict(const struct profiled *p, const struct machine_spec *spec, double *seconds,
                     struct err *err);

#endif
