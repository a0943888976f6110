#include "sweep/report/effects.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/plain.h"
#include "sweep/report/noise.h"
#include "sweep/report/value_text.h"

#define MAX_LINES 8 /* of an axis */

static const char *goal_heading(const struct ask_answer *a, size_t f)
{
    return value_heading(a->t->column[a->goal[f].column].name);
}

/* A change; "~" behind one that noise covers. */
static void add_change(struct text_grid *g, double ratio, bool covered)
{
    char text[VALUE_TEXT_ROOM + 8] = "-", change[VALUE_TEXT_ROOM];

    if (isfinite(ratio)) {
        plain_change(change, sizeof change, 100 * (ratio - 1), 1);
        snprintf(text, sizeof text, "%s %%%s", change, covered ? " ~" : "");
    }
    text_grid_add(g, text);
}

/* The error to expect on a machine; NAN: nobody knows it. */
static double error_on(const struct ask_answer *a, size_t parameter, const char *machine)
{
    size_t c, i = 0;

    if (!sweep_table_find(a->t, ASK_ERROR, &c))
        return NAN;
    while (i < a->n && strcmp(a->t->text[a->rows[i]][parameter], machine) != 0)
        i++;
    return i < a->n ? a->t->row[a->rows[i]][c].number : NAN;
}

bool effects_covers(const struct ask_answer *a, size_t f, double ratio, const struct pairs_step *s)
{
    const char *figure = a->t->column[a->goal[f].column].name;

    if (noise_covers(a->noise[f], ratio - 1))
        return true;
    if (!s || a->t->column[s->parameter].key->kind != KEY_MACHINE || !noise_is_timed(figure))
        return false;
    double both = hypot(error_on(a, s->parameter, s->from), error_on(a, s->parameter, s->to));
    return !(fmax(ratio, 1 / ratio) - 1 > both);
}

/* Parameters by what + 10 % of them does to the first goal, best first. */
static size_t by_effect(const struct ask_answer *a, size_t *order)
{
    double sign = a->goal[0].most ? -1 : 1;
    const double *e = a->fit[0].elasticity;
    size_t n = 0;

    for (size_t c = 0; c < a->t->n_parameters; c++) {
        if (isnan(e[c]))
            continue;
        size_t at = n++;
        for (; at > 0 && sign * e[order[at - 1]] > sign * e[c]; at--)
            order[at] = order[at - 1];
        order[at] = c;
    }
    return n;
}

bool effects_grid(struct text_grid *g, const struct ask_answer *a)
{
    size_t *order = memory_zeroed(a->t->n_parameters + 1, sizeof *order), n = by_effect(a, order);
    char text[VALUE_TEXT_ROOM];

    if (n > 0) {
        text_grid_init(g, 1 + 2 * a->n_fits);
        text_grid_add(g, "parameter");
        for (size_t f = 0; f < a->n_fits; f++) {
            text_grid_add(g, goal_heading(a, f));
            text_grid_add(g, "elasticity");
        }
        for (size_t i = 0; i < n; i++) {
            text_grid_add(g, a->t->column[order[i]].name);
            for (size_t f = 0; f < a->n_fits; f++) {
                double change = fit_effect(&a->fit[f], order[i], 1.1);
                add_change(g, 1 + change, effects_covers(a, f, 1 + change, NULL));
                plain_change(text, sizeof text, a->fit[f].elasticity[order[i]], 3);
                text_grid_add(g, text);
            }
        }
    }
    free(order);
    return n > 0;
}

/* The number of steps from the i-th on that make a line: several on a long axis, where all have
 * pairs. */
static size_t count_steps_of_axis(const struct ask_answer *a, size_t i)
{
    size_t begin = i, end = i, n = 1;

    while (begin > 0 && a->step[begin - 1].parameter == a->step[i].parameter)
        begin--;
    while (end < a->n_steps && a->step[end].parameter == a->step[i].parameter)
        end++;
    size_t longest = (end - begin + MAX_LINES - 1) / MAX_LINES;
    if (a->step[i].n == 0)
        return 1;
    while (n < longest && i + n < end && a->step[i + n].n > 0)
        n++;
    return n;
}

/* One line for n steps: their ratios multiply. */
static void add_steps(struct text_grid *g, const struct ask_answer *a, size_t i, size_t n)
{
    const struct pairs_step *s = &a->step[i];
    size_t pairs = s->n;
    char text[VALUE_TEXT_ROOM];

    if (pairs == 0)
        return;
    for (size_t k = 1; k < n; k++)
        pairs = s[k].n < pairs ? s[k].n : pairs;
    text_grid_add(g, a->t->column[s->parameter].name);
    text_grid_add(g, s->from);
    text_grid_add(g, s[n - 1].to);
    snprintf(text, sizeof text, "%zu", pairs);
    text_grid_add(g, text);
    for (size_t f = 0; f < a->n_fits; f++) {
        double ratio = 1;
        for (size_t k = 0; k < n; k++)
            ratio *= s[k].ratio[f];
        add_change(g, ratio, effects_covers(a, f, ratio, n == 1 ? s : NULL));
    }
}

bool effects_steps_grid(struct text_grid *g, const struct ask_answer *a)
{
    size_t there = 0;

    for (size_t i = 0; i < a->n_steps; i++)
        there += a->step[i].n > 0;
    if (there == 0)
        return false;
    text_grid_init(g, 4 + a->n_fits);
    text_grid_add(g, "parameter");
    text_grid_add(g, "from");
    text_grid_add(g, "to");
    text_grid_add(g, "pairs");
    for (size_t f = 0; f < a->n_fits; f++)
        text_grid_add(g, goal_heading(a, f));
    for (size_t i = 0, n; i < a->n_steps; i += n) {
        n = count_steps_of_axis(a, i);
        add_steps(g, a, i, n);
    }
    return true;
}
