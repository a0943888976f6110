#include "sweep/report/ask.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "sweep/report/noise.h"

static bool has_column(const struct sweep_table *t, const char *name)
{
    size_t c;

    return sweep_table_find(t, name, &c);
}

/* Steps of one size can be compared as they are; where trace, slice or batch vary, an epoch can. */
static const char *usual_time(const struct sweep_table *t)
{
    for (size_t c = 0; c < t->n_parameters; c++) {
        const char *name = t->column[c].name;
        if ((t->column[c].key->kind != KEY_PARAM || strncmp(name, "slice.", 6) == 0) &&
            t->column[c].key->kind != KEY_PROXY && has_column(t, "seconds_per_epoch"))
            return "seconds_per_epoch";
    }
    return "seconds_per_step";
}

static const char *usual_cost(const struct sweep_table *t)
{
    static const char *const names[] = { "proxy.usd_per_epoch", "proxy.usd_per_step",
                                         "proxy.hardware_usd", NULL };
    size_t i = 0;

    while (names[i] && !has_column(t, names[i]))
        i++;
    return names[i];
}

static int add_goal(struct ask_answer *a, const char *text, struct err *err)
{
    if (a->n_goals == ASK_MAX_GOALS)
        return err_set(err, ERR_RANGE, "more than %d goals of a front", ASK_MAX_GOALS);
    if (goal_parse(a->t, text, &a->goal[a->n_goals], err) != 0)
        return -1;
    a->n_goals++;
    return 0;
}

static int find_goals(struct ask_answer *a, struct err *err)
{
    const char *cost = usual_cost(a->t);

    if (!a->q->pareto)
        return add_goal(a, usual_time(a->t), err) != 0 ? -1 : cost ? add_goal(a, cost, err) : 0;
    char *copy = memory_copy(a->q->pareto), *save = NULL;
    int rc = 0;
    for (char *g = strtok_r(copy, ", ", &save); g && rc == 0; g = strtok_r(NULL, ", ", &save))
        rc = add_goal(a, g, err);
    free(copy);
    if (rc == 0 && a->n_goals < 2)
        rc = err_set(err, ERR_FORMAT, "a front has two goals or more, with a comma between them");
    return rc == 0 ? 0 : err_at(err, "--pareto");
}

static int find_rows(struct ask_answer *a, struct err *err)
{
    struct expr *e = NULL;

    if (a->q->where && sweep_table_condition(a->t, a->q->where, &e, err) != 0)
        return err_at(err, "--where");
    a->rows = memory_zeroed(a->t->n_rows + 1, sizeof *a->rows);
    for (size_t i = 0; i < a->t->n_rows; i++) {
        double yes = e ? expr_eval(e, a->t->row[i]) : 1;
        if (!isnan(yes) && yes != 0) /* what is unknown does not hold */
            a->rows[a->n++] = i;
    }
    expr_free(e);
    return 0;
}

/* Move the rows that do not fit behind the others, if any fits; both keep their order. */
static void part_rows(struct ask_answer *a)
{
    size_t all = a->n, *beyond = memory_zeroed(all + 1, sizeof *beyond);

    a->n = 0;
    for (size_t i = 0; i < all; i++)
        if (sweep_table_fits(a->t, a->rows[i]))
            a->rows[a->n++] = a->rows[i];
        else
            beyond[a->n_beyond++] = a->rows[i];
    if (a->n_beyond > 0)
        memcpy(a->rows + a->n, beyond, a->n_beyond * sizeof *beyond);
    free(beyond);
    a->none_fits = a->n == 0 && all > 0;
    if (a->none_fits) {
        a->n = all;
        a->n_beyond = 0;
    }
}

static int compare_goal(const void *x, const void *y, void *self)
{
    const struct ask_answer *a = self;
    size_t i = *(const size_t *)x, k = *(const size_t *)y, c = a->best.column;

    if (goal_better(&a->best, a->t->row[i][c].number, a->t->row[k][c].number))
        return -1;
    if (goal_better(&a->best, a->t->row[k][c].number, a->t->row[i][c].number))
        return 1;
    return i < k ? -1 : i > k;
}

static int check_breakeven(const struct ask *q, struct err *err)
{
    if (q->breakeven && (!q->challengers || !q->rival))
        return err_set(err, ERR_FORMAT,
                       "--break-even: who (--of CONDITION), and against whom "
                       "(--against CONDITION)?");
    return 0;
}

/* The noise of a column: along the axes of the sweep, and beside its best point. */
static double find_noise(const struct ask_answer *a, size_t column)
{
    double noise = noise_of(a->t, a->rows, a->n, column);

    return noise_is_timed(a->t->column[column].name) ? fmax(noise, a->q->swing) : noise;
}

int ask_answer(struct ask_answer *a, const struct sweep_table *t, const struct ask *q,
               struct err *err)
{
    *a = (struct ask_answer){ .t = t, .q = q };
    if (t->n_rows == 0)
        return 0;
    const char *best = q->best ? q->best : usual_time(t);
    if (goal_parse(t, best, &a->best, err) != 0)
        return err_at(err, "--best");
    if (find_goals(a, err) != 0 || find_rows(a, err) != 0 || check_breakeven(q, err) != 0 ||
        (q->breakeven && breakeven_init(&a->breakeven, t, q->breakeven, best, q->challengers,
                                        q->rival, q->times, err) != 0)) {
        ask_free(a);
        return -1;
    }
    part_rows(a);
    a->best_noise = find_noise(a, a->best.column);
    for (size_t g = 0; g < a->n_goals; g++)
        a->noise[g] = find_noise(a, a->goal[g].column);
    size_t columns[2];
    for (; a->n_fits < 2 && a->n_fits < a->n_goals; a->n_fits++) {
        columns[a->n_fits] = a->goal[a->n_fits].column;
        fit_init(&a->fit[a->n_fits], t, a->rows, a->n, columns[a->n_fits]);
    }
    a->step = pairs_steps(t, a->rows, a->n, columns, a->n_fits, &a->n_steps);
    if (a->n_goals > 1)
        a->front = pareto_front(t, a->rows, a->n, a->goal, a->noise, a->n_goals, &a->n_front);
    qsort_r(a->rows, a->n, sizeof *a->rows, compare_goal, a);
    qsort_r(a->rows + a->n, a->n_beyond, sizeof *a->rows, compare_goal, a);
    return 0;
}

void ask_free(struct ask_answer *a)
{
    for (size_t i = 0; i < a->n_fits; i++)
        fit_clear(&a->fit[i]);
    pairs_free(a->step, a->n_steps);
    breakeven_clear(&a->breakeven);
    free(a->rows);
    free(a->front);
    *a = (struct ask_answer){ 0 };
}
