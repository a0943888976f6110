/* run_report.h - what a replay found out, written for people and for programs.
 *
 * A report reads a struct run_result and knows no component: figures carry their column, causes
 * their text.  Numbers are exact until they are printed; the same result gives the same bytes.
 * Nothing fails here but writing, which the caller sees in ferror(out). */
#ifndef REPORT_RUN_REPORT_H
#define REPORT_RUN_REPORT_H

#include <stdio.h>

#include "run/result/result.h"

/* One screen of 100 columns: what the step waits for, then where its time goes. */
void report_text(const struct run_result *r, FILE *out);

/* One JSON object and a newline.  Integers are printed in full, also beyond 2^63; ratios with 17
 * significant digits where no shorter decimal is exact; what is unknown is null. */
void report_json(const struct run_result *r, FILE *out);

/* The run in the form in which HEP workloads report to HEPscore: "wl-scores" has samples a second,
 * null where nobody states them; "log" is "ok" if it fits and is known
 * (account_is_unknown()), "prediction" has the share that is not, and the error to expect. */
void report_hepscore(const struct run_result *r, FILE *out);

/* The operations in program order, one a line, after a line of column names (RFC 4180, but lines
 * end in a newline alone). */
void report_csv(const struct run_result *r, FILE *out);

#endif
