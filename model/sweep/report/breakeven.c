#include "sweep/report/breakeven.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

struct sorted {
    const struct sweep_table *t;
    size_t parameter;
};

static int compare_rest(const struct sorted *s, size_t i, size_t k)
{
    for (size_t c = 0; c < s->t->n_parameters; c++) {
        int order = c == s->parameter ? 0 : strcmp(s->t->text[i][c], s->t->text[k][c]);
        if (order)
            return order;
    }
    return 0;
}

static int compare_rows(const void *a, const void *b, void *self)
{
    const struct sorted *s = self;
    size_t i = *(const size_t *)a, k = *(const size_t *)b;
    int order = compare_rest(s, i, k);

    if (order)
        return order;
    double x = s->t->row[i][s->parameter].number, y = s->t->row[k][s->parameter].number;
    return x < y ? -1 : x > y;
}

/* Rows that fit in memory, where a condition holds and the figure is known. */
static int list_rows(const struct sweep_table *t, const char *condition, size_t figure,
                     size_t **rows, size_t *n, struct err *err)
{
    struct expr *e;

    if (sweep_table_condition(t, condition, &e, err) != 0)
        return -1;
    *rows = memory_zeroed(t->n_rows + 1, sizeof **rows);
    *n = 0;
    for (size_t i = 0; i < t->n_rows; i++) {
        double yes = expr_eval(e, t->row[i]);
        if (!isnan(yes) && yes != 0 && !isnan(t->row[i][figure].number) && sweep_table_fits(t, i))
            (*rows)[(*n)++] = i;
    }
    expr_free(e);
    if (*n > 0)
        return 0;
    free(*rows);
    return err_set(err, ERR_RANGE, "no point that fits is there where %s", condition);
}

/* The value at which a straight line in the logarithms between a losing and a winning point crosses
 * the rival. */
static double find_crossing(const struct breakeven *b, const struct sweep_table *t, size_t lose,
                            size_t win)
{
    double x0 = t->row[lose][b->parameter].number, x1 = t->row[win][b->parameter].number;
    double y0 = t->row[lose][b->goal.column].number, y1 = t->row[win][b->goal.column].number;

    if (!(x0 > 0 && y0 > 0 && y1 > 0 && b->rival > 0) || y0 == y1)
        return NAN;
    return x0 * pow(x1 / x0, log(b->rival / y0) / log(y1 / y0));
}

static void add_line(struct breakeven *b, const struct sweep_table *t, const size_t *rows, size_t n)
{
    struct breakeven_line l = {
        .row = rows[0], .best = rows[0], .below = NAN, .above = NAN, .at = NAN
    };
    size_t first = n; /* from here on all win */

    while (first > 0 &&
           goal_better(&b->goal, t->row[rows[first - 1]][b->goal.column].number, b->rival))
        first--;
    for (size_t i = 0; i < n; i++)
        if (goal_better(&b->goal, t->row[rows[i]][b->goal.column].number,
                        t->row[l.best][b->goal.column].number))
            l.best = rows[i];
    l.always = first == 0;
    l.never = first == n;
    if (!l.always && !l.never) {
        l.below = t->row[rows[first - 1]][b->parameter].number;
        l.above = t->row[rows[first]][b->parameter].number;
        l.below_text = t->text[rows[first - 1]][b->parameter];
        l.above_text = t->text[rows[first]][b->parameter];
        l.at = find_crossing(b, t, rows[first - 1], rows[first]);
    }
    MEMORY_ADD(b->line, b->n_lines);
    b->line[b->n_lines++] = l;
}

int breakeven_init(struct breakeven *b, const struct sweep_table *t, const char *parameter,
                   const char *goal, const char *challengers, const char *rival, double times,
                   struct err *err)
{
    size_t *rows, n;

    *b = (struct breakeven){ 0 };
    if (sweep_table_column(t, parameter, &b->parameter, err) != 0 ||
        goal_parse(t, goal, &b->goal, err) != 0)
        return -1;
    if (b->parameter >= t->n_parameters || !key_unit(t->column[b->parameter].key))
        return err_set(err, ERR_RANGE, "%s: not a parameter with numbers", parameter);
    if (list_rows(t, rival, b->goal.column, &rows, &n, err) != 0)
        return -1;
    b->rival_row = rows[0];
    for (size_t i = 1; i < n; i++)
        if (goal_better(&b->goal, t->row[rows[i]][b->goal.column].number,
                        t->row[b->rival_row][b->goal.column].number))
            b->rival_row = rows[i];
    b->rival = times * t->row[b->rival_row][b->goal.column].number;
    free(rows);
    if (list_rows(t, challengers, b->goal.column, &rows, &n, err) != 0)
        return -1;
    struct sorted s = { t, b->parameter };
    qsort_r(rows, n, sizeof *rows, compare_rows, &s);
    for (size_t begin = 0, i = 1; i <= n; i++)
        if (i == n || compare_rest(&s, rows[begin], rows[i]) != 0) {
            add_line(b, t, rows + begin, i - begin);
            begin = i;
        }
    free(rows);
    return 0;
}

void breakeven_clear(struct breakeven *b)
{
    free(b->line);
}
