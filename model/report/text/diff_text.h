/* diff_text.h - two runs compared as text, from the JSON of their reports. */
#ifndef REPORT_TEXT_DIFF_TEXT_H
#define REPORT_TEXT_DIFF_TEXT_H

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

#include "base/err.h"

/* Check that `run` has the members that diff_text reads, as report_json writes them.
 * Errors: ERR_FORMAT with the name of a member that is missing or of another type. */
int diff_check(const json_t *run, struct err *err);

/* One screen: the step, its causes, and the operations that changed most, identical layers as one
 * row unless `ungroup`.  Where the runs have another global batch, times are those of a sample, and
 * the first line says so. */
void diff_text(const char *const name[2], json_t *const run[2], bool ungroup, FILE *out);

#endif
