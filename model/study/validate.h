/* validate.h - every published figure the project knows beside what it predicts, what sources say
 * in words, and what they ask.
 *
 * The tables stand in the folder tests/validation and are linked into the program.  Rows keep the
 * order of the tables; what they say does not depend on how many run at once. */
#ifndef STUDY_VALIDATE_H
#define STUDY_VALIDATE_H

#include <gmp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/err.h"

enum validate_status {
    VALIDATE_CHECKED,
    VALIDATE_FAILED,   /* the program could not predict it: `note` says why */
    VALIDATE_EXCLUDED, /* the figure contradicts others of its source: `note` */
    VALIDATE_LATER,    /* of something that is not modelled yet: `note` */
    VALIDATE_CLAIM,    /* said in words: `holds` or not */
    VALIDATE_ASKED,    /* asked, and answered by nobody but the program: `answer` */
};

struct validate_row {
    const char *class;                    /* what it is summed up in, and ... */
    const char *within;                   /* ... a wider class, or NULL */
    char *machine, *what, *metric, *unit; /* "tpu-v2-8", "fc layers=4 ...", "step", "ms" */
    char *source, *note;                  /* "cardoso-2020"; "" */
    char *claim, *relation;               /* CLAIM, ASKED: the words; what holds them: "1.1.." */
    char *answer;                         /* what is predicted, in words */
    bool holds;                           /* CLAIM */
    enum validate_status status;
    mpq_t measured, predicted, error; /* error: predicted / measured - 1 */
    mpq_t tolerance;                  /* of the error, 0: none is set */
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
    char **name; /* classes that tables name */
    size_t n_names;
};

struct validate_request {
    /* writes workload `name` with "key=value" settings as trace text (traces/gen.h) */
    int (*generate)(const char *name, const char *const *set, size_t n_set, FILE *out,
                    struct err *err);
    const char *only; /* NULL, or a part of the names of the classes that are wanted */
    unsigned jobs;    /* threads, at least 1 */
    void (*progress)(void *self, const char *what, uint64_t done, uint64_t all);
    void *progress_self;
};

/* Errors: ERR_UNKNOWN no class has `only` in its name; ERR_FORMAT a damaged table. */
int validate_run(const struct validate_request *q, struct validate_result *v, struct err *err);
void validate_result_free(struct validate_result *v);

#endif
