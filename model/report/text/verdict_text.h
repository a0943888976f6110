/* verdict_text.h - the first lines of a replay as text: what it comes to, before any table. */
#ifndef REPORT_TEXT_VERDICT_TEXT_H
#define REPORT_TEXT_VERDICT_TEXT_H

#include <stdio.h>

#include "run/result/result.h"

/* Time of a step, speed, what the cores wait for; then a line each for speed, epoch, cost, memory,
 * machine and trace. */
void verdict_text(const struct run_result *r, FILE *out);

/* "In 96.8 % of the step a core waits for the matrix unit, which finishes last (mxu)", and a
 * newline; `what` is "step" or "time". */
void verdict_text_cause(const struct run_result *r, const char *what, FILE *out);

/* "  changed  mxu.count = 4", a line for each parameter that was set. */
void verdict_text_changed(const struct run_result *r, FILE *out);

#endif
