/* text_part.h - the parts of which the text reports of results are made, 100 columns wide. */
#ifndef REPORT_TEXT_TEXT_PART_H
#define REPORT_TEXT_TEXT_PART_H

#include <stdio.h>

#include "report/scale.h"
#include "run/result.h"

/* With four significant digits: a quantity with its unit ("3.412 s"), a bare number, bytes ("16
 * MiB"); "1 core", "8 cores". */
void text_quantity(const mpq_t q, const char *unit, FILE *out);
void text_number(const mpq_t q, FILE *out);
void text_bytes(uint64_t bytes, FILE *out);
void text_count(uint64_t n, const char *noun, FILE *out);

/* The line "  memory   fits: ...". */
void text_memory(const struct run_result *r, FILE *out);

/* Tables: causes that took time, longest first, of one `what` ("step"); figures by group. */
void text_causes(const struct run_result *r, const struct scale *time, const char *what, FILE *out);
/* Of a pipeline: what each stage takes, waits for the others, and keeps. */
void text_stages(const struct run_result *r, const struct scale *time, FILE *out);
void text_figures(const struct run_figure *f, size_t n, FILE *out);

/* The busiest link beside the mean of all; nothing if none carries a byte. */
void text_links(const struct run_link *l, size_t n, FILE *out);

/* The ledger of the matrix units: `rows` that leave most of `step` unused, most first, at most
 * TEXT_WASTEFUL, and the first advice of those that leave at least a hundredth of it. */
#define TEXT_WASTEFUL 5
void text_ledger(const struct run_row *rows, size_t n, const struct run_slots *step, FILE *out);

#endif
