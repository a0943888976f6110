/* profile_table.h - comma-separated values row by row, as RFC 4180 has them: quotes around cells
 * with commas, quotes or newlines.  A row has at most PROFILE_TABLE_ROW bytes. */
#ifndef PROFILE_SOURCE_PROFILE_TABLE_H
#define PROFILE_SOURCE_PROFILE_TABLE_H

#include "profile/source/profile_source.h"

#define PROFILE_TABLE_ROW (UINT32_C(1) << 20) /* bytes */

struct profile_table {
    struct profile_source *source;
    uint32_t line, row_line; /* of the next byte; where the row began */
    char *text;              /* the cells of the row, each with a NUL after it */
    uint32_t n_text, cap_text;
    uint32_t *cell; /* where each begins in `text` */
    uint32_t n_cells, cap_cells;
};

/* Read `s`, which is borrowed, from where it stands; free the storage for a row. */
void profile_table_begin(struct profile_table *t, struct profile_source *s);
void profile_table_end(struct profile_table *t);

/* The next row that is not empty, blanks around cells cut off.  Returns 1; 0 at the end; -1 on
 * error.  Errors: ERR_FORMAT a quote without its end, a NUL byte; ERR_RANGE a row too long; those
 * of the source. */
int profile_table_next(struct profile_table *t, struct err *err);
/* A cell of the row; "" beyond its end. */
const char *profile_table_cell(const struct profile_table *t, uint32_t column);

/* Fill `err` with "FILE:LINE: what" and return -1. */
int profile_table_wrong(const struct profile_table *t, struct err *err, const char *what, ...)
    __attribute__((format(printf, 3, 4)));

/* Read a decimal number ("12", "0.5", "1.2e3") times 10^shift, rounded to a whole one.  Returns
 * false if it is none, negative, or at least 2^62. */
bool profile_table_number(const char *text, int shift, uint64_t *value);

#endif
