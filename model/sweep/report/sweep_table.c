#include "sweep/report/sweep_table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

static size_t add_column(struct sweep_table *t, const char *name, const struct key *key)
{
    MEMORY_ADD(t->column, t->n_columns);
    t->column[t->n_columns] = (struct column){ memory_copy(name), key };
    return t->n_columns++;
}

/* Figures come in the order of their names, so the search goes on where it left. */
static size_t figure_column(struct sweep_table *t, const char *name, size_t hint)
{
    for (size_t c = hint; c < t->n_columns; c++)
        if (strcmp(t->column[c].name, name) == 0)
            return c;
    for (size_t c = t->n_parameters; c < hint && c < t->n_columns; c++)
        if (strcmp(t->column[c].name, name) == 0)
            return c;
    size_t c = add_column(t, name, NULL);
    for (size_t i = 0; i < t->n_rows; i++) {
        t->row[i] = memory_resize(t->row[i], t->n_columns, sizeof **t->row);
        t->row[i][c] = (struct expr_value){ NULL, NAN };
    }
    return c;
}

static void add_failure(struct sweep_table *t, const struct store_row *r)
{
    MEMORY_ADD(t->failure, t->n_failures);
    t->failure[t->n_failures] = (struct failure){ r->id, memory_copy(r->error ? r->error : "") };
    t->n_failures++;
}

static void grow_rows(struct sweep_table *t)
{
    MEMORY_ADD(t->id, t->n_rows);
    MEMORY_ADD(t->row, t->n_rows);
    MEMORY_ADD(t->text, t->n_rows);
    MEMORY_ADD(t->place, t->n_rows);
}

/* A value of an axis and where it stands there. */
struct placed {
    const char *value;
    size_t at;
};

/* A table that is being read, and from where. */
struct reading {
    struct sweep_table *t;
    const char *path;
    struct placed **placed; /* of each axis, in the order of the values' texts */
};

static int compare_placed(const void *a, const void *b)
{
    return strcmp(((const struct placed *)a)->value, ((const struct placed *)b)->value);
}

static struct placed **sort_values(const struct plan *p)
{
    struct placed **placed = memory_zeroed(p->n_axes, sizeof *placed);

    for (size_t a = 0; a < p->n_axes; a++) {
        const struct axis *x = &p->axis[a];
        placed[a] = memory_zeroed(x->n, sizeof **placed);
        for (size_t i = 0; i < x->n; i++)
            placed[a][i] = (struct placed){ x->value[i], i };
        qsort(placed[a], x->n, sizeof **placed, compare_placed);
    }
    return placed;
}

static void free_values(struct placed **placed, size_t n)
{
    for (size_t a = 0; a < n; a++)
        free(placed[a]);
    free(placed);
}

static int find_place(const struct reading *from, const struct store_row *r, size_t c,
                      const char *value, size_t *place, struct err *err)
{
    const struct axis *a = &from->t->plan.axis[c];
    const struct placed key = { value, 0 };

    *place = 0;
    if (a->open)
        return 0;
    const struct placed *p =
        bsearch(&key, from->placed[c], a->n, sizeof **from->placed, compare_placed);
    if (!p)
        return err_set(err, ERR_FORMAT,
                       "%s: point %zu has %s = %.60s, which the plan has not: it is damaged",
                       from->path, r->id, a->name, value);
    *place = p->at;
    return 0;
}

static int add_row(void *self, const struct store_row *r, struct err *err)
{
    const struct reading *from = self;
    struct sweep_table *t = from->t;

    if (r->state == STORE_FAILED)
        add_failure(t, r);
    if (r->state != STORE_DONE)
        return 0;
    grow_rows(t);
    size_t i = t->n_rows;
    t->id[i] = r->id;
    t->row[i] = memory_zeroed(t->n_columns + 1, sizeof **t->row);
    t->text[i] = memory_zeroed(t->n_parameters + 1, sizeof **t->text);
    t->place[i] = memory_zeroed(t->n_parameters + 1, sizeof **t->place);
    for (size_t c = 0; c < t->n_columns; c++)
        t->row[i][c] = (struct expr_value){ NULL, NAN };
    t->n_rows++;
    for (size_t c = 0; c < t->n_parameters; c++) {
        size_t k = 0;
        while (k < r->n_parameters && strcmp(t->column[c].name, r->parameter[k]) != 0)
            k++;
        if (k == r->n_parameters)
            return err_set(err, ERR_FORMAT, "%s: point %zu has no value of %s: it is damaged",
                           from->path, r->id, t->column[c].name);
        t->text[i][c] = memory_copy(r->value[k]);
        t->row[i][c] = key_value(t->column[c].key, t->text[i][c]);
        if (find_place(from, r, c, t->text[i][c], &t->place[i][c], err) != 0)
            return -1;
    }
    size_t hint = t->n_parameters;
    for (size_t k = 0; k < r->n_figures; k++) {
        size_t c = figure_column(t, r->figure[k].name, hint);
        t->row[i][c] = (struct expr_value){ NULL, r->figure[k].value };
        hint = c + 1;
    }
    return 0;
}

static size_t find_baseline(const struct sweep_table *t, struct store *s)
{
    size_t id;

    if (!store_baseline(s, &id))
        return SWEEP_NO_ROW;
    for (size_t i = 0; i < t->n_rows; i++)
        if (t->id[i] == id)
            return i;
    return SWEEP_NO_ROW;
}

int sweep_table_read(struct sweep_table *t, struct store *s, struct err *err)
{
    *t = (struct sweep_table){ 0 };
    plan_init(&t->plan);
    int rc = plan_read_text(&t->plan, store_path(s), store_plan(s), err);
    if (rc == 0)
        rc = plan_axes(&t->plan, err) == 0 ? 0 : err_at(err, "%s", store_path(s));
    if (rc == 0)
        rc = store_count(s, &t->count, err);
    for (size_t a = 0; rc == 0 && a < t->plan.n_axes; a++)
        add_column(t, t->plan.axis[a].name, &t->plan.axis[a].key);
    t->n_parameters = t->n_columns;
    if (rc == 0) {
        struct reading from = { t, store_path(s), sort_values(&t->plan) };
        rc = store_rows(s, false, add_row, &from, err);
        free_values(from.placed, t->plan.n_axes);
    }
    if (rc != 0)
        sweep_table_free(t);
    else
        t->baseline = find_baseline(t, s);
    return rc;
}

void sweep_table_free(struct sweep_table *t)
{
    for (size_t i = 0; i < t->n_rows; i++) {
        for (size_t c = 0; c < t->n_parameters; c++)
            free(t->text[i][c]);
        free(t->text[i]);
        free(t->place[i]);
        free(t->row[i]);
    }
    for (size_t c = 0; c < t->n_columns; c++)
        free(t->column[c].name);
    for (size_t i = 0; i < t->n_failures; i++)
        free(t->failure[i].error);
    free(t->failure);
    free(t->column);
    free(t->id);
    free(t->row);
    free(t->text);
    free(t->place);
    plan_free(&t->plan);
    *t = (struct sweep_table){ 0 };
}

const char **sweep_table_names(const struct sweep_table *t)
{
    const char **names = memory_zeroed(t->n_columns + 1, sizeof *names);

    for (size_t c = 0; c < t->n_columns; c++)
        names[c] = t->column[c].name;
    return names;
}

bool sweep_table_find(const struct sweep_table *t, const char *name, size_t *found)
{
    for (size_t c = 0; c < t->n_columns; c++)
        if (strcmp(t->column[c].name, name) == 0) {
            *found = c;
            return true;
        }
    return false;
}

int sweep_table_column(const struct sweep_table *t, const char *name, size_t *found,
                       struct err *err)
{
    if (sweep_table_find(t, name, found))
        return 0;
    const char **names = sweep_table_names(t);
    const char *near = err_nearest(name, names, (unsigned)t->n_columns);
    err_set(err, ERR_UNKNOWN, "no column '%.60s'%s%s%s", name, near ? "; did you mean '" : "",
            near ? near : "", near ? "'?" : " (cyclotron sweep export csv names all)");
    free(names);
    return -1;
}

bool sweep_table_fits(const struct sweep_table *t, size_t row)
{
    size_t c;

    return !sweep_table_find(t, "memory.fits", &c) || t->row[row][c].number != 0;
}

int sweep_table_condition(const struct sweep_table *t, const char *text, struct expr **e,
                          struct err *err)
{
    const char **names = sweep_table_names(t);
    int rc = expr_parse(e, text, names, (unsigned)t->n_columns, err);

    free(names);
    return rc == 0 ? 0 : err_at(err, "condition");
}
