#include "analysis/text.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/grid.h"
#include "analysis/show.h"
#include "report/write.h"

#define BEST "seconds_per_step"

static const char *best_of(const struct analysis_request *q)
{
    return q->best ? q->best : BEST;
}

int analysis_check(const struct table *t, const struct analysis_request *q, struct err *err)
{
    struct expr *e;
    struct goal g;

    if (t->n_rows == 0)
        return 0;
    if (q->where) {
        if (table_condition(t, q->where, &e, err) != 0)
            return -1;
        expr_free(e);
    }
    return show_goal(t, best_of(q), &g, err);
}

/* Rows that the condition allows; what is unknown does not hold. */
static size_t *allowed(const struct table *t, const struct analysis_request *q, size_t *n)
{
    size_t *rows = calloc(t->n_rows + 1, sizeof *rows);
    struct expr *e = NULL;
    struct err ignored;

    BUG_ON(!rows);
    BUG_ON(q->where && table_condition(t, q->where, &e, &ignored) != 0);
    *n = 0;
    for (size_t i = 0; i < t->n_rows; i++) {
        double yes = e ? expr_eval(e, t->row[i]) : 1;
        if (!isnan(yes) && yes != 0)
            rows[(*n)++] = i;
    }
    expr_free(e);
    return rows;
}

struct order {
    const struct table *t;
    struct goal goal;
};

static int compare(const void *a, const void *b, void *self)
{
    const struct order *o = self;
    size_t i = *(const size_t *)a, k = *(const size_t *)b;
    double x = o->t->row[i][o->goal.column].number, y = o->t->row[k][o->goal.column].number;

    if (goal_better(&o->goal, x, y))
        return -1;
    if (goal_better(&o->goal, y, x))
        return 1;
    return i < k ? -1 : i > k;
}

static void best_points(const struct table *t, const struct analysis_request *q, FILE *out)
{
    struct order o = { .t = t };
    struct err ignored;
    size_t n;

    BUG_ON(show_goal(t, best_of(q), &o.goal, &ignored) != 0);
    size_t *rows = allowed(t, q, &n);
    qsort_r(rows, n, sizeof *rows, compare, &o);
    size_t shown = n < q->top ? n : (size_t)q->top;
    fprintf(out, "\nbest %zu of %zu points by %s%s%s%s\n", shown, n, o.goal.most ? "largest " : "",
            t->column[o.goal.column].name, q->where ? ", where " : "", q->where ? q->where : "");
    grid_points(t, rows, shown, &o.goal.column, 1, out);
    free(rows);
}

/* The same words are said once, with how often. */
static void failures(const struct table *t, FILE *out)
{
    fputs("\nfailed\n", out);
    for (size_t i = 0; i < t->n_failures; i++) {
        size_t times = 0;
        bool first = true;
        for (size_t k = 0; k < t->n_failures; k++)
            if (strcmp(t->failure[k].error, t->failure[i].error) == 0) {
                first = first && k >= i;
                times++;
            }
        if (first && times == 1)
            fprintf(out, "  point %zu: %s\n", t->failure[i].id, t->failure[i].error);
        else if (first)
            fprintf(out, "  point %zu and %zu more: %s\n", t->failure[i].id, times - 1,
                    t->failure[i].error);
    }
}

void analysis_text(const struct table *t, const char *db, const struct analysis_request *q,
                   FILE *out)
{
    fprintf(out, "%s: %" PRIu64 " points, %" PRIu64 " done, %" PRIu64 " failed", db, t->count.all,
            t->count.done, t->count.failed);
    if (t->count.all > t->count.done + t->count.failed)
        fprintf(out, ", %" PRIu64 " open", t->count.all - t->count.done - t->count.failed);
    putc('\n', out);
    if (t->n_rows > 0)
        best_points(t, q, out);
    if (t->n_failures > 0)
        failures(t, out);
}
