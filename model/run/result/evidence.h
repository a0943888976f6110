/* evidence.h - the measurements that are nearest to a replay, and the errors of predictions of
 * them.
 *
 * The lines of model/measured/evidence.csv, which `make evidence` writes from a whole validation
 * and a test holds against one, are linked into the program:
 *
 *     class, machine, workload, parameters, rows, median, worst
 *
 * A line with parameters is about one generated step, a line with a workload alone about all its
 * steps on that machine, a line with neither about single kernels.  Errors are in percent: the
 * median of absolute values, and the largest with its sign.  Figures that something was fitted on
 * are not in it. */
#ifndef RUN_RESULT_EVIDENCE_H
#define RUN_RESULT_EVIDENCE_H

#include "run/result/published.h"
#include "run/result/result.h"

#define EVIDENCE_STEM "evidence" /* of the table */

/* Fill in r->evidence from the lines of `file` that are nearest to the replay: those of the highest
 * enum run_cover that any of them has.  A machine whose times may be changed was never measured.
 * Errors: ERR_FORMAT a damaged table.  O(lines). */
int evidence_find(struct run_result *r, const struct published_file *file, struct err *err);

/* Bytes of the generation in the name of a machine: of "tpu-v3-8" 6, of "v100x4" and its chip
 * "v100-sxm2-16gb" 4; 0 where the name tells none. */
size_t evidence_generation(const char *machine);

/* The table of the program, or NULL. */
const struct published_file *evidence_table(void);

/* True if both machines are slices of one generation, or boxes of one chip, or such a chip. */
bool evidence_same_generation(const char *a, const char *b);

/* "step", "workload" ...; what the lines of that level are of, in words. */
const char *evidence_name(enum run_cover cover);
const char *evidence_words(enum run_cover cover);

#endif
