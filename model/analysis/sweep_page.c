#include "analysis/sweep_html.h"

#include <inttypes.h>

#include "analysis/effects.h"
#include "analysis/svg.h"
#include "analysis/text_grid.h"
#include "report/html/html_page.h"

/* The style of the plots, and dark colours, which other pages switch by script. */
static const char style[] =
    "@media (prefers-color-scheme: dark) { :root { --bg: #14171a; --panel: #1c2024; --ink: #e6e9ec;"
    " --soft: #9aa5b0; --line: #353c43; --grid: #282e34; --accent: #6cb2f5; --bad: #f28b82;"
    " --vpu: #86c76a; --mxu: #5b9bdf; color-scheme: dark; } }\n"
    "svg { width: 100%; max-width: 760px; height: auto; display: block; }\n"
    "svg text { font: 12px system-ui, sans-serif; fill: var(--soft); }\n"
    "svg .name { fill: var(--ink); font-weight: 600; }\n"
    ".grid { stroke: var(--grid); fill: none; } .zero { stroke: var(--ink); fill: none; }\n"
    ".point { fill: var(--soft); opacity: .55; } .front { fill: var(--bad); }\n"
    ".line { stroke: var(--bad); fill: none; stroke-width: 1.5; }\n"
    ".low { fill: var(--vpu); } .high { fill: var(--mxu); }\n"
    "section table { width: auto; } pre { overflow-x: auto; font-size: .86rem; }\n";

static const char *name_of_goal(const struct ask_answer *a, size_t g)
{
    return a->t->column[a->goal[g].column].name;
}

/* A section up to its note, in which the caller goes on. */
static void begin_section(const char *title, const char *of, FILE *out)
{
    fprintf(out, "<section>\n<h2>%s", title);
    svg_text(of, out);
    fputs("</h2>\n<p class=\"note\">", out);
}

static void end_note(FILE *out)
{
    fputs("</p>\n", out);
}

static void end_section(FILE *out)
{
    fputs("</section>\n", out);
}

static void write_points(const struct ask_answer *a, const size_t *rows, size_t n,
                         const size_t *extra, size_t n_extra, FILE *out)
{
    struct text_grid g;

    text_grid_of_points(&g, a->t, rows, n, extra, n_extra);
    text_grid_print_html(&g, out);
}

/* --- plots ----------------------------------------------------------------------------------- */

static void write_scatter(const struct ask_answer *a, FILE *out)
{
    begin_section("All points", "", out);
    fputs("Each dot is a machine. Red: the Pareto front, where to gain in one is to lose in the "
          "other; "
          "whatever is grey is beaten. Rest the pointer on a dot to see what it is.",
          out);
    end_note(out);
    svg_scatter(a, out);
    end_section(out);
}

static void write_tornado(const struct ask_answer *a, size_t f, FILE *out)
{
    begin_section("What moves ", name_of_goal(a, f), out);
    fprintf(out,
            "From the lowest (green) to the highest (blue) value of each parameter, the others in "
            "their "
            "middle, by a power law through %zu points that explains %.0f %% of the spread.",
            a->fit[f].n, 100 * a->fit[f].explained);
    end_note(out);
    svg_tornado(a, f, out);
    end_section(out);
}

/* --- tables ---------------------------------------------------------------------------------- */

static void write_best(const struct ask_answer *a, FILE *out)
{
    size_t shown = a->n < a->q->top ? a->n : (size_t)a->q->top;

    begin_section("Best points", "", out);
    fprintf(out, "%zu of %zu, %s ", shown, a->n, a->best.most ? "most" : "least");
    svg_text(a->t->column[a->best.column].name, out);
    if (a->q->where) {
        fputs(" where ", out);
        svg_text(a->q->where, out);
    }
    fputs(" first. USD and die by the proxies of docs/sweeps.md.", out);
    end_note(out);
    write_points(a, a->rows, shown, &a->best.column, 1, out);
    end_section(out);
}

static void write_front(const struct ask_answer *a, FILE *out)
{
    size_t columns[ASK_MAX_GOALS];

    for (size_t i = 0; i < a->n_goals; i++)
        columns[i] = a->goal[i].column;
    begin_section("Pareto front", "", out);
    fputs("Nothing in the sweep is better than one of these in every goal.", out);
    end_note(out);
    write_points(a, a->front, a->n_front, columns, a->n_goals, out);
    end_section(out);
}

static void write_effects(const struct ask_answer *a, FILE *out)
{
    struct text_grid g;

    if (effects_grid(&g, a)) {
        begin_section("What 10 % more does", "", out);
        fputs("Elasticity: 1 % more of the parameter changes the outcome by so many %.", out);
        end_note(out);
        text_grid_print_html(&g, out);
        end_section(out);
    }
    if (effects_steps_grid(&g, a)) {
        begin_section("What one step does", "", out);
        fputs(
            "All else equal: the average over pairs of points that differ in this parameter alone.",
            out);
        end_note(out);
        text_grid_print_html(&g, out);
        end_section(out);
    }
}

static void write_failures(const struct ask_answer *a, FILE *out)
{
    begin_section("Failed", "", out);
    fputs("Points whose parameters give no valid machine, or whose machine cannot run the step.",
          out);
    end_note(out);
    fputs("<pre>", out);
    for (size_t i = 0; i < a->t->n_failures; i++) {
        fprintf(out, "point %zu: ", a->t->failure[i].id);
        svg_text(a->t->failure[i].error, out);
        putc('\n', out);
    }
    fputs("</pre>\n", out);
    end_section(out);
}

void analysis_html(const struct ask_answer *a, const char *db, const char *plan, FILE *out)
{
    const struct store_count *c = &a->t->count;

    fputs("<!doctype html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" "
          "content=\"width=device-width\">\n<title>",
          out);
    svg_text(db, out);
    fprintf(out, "</title>\n<style>\n%s%s</style>\n<header><h1>Sweep ", html_style, style);
    svg_text(db, out);
    fprintf(out,
            "</h1><p>%" PRIu64 " points, %" PRIu64 " done, %" PRIu64 " failed, %" PRIu64
            " open</p></header>\n<main>\n",
            c->all, c->done, c->failed, c->all - c->done - c->failed);
    if (a->n > 0) {
        if (a->n_goals > 1)
            write_scatter(a, out);
        for (size_t f = 0; f < a->n_fits && a->t->n_parameters > 0; f++)
            write_tornado(a, f, out);
        write_best(a, out);
        if (a->n_front > 0)
            write_front(a, out);
        write_effects(a, out);
    }
    if (a->t->n_failures > 0)
        write_failures(a, out);
    begin_section("Plan", "", out);
    fputs("A plan file that runs this sweep again.", out);
    end_note(out);
    fputs("<pre>", out);
    svg_text(plan, out);
    fputs("</pre>\n", out);
    end_section(out);
    fputs("</main>\n</html>\n", out);
}
