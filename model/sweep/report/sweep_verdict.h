/* sweep_verdict.h - the answer of a sweep in sentences. */
#ifndef SWEEP_REPORT_SWEEP_VERDICT_H
#define SWEEP_REPORT_SWEEP_VERDICT_H

#include "sweep/report/ask.h"

/* Lines without margins: for the figure asked for, and each goal of the front that is another, the
 * best point and how far it is from the baseline; then what 10 % more of the parameter that matters
 * most does.  Points that do not fit in memory are counted and are no best ones.  Nothing when no
 * point is done. */
void sweep_verdict(const struct ask_answer *a, FILE *out);

/* A sentence on why the front has one point alone; nothing when it has more. */
void sweep_verdict_front(const struct ask_answer *a, FILE *out);

/* True if kernels were cut anew at some of the points and not at all of them. */
bool sweep_verdict_mixed(const struct sweep_table *t);

#endif
