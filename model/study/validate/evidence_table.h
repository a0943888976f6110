/* evidence_table.h - from a whole validation to the table that replays take their evidence from
 * (run/result/evidence.h). */
#ifndef STUDY_VALIDATE_EVIDENCE_TABLE_H
#define STUDY_VALIDATE_EVIDENCE_TABLE_H

#include <stdio.h>

#include "study/validate/validate.h"

/* Write a line for each step, each workload of a machine and each class of kernels that has checked
 * rows, in the order of the first of them.  Left out are rows that something was fitted on, and
 * values of machine files.  O(lines x rows). */
void evidence_table_write(const struct validate_result *v, FILE *out);

/* True if something was fitted on the row: its class or note says so, or model/measured/uses.csv
 * of its class. */
bool evidence_is_fitted(const struct validate_row *r);

/* Write the kinds of kernels that the same rows measure, by generation: the table of
 * run/result/account.h. O(rows x lines). */
void evidence_kinds_write(const struct validate_result *v, FILE *out);

#endif
