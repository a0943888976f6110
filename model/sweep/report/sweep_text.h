/* sweep_text.h - what a sweep found out, written for people. */
#ifndef SWEEP_REPORT_SWEEP_TEXT_H
#define SWEEP_REPORT_SWEEP_TEXT_H

#include "sweep/report/ask.h"

/* Screens of text: the best points, the front of time and cost, what more of each parameter buys,
 * what each step along an axis does, and what failed.  `a` is of ask_answer. */
void sweep_text(const struct ask_answer *a, const char *db, FILE *out);

#endif
