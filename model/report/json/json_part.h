/* json_part.h - the parts of which the JSON reports of results are made. */
#ifndef REPORT_JSON_JSON_PART_H
#define REPORT_JSON_JSON_PART_H

#include <stdio.h>

#include "run/result.h"

/* `"name": `, and the same with a value.  Unknown decimals are null. */
void part_key(const char *name, FILE *out);
void part_string(const char *name, const char *value, FILE *out);
void part_integer(const char *name, uint64_t value, FILE *out);
void part_decimal(const char *name, const mpq_t value, bool known, FILE *out);
void part_whole(const char *name, const mpz_t value, FILE *out);

/* "mxu_waste" of an operation: shares of what its busy matrix units could do, null if there was
 * nothing, and "advice". */
void part_waste(const struct run_row *row, FILE *out);
/* "advice": what they suggest. */
void part_advice(const struct run_row *row, FILE *out);
/* "mxu_slots": all that the matrix units could do, and what became of it. */
void part_slots(const struct run_slots *s, FILE *out);

/* A comma, a new line and "slice": the machine as far as figures are compared with it. */
void part_slice(const struct run_result *r, FILE *out);

/* "time_by_cause" and "memory" with their objects. */
void part_causes(const mpq_t *cause, FILE *out);
void part_memory(const struct run_result *r, FILE *out);
/* "stages": those of a pipelined step. */
void part_stages(const struct run_result *r, FILE *out);

/* A comma, a new line and one object for each group of figures; a comma, a new line and
 * "provenance". */
void part_figures(const struct run_figure *f, size_t n, FILE *out);
void part_provenance(const struct run_result *r, FILE *out);

#endif
