#include "sweep/report/pairs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

struct sorted {
    const struct sweep_table *t;
    size_t parameter;
};

/* True if parameter c changes together with parameter p. */
static bool moves_with(const struct sweep_table *t, size_t c, size_t p)
{
    return c == p || (t->plan.zip && t->plan.zip[c] == t->plan.zip[p]);
}

/* Order by the parameters other than the axis, which are equal within a pair. */
static int compare_rest(const struct sorted *s, size_t i, size_t k)
{
    for (size_t c = 0; c < s->t->n_parameters; c++) {
        int order =
            moves_with(s->t, c, s->parameter) ? 0 : strcmp(s->t->text[i][c], s->t->text[k][c]);
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
    size_t x = s->t->place[i][s->parameter], y = s->t->place[k][s->parameter];
    return x < y ? -1 : x > y;
}

size_t *pairs_order(const struct sweep_table *t, const size_t *rows, size_t n, size_t p)
{
    const struct axis *a = &t->plan.axis[p];
    struct sorted s = { t, p };

    if (a->open || a->n < 2 || (t->plan.zip && t->plan.zip[p] != p))
        return NULL;
    size_t *order = memory_zeroed(n + 1, sizeof *order);
    memcpy(order, rows, n * sizeof *order);
    qsort_r(order, n, sizeof *order, compare_rows, &s);
    return order;
}

bool pairs_same_line(const struct sweep_table *t, size_t p, size_t i, size_t k)
{
    const struct sorted s = { t, p };

    return compare_rest(&s, i, k) == 0;
}

struct pairs_step *pairs_steps(const struct sweep_table *t, const size_t *rows, size_t n,
                               const size_t *columns, size_t n_columns, size_t *n_steps)
{
    struct pairs_step *steps = NULL;

    *n_steps = 0;
    for (size_t p = 0; p < t->n_parameters; p++) {
        const struct axis *a = &t->plan.axis[p];
        size_t *order = pairs_order(t, rows, n, p);
        if (!order)
            continue;
        size_t first = *n_steps;
        steps = memory_resize(steps, first + a->n - 1, sizeof *steps);
        for (size_t v = 0; v + 1 < a->n; v++) {
            steps[first + v] = (struct pairs_step){ p, a->value[v], a->value[v + 1], 0,
                                                    memory_zeroed(n_columns + 1, sizeof(double)) };
        }
        *n_steps = first + a->n - 1;
        for (size_t i = 0; i + 1 < n; i++) {
            size_t x = t->place[order[i]][p];
            if (!pairs_same_line(t, p, order[i], order[i + 1]) ||
                t->place[order[i + 1]][p] != x + 1)
                continue;
            steps[first + x].n++;
            for (size_t c = 0; c < n_columns; c++)
                steps[first + x].ratio[c] += log(t->row[order[i + 1]][columns[c]].number /
                                                 t->row[order[i]][columns[c]].number);
        }
        free(order);
    }
    for (size_t i = 0; i < *n_steps; i++)
        for (size_t c = 0; c < n_columns; c++)
            steps[i].ratio[c] = steps[i].n ? exp(steps[i].ratio[c] / (double)steps[i].n) : NAN;
    return steps;
}

void pairs_free(struct pairs_step *s, size_t n)
{
    for (size_t i = 0; i < n; i++)
        free(s[i].ratio);
    free(s);
}
