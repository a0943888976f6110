#include "analysis/html.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/grid.h"
#include "analysis/svg.h"

static const char style[] =
    ":root{--ink:#1d2733;--soft:#5b6875;--line:#d9dfe5;--paper:#fff;--mark:#0b63b0;--warm:#c8553d;-"
    "-cool:#3a8f7b}\n"
    "@media(prefers-color-scheme:dark){:root{--ink:#e4e9ee;--soft:#9aa7b3;--line:#36424e;--paper:#"
    "151b21;"
    "--mark:#6cb2f2;--warm:#e58a74;--cool:#6fc3ae}}\n"
    "body{font:15px/1.5 "
    "system-ui,sans-serif;color:var(--ink);background:var(--paper);max-width:64em;margin:2em auto;"
    "padding:0 1em}\n"
    "h1{font-size:1.4em}h2{font-size:1.1em;margin-top:2.2em;border-bottom:1px solid var(--line)}\n"
    "p{color:var(--soft);max-width:46em}\n"
    "table{border-collapse:collapse;font-variant-numeric:tabular-nums;display:block;overflow-x:"
    "auto}\n"
    "th,td{padding:.2em .8em;border-bottom:1px solid "
    "var(--line);text-align:right;white-space:nowrap}\n"
    "th{color:var(--soft);font-weight:600}th.w,td.w{text-align:left}\n"
    "svg{width:100%;max-width:720px;height:auto;display:block}svg text{font:12px "
    "system-ui,sans-serif;fill:var(--soft)}\n"
    "svg "
    ".name{fill:var(--ink);font-weight:600}.grid{stroke:var(--line);fill:none}.zero{stroke:var(--"
    "ink);fill:none}\n"
    ".point{fill:var(--soft);opacity:.55}.front{fill:var(--warm)}.line{stroke:var(--warm);fill:"
    "none;stroke-width:1.5}\n"
    ".low{fill:var(--cool)}.high{fill:var(--mark)}pre{overflow-x:auto;border:1px solid "
    "var(--line);padding:.8em}\n";

static const char *name(const struct answer *a, size_t g)
{
    return a->t->column[a->goal[g].column].name;
}

static void section(const char *title, const char *text, FILE *out)
{
    fprintf(out, "<h2>%s</h2>\n<p>%s</p>\n", title, text);
}

static void points(const struct answer *a, const size_t *rows, size_t n, const size_t *extra,
                   size_t n_extra, FILE *out)
{
    struct grid g;

    grid_of_points(&g, a->t, rows, n, extra, n_extra);
    grid_print_html(&g, out);
}

static void plots(const struct answer *a, FILE *out)
{
    if (a->n_goals > 1) {
        section("All points",
                "Each dot is a machine. Red: the Pareto front, where to gain in one is to lose in "
                "the other; "
                "whatever is grey is beaten. Rest the pointer on a dot to see what it is.",
                out);
        svg_scatter(a, out);
    }
    for (size_t f = 0; f < a->n_fits; f++) {
        if (a->t->n_parameters == 0)
            continue;
        fputs("<h2>What moves ", out);
        svg_text(name(a, f), out);
        fprintf(
            out,
            "</h2>\n<p>From the lowest (green) to the highest (blue) value of each parameter, the "
            "others in their "
            "middle, by a power law through %zu points that explains %.0f %% of the spread.</p>\n",
            a->fit[f].n, 100 * a->fit[f].explained);
        svg_tornado(a, f, out);
    }
}

static void tables(const struct answer *a, FILE *out)
{
    size_t columns[ASK_MAX_GOALS], shown = a->n < a->q->top ? a->n : (size_t)a->q->top;
    struct grid g;

    fprintf(out, "<h2>Best %zu of %zu points</h2>\n<p>%s ", shown, a->n,
            a->best.most ? "Most" : "Least");
    svg_text(a->t->column[a->best.column].name, out);
    if (a->q->where) {
        fputs(" where ", out);
        svg_text(a->q->where, out);
    }
    fputs(" first. USD and die by the proxies of docs/sweeps.md.</p>\n", out);
    points(a, a->rows, shown, &a->best.column, 1, out);
    if (a->n_front > 0) {
        for (size_t i = 0; i < a->n_goals; i++)
            columns[i] = a->goal[i].column;
        section("Pareto front", "Nothing in the sweep is better than one of these in every goal.",
                out);
        points(a, a->front, a->n_front, columns, a->n_goals, out);
    }
    if (grid_of_effects(&g, a)) {
        section("What 10 % more buys",
                "Elasticity: 1 % more of the parameter changes the outcome by so many %.", out);
        grid_print_html(&g, out);
    }
    if (grid_of_steps(&g, a)) {
        section("What one step does",
                "All else equal: the mean over pairs of points that differ in it alone.", out);
        grid_print_html(&g, out);
    }
}

static void failures(const struct answer *a, FILE *out)
{
    if (a->t->n_failures == 0)
        return;
    section("Failed", "Points that make no machine, or cannot run the step.", out);
    fputs("<pre>", out);
    for (size_t i = 0; i < a->t->n_failures; i++) {
        fprintf(out, "point %zu: ", a->t->failure[i].id);
        svg_text(a->t->failure[i].error, out);
        putc('\n', out);
    }
    fputs("</pre>\n", out);
}

void analysis_html(const struct answer *a, const char *db, const char *plan, FILE *out)
{
    const struct store_count *c = &a->t->count;

    fputs("<!doctype html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" "
          "content=\"width=device-width\">\n<title>",
          out);
    svg_text(db, out);
    fprintf(out, "</title>\n<style>\n%s</style>\n<h1>Sweep ", style);
    svg_text(db, out);
    fprintf(out,
            "</h1>\n<p>%" PRIu64 " points, %" PRIu64 " done, %" PRIu64 " failed, %" PRIu64
            " open.</p>\n",
            c->all, c->done, c->failed, c->all - c->done - c->failed);
    if (a->n > 0) {
        plots(a, out);
        tables(a, out);
    }
    failures(a, out);
    fputs("<h2>Plan</h2>\n<pre>", out);
    svg_text(plan, out);
    fputs("</pre>\n</html>\n", out);
}
