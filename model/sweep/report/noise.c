#include "sweep/report/noise.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "sweep/report/pairs.h"

bool noise_is_timed(const char *figure)
{
    static const char *const begins[] = { "seconds_per",        "samples_per",
                                          "usd_per_epoch",      "usd_per_step",
                                          "usd_per_million",    "proxy.usd_per_epoch",
                                          "proxy.usd_per_step", "proxy.samples_per",
                                          "joules_per" };

    for (size_t i = 0; i < sizeof begins / sizeof *begins; i++)
        if (strncmp(figure, begins[i], strlen(begins[i])) == 0)
            return true;
    return false;
}

/* True if the values of parameter p, and of what goes along with it, are numbers: machines,
 * workloads and words have no neighbours. */
static bool has_neighbours(const struct sweep_table *t, size_t p)
{
    for (size_t c = 0; c < t->n_parameters; c++)
        if ((c == p || (t->plan.zip && t->plan.zip[c] == p)) && !key_unit(t->column[c].key))
            return false;
    return true;
}

struct value {
    const struct sweep_table *t;
    size_t parameter;
};

static int compare_values(const void *a, const void *b, void *self)
{
    const struct value *v = self;
    double x = v->t->row[*(const size_t *)a][v->parameter].number,
           y = v->t->row[*(const size_t *)b][v->parameter].number;

    return x < y ? -1 : x > y;
}

/* The largest step of a line of `n` rows that the steps before and after it reverse. */
static double find_swing(const struct sweep_table *t, const size_t *line, size_t n, size_t c)
{
    double most = 0, last[2] = { 0, 0 };

    for (size_t i = 1; i < n; i++) {
        double step = log(t->row[line[i]][c].number / t->row[line[i - 1]][c].number);
        if (!isfinite(step))
            return most;
        if (last[0] * last[1] < 0 && last[1] * step < 0 && fabs(last[1]) > most)
            most = fabs(last[1]);
        last[0] = last[1];
        last[1] = step;
    }
    return most;
}

double noise_of(const struct sweep_table *t, const size_t *rows, size_t n, size_t c)
{
    double most = 0;

    if (!noise_is_timed(t->column[c].name))
        return 0;
    for (size_t p = 0; p < t->n_parameters; p++) {
        struct value by = { t, p };
        size_t *order = has_neighbours(t, p) ? pairs_order(t, rows, n, p) : NULL, end;
        for (size_t i = 0; order && i < n; i = end) {
            for (end = i + 1; end < n && pairs_same_line(t, p, order[i], order[end]);)
                end++;
            /* an axis may list its values in any order */
            qsort_r(order + i, end - i, sizeof *order, compare_values, &by);
            double swing = expm1(find_swing(t, order + i, end - i, c));
            most = swing > most ? swing : most;
        }
        free(order);
    }
    return most > NOISE_LEAST ? most : NOISE_LEAST;
}

bool noise_covers(double noise, double share)
{
    /* a third less is as far as half more */
    return fabs(log1p(share)) <= log1p(noise);
}
