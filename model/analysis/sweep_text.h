/* sweep_text.h - what a sweep found out, written for people. */
#ifndef ANALYSIS_SWEEP_TEXT_H
#define ANALYSIS_SWEEP_TEXT_H

#include "analysis/ask.h"

/* Screens of text: the best points, the front of time and cost, what more of each parameter buys,
 * what each step along an axis does, and what failed.  `a` is of ask_answer. */
void analysis_text(const struct ask_answer *a, const char *db, FILE *out);

#endif
