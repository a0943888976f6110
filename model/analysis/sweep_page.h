/* sweep_html.h - what a sweep found out as one page that needs nothing besides itself. */
#ifndef ANALYSIS_SWEEP_HTML_H
#define ANALYSIS_SWEEP_HTML_H

#include "analysis/ask.h"

/* Scatter with the front, tornados, tables; the plan at the end.  No scripts.  The same answer
 * gives the same bytes. */
void analysis_html(const struct ask_answer *a, const char *db, const char *plan, FILE *out);

#endif
