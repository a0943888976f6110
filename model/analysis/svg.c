#include "analysis/svg.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/value_text.h"
#include "base/memory.h"

#define WIDTH 720
#define HEIGHT 420
#define LEFT 88
#define RIGHT 24
#define TOP 20
#define BOTTOM 56
#define TICKS 6
#define BAR 26 /* height of a bar of a tornado with its gap */

void svg_text(const char *s, FILE *out)
{
    for (; *s; s++) {
        switch (*s) {
        case '&': fputs("&amp;", out); break;
        case '<': fputs("&lt;", out); break;
        case '>': fputs("&gt;", out); break;
        case '"': fputs("&quot;", out); break;
        default: putc(*s, out);
        }
    }
}

/* --- scales ---------------------------------------------------------------------------------- */

#define MAX_TICKS 32
#define WIDE 4 /* values of a range this wide stand in the logarithm, where ratios are lengths */

struct range {
    double low, high;
    bool log;
    double tick[MAX_TICKS];
    size_t n;
};

static double place_value(const struct range *r, double v, double from, double to)
{
    double share =
        r->log ? log(v / r->low) / log(r->high / r->low) : (v - r->low) / (r->high - r->low);

    return from + share * (to - from);
}

/* The next of 1, 2, 5, 10, 20 ... after v, which is one of them. */
static double next_round(double v)
{
    double power = pow(10, floor(log10(v * 1.001))), digit = round(v / power);

    return (digit < 2 ? 2 : digit < 5 ? 5 : 10) * power;
}

/* Round ends and ticks of 1, 2 or 5 times a power of ten, in all or between each other. */
static struct range round_range(double low, double high, bool may_log)
{
    struct range r = { .log = may_log && low > 0 && high >= WIDE * low && high < 1e9 * low };

    if (!(high > low)) { /* one value: some room around it */
        double room = low != 0 ? fabs(low) / 10 : 1;
        low -= room;
        high += room;
    }
    double raw = r.log ? low : (high - low) / TICKS, power = pow(10, floor(log10(raw)));
    double step = raw < 2 * power   ? (r.log || raw <= power ? 1 : 2) * power
                  : raw < 5 * power ? (r.log ? 2 : 5) * power
                                    : (r.log ? 5 : 10) * power;
    r.low = r.log ? step : floor(low / step) * step;
    for (size_t i = 0; r.n < MAX_TICKS; i++) {
        r.high = r.n == 0 ? r.low : r.log ? next_round(r.high) : r.low + (double)i * step;
        r.tick[r.n++] = fabs(r.high) < step / 1000 ? 0 : r.high; /* not -0 */
        if (r.high >= high - step / 1000)
            break;
    }
    return r;
}

/* --- scatter --------------------------------------------------------------------------------- */

static double value_of_goal(const struct ask_answer *a, size_t row, size_t g)
{
    return a->t->row[row][a->goal[g].column].number;
}

static struct range range_of(const struct ask_answer *a, size_t g)
{
    double low = INFINITY, high = -INFINITY;

    for (size_t i = 0; i < a->n; i++) {
        double v = value_of_goal(a, a->rows[i], g);
        if (!isfinite(v))
            continue;
        low = v < low ? v : low;
        high = v > high ? v : high;
    }
    return low <= high ? round_range(low, high, true) : round_range(0, 1, false);
}

static void axis_ticks(const struct ask_answer *a, const struct range *r, size_t g, FILE *out)
{
    const char *name = a->t->column[a->goal[g].column].name;
    char text[VALUE_TEXT_ROOM];

    for (size_t i = 0; i < r->n; i++) {
        double v = r->tick[i];
        value_number(name, v, text, sizeof text);
        if (g == 0) {
            double x = place_value(r, v, LEFT, WIDTH - RIGHT);
            fprintf(out, "<path class=\"grid\" d=\"M%.1f %d V%d\"/>", x, TOP, HEIGHT - BOTTOM);
            fprintf(out, "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">", x,
                    HEIGHT - BOTTOM + 18);
        } else {
            double y = place_value(r, v, HEIGHT - BOTTOM, TOP);
            fprintf(out, "<path class=\"grid\" d=\"M%d %.1f H%d\"/>", LEFT, y, WIDTH - RIGHT);
            fprintf(out, "<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">", LEFT - 6, y + 4);
        }
        svg_text(text, out);
        fputs("</text>\n", out);
    }
}

static void write_titles(const struct ask_answer *a, FILE *out)
{
    fprintf(out, "<text class=\"name\" x=\"%d\" y=\"%d\" text-anchor=\"middle\">",
            (LEFT + WIDTH - RIGHT) / 2, HEIGHT - 12);
    svg_text(a->t->column[a->goal[0].column].name, out);
    fprintf(out,
            "</text>\n<text class=\"name\" transform=\"translate(16 %d) rotate(-90)\" "
            "text-anchor=\"middle\">",
            (TOP + HEIGHT - BOTTOM) / 2);
    svg_text(a->t->column[a->goal[1].column].name, out);
    fputs("</text>\n", out);
}

static void draw_point(const struct ask_answer *a, size_t row, const struct range *x,
                       const struct range *y, bool front, FILE *out)
{
    char text[VALUE_TEXT_ROOM];

    fprintf(out, "<circle class=\"%s\" cx=\"%.1f\" cy=\"%.1f\" r=\"%s\"><title>point %zu",
            front ? "front" : "point",
            place_value(x, value_of_goal(a, row, 0), LEFT, WIDTH - RIGHT),
            place_value(y, value_of_goal(a, row, 1), HEIGHT - BOTTOM, TOP), front ? "5" : "3.5",
            a->t->id[row]);
    for (size_t c = 0; c < a->t->n_parameters; c++) {
        fputs("\n", out);
        svg_text(a->t->column[c].name, out);
        fputs(" ", out);
        svg_text(a->t->text[row][c], out);
    }
    for (size_t g = 0; g < a->n_goals; g++) {
        fputs("\n", out);
        svg_text(value_heading(a->t->column[a->goal[g].column].name), out);
        fputs(" ", out);
        svg_text(value_cell(a->t, row, a->goal[g].column, text, sizeof text), out);
    }
    fputs("</title></circle>\n", out);
}

void svg_scatter(const struct ask_answer *a, FILE *out)
{
    struct range x = range_of(a, 0), y = range_of(a, 1);

    fprintf(out,
            "<svg viewBox=\"0 0 %d %d\" role=\"img\" aria-label=\"scatter plot of all points\">\n",
            WIDTH, HEIGHT);
    axis_ticks(a, &x, 0, out);
    axis_ticks(a, &y, 1, out);
    write_titles(a, out);
    for (size_t i = 0; i < a->n; i++)
        if (isfinite(value_of_goal(a, a->rows[i], 0)) && isfinite(value_of_goal(a, a->rows[i], 1)))
            draw_point(a, a->rows[i], &x, &y, false, out);
    if (a->n_goals == 2) { /* with more goals the front is no line in a plane */
        fputs("<path class=\"line\" d=\"", out);
        for (size_t i = 0; i < a->n_front; i++)
            fprintf(out, "%s%.1f %.1f", i ? " L" : "M",
                    place_value(&x, value_of_goal(a, a->front[i], 0), LEFT, WIDTH - RIGHT),
                    place_value(&y, value_of_goal(a, a->front[i], 1), HEIGHT - BOTTOM, TOP));
        fputs("\"/>\n", out);
    }
    for (size_t i = 0; i < a->n_front; i++)
        draw_point(a, a->front[i], &x, &y, true, out);
    fputs("</svg>\n", out);
}

/* --- tornado --------------------------------------------------------------------------------- */

struct bar {
    size_t parameter;
    double low, high; /* change of the goal, as a ratio - 1 */
};

static int compare_bars(const void *a, const void *b)
{
    const struct bar *x = a, *y = b;
    double wide = fabs(y->high - y->low) - fabs(x->high - x->low);

    if (wide != 0)
        return wide > 0 ? 1 : -1;
    return x->parameter < y->parameter ? -1 : 1;
}

static void draw_bar(const struct ask_answer *a, const struct bar *b, size_t i,
                     const struct range *r, FILE *out)
{
    const int left = 190;
    double y = TOP + (double)(BAR * i), x0 = place_value(r, b->low, left, WIDTH - RIGHT),
           x1 = place_value(r, b->high, left, WIDTH - RIGHT),
           zero = place_value(r, 0, left, WIDTH - RIGHT);

    fprintf(out, "<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">", left - 8, y + 14);
    svg_text(a->t->column[b->parameter].name, out);
    fputs("</text>\n", out);
    for (int end = 0; end < 2; end++) {
        double x = end ? x1 : x0, change = end ? b->high : b->low;
        fprintf(out,
                "<rect class=\"%s\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%d\"><title>",
                end ? "high" : "low", x < zero ? x : zero, y, fabs(x - zero), BAR - 8);
        svg_text(a->t->column[b->parameter].name, out);
        fprintf(out, ", %s value: %+.1f %%</title></rect>\n", end ? "highest" : "lowest",
                100 * change);
    }
}

void svg_tornado(const struct ask_answer *a, size_t f, FILE *out)
{
    const struct fit *fit = &a->fit[f];
    struct bar *bars = memory_zeroed(a->t->n_parameters + 1, sizeof *bars);
    double low = 0, high = 0;
    size_t n = 0;

    for (size_t c = 0; c < a->t->n_parameters; c++) {
        if (isnan(fit->elasticity[c]))
            continue;
        struct bar b = { c, expm1(fit->elasticity[c] * fit->low[c]),
                         expm1(fit->elasticity[c] * fit->high[c]) };
        low = fmin(low, fmin(b.low, b.high));
        high = fmax(high, fmax(b.low, b.high));
        bars[n++] = b;
    }
    qsort(bars, n, sizeof *bars, compare_bars);
    struct range r = round_range(low, high, false);
    int height = TOP + BAR * (int)n + 40;
    fprintf(out, "<svg viewBox=\"0 0 %d %d\" role=\"img\" aria-label=\"tornado plot\">\n", WIDTH,
            height);
    for (size_t i = 0; i < r.n; i++) {
        double v = r.tick[i], x = place_value(&r, v, 190, WIDTH - RIGHT);
        bool zero = v == 0;
        fprintf(out,
                "<path class=\"%s\" d=\"M%.1f %d V%d\"/><text x=\"%.1f\" y=\"%d\" "
                "text-anchor=\"middle\">%+.4g %%</text>\n",
                zero ? "zero" : "grid", x, TOP - 6, height - 30, x, height - 12,
                zero ? 0 : 100 * v);
    }
    for (size_t i = 0; i < n; i++)
        draw_bar(a, &bars[i], i, &r, out);
    fputs("</svg>\n", out);
    free(bars);
}
