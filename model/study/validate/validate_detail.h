/* validate_detail.h - errors of measured kernels by generation, kind and regime.
 *
 * Rows that constants were fitted on stand apart from those that no constant has seen, and beside
 * ours stands the error of the compiler's own estimate of the same kernels.  A group is one kind in
 * one regime; groups of all regimes of a kind, and of all kinds of a generation, come before it. */
#ifndef STUDY_VALIDATE_VALIDATE_DETAIL_H
#define STUDY_VALIDATE_VALIDATE_DETAIL_H

#include "study/validate/validate.h"
#include "study/validate/validate_errors.h"

struct validate_group {
    const char *generation;                 /* "TPU v4", "TPU v4 as compiled" */
    const char *op;                         /* "matmul"; NULL: all kinds */
    int regime;                             /* enum validate_regime; VALIDATE_N_REGIMES: all */
    struct validate_errors fitted, unseen;  /* unseen: held out, or of kinds never fitted on */
    struct validate_errors fitted_estimate; /* the compiler's, of those rows that have one */
    struct validate_errors unseen_estimate;
};

/* A table of how rows of a class came to be predicted: model/measured/uses.csv. */
struct validate_said {
    char *class; /* that the names of its classes begin with */
    char *use;   /* "fitted on", "in view", "never seen" */
    char *note;
};

#define VALIDATE_WORST 10 /* rows that are shown */

struct validate_worst {
    const char *generation;
    const struct validate_row *row[VALIDATE_WORST]; /* largest absolute error first */
    size_t n;
};

struct validate_detail {
    struct validate_group *group;
    size_t n_groups;
    struct validate_worst *worst; /* one for each generation */
    size_t n_worst;
    struct validate_said *said;
    size_t n_said;
};

/* Take apart the rows of `v`, which must outlive `d`.  Errors: ERR_FORMAT of uses.csv.
 * O(groups x rows). */
int validate_detail_make(struct validate_detail *d, const struct validate_result *v,
                         struct err *err);
void validate_detail_free(struct validate_detail *d);

/* [enum validate_regime], and last of all: "floor", "vector", "MXU", "HBM", "all" */
extern const char *const validate_regime_name[VALIDATE_N_REGIMES + 1];

#endif
