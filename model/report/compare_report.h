/* compare_report.h - machines side by side: which runs a trace, how fast and for how much. */
#ifndef REPORT_COMPARE_REPORT_H
#define REPORT_COMPARE_REPORT_H

#include <gmp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "run/result/result.h"

/* One machine: its result, or why it cannot run the trace at all. */
struct report_verdict {
    const char *machine;
    const struct run_result *result; /* NULL: see `error` */
    const char *error;
    const char *trace; /* of several that are compared; NULL: there is one */
    const char *label; /* "a.hlo.zst on tpu-v3-8", of several; NULL: the machine's name */
    uint64_t batch;    /* to which its generator set the trace; 0: as it is */
    bool fixed_batch;  /* ... which cannot be changed: say how many times it would fit */
    bool most_batch;   /* the memory holds `batch`, and its generator takes no larger one */
};

struct report_comparison {
    const struct report_verdict *verdict;
    size_t n;
    mpq_srcptr deadline; /* seconds for an epoch; NULL: none */
};

/* One row for each machine, in the order given, after the cheapest, the fastest and the smallest of
 * those that can hold the trace and, with a deadline, the cheapest of those that keep it.  All are
 * compared by the sample, as global batches may differ.  A machine whose price is unverified is
 * marked, and the cheapest with a verified price is named beside it.  JSON: one object and a
 * newline. */
void report_compare_text(const char *trace, const struct report_comparison *c, FILE *out);
void report_compare_json(const char *trace, const struct report_comparison *c, FILE *out);

/* --- what both of them need ------------------------------------------------------------------ */

/* Machines are ranked by a figure: q = it and true, or false if the result does not know it. */
typedef bool report_figure(mpq_t q, const struct run_result *r);

/* Seconds of a sample and USD of a million: equal work on every machine, where whole epochs drop
 * another part of the data set on each. */
bool report_compare_time(mpq_t q, const struct run_result *r);
bool report_compare_cost(mpq_t q, const struct run_result *r);
/* Chips; of slices of as many, bytes of a core. */
bool report_compare_size(mpq_t q, const struct run_result *r);

/* A choice of machines: those with the smallest figure of all that can hold the trace. */
struct report_choice {
    report_figure *figure;
    bool in_time;  /* of those that keep the deadline */
    bool verified; /* of those that have a price with a source */
};

/* The machines of a choice: win[i] for verdict[i].  Returns how many.  O(n). */
size_t report_compare_best(bool *win, const struct report_comparison *c,
                           const struct report_choice *choice);

/* Machines that hold the trace and keep the deadline, those without a price among them: win[i] for
 * verdict[i].  Returns how many.  O(n). */
size_t report_compare_in_time(bool *win, const struct report_comparison *c);

/* Percent by which FLOPs of a sample differ at most where two runs do the same work; where their
 * names are the same, too: activations that are computed anew add less than the step had.  Both are
 * choices of the reports; html/report.js has them too. */
#define REPORT_SAME_WORK 10
#define REPORT_SAME_WORK_NAMED 100

/* Times that machines are apart from which on the faster or cheaper is it, without known errors. */
#define REPORT_COMPARE_APART 10

/* Machines that may be the best as well: open[i] for verdict[i] of the candidates that do not win.
 * With figures f and g of a winner and another, and errors to expect e and d, it is open while
 *
 *     (g / f - 1)^2 <= e^2 + d^2
 *
 * Where one of the errors is not known it is open up to g / f = REPORT_COMPARE_APART, an order of
 * magnitude; where work of a step is not known, always.  `win` is that of report_compare_best().
 * Returns how many.  No verdict on sizes is open.  O(n). */
size_t report_compare_open(bool *open, const bool *win, const struct report_comparison *c,
                           const struct report_choice *choice);

/* times = how often the batch of r would fit, were memory in proportion to it: with P bytes that
 * stay, T others at the peak and C of the memory, (C - P) / T.  *samples = that of a core, rounded
 * down; 0 where nobody states them.  False if T is 0 or P alone too much. */
bool report_compare_proportion(mpq_t times, uint64_t *samples, const struct run_result *r);

/* The things that decide an open verdict on a result: "a profile of the program or a timed step".
 */
const char *report_compare_decides(const struct run_result *r);

/* The name of a row. */
const char *report_compare_label(const struct report_verdict *v);

/* True if a trace does not state its samples: ranks then go by the step, as the table does. */
bool report_compare_by_step(const struct report_comparison *c);

/* True if traces of several names do not take as many FLOPs a sample, to a tenth: they do different
 * work, and ranks say nothing. */
bool report_compare_other_work(const struct report_comparison *c);

/* True if the machines that ran the trace have different global batches. */
bool report_compare_unequal(const struct report_comparison *c);

/* True if a machine can run the trace, whatever its memory. */
bool report_compare_any_ran(const struct report_comparison *c);

/* True if the memory of the machine holds the trace; of any machine. */
bool report_compare_fits(const struct report_verdict *v);
bool report_compare_any_fits(const struct report_comparison *c);
/* The smallest of all built-in machines of the kinds that are compared that holds the trace, or
 * NULL: none of these machines holds it, and no other does, or nobody knows. */
const struct run_slice *report_compare_smallest_of_all(const struct report_comparison *c);

/* q = peak / capacity of the memory of a core. */
void report_compare_times_capacity(mpq_t q, const struct run_result *r);

#endif
