/* export.h - a sweep for other programs. */
#ifndef SWEEP_REPORT_EXPORT_H
#define SWEEP_REPORT_EXPORT_H

#include <stdio.h>

#include "sweep/store.h"

/* A line of column names, then a line for each point in order: point, state, error ("does not fit"
 * of a point beyond the memory of its machine), parameters as in the plan, figures with 17 digits;
 * RFC 4180, but lines end in a newline alone. */
int export_csv(struct store *s, FILE *out, struct err *err);

/* A line for each point: {"point", "state", "error", "parameters", "result"}, the result as
 * `replay --format json` prints it, on one line. */
int export_json(struct store *s, FILE *out, struct err *err);

#endif
