/* text_grid.h - tables of text: columns as wide as what stands in them. */
#ifndef ANALYSIS_TEXT_GRID_H
#define ANALYSIS_TEXT_GRID_H

#include "analysis/ask.h"

struct grid {
    char **cell;
    size_t columns, n; /* n cells, row by row; the first row are headings */
};

void grid_init(struct grid *g, size_t columns);
void grid_add(struct grid *g, const char *text);
/* Print and free: numbers to the right, words to the left. */
void grid_print(struct grid *g, FILE *out);

void grid_print_html(struct grid *g, FILE *out);

/* What + 10 % of each parameter does, what each step along an axis does; false: nothing to show,
 * and nothing to print. */
bool grid_of_effects(struct grid *g, const struct answer *a);
bool grid_of_steps(struct grid *g, const struct answer *a);

/* Points: what varies, the usual figures, besides them the columns of `extra`, and what binds. */
void grid_of_points(struct grid *g, const struct table *t, const size_t *rows, size_t n,
                    const size_t *extra, size_t n_extra);

#endif
