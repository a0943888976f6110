/* expected_table.h - from a whole validation to the table of errors to expect
 * (run/result/expected.h), and how many measurements keep to what is said beside them. */
#ifndef STUDY_VALIDATE_EXPECTED_TABLE_H
#define STUDY_VALIDATE_EXPECTED_TABLE_H

#include <stdio.h>

#include "run/result/expected.h"
#include "study/validate/validate.h"

/* A step by hand beside the program that the compiler made of it. */
struct expected_pair {
    const char *kind, *machine, *workload; /* "TPU", "tpu-v6e-4", "3dgan" */
    mpq_t ratio;                           /* seconds by hand / seconds as compiled */
};

/* Rows that were measured of one step or kernel. */
struct expected_case {
    char kind[8], generation[32], workload[64];
    char machine[64], what[192]; /* of a step; rows that share them are one case */
    enum run_way way;
    enum expected_of of;
    uint32_t *row; /* n_rows errors in thousandths, sorted */
    size_t n_rows;
    uint32_t permille; /* their median */
};

struct expected_cases {
    struct expected_case *c;
    size_t n;
};

/* The cases of all checked rows that nothing was fitted on, and the pairs.  Errors: of machine
 * files; ERR_FORMAT of uses.csv.  O(rows x steps). */
int expected_cases_init(struct expected_cases *all, const struct validate_result *v,
                        const struct expected_pair *pair, size_t n_pairs, struct err *err);
void expected_cases_free(struct expected_cases *all);

/* The lines of the table, in the order of their first case: *line, to be freed. */
void expected_lines(struct expected_line **line, size_t *n, const struct expected_cases *all);
void expected_table_write(const struct expected_line *line, size_t n, FILE *out);

/* True if the case belongs to the line; one without a generation has those of all. */
bool expected_in_line(const struct expected_case *c, const struct expected_line *l);
/* Fill in cases and error of a line; size[all->n] gets the errors of its cases, sorted. */
void expected_sizes(struct expected_line *l, uint32_t *size, const struct expected_cases *all);
/* The place, from 1, of the error that counts among n sorted ones. */
size_t expected_rank(size_t n);

/* Rows of a case, and how many of them keep to the error said beside them: */
struct expected_kept {
    size_t rows;
    size_t within;     /* by all cases, */
    size_t unseen;     /* and without their own case */
    uint32_t permille; /* the error said */
};

/* kept[all->n], to be freed: of each case; pairs have no rows.  O(cases x lines). */
struct expected_kept *expected_count_kept(const struct expected_cases *all);

/* All steps, or all kernels, of a kind of machine. */
void expected_sum_kept(struct expected_kept *sum, const struct expected_cases *all,
                       const struct expected_kept *kept, const char *kind, enum expected_of of);

/* A table in markdown: a row for each group, and one for all steps and all kernels of a kind of
 * machine. */
void expected_markdown(const struct expected_cases *all, FILE *out);

#endif
