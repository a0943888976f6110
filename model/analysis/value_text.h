/* value_text.h - values of a table as people read them. */
#ifndef ANALYSIS_VALUE_TEXT_H
#define ANALYSIS_VALUE_TEXT_H

#include "analysis/sweep_table.h"

#define SHOW_TEXT 160

/* "s", "B", "USD", "%" or "" of a figure, by its name. */
const char *show_unit(const char *figure);

/* A number of a figure: "3.408 s", "0.924 USD", "96.8 %", "-" if unknown; returns `buf`. */
char *show_number(const char *figure, double v, char *buf, size_t size);

/* The cell of a row: of a parameter as it was given. */
char *show_cell(const struct table *t, size_t row, size_t c, char *buf, size_t size);

/* A short heading: "step" for seconds_per_step; any other name as it is. */
const char *show_heading(const char *column);

/* The cause that takes most time in a row: "mxu", or "-". */
const char *show_bound(const struct table *t, size_t row);

/* "max:utilization.mxu": the column, and whether much of it is good. */
struct goal {
    size_t column;
    bool most;
};
int show_goal(const struct table *t, const char *text, struct goal *g, struct err *err);

/* Is value `a` better than `b`?  Unknown is worse than all. */
bool goal_better(const struct goal *g, double a, double b);

#endif
