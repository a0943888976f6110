/* value_text.h - values of a sweep's table as people read them. */
#ifndef SWEEP_REPORT_VALUE_TEXT_H
#define SWEEP_REPORT_VALUE_TEXT_H

#include "sweep/report/sweep_table.h"

#define VALUE_TEXT_ROOM 160 /* bytes for any value as text */

/* "s", "B", "USD", "%" or "" of a figure, by its name. */
const char *value_unit(const char *figure);

/* A number of a figure: "3.408 s", "0.924 USD", "96.8 %", "-" if unknown; returns `buf`. */
char *value_number(const char *figure, double v, char *buf, size_t size);

/* The cell of a row: of a parameter as it was given. */
char *value_cell(const struct sweep_table *t, size_t row, size_t c, char *buf, size_t size);

/* A short heading: "step" for seconds_per_step; any other name as it is. */
const char *value_heading(const char *column);

/* The name of the cause that takes most time in a row, or "-". */
const char *value_bound(const struct sweep_table *t, size_t row);

#endif
