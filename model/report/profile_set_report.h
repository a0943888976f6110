/* profile_set_report.h - a folder of programs with profiles of them: predictions beside what was
 * measured. */
#ifndef REPORT_PROFILE_SET_REPORT_H
#define REPORT_PROFILE_SET_REPORT_H

#include <stdio.h>

#include "study/validate/profile_set.h"

#define PROFILE_SET_FEW 10 /* kernels that are shown unless all are */

/* Text: each pair with its step, errors by generation, class and limit, `rows` kernels by how much
 * of a step they are predicted otherwise, pairs that could not be compared.
 * JSON: one object with the same and a newline.
 * CSV: a line for each kernel of each pair. */
void report_profile_set_text(const struct profile_set *s, size_t rows, FILE *out);
void report_profile_set_json(const struct profile_set *s, size_t rows, FILE *out);
void report_profile_set_csv(const struct profile_set *s, FILE *out);

#endif
