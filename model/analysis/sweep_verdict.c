#include "analysis/sweep_verdict.h"

#include <math.h>

#include "analysis/value_text.h"
#include "base/plain.h"

#define WORTH 0.005    /* an elasticity below it changes nothing */
#define NOTICED 0.0005 /* a change below it is none */

static const char *name_of_goal(const struct ask_answer *a, const struct goal *g)
{
    return a->t->column[g->column].name;
}

static double value_of_goal(const struct ask_answer *a, const struct goal *g, size_t row)
{
    return a->t->row[row][g->column].number;
}

/* "mxu.count 4, hbm.bandwidth 900 GB/s (point 7)" */
static void put_point(const struct ask_answer *a, size_t row, FILE *out)
{
    for (size_t c = 0; c < a->t->n_parameters; c++)
        fprintf(out, "%s%s %s", c ? ", " : "", a->t->column[c].name, a->t->text[row][c]);
    fprintf(out, "%spoint %zu%s", a->t->n_parameters ? " (" : "", a->t->id[row],
            a->t->n_parameters ? ")" : "");
}

static size_t find_best(const struct ask_answer *a, const struct goal *g)
{
    size_t best = a->rows[0];

    for (size_t i = 1; i < a->n; i++)
        if (goal_better(g, value_of_goal(a, g, a->rows[i]), value_of_goal(a, g, best)))
            best = a->rows[i];
    return best;
}

static void compare_with_baseline(const struct ask_answer *a, const struct goal *g, double v,
                                  FILE *out)
{
    double base = value_of_goal(a, g, a->t->baseline), change = v / base - 1;
    char text[VALUE_TEXT_ROOM];

    if (!isfinite(change))
        return;
    plain_print(out, ", %.1f %% %s than the baseline: %s", 100 * fabs(change),
                change < 0 ? "less" : "more",
                value_number(name_of_goal(a, g), base, text, sizeof text));
}

/* True if no point differs in the goal. */
static bool is_constant(const struct ask_answer *a, const struct goal *g)
{
    size_t i = 1;

    while (i < a->n && value_of_goal(a, g, a->rows[i]) == value_of_goal(a, g, a->rows[0]))
        i++;
    return i == a->n;
}

/* True if v is better than the baseline by more than what one digit after the point shows. */
static bool is_worth_more(const struct goal *g, double v, double base)
{
    return goal_better(g, v, base) && !(fabs(v / base - 1) < NOTICED);
}

static void put_best(const struct ask_answer *a, const struct goal *g, FILE *out)
{
    size_t best = find_best(a, g);
    double v = value_of_goal(a, g, best);
    char text[VALUE_TEXT_ROOM];

    if (!isfinite(v))
        return;
    if (a->n > 1 && is_constant(a, g)) {
        fprintf(out, "all points have the same %s: %s\n", name_of_goal(a, g),
                value_number(name_of_goal(a, g), v, text, sizeof text));
        return;
    }
    bool base = a->t->baseline != SWEEP_NO_ROW;
    if (base && !is_worth_more(g, v, value_of_goal(a, g, a->t->baseline))) {
        fprintf(out, "no point has %s %s than the baseline by 0.05 %% or more: %s\n",
                g->most ? "more" : "less", name_of_goal(a, g),
                value_number(name_of_goal(a, g), value_of_goal(a, g, a->t->baseline), text,
                             sizeof text));
        return;
    }
    fprintf(out, "%s %s: ", g->most ? "most" : "least", name_of_goal(a, g));
    put_point(a, best, out);
    fprintf(out, " with %s", value_number(name_of_goal(a, g), v, text, sizeof text));
    if (base)
        compare_with_baseline(a, g, v, out);
    putc('\n', out);
}

/* The parameter of which more does most good to goal f. */
static void put_lever(const struct ask_answer *a, size_t f, FILE *out)
{
    const double *e = a->fit[f].elasticity;
    double sign = a->goal[f].most ? -1 : 1, most = 0;
    size_t best = 0;

    for (size_t c = 0; c < a->t->n_parameters; c++)
        if (!isnan(e[c]) && sign * e[c] < most) {
            most = sign * e[c];
            best = c;
        }
    if (most < -WORTH)
        plain_print(out, "for %s, + 10 %% of %s changes most: %+.1f %%\n",
                    name_of_goal(a, &a->goal[f]), a->t->column[best].name,
                    100 * fit_effect(&a->fit[f], best, 1.1));
    else if (a->t->n_parameters > 0)
        fprintf(out, "for %s, more of no parameter does good\n", name_of_goal(a, &a->goal[f]));
}

void sweep_verdict(const struct ask_answer *a, FILE *out)
{
    if (a->n == 0)
        return;
    put_best(a, &a->best, out);
    for (size_t g = 0; g < a->n_goals; g++)
        if (a->goal[g].column != a->best.column)
            put_best(a, &a->goal[g], out);
    for (size_t f = 0; f < a->n_fits; f++)
        put_lever(a, f, out);
    if (a->t->baseline == SWEEP_NO_ROW) {
        fputs("there is no baseline: no point has all values of the machine and workload as they "
              "stand\n",
              out);
        return;
    }
    fputs("baseline, marked *: the machine and workload as they stand: ", out);
    put_point(a, a->t->baseline, out);
    putc('\n', out);
}

/* A goal that no point differs in, or n_goals. */
static size_t find_constant(const struct ask_answer *a)
{
    size_t g = 0;

    while (g < a->n_goals && !is_constant(a, &a->goal[g]))
        g++;
    return g;
}

static size_t count_equals(const struct ask_answer *a)
{
    size_t n = 0;

    for (size_t i = 0; i < a->n; i++) {
        size_t g = 0;
        while (g < a->n_goals && value_of_goal(a, &a->goal[g], a->rows[i]) ==
                                     value_of_goal(a, &a->goal[g], a->front[0]))
            g++;
        n += g == a->n_goals && a->rows[i] != a->front[0];
    }
    return n;
}

void sweep_verdict_front(const struct ask_answer *a, FILE *out)
{
    if (a->n_front != 1 || a->n_goals < 2)
        return;
    size_t constant = find_constant(a), equal = count_equals(a);
    if (a->n == 1)
        fputs("one point alone: no other is done", out);
    else if (equal + 1 == a->n)
        fprintf(out, "one point alone: all %zu points are equal in all goals", a->n);
    else if (constant < a->n_goals && a->n_goals == 2)
        fprintf(out, "one point alone: all points have the same %s, so %s decides",
                name_of_goal(a, &a->goal[constant]), name_of_goal(a, &a->goal[1 - constant]));
    else
        fputs("one point alone: it is best in every goal, so no goal has to give way to another",
              out);
    if (equal > 0 && equal + 1 < a->n)
        fprintf(out, "; %zu more %s equal to it in all goals", equal,
                equal == 1 ? "point is" : "points are");
    putc('\n', out);
}
