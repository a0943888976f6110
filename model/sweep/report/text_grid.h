/* text_grid.h - tables of text whose columns are as wide as their widest cell. */
#ifndef SWEEP_REPORT_TEXT_GRID_H
#define SWEEP_REPORT_TEXT_GRID_H

#include "sweep/report/sweep_table.h"

struct text_grid {
    char **cell;
    size_t columns, n; /* n cells, row by row; the first row is headings */
};

/* Begin a table; add its cells row by row, headings first.  Texts are copied. */
void text_grid_init(struct text_grid *g, size_t columns);
void text_grid_add(struct text_grid *g, const char *text);
/* Print the table and free it: numbers to the right, words to the left. */
void text_grid_print(struct text_grid *g, FILE *out);

/* A table of `n` points: the parameters that vary, the usual figures, the columns of `extra`, and
 * the cause that takes most of the step.  The number of the baseline has a "*";
 * a point beyond the memory of its machine is marked. */
void text_grid_of_points(struct text_grid *g, const struct sweep_table *t, const size_t *rows,
                         size_t n, const size_t *extra, size_t n_extra);

#endif
