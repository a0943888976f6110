/* write.h - how the reports write strings and numbers. */
#ifndef REPORT_WRITE_H
#define REPORT_WRITE_H

#include <gmp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "run/result.h"

/* A JSON string with its quotes.  Bytes that are no UTF-8 become U+FFFD. */
void write_json_string(const char *s, FILE *out);

/* An exact number: as it is if it has at most 17 significant digits, else rounded to that many. */
void write_decimal(const mpq_t q, FILE *out);

/* A field of a CSV line, quoted where it must be. */
void write_csv_string(const char *s, FILE *out);

/* `s` padded with blanks or cut to `width` columns, the cut shown by a "~".  Control characters
 * and bytes that are no UTF-8 become "?"; a multi-byte character counts as one column. */
void write_column(const char *s, unsigned width, FILE *out);

/* q * scale with `places` digits after the point, right-aligned in `width` columns. */
void write_fixed(const mpq_t q, const mpq_t scale, unsigned places, int width, FILE *out);

/* 100 * num / den with one digit; "-" when den is zero. */
void write_percent(const mpq_t num, const mpq_t den, int width, FILE *out);

/* Figures are shown by the prefix of their column.  The length of "utilization" in
 * "utilization.mxu", 0 without a point; whether two columns have one prefix; and whether figure `i`
 * is the first with its prefix, where the group is shown. */
size_t figure_group_length(const char *column);
bool figure_same_group(const char *a, const char *b);
bool figure_opens_group(const struct run_figure *figures, size_t i);

#endif
