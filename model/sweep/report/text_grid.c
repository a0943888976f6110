#include "sweep/report/text_grid.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text_write.h"
#include "sweep/report/ask.h"
#include "sweep/report/value_text.h"

void text_grid_init(struct text_grid *g, size_t columns)
{
    *g = (struct text_grid){ .columns = columns };
}

void text_grid_add(struct text_grid *g, const char *text)
{
    MEMORY_ADD(g->cell, g->n);
    g->cell[g->n] = memory_copy(text);
    g->n++;
}

/* True if all cells of the column but its heading are numbers or "-". */
static bool is_numeric(const struct text_grid *g, size_t column)
{
    for (size_t i = g->columns + column; i < g->n; i += g->columns)
        if (!strchr("+-0123456789.", g->cell[i][0]))
            return false;
    return true;
}

static void clear_grid(struct text_grid *g)
{
    for (size_t i = 0; i < g->n; i++)
        free(g->cell[i]);
    free(g->cell);
}

void text_grid_print(struct text_grid *g, FILE *out)
{
    for (size_t i = 0; i < g->n; i++) {
        size_t column = i % g->columns, width = 0;
        for (size_t k = column; k < g->n; k += g->columns) {
            size_t length = strlen(g->cell[k]);
            width = length > width ? length : width;
        }
        bool right = is_numeric(g, column);
        fputs("  ", out);
        if (right)
            fprintf(out, "%*s", (int)width, g->cell[i]);
        else if (column + 1 == g->columns)
            fputs(g->cell[i], out);
        else
            text_column(g->cell[i], (unsigned)width, out);
        if (column + 1 == g->columns)
            putc('\n', out);
    }
    clear_grid(g);
}

static const char *const usual[] = { "seconds_per_step", "proxy.usd_per_epoch",     "proxy.die_mm2",
                                     "utilization.mxu",  "evidence.expected.error", ASK_KNOWN };
#define USUAL (sizeof usual / sizeof *usual)

/* True where all work of all points is known: a column would say nothing. */
static bool is_all_known(const struct sweep_table *t, size_t column)
{
    size_t row = 0;

    while (row < t->n_rows && t->row[row][column].number == 1)
        row++;
    return row == t->n_rows && strcmp(t->column[column].name, ASK_KNOWN) == 0;
}

/* The columns to show: the usual figures that are there, then those of `extra` not among them. */
static size_t choose_columns(const struct sweep_table *t, const size_t *extra, size_t n_extra,
                             size_t *columns)
{
    size_t n = 0;

    for (size_t i = 0; i < USUAL; i++)
        n += sweep_table_find(t, usual[i], &columns[n]) && !is_all_known(t, columns[n]);
    for (size_t i = 0; i < n_extra; i++) {
        bool there = extra[i] < t->n_parameters;
        for (size_t k = 0; k < n; k++)
            there |= columns[k] == extra[i];
        if (!there)
            columns[n++] = extra[i];
    }
    return n;
}

void text_grid_of_points(struct text_grid *g, const struct sweep_table *t, const size_t *rows,
                         size_t n, const size_t *extra, size_t n_extra)
{
    size_t *columns = memory_zeroed(USUAL + n_extra, sizeof *columns);
    char text[VALUE_TEXT_ROOM];

    size_t n_columns = choose_columns(t, extra, n_extra, columns);
    text_grid_init(g, 2 + t->n_parameters + n_columns);
    text_grid_add(g, "point");
    for (size_t c = 0; c < t->n_parameters; c++)
        text_grid_add(g, t->column[c].name);
    for (size_t c = 0; c < n_columns; c++)
        text_grid_add(g, value_heading(t->column[columns[c]].name));
    text_grid_add(g, "bound by");
    for (size_t i = 0; i < n; i++) {
        snprintf(text, sizeof text, "%zu%s", t->id[rows[i]], rows[i] == t->baseline ? "*" : "");
        text_grid_add(g, text);
        for (size_t c = 0; c < t->n_parameters; c++)
            text_grid_add(g, value_cell(t, rows[i], c, text, sizeof text));
        for (size_t c = 0; c < n_columns; c++)
            text_grid_add(g, value_cell(t, rows[i], columns[c], text, sizeof text));
        snprintf(text, sizeof text, "%s%s", value_bound(t, rows[i]),
                 sweep_table_fits(t, rows[i]) ? "" : ", does not fit");
        text_grid_add(g, text);
    }
    free(columns);
}
