#include "sweep/report/pareto.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "sweep/report/noise.h"

struct order {
    const struct sweep_table *t;
    const struct goal *goal;
    const double *noise; /* of each goal */
    size_t n_goals;
};

/* Order by the first goal, then by the others, then by place. */
static int compare_goals(const void *a, const void *b, void *self)
{
    const struct order *o = self;
    size_t i = *(const size_t *)a, k = *(const size_t *)b;

    for (size_t g = 0; g < o->n_goals; g++) {
        double x = o->t->row[i][o->goal[g].column].number,
               y = o->t->row[k][o->goal[g].column].number;
        if (goal_better(&o->goal[g], x, y))
            return -1;
        if (goal_better(&o->goal[g], y, x))
            return 1;
    }
    return i < k ? -1 : i > k;
}

/* True if row i is at least as good as row k in all goals. */
static bool is_as_good(const struct order *o, size_t i, size_t k)
{
    for (size_t g = 0; g < o->n_goals; g++)
        if (goal_better(&o->goal[g], o->t->row[k][o->goal[g].column].number,
                        o->t->row[i][o->goal[g].column].number))
            return false;
    return true;
}

/* True if row i is better than row k in one goal by more than its noise, or equal in all. */
static bool is_certain(const struct order *o, size_t i, size_t k)
{
    bool equal = true;

    for (size_t g = 0; g < o->n_goals; g++) {
        double x = o->t->row[i][o->goal[g].column].number,
               y = o->t->row[k][o->goal[g].column].number;
        equal = equal && !(x < y) && !(x > y);
        if (goal_better(&o->goal[g], x, y) && !noise_covers(o->noise[g], x / y - 1))
            return true;
    }
    return equal;
}

static bool has_all_goals(const struct order *o, size_t i)
{
    for (size_t g = 0; g < o->n_goals; g++)
        if (isnan(o->t->row[i][o->goal[g].column].number))
            return false;
    return true;
}

size_t *pareto_front(const struct sweep_table *t, const size_t *rows, size_t n,
                     const struct goal *goals, const double *noise, size_t n_goals, size_t *n_front)
{
    struct order o = { t, goals, noise, n_goals };
    size_t *front = memory_zeroed(n + 1, sizeof *front), candidates = 0;

    for (size_t i = 0; i < n; i++)
        if (has_all_goals(&o, rows[i]))
            front[candidates++] = rows[i];
    qsort_r(front, candidates, sizeof *front, compare_goals, &o);
    /* in this order only what stands before a row can beat it; what a row of the front beats by
     * more than noise beats nothing that this one does not */
    *n_front = 0;
    for (size_t i = 0; i < candidates; i++) {
        bool beaten = false;
        for (size_t k = 0; k < *n_front && !beaten; k++)
            beaten = is_as_good(&o, front[k], front[i]) && is_certain(&o, front[k], front[i]);
        if (!beaten)
            front[(*n_front)++] = front[i];
    }
    return front;
}

bool pareto_strict(const struct sweep_table *t, const size_t *front, size_t n,
                   const struct goal *goals, size_t n_goals)
{
    struct order o = { t, goals, NULL, n_goals };

    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < n; k++)
            if (i != k && is_as_good(&o, front[i], front[k]))
                return false;
    return true;
}
