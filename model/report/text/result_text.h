/* result_text.h - the parts of which the text reports of results are made, 100 columns wide. */
#ifndef REPORT_TEXT_RESULT_TEXT_H
#define REPORT_TEXT_RESULT_TEXT_H

#include <stdio.h>

#include "report/text/scale.h"
#include "run/result.h"

/* The line "  memory   fits: ...". */
void result_text_memory(const struct run_result *r, FILE *out);

/* Tables: causes that took time, longest first, of one `what` ("step"); figures by group. */
void result_text_causes(const struct run_result *r, const struct scale *time, const char *what,
                        FILE *out);
/* Of a pipeline: what each stage takes, waits for the others, and keeps. */
void result_text_stages(const struct run_result *r, const struct scale *time, FILE *out);
void result_text_figures(const struct run_figure *f, size_t n, FILE *out);

/* The busiest link beside the mean of all; nothing if none carries a byte. */
void result_text_links(const struct run_link *l, size_t n, FILE *out);

/* The ledger of the matrix units: `rows` that leave most of `step` unused, most first, at most
 * RESULT_TEXT_WASTEFUL, and the first advice of those that leave at least a hundredth of it. */
#define RESULT_TEXT_WASTEFUL 5
void result_text_ledger(const struct run_row *rows, size_t n, const struct run_slots *step,
                        FILE *out);

#endif
