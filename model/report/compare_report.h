/* compare_report.h - machines side by side: which runs a trace, how fast and for how much. */
#ifndef REPORT_COMPARE_REPORT_H
#define REPORT_COMPARE_REPORT_H

#include <gmp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "run/result.h"

/* One machine: its result, or why it cannot run the trace at all. */
struct report_verdict {
    const char *machine;
    const struct run_result *result; /* NULL: see `error` */
    const char *error;
};

/* One row for each of `n` machines, in the order given, after the cheapest and the fastest of those
 * that can hold the trace and, with a deadline in seconds for an epoch (or NULL), the cheapest of
 * those that keep it.  JSON: one object and a newline. */
void report_compare_text(const char *trace, const struct report_verdict *v, size_t n,
                         mpq_srcptr deadline, FILE *out);
void report_compare_json(const char *trace, const struct report_verdict *v, size_t n,
                         mpq_srcptr deadline, FILE *out);

/* --- what both of them need ------------------------------------------------------------------ */

struct report_comparison {
    const struct report_verdict *verdict;
    size_t n;
    mpq_srcptr deadline; /* seconds for an epoch; NULL: none */
};

/* Machines are ranked by a figure: q = it and true, or false if the result does not know it. */
typedef bool report_figure(mpq_t q, const struct run_result *r);

/* Seconds of a sample and USD of a million: equal work on every machine, where whole epochs drop
 * another part of the data set on each. */
bool report_compare_time(mpq_t q, const struct run_result *r);
bool report_compare_cost(mpq_t q, const struct run_result *r);

/* The machines that have the smallest figure, of those that can hold the trace and, with
 * `in_time`, keep the deadline: win[i] for verdict[i].  Returns how many.  O(n). */
size_t report_compare_best(bool *win, const struct report_comparison *c, report_figure *figure,
                           bool in_time);

/* True if the memory of the machine holds the trace. */
bool report_compare_fits(const struct report_verdict *v);

/* q = peak / capacity of the memory of a core. */
void report_compare_times_capacity(mpq_t q, const struct run_result *r);

#endif
