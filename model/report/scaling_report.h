/* scaling_report.h - one trace on slices of several sizes: speed-up, efficiency, and what of it is
 * lost to which part of the step. */
#ifndef REPORT_SCALING_REPORT_H
#define REPORT_SCALING_REPORT_H

#include <stddef.h>
#include <stdio.h>

#include "study/scaling.h"

/* `n` sizes, of which the first is the base that the others are compared with.  Text: a line for
 * each; JSON: one object and a newline. */
void report_scaling_text(const char *trace, const char *machine, const struct scaling_size *s,
                         size_t n, FILE *out);
void report_scaling_json(const char *trace, const struct scaling_size *s, size_t n, FILE *out);

#endif
