#include "sweep/report/sweep_page.h"
#include "sweep/report/effects.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/json_write.h"
#include "base/memory.h"
#include "base/plain.h"
#include "report/html/html_page.h"
#include "sweep/report/effects.h"
#include "sweep/report/sweep_verdict.h"
#include "sweep/report/value_text.h"

#define MOST_CELLS 400000 /* of points and figures: some 4 MB */

static void write_double(struct json_write *w, const char *key, double v)
{
    if (isfinite(v))
        plain_print(json_write_value(w, key), "%.9g", v);
    else
        json_write_null(w, key);
}

/* The lines that `print` writes. */
static void write_lines(struct json_write *w, const char *key, const struct ask_answer *a,
                        void (*print)(const struct ask_answer *, FILE *))
{
    struct memory_text t;

    memory_text_begin(&t);
    print(a, t.out);
    char *text = memory_text_end(&t), *save = NULL;
    json_write_array(w, key, JSON_LAYOUT_COMPACT);
    for (char *line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save))
        json_write_string(w, NULL, line);
    json_write_close(w);
    free(text);
}

/* --- columns --------------------------------------------------------------------------------- */

static bool is_goal(const struct ask_answer *a, size_t c)
{
    for (size_t g = 0; g < a->n_goals; g++)
        if (a->goal[g].column == c)
            return true;
    return a->best.column == c;
}

/* True if points differ in the figure: one that is the same everywhere says nothing. */
static bool is_varied(const struct ask_answer *a, size_t c)
{
    for (size_t i = 1; i < a->n + a->n_beyond; i++)
        if (a->t->row[a->rows[i]][c].number != a->t->row[a->rows[0]][c].number)
            return true;
    return false;
}

/* Parameters, goals, and the figures that vary if they are not too many.  Allocated. */
static size_t *choose_columns(const struct ask_answer *a, size_t *n)
{
    const struct sweep_table *t = a->t;
    size_t *columns = memory_zeroed(t->n_columns + 1, sizeof *columns);
    bool all = (a->n + a->n_beyond) * t->n_columns <= MOST_CELLS;

    *n = 0;
    for (size_t c = 0; c < t->n_columns; c++)
        if (c < t->n_parameters || is_goal(a, c) ||
            (is_varied(a, c) && (all || *value_heading(t->column[c].name) != *t->column[c].name)))
            columns[(*n)++] = c;
    return columns;
}

static void write_columns(struct json_write *w, const struct ask_answer *a, const size_t *columns,
                          size_t n)
{
    json_write_array(w, "columns", JSON_LAYOUT_COMPACT);
    for (size_t i = 0; i < n; i++) {
        const struct column *c = &a->t->column[columns[i]];
        json_write_object(w, NULL, JSON_LAYOUT_COMPACT);
        json_write_string(w, "name", c->name);
        json_write_string(w, "heading", c->key ? c->name : value_heading(c->name));
        json_write_string(w, "unit", c->key ? "" : value_unit(c->name));
        json_write_bool(w, "parameter", c->key != NULL);
        json_write_close(w);
    }
    json_write_close(w);
}

static size_t place_column(const size_t *columns, size_t n, size_t c)
{
    size_t i = 0;

    while (i < n && columns[i] != c)
        i++;
    BUG_ON(i == n);
    return i;
}

static void write_goal(struct json_write *w, const char *key, const struct goal *g,
                       const size_t *columns, size_t n)
{
    json_write_object(w, key, JSON_LAYOUT_COMPACT);
    json_write_integer(w, "column", place_column(columns, n, g->column));
    json_write_bool(w, "most", g->most);
    json_write_close(w);
}

/* --- points ---------------------------------------------------------------------------------- */

static bool is_on_front(const struct ask_answer *a, size_t row)
{
    for (size_t i = 0; i < a->n_front; i++)
        if (a->front[i] == row)
            return true;
    return false;
}

static void write_point(struct json_write *w, const struct ask_answer *a, size_t row,
                        const size_t *columns, size_t n)
{
    json_write_object(w, NULL, JSON_LAYOUT_COMPACT);
    json_write_integer(w, "id", a->t->id[row]);
    json_write_array(w, "values", JSON_LAYOUT_COMPACT);
    for (size_t i = 0; i < n; i++)
        write_double(w, NULL, a->t->row[row][columns[i]].number);
    json_write_close(w);
    json_write_array(w, "texts", JSON_LAYOUT_COMPACT);
    for (size_t c = 0; c < a->t->n_parameters; c++)
        json_write_string(w, NULL, a->t->text[row][c]);
    json_write_close(w);
    json_write_string(w, "bound", value_bound(a->t, row));
    json_write_bool(w, "front", is_on_front(a, row));
    json_write_bool(w, "baseline", row == a->t->baseline);
    json_write_bool(w, "fits", sweep_table_fits(a->t, row));
    json_write_close(w);
}

static void write_points(struct json_write *w, const struct ask_answer *a)
{
    size_t n, *columns = choose_columns(a, &n);

    write_columns(w, a, columns, n);
    write_goal(w, "best", &a->best, columns, n);
    json_write_array(w, "goals", JSON_LAYOUT_COMPACT);
    for (size_t g = 0; g < a->n_goals; g++)
        write_goal(w, NULL, &a->goal[g], columns, n);
    json_write_close(w);
    json_write_array(w, "points", JSON_LAYOUT_COMPACT);
    for (size_t i = 0; i < a->n + a->n_beyond; i++)
        write_point(w, a, a->rows[i], columns, n);
    json_write_close(w);
    free(columns);
}

/* --- effects --------------------------------------------------------------------------------- */

static void write_fits(struct json_write *w, const struct ask_answer *a)
{
    json_write_array(w, "fits", JSON_LAYOUT_COMPACT);
    for (size_t f = 0; f < a->n_fits; f++) {
        json_write_object(w, NULL, JSON_LAYOUT_COMPACT);
        json_write_integer(w, "goal", f);
        json_write_integer(w, "points", a->fit[f].n);
        write_double(w, "explained", a->fit[f].explained);
        json_write_close(w);
    }
    json_write_close(w);
    json_write_array(w, "effects", JSON_LAYOUT_COMPACT);
    for (size_t c = 0; c < a->t->n_parameters && a->n_fits > 0; c++) {
        if (isnan(a->fit[0].elasticity[c]))
            continue;
        json_write_object(w, NULL, JSON_LAYOUT_COMPACT);
        json_write_string(w, "parameter", a->t->column[c].name);
        json_write_array(w, "fits", JSON_LAYOUT_COMPACT);
        for (size_t f = 0; f < a->n_fits; f++) {
            const struct fit *fit = &a->fit[f];
            json_write_object(w, NULL, JSON_LAYOUT_COMPACT);
            write_double(w, "elasticity", fit->elasticity[c]);
            write_double(w, "low", expm1(fit->elasticity[c] * fit->low[c]));
            write_double(w, "high", expm1(fit->elasticity[c] * fit->high[c]));
            json_write_bool(w, "covered", effects_covers(a, f, pow(1.1, fit->elasticity[c]), NULL));
            json_write_close(w);
        }
        json_write_close(w);
        json_write_close(w);
    }
    json_write_close(w);
}

static void write_steps(struct json_write *w, const struct ask_answer *a)
{
    json_write_array(w, "steps", JSON_LAYOUT_COMPACT);
    for (size_t i = 0; i < a->n_steps; i++) {
        const struct pairs_step *s = &a->step[i];
        if (s->n == 0)
            continue;
        json_write_object(w, NULL, JSON_LAYOUT_COMPACT);
        json_write_string(w, "parameter", a->t->column[s->parameter].name);
        json_write_string(w, "from", s->from);
        json_write_string(w, "to", s->to);
        json_write_integer(w, "pairs", s->n);
        json_write_array(w, "ratios", JSON_LAYOUT_COMPACT);
        for (size_t f = 0; f < a->n_fits; f++)
            write_double(w, NULL, s->ratio[f]);
        json_write_close(w);
        json_write_array(w, "covered", JSON_LAYOUT_COMPACT);
        for (size_t f = 0; f < a->n_fits; f++)
            json_write_bool(w, NULL, effects_covers(a, f, s->ratio[f], s));
        json_write_close(w);
        json_write_close(w);
    }
    json_write_close(w);
}

/* --- the page -------------------------------------------------------------------------------- */

static void write_head(struct json_write *w, const struct ask_answer *a, const char *name,
                       const char *plan)
{
    const struct store_count *c = &a->t->count;

    json_write_string(w, "name", name);
    json_write_string(w, "plan", plan);
    json_write_string(w, "where", a->q->where);
    json_write_integer(w, "top", a->q->top);
    json_write_object(w, "count", JSON_LAYOUT_COMPACT);
    json_write_integer(w, "all", c->all);
    json_write_integer(w, "done", c->done);
    json_write_integer(w, "failed", c->failed);
    json_write_close(w);
    write_lines(w, "verdict", a, sweep_verdict);
    write_lines(w, "front", a, sweep_verdict_front);
    json_write_bool(w, "strict", pareto_strict(a->t, a->front, a->n_front, a->goal, a->n_goals));
    json_write_array(w, "noise", JSON_LAYOUT_COMPACT);
    for (size_t g = 0; g < a->n_goals; g++)
        write_double(w, NULL, a->noise[g]);
    json_write_close(w);
}

void sweep_page(const struct ask_answer *a, const char *name, const char *plan, FILE *out)
{
    struct memory_text data;
    struct json_write w;

    memory_text_begin(&data);
    json_write_begin(&w, data.out);
    json_write_object(&w, NULL, JSON_LAYOUT_COMPACT);
    write_head(&w, a, name, plan);
    if (a->n > 0)
        write_points(&w, a);
    write_fits(&w, a);
    write_steps(&w, a);
    json_write_array(&w, "failures", JSON_LAYOUT_COMPACT);
    for (size_t i = 0; i < a->t->n_failures; i++) {
        json_write_object(&w, NULL, JSON_LAYOUT_COMPACT);
        json_write_integer(&w, "id", a->t->failure[i].id);
        json_write_string(&w, "error", a->t->failure[i].error);
        json_write_close(&w);
    }
    json_write_close(&w);
    json_write_close(&w);
    putc('\n', data.out);
    char *text = memory_text_end(&data);
    html_sweep(text, out);
    free(text);
}
