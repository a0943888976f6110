#include "sweep/report/sweep_text.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/exact.h"
#include "base/memory.h"
#include "base/plain.h"
#include "base/text_write.h"
#include "sweep/report/effects.h"
#include "sweep/report/sweep_verdict.h"
#include "sweep/report/text_grid.h"
#include "sweep/report/value_text.h"

static const char *name_of_goal(const struct ask_answer *a, const struct goal *g)
{
    return a->t->column[g->column].name;
}

/* --- points ---------------------------------------------------------------------------------- */

static void print_points(const struct ask_answer *a, const size_t *rows, size_t n,
                         const size_t *extra, size_t n_extra, FILE *out)
{
    struct text_grid g;

    text_grid_of_points(&g, a->t, rows, n, extra, n_extra);
    text_grid_print(&g, out);
}

static void best_points(const struct ask_answer *a, FILE *out)
{
    size_t all = a->n + a->n_beyond, shown = all < a->q->top ? all : (size_t)a->q->top;

    fprintf(out, "\nbest %zu of %zu points, %s %s", shown, all, a->best.most ? "most" : "least",
            name_of_goal(a, &a->best));
    fprintf(out, a->q->where ? " where %s\n" : "\n", a->q->where);
    print_points(a, a->rows, shown, &a->best.column, 1, out);
}

static void print_front(const struct ask_answer *a, FILE *out)
{
    size_t columns[ASK_MAX_GOALS];

    fputs("\nPareto front: to gain in one of", out);
    for (size_t g = 0; g < a->n_goals; g++) {
        columns[g] = a->goal[g].column;
        fprintf(out, "%s %s", g ? "," : "", name_of_goal(a, &a->goal[g]));
    }
    if (a->n_front > 1) {
        fprintf(out, "\nfrom one of these %zu points is to lose in another", a->n_front);
        if (!pareto_strict(a->t, a->front, a->n_front, a->goal, a->n_goals))
            fputs(", or to gain no more than noise", out);
        if (a->n > a->n_front)
            fprintf(out, "; all %zu other points are beaten", a->n - a->n_front);
    }
    putc('\n', out);
    sweep_verdict_front(a, out);
    print_points(a, a->front, a->n_front, columns, a->n_goals, out);
}

/* --- what pays ------------------------------------------------------------------------------- */

static bool has_machines(const struct ask_answer *a)
{
    for (size_t i = 0; i < a->n_steps; i++)
        if (a->step[i].n > 0 && a->t->column[a->step[i].parameter].key->kind == KEY_MACHINE)
            return true;
    return false;
}

static void print_effects(const struct ask_answer *a, FILE *out)
{
    struct text_grid g;
    bool any = false; /* a goal that is the same at all points has no spread */

    if (effects_grid(&g, a)) {
        fprintf(out,
                "\nwhat + 10 %% of each parameter does, by a power law fitted to all %zu points\n",
                a->fit[0].n);
        for (size_t f = 0; f < a->n_fits; f++) {
            if (isnan(a->fit[f].explained))
                continue;
            plain_print(out, "%s%.0f %% of the spread of %s", any ? " and " : "  (it explains ",
                        100 * a->fit[f].explained, value_heading(name_of_goal(a, &a->goal[f])));
            any = true;
        }
        fputs(any ? ")\n" : "", out);
        text_grid_print(&g, out);
    }
    bool steps = effects_steps_grid(&g, a);
    if (steps) {
        fputs("\nwhat one step does, all else equal: the average over pairs of points\n", out);
        text_grid_print(&g, out);
    }
    if ((any || steps) && a->noise[0] > 0)
        plain_print(out, "  ~: within the noise of what-ifs, %.1f %% of %s%s\n", 100 * a->noise[0],
                    name_of_goal(a, &a->goal[0]),
                    has_machines(a) ? ", or the errors to expect of two machines" : "");
}

/* --- break-even ------------------------------------------------------------------------------ */

/* "core.clock 940 MHz, ...": what a line is besides the parameter. */
static void print_others(const struct ask_answer *a, size_t row, FILE *out)
{
    const char *between = "  ";

    for (size_t c = 0; c < a->t->n_parameters; c++) {
        if (c == a->breakeven.parameter)
            continue;
        fprintf(out, "%s%s %s", between, a->t->column[c].name, a->t->text[row][c]);
        between = ", ";
    }
    fputs(*between == ',' ? ": " : "  ", out);
}

static void print_breakeven(const struct ask_answer *a, FILE *out)
{
    const struct breakeven *b = &a->breakeven;
    const char *figure = name_of_goal(a, &b->goal), *parameter = a->t->column[b->parameter].name;
    char text[VALUE_TEXT_ROOM], at[KEY_TEXT];

    fprintf(out, "\nbreak-even: from which %s on is %s better than %s%s", parameter, figure,
            a->q->times != 1 ? "" : "that of point ", "");
    if (a->q->times != 1)
        plain_print(out, "%g times that of point ", a->q->times);
    fprintf(out, "%zu, %s?\n", a->t->id[b->rival_row],
            value_number(figure, b->rival, text, sizeof text));
    EXACT_Q(q);
    for (size_t i = 0; i < b->n_lines; i++) {
        const struct breakeven_line *l = &b->line[i];
        print_others(a, l->row, out);
        value_number(figure, a->t->row[l->best][b->goal.column].number, text, sizeof text);
        if (l->always) {
            fprintf(out, "always; %s at %s\n", text, a->t->text[l->best][b->parameter]);
        } else if (l->never) {
            double got = a->t->row[l->best][b->goal.column].number;
            fprintf(out, "not within the sweep; best is %s, %.2g %% short, at %s\n", text,
                    100 * fabs(got / b->rival - 1), a->t->text[l->best][b->parameter]);
        } else {
            fprintf(out, "between %s and %s", l->below_text, l->above_text);
            if (isfinite(l->at)) {
                mpq_set_d(q, round(l->at * 1e6) / 1e6);
                key_about(a->t->column[b->parameter].key, q, at, sizeof at);
                fprintf(out, ", about %s", at);
            }
            putc('\n', out);
        }
    }
}

/* --- all ------------------------------------------------------------------------------------- */

/* Points that failed with equal words are one line, with how many they are. */
static void print_failures(const struct sweep_table *t, FILE *out)
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

/* The answer before the tables, each sentence in a line with a margin. */
static void print_verdict(const struct ask_answer *a, FILE *out)
{
    struct memory_text t;

    memory_text_begin(&t);
    sweep_verdict(a, t.out);
    char *text = memory_text_end(&t), *save = NULL;
    for (char *line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save))
        fprintf(out, "  %s\n", line);
    free(text);
}

void sweep_text(const struct ask_answer *a, const char *db, FILE *out)
{
    const struct sweep_table *t = a->t;

    text_shown(db, out);
    fprintf(out, ": %" PRIu64 " points, %" PRIu64 " done, %" PRIu64 " failed", t->count.all,
            t->count.done, t->count.failed);
    if (t->count.all > t->count.done + t->count.failed)
        fprintf(out, ", %" PRIu64 " open", t->count.all - t->count.done - t->count.failed);
    putc('\n', out);
    print_verdict(a, out);
    if (a->n > 0) {
        best_points(a, out);
        if (a->n_goals > 1)
            print_front(a, out);
        print_effects(a, out);
    } else if (t->n_rows > 0) {
        fprintf(out, "\nno point where %s\n", a->q->where);
    }
    if (a->n_goals > 0 && a->q->breakeven)
        print_breakeven(a, out);
    if (t->n_failures > 0)
        print_failures(t, out);
}
