/* run_report.h - what a replay found out, written for people and for programs.
 *
 * A report reads a struct run_result and knows no component: figures carry their column, causes
 * their text.  Numbers are exact until they are printed; the same result gives the same bytes.
 * Nothing fails here but writing, which the caller sees in ferror(out). */
#ifndef REPORT_RUN_REPORT_H
#define REPORT_RUN_REPORT_H

#include <stddef.h>
#include <stdio.h>

#include "run/result.h"
#include "study/scaling.h"
#include "study/scan.h"
#include "study/validate.h"

#define CYCLOTRON_VERSION "0.1.0"

/* "mxu", and what a core does meanwhile: "waits for the matrix unit, ..." */
extern const char *const report_cause_name[N_CAUSES];
/* What limits the step: a cause, or the parameter server. */
const char *report_limit_name(const struct run_result *r);
extern const char *const report_cause_doc[N_CAUSES];
/* "pad_m", of what a busy matrix unit does. */
extern const char *const report_use_name[N_USES];
extern const char *const report_role_name[N_MEMORY_ROLES];

/* One screen of 100 columns: what the step waits for, then where its time goes. */
void report_text(const struct run_result *r, FILE *out);

/* One JSON object and a newline.  Integers are printed in full, also beyond 2^63; ratios with 17
 * significant digits where no shorter decimal is exact; what is unknown is null. */
void report_json(const struct run_result *r, FILE *out);

/* The operations in program order, one a line, after a line of column names (RFC 4180, but lines
 * end in a newline alone). */
void report_csv(const struct run_result *r, FILE *out);

/* The same trace on slices of several sizes, the first of which the others are held against. */
void report_scaling_text(const char *trace, const char *machine, const struct scaling_size *s,
                         size_t n, FILE *out);
void report_scaling_json(const char *trace, const struct scaling_size *s, size_t n, FILE *out);

/* A machine in a comparison: its result, or why it cannot run the trace at all. */
struct report_verdict {
    const char *machine;
    const struct run_result *result; /* NULL: see `error` */
    const char *error;
};

/* Which machine runs the trace, how fast and for how much, one row each in the order given, after
 * the cheapest and the fastest that can hold it and, with a deadline in seconds an epoch (or NULL),
 * the cheapest that keeps it. */
void report_compare_text(const char *trace, const struct report_verdict *v, size_t n,
                         mpq_srcptr deadline, FILE *out);
void report_compare_json(const char *trace, const struct report_verdict *v, size_t n,
                         mpq_srcptr deadline, FILE *out);

/* Trials side by side on one slice: how long they take, for how much, and each kind of trial. */
void report_scan_text(const struct scan_result *r, FILE *out);
void report_scan_json(const struct scan_result *r, FILE *out);

/* Errors of each class of published figures, then rows: of classes with few or with `all` each, of
 * others those beyond their tolerance, and at the end those that were not predicted.  JSON has all.
 */
void report_validate_text(const struct validate_result *v, bool all, FILE *out);
void report_validate_json(const struct validate_result *v, FILE *out);

#endif
