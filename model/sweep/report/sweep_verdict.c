#include "sweep/report/sweep_verdict.h"

#include <math.h>
#include <string.h>

#include "base/plain.h"
#include "sweep/report/noise.h"
#include "sweep/report/value_text.h"

#define WORTH 0.005    /* an elasticity below it changes nothing */
#define MOST_NAMED 8   /* points of a list */
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
    plain_print(out, ", %.1f %% %s than the baseline%s: %s", 100 * fabs(change),
                change < 0 ? "less" : "more",
                a->none_fits || sweep_table_fits(a->t, a->t->baseline) ? ""
                                                                       : ", which does not fit",
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

/* True if v is better than the baseline by more than noise, and than what one digit after the point
 * shows. */
static bool is_worth_more(const struct goal *g, double noise, double v, double base)
{
    return goal_better(g, v, base) && !(fabs(v / base - 1) < NOTICED) &&
           !noise_covers(noise, v / base - 1);
}

/* The best point is the baseline, or is not better by more than noise. */
static void put_baseline(const struct ask_answer *a, const struct goal *g, double noise, double v,
                         FILE *out)
{
    double base = value_of_goal(a, g, a->t->baseline), by = fabs(v / base - 1);
    char text[VALUE_TEXT_ROOM];

    fprintf(out, "no point has %s %s than the baseline by ", g->most ? "more" : "less",
            name_of_goal(a, g));
    if (noise > 0)
        plain_print(out, "more than the noise of %.1f %%",
                    100 * (g->most ? noise : noise / (1 + noise)));
    else
        fputs("0.05 % or more", out);
    fprintf(out, ": %s", value_number(name_of_goal(a, g), base, text, sizeof text));
    if (by >= NOTICED)
        plain_print(out, "; the best has %.1f %% %s: open", 100 * by, g->most ? "more" : "less");
    putc('\n', out);
}

/* ", as 3 other points within the noise of 1.0 %" */
static void put_others(const struct ask_answer *a, const struct goal *g, double noise, size_t best,
                       FILE *out)
{
    double v = value_of_goal(a, g, best);
    size_t n = 0;

    for (size_t i = 0; i < a->n; i++)
        n += a->rows[i] != best && noise_covers(noise, value_of_goal(a, g, a->rows[i]) / v - 1);
    if (n > 0 && noise > 0)
        plain_print(out, "; open: %zu other point%s within the noise of %.1f %%", n,
                    n == 1 ? " is" : "s are", 100 * noise);
}

/* The error to expect of a row; NAN: nobody knows it. */
static double error_of_row(const struct ask_answer *a, size_t row)
{
    size_t c;

    return sweep_table_find(a->t, ASK_ERROR, &c) ? a->t->row[row][c].number : NAN;
}

/* True if more of the step of a row is not known than goes without a word. */
static bool is_unknown(const struct ask_answer *a, size_t row)
{
    size_t c;

    return sweep_table_find(a->t, ASK_KNOWN, &c) && a->t->row[row][c].number < 1 - ASK_UNKNOWN;
}

/* True if both rows are on one machine. */
static bool is_same_machine(const struct ask_answer *a, size_t i, size_t k)
{
    for (size_t c = 0; c < a->t->n_parameters; c++)
        if (a->t->column[c].key->kind == KEY_MACHINE &&
            strcmp(a->t->text[i][c], a->t->text[k][c]) != 0)
            return false;
    return true;
}

/* "; open: 2 points of other machines are within the errors to expect", which points of one machine
 * share, as they do what is not known. */
static void put_rivals(const struct ask_answer *a, const struct goal *g, size_t best, FILE *out)
{
    double v = value_of_goal(a, g, best), error = error_of_row(a, best);
    bool unknown = is_unknown(a, best);
    size_t n = 0;

    if (!noise_is_timed(name_of_goal(a, g)))
        return;
    for (size_t i = 0; i < a->n; i++) {
        size_t k = a->rows[i];
        double both = hypot(error, error_of_row(a, k)), r = value_of_goal(a, g, k) / v;
        n += !is_same_machine(a, k, best) &&
             (unknown || is_unknown(a, k) || !(fmax(r, 1 / r) - 1 > both));
    }
    if (n > 0)
        fprintf(out, "; open: %zu point%s of other machines within the errors to expect%s", n,
                n == 1 ? " is" : "s are", unknown ? ", or as unknown" : "");
}

/* "error to expect: 3.4 % either way of the baseline, ..." */
static void put_error(const struct ask_answer *a, FILE *out)
{
    size_t row = a->t->baseline != SWEEP_NO_ROW ? a->t->baseline : a->rows[0];
    double error = error_of_row(a, row);
    const char *whose = row == a->t->baseline ? "the baseline" : "the first point";

    if (isnan(error))
        fprintf(out, "error to expect of %s: not known; what-ifs on one machine share it\n", whose);
    else
        plain_print(out,
                    "error to expect of %s: %.1f %% either way; what-ifs on one machine share it\n",
                    whose, 100 * error);
}

/* "22.0 % of a step is not known at point 3", the point of which least is known; nothing where all
 * is. */
static void put_known(const struct ask_answer *a, FILE *out)
{
    size_t c, least = a->rows[0];

    if (!sweep_table_find(a->t, ASK_KNOWN, &c))
        return;
    for (size_t i = 1; i < a->n; i++)
        if (a->t->row[a->rows[i]][c].number < a->t->row[least][c].number)
            least = a->rows[i];
    double open = 1 - a->t->row[least][c].number;
    if (open >= NOTICED)
        plain_print(out,
                    "%.1f %% of a step is not known%s point %zu: work that could not be read, or "
                    "that data decide\n",
                    100 * open, a->n > 1 ? ", at most, at" : " at", a->t->id[least]);
}

static void put_best(const struct ask_answer *a, const struct goal *g, double noise, FILE *out)
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
    if (base && (a->none_fits || sweep_table_fits(a->t, a->t->baseline)) &&
        !is_worth_more(g, noise, v, value_of_goal(a, g, a->t->baseline))) {
        put_baseline(a, g, noise, v, out);
        return;
    }
    fprintf(out, "%s %s: ", g->most ? "most" : "least", name_of_goal(a, g));
    put_point(a, best, out);
    fprintf(out, " with %s", value_number(name_of_goal(a, g), v, text, sizeof text));
    if (base)
        compare_with_baseline(a, g, v, out);
    put_others(a, g, noise, best, out);
    put_rivals(a, g, best, out);
    putc('\n', out);
}

/* The share by which goal f gets better when a parameter moves ten percent the better way, or over
 * all its values (`whole`). */
static double measure_gain(const struct ask_answer *a, size_t f, size_t c, bool whole)
{
    double e = (a->goal[f].most ? 1 : -1) * a->fit[f].elasticity[c];

    if (isnan(e) || e < WORTH)
        return 0;
    return whole ? fit_range(&a->fit[f], c) : fabs(fit_effect(&a->fit[f], c, 1.1));
}

/* The parameter that gains most, and how much: 0 if none does. */
static double find_lever(const struct ask_answer *a, size_t f, bool whole, size_t *best)
{
    double most = 0;

    for (size_t c = 0; c < a->t->n_parameters; c++) {
        double gain = measure_gain(a, f, c, whole);
        if (gain > most) {
            most = gain;
            *best = c;
        }
    }
    return most;
}

/* The parameter of which more does most good to goal f: by ten percent more, or, where noise covers
 * that, over all its values. */
static void put_lever(const struct ask_answer *a, size_t f, FILE *out)
{
    const char *goal = name_of_goal(a, &a->goal[f]);
    size_t best = 0;
    bool known = false;
    char change[64];

    for (size_t c = 0; c < a->t->n_parameters; c++)
        known = known || !isnan(a->fit[f].elasticity[c]);
    if (!known)
        return;
    double gain = find_lever(a, f, false, &best);
    plain_change(change, sizeof change, 100 * fit_effect(&a->fit[f], best, 1.1), 1);
    if (gain == 0)
        fprintf(out, "for %s, more of no parameter does good\n", goal);
    else if (!noise_covers(a->noise[f], gain))
        fprintf(out, "for %s, + 10 %% of %s changes most: %s %%\n", goal, a->t->column[best].name,
                change);
    else if (noise_covers(a->noise[f], find_lever(a, f, true, &best)))
        plain_print(out,
                    "for %s, more of no parameter does good by more than the noise of %.1f %%\n",
                    goal, 100 * a->noise[f]);
    else {
        const struct fit *fit = &a->fit[f];
        plain_change(change, sizeof change,
                     100 * expm1(fit->elasticity[best] * (fit->high[best] - fit->low[best])), 1);
        plain_print(out,
                    "for %s, + 10 %% of no parameter does good by more than the noise of %.1f %%; "
                    "from its least to its most, %s changes most: %s %%\n",
                    goal, 100 * a->noise[f], a->t->column[best].name, change);
    }
}

/* Kernels of a row that were cut anew without being asked for: NAN of no compiled program. */
static double count_cut(const struct sweep_table *t, size_t row)
{
    static const char *const names[] = { "retiled.array", "retiled.vmem" };
    double n = NAN;
    size_t c;

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (sweep_table_find(t, names[i], &c) && !isnan(t->row[row][c].number))
            n = (isnan(n) ? 0 : n) + t->row[row][c].number;
    return n;
}

static size_t count_cut_rows(const struct sweep_table *t)
{
    size_t n = 0;

    for (size_t i = 0; i < t->n_rows; i++)
        n += count_cut(t, i) > 0;
    return n;
}

bool sweep_verdict_mixed(const struct sweep_table *t)
{
    size_t n = count_cut_rows(t);

    return n > 0 && n < t->n_rows;
}

/* Points that are by another hand than the others, and the distance of the two. */
static void put_hands(const struct ask_answer *a, FILE *out)
{
    size_t n = count_cut_rows(a->t), shown = 0;
    char change[64];

    if (!sweep_verdict_mixed(a->t))
        return;
    fprintf(out,
            "kernels are cut anew at %zu of %zu points, by our hand and not the compiler's: point",
            n, a->t->n_rows);
    for (size_t i = 0; i < a->t->n_rows && shown < MOST_NAMED; i++)
        if (count_cut(a->t, i) > 0)
            fprintf(out, "%s %zu", shown++ ? "," : n > 1 ? "s" : "", a->t->id[i]);
    fputs(n > shown ? " ..." : "", out);
    if (isfinite(a->q->hands)) {
        plain_change(change, sizeof change, 100 * (a->q->hands - 1), 1);
        fprintf(out, "; on the machine as it stands our hand takes %s %%: less than that is open",
                change);
    }
    putc('\n', out);
}

/* Points that the memory of their machines does not hold. */
static void put_beyond(const struct ask_answer *a, FILE *out)
{
    size_t n = a->n_beyond, shown = n < MOST_NAMED ? n : MOST_NAMED;

    if (n == 0)
        return;
    fprintf(out, "%zu of %zu points %s not fit the memory of %s, and %s never best: point%s", n,
            a->n + n, n == 1 ? "does" : "do", n == 1 ? "its machine" : "their machines",
            n == 1 ? "is" : "are", n == 1 ? "" : "s");
    for (size_t i = 0; i < shown; i++)
        fprintf(out, "%s %zu", i ? "," : "", a->t->id[a->rows[a->n + i]]);
    fputs(n > shown ? " ...\n" : "\n", out);
}

void sweep_verdict(const struct ask_answer *a, FILE *out)
{
    if (a->n == 0)
        return;
    if (a->none_fits)
        fputs("no point fits the memory of its machine; what follows is as if it were larger\n",
              out);
    put_best(a, &a->best, a->best_noise, out);
    for (size_t g = 0; g < a->n_goals; g++)
        if (a->goal[g].column != a->best.column)
            put_best(a, &a->goal[g], a->noise[g], out);
    put_beyond(a, out);
    for (size_t f = 0; f < a->n_fits; f++)
        put_lever(a, f, out);
    put_hands(a, out);
    put_error(a, out);
    put_known(a, out);
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
        fprintf(out, "one point alone: no other %s", a->n_beyond > 0 ? "fits" : "is done");
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
