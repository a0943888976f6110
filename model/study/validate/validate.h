/* validate.h - published figures beside predictions; claims and questions of their sources, with
 * the answers of the program.
 *
 * The tables are in the folder model/measured and linked into the program.  Rows keep the order
 * of the tables, and the result does not depend on the number of threads. */
#ifndef STUDY_VALIDATE_VALIDATE_H
#define STUDY_VALIDATE_VALIDATE_H

#include <gmp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/err.h"

enum validate_status {
    VALIDATE_CHECKED,
    VALIDATE_FAILED,   /* the program cannot predict it: `note` says why */
    VALIDATE_EXCLUDED, /* the figure contradicts others of its source: `note` */
    VALIDATE_LATER,    /* not modelled yet: `note` */
    VALIDATE_CLAIM,    /* a statement in words: `holds` or not */
    VALIDATE_ASKED,    /* a question, answered by the program alone: `answer` */
};

/* The part that a row had in the constants of its machine. */
enum validate_use {
    VALIDATE_FITTED,   /* fitted on it */
    VALIDATE_HELD_OUT, /* of the half that no constant was fitted on */
    VALIDATE_UNSEEN,   /* of a kind that no constant was fitted on */
};

/* The limit of a kernel, by the model. */
enum validate_regime {
    VALIDATE_FLOOR, /* measured within twice the shortest kernel of its generation */
    VALIDATE_VECTOR,
    VALIDATE_MXU,
    VALIDATE_HBM,
    VALIDATE_N_REGIMES
};
/* [enum validate_use] "fitted on", "held out", "of kinds never fitted on" */
extern const char *const validate_use_name[];

struct validate_row {
    const char *class;                    /* that its error is summed up in */
    const char *within;                   /* a wider class that has it too, or NULL */
    char *machine, *what, *metric, *unit; /* "tpu-v2-8", "fc layers=4 ...", "step", "ms" */
    char *source, *note;                  /* "cardoso-2020"; "" */
    char *workload, *parameters; /* of the step that was replayed; "": no step of a generator */
    char
        *kinds; /* of kernels that took ACCOUNT_LEAST percent or more of it, a line each; or NULL */
    char *claim, *relation; /* CLAIM, ASKED: the words; what must hold: "1.1.." */
    char *answer;           /* the prediction in words */
    bool holds;             /* CLAIM */
    enum validate_status status;
    mpq_t measured, predicted, error; /* error: predicted / measured - 1 */
    mpq_t tolerance;                  /* of the absolute error; 0: none */
    /* measured kernels alone */
    const char *generation, *op; /* "TPU v4 as compiled", "matmul"; NULL of other rows */
    enum validate_use use;
    enum validate_regime regime;
    mpq_t estimate; /* the compiler's, in `unit`; 0: it has none */
    mpq_t added;    /* what timing adds to a kernel of a GPU, in `unit`; both figures have it */
};

/* Errors of the checked rows of a class, and how many of its claims hold. */
struct validate_class {
    const char *name;
    size_t n, hits, with_tolerance; /* rows; those within their tolerance; those that have one */
    size_t claims, held, asked;
    mpq_t median, mean, worst; /* of the absolute error */
    mpq_t bias;                /* median of the error */
};

struct validate_result {
    struct validate_row *row;
    size_t n_rows;
    struct validate_class *class;
    size_t n_classes;
    char **name; /* names of classes, from the tables */
    size_t n_names;
};

struct validate_request {
    /* writes workload `name` with "key=value" settings as trace text (traces/gen.h) */
    int (*generate)(const char *name, const char *const *set, size_t n_set, FILE *out,
                    struct err *err);
    const char *only; /* NULL, or part of the names of the wanted classes */
    /* "section.key=value" for every machine; a row's own setting of the same key stands */
    const char *const *set;
    size_t n_set;
    unsigned jobs; /* threads, at least 1 */
    void (*progress)(void *self, const char *what, uint64_t done, uint64_t all);
    void *progress_self;
};

/* Run everything; free `v` with validate_result_free.  Errors: ERR_UNKNOWN no class has `only` in
 * its name; ERR_FORMAT a damaged table; those of spec_load, if no machine takes the settings. */
int validate_run(const struct validate_request *q, struct validate_result *v, struct err *err);
void validate_result_free(struct validate_result *v);

#endif
