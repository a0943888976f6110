/* expected.h - the error to expect of a prediction, from measurements of its like.
 *
 * The lines of model/measured/expected.csv, which `make evidence` writes from a whole validation
 * and a test holds against one, are linked into the program:
 *
 *     kind, way, of, generation, workload, cases, error
 *
 * They are of steps or single kernels on a kind of machine ("TPU"), by the way their work was
 * stated: by hand, compiled, recorded.  A line without a generation is of all of them.  The error
 * is a factor less 1, in percent, either way: max(predicted / measured, measured / predicted) - 1.
 * Four of five cases keep to it; where there are fewer than EXPECTED_FEW, all do.  Cases that
 * something was fitted on are not in it.
 *
 * Lines "pairs" say how far a step by hand is from the program that the compiler makes of it.  A
 * step by hand that nobody measured on its generation has this error and that of compiled steps. */
#ifndef RUN_RESULT_EXPECTED_H
#define RUN_RESULT_EXPECTED_H

#include <stdio.h>

#include "run/result/published.h"
#include "run/result/result.h"

#define EXPECTED_STEM "expected" /* of the table */
#define EXPECTED_FEW 20          /* fewer cases than these: the largest error counts */
#define EXPECTED_ENOUGH 4        /* cases; with fewer, wider groups are asked as well */

#define EXPECTED_RECORDINGS "recordings" /* the workload of all recorded steps */

enum expected_of { EXPECTED_STEPS, EXPECTED_KERNELS, EXPECTED_PAIRS, EXPECTED_N };
/* "steps", and the way in words. */
extern const char *const expected_of_name[EXPECTED_N];
extern const char *const expected_way_name[RUN_N_WAYS]; /* "by hand" */

/* A group of cases, a line of the table. */
struct expected_line {
    char kind[8], generation[32], workload[64]; /* generation "": all of the kind */
    enum run_way way;
    enum expected_of of;
    uint64_t cases;
    uint32_t permille; /* the error */
};

/* Read the table: *line, to be freed, and how many.  Errors: ERR_FORMAT. */
int expected_read(struct expected_line **line, size_t *n, const struct published_file *file,
                  struct err *err);

/* Whose error is asked for. */
struct expected_key {
    const char *kind, *machine, *workload; /* of a kernel: its sort, "products" */
    enum run_way way;
    bool lone; /* a kernel by itself, no step */
};

/* The error of the nearest cases: of this workload on this generation; with fewer than
 * EXPECTED_ENOUGH of them the largest of theirs and of wider groups: this workload on any, any
 * workload on this generation, any on the kind of machine.  e->cases is 0 if there are none.
 * O(lines). */
void expected_look(struct run_expected *e, const struct expected_key *key,
                   const struct expected_line *line, size_t n);

/* The sort of a kernel in the table, by words that describe it: "products" of "op matmul m=8". */
const char *expected_sort(const char *words);

/* Fill in r->expected but its way, which is known, as r->account is.  Machines of files of one's
 * own have none, nor have steps of which too much is not known: account_is_unknown().  Of a machine
 * with changed parameters it is that of the machine as it stands.  Errors: ERR_FORMAT. */
int expected_find(struct run_result *r, const struct published_file *file, struct err *err);

/* The table of the program, or NULL. */
const struct published_file *expected_table(void);

/* The steps that constants were fitted on, model/measured/fitted.csv: their errors are no errors
 * to expect, but are said where nothing else was measured. */
#define EXPECTED_FITTED "fitted"
/* Fill in f->steps and their errors; 0 steps: none of that way and generation.  Errors:
 * ERR_FORMAT. */
int expected_find_fitted(struct run_fitted *f, const struct expected_key *key,
                         const struct published_file *file, struct err *err);

/* "210 steps of fc on tpu-v2, by hand": what the error rests on, or why there is none. */
void expected_write(const struct run_result *r, FILE *out);
/* "7.2 %", "not known". */
#define EXPECTED_TEXT 24
char *expected_percent(const struct run_expected *e, char text[static EXPECTED_TEXT]);

#endif
