/* diff_text.h - what changed from one run to another, from the JSON of their reports. */
#ifndef REPORT_TEXT_DIFF_TEXT_H
#define REPORT_TEXT_DIFF_TEXT_H

#include <jansson.h>
#include <stdio.h>

#include "base/err.h"

/* Is this the object that report_json writes, as far as a comparison reads it?
 * Errors: ERR_FORMAT naming what is missing. */
int diff_check(const json_t *run, struct err *err);

/* One screen: the step, its causes, and the operations that changed most. */
void diff_text(const char *const name[2], json_t *const run[2], FILE *out);

#endif
