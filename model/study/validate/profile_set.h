/* profile_set.h - a site's own validation set: a folder of programs with profiles of them.
 *
 * A program NAME.hlo and a profile NAME.xplane.pb, NAME.hlo_stats.csv ... in one folder are a pair
 * called NAME, with the path below the folder in front: "v6e/gpt".  A folder NAME/plugins/profile/
 * DATE, as profilers write it, is one profile of all hosts, called NAME; its program is NAME.hlo or
 * the only one in NAME.  A profile that holds its program needs none.  FOLDER/pairs.ini says what
 * names cannot:
 *
 *     [v6e/gpt]
 *     program = step.hlo.zst          paths below the folder
 *     profile = log/plugins/profile/2026_11_23
 *     machine = tpu-v6e-8             or an .ini below the folder
 *     module = jit_step
 *     use = fitted                    or unseen, the default
 *
 * Kernels with a partner and a measured time count, each once. */
#ifndef STUDY_VALIDATE_PROFILE_SET_H
#define STUDY_VALIDATE_PROFILE_SET_H

#include "study/profiled/profiled.h"
#include "study/validate/validate_detail.h"

#define PROFILE_SET_INI "pairs.ini" /* in the folder of a set */

enum profile_set_use {
    PROFILE_SET_UNSEEN, /* no constant of the machine was fitted on it */
    PROFILE_SET_FITTED,
    PROFILE_SET_N_USES
};
extern const char *const profile_set_use_name[PROFILE_SET_N_USES]; /* "unseen", "fitted on" */

/* Limits of a kernel: those of measured kernels (enum validate_regime), and OTHER: links, the host,
 * transfers that it waits for. */
enum { PROFILE_SET_OTHER = VALIDATE_N_REGIMES, PROFILE_SET_N_REGIMES };
/* "floor", "vector", "MXU", "HBM", "other"; last "all limits" */
extern const char *const profile_set_regime_name[PROFILE_SET_N_REGIMES + 1];

struct profile_set_kernel {
    char *name; /* in the program */
    enum profiled_class class;
    int regime;     /* FLOOR: measured within twice core.op_overhead; the others by the model */
    uint64_t count; /* in a step */
    mpq_t predicted, measured, estimated; /* seconds of a step; estimated 0: none */
    mpq_t error;                          /* predicted / measured - 1 */
};

struct profile_set_pair {
    char *name;
    char *program, *profile; /* paths; program NULL: the profile holds it; profile NULL: none */
    char *asked, *module;    /* by pairs.ini; NULL: nothing */
    enum profile_set_use use;
    char *reason; /* why it could not be compared; NULL: it was, and the rest is set */

    char *machine, *generation; /* "tpu-v6e-8", "TPU v6e" */
    const char *format;         /* of the profile (profile.h) */
    bool step_known;            /* else `step` is the sum of the kernels */
    uint64_t steps;
    struct profiled_pair step;
    mpq_t error, paired_share; /* as in struct profiled: over all kernels */
    size_t n_pairs, n_only_predicted, n_only_measured;
    struct profile_set_kernel *kernel;
    size_t n_kernels;
};

/* Kernels of a generation and use: of a class or all, of a regime or all. */
struct profile_set_group {
    const char *generation;
    enum profile_set_use use;
    enum profiled_class class; /* PROFILED_IDLE: all */
    int regime;                /* PROFILE_SET_N_REGIMES: all */
    struct validate_errors errors;
    mpq_t weighted; /* sum of |predicted - measured| / sum of measured */
};

/* A kernel by how much of its measured step it is predicted otherwise. */
struct profile_set_rank {
    const struct profile_set_pair *pair;
    const struct profile_set_kernel *kernel;
    mpq_t share;
};

struct profile_set {
    char *folder;
    struct profile_set_pair *pair; /* by name */
    size_t n_pairs, n_failed;
    struct profile_set_group *group;
    size_t n_groups;
    struct profile_set_rank *rank; /* the largest share first */
    size_t n_ranks;
};

struct profile_set_request {
    const char *folder;
    const char *machine; /* of all pairs; NULL: pairs.ini, the program, the type of the devices */
    const char *only;    /* NULL, or part of the names of the wanted pairs */
    const char *const *set; /* "section.key=value" for every machine */
    size_t n_set;
    unsigned jobs; /* threads, at least 1 */
    void (*progress)(void *self, const char *what, uint64_t done, uint64_t all);
    void *progress_self;
};

/* Find all pairs and compare them.  A pair that cannot be compared says why, and is no error.
 * Errors: ERR_IO the folder; ERR_FORMAT there is nothing in it, or a mistake in pairs.ini;
 * ERR_UNKNOWN no pair has `only` in its name. */
int profile_set_run(struct profile_set *s, const struct profile_set_request *q, struct err *err);
void profile_set_free(struct profile_set *s);

#endif
