#include "sweep/report/fit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

#define COLLINEAR 1e-9 /* of a regressor's variance that others leave */

/* One column of the regression: a numeric parameter, or one value of a word. */
struct regressor {
    size_t parameter;
    const char *word; /* NULL: ln x */
    double mean;
};

struct system {
    const struct sweep_table *t;
    const size_t *rows;
    size_t n, y;
    struct regressor *r;
    size_t p;
};

static double value_of_regressor(const struct system *s, const struct regressor *r, size_t row)
{
    const struct expr_value *v = &s->t->row[row][r->parameter];

    return r->word ? v->text && strcmp(v->text, r->word) == 0 : log(v->number);
}

/* All values known and above zero, so that they have logarithms. */
static bool has_logarithm(const struct system *s, size_t c)
{
    for (size_t i = 0; i < s->n; i++) {
        const struct expr_value *v = &s->t->row[s->rows[i]][c];
        if (v->text || !(v->number > 0))
            return false;
    }
    return true;
}

static void add_regressor(struct system *s, size_t c, const char *word)
{
    MEMORY_ADD(s->r, s->p);
    s->r[s->p++] = (struct regressor){ c, word, 0 };
}

/* Each word but the first one met. */
static void add_words(struct system *s, size_t c)
{
    size_t begin = s->p;

    for (size_t i = 0; i < s->n; i++) {
        const char *word = s->t->row[s->rows[i]][c].text;
        bool there =
            !word ||
            strcmp(word, s->t->row[s->rows[0]][c].text ? s->t->row[s->rows[0]][c].text : "") == 0;
        for (size_t k = begin; k < s->p && !there; k++)
            there = strcmp(s->r[k].word, word) == 0;
        if (!there)
            add_regressor(s, c, word);
    }
}

static void choose_regressors(struct system *s)
{
    const struct plan *plan = &s->t->plan;

    for (size_t c = 0; c < s->t->n_parameters; c++) {
        if (plan->zip && plan->zip[c] != c)
            continue;
        if (has_logarithm(s, c))
            add_regressor(s, c, NULL);
        else
            add_words(s, c);
    }
    for (size_t k = 0; k < s->p; k++) {
        for (size_t i = 0; i < s->n; i++)
            s->r[k].mean += value_of_regressor(s, &s->r[k], s->rows[i]);
        s->r[k].mean /= (double)s->n;
    }
}

/* Lower triangle of the p + 1 by p + 1 matrix of products of regressors and, last, ln y. */
static double *sum_products(const struct system *s, double mean_y)
{
    size_t m = s->p + 1;
    double *a = memory_zeroed(m * m, sizeof *a), *x = memory_zeroed(m, sizeof *x);

    for (size_t i = 0; i < s->n; i++) {
        for (size_t k = 0; k < s->p; k++)
            x[k] = value_of_regressor(s, &s->r[k], s->rows[i]) - s->r[k].mean;
        x[s->p] = log(s->t->row[s->rows[i]][s->y].number) - mean_y;
        for (size_t k = 0; k < m; k++)
            for (size_t l = 0; l <= k; l++)
                a[k * m + l] += x[k] * x[l];
    }
    free(x);
    return a;
}

/* Cholesky's factor in place; a regressor that the ones before it explain is left out (its row
 * becomes zero).  The last row becomes that of ln y. */
static void factor_matrix(double *a, size_t m)
{
    for (size_t k = 0; k < m; k++) {
        double whole = a[k * m + k];
        for (size_t l = 0; l <= k; l++) {
            double sum = a[k * m + l];
            for (size_t j = 0; j < l; j++)
                sum -= a[k * m + j] * a[l * m + j];
            if (l < k)
                a[k * m + l] = a[l * m + l] > 0 ? sum / a[l * m + l] : 0;
            else
                a[k * m + k] = sum > COLLINEAR * whole && sum > 0 ? sqrt(sum) : 0;
        }
    }
}

void fit_init(struct fit *f, const struct sweep_table *t, const size_t *rows, size_t n, size_t y)
{
    size_t *good = memory_zeroed(n + 1, sizeof *good);
    struct system s = { .t = t, .rows = good, .y = y };
    double mean_y = 0;

    for (size_t i = 0; i < n; i++)
        if (t->row[rows[i]][y].number > 0) {
            good[s.n++] = rows[i];
            mean_y += log(t->row[rows[i]][y].number);
        }
    size_t room = t->n_parameters + 1;
    *f =
        (struct fit){ s.n, memory_zeroed(room, sizeof(double)), memory_zeroed(room, sizeof(double)),
                      memory_zeroed(room, sizeof(double)), NAN };
    for (size_t c = 0; c < t->n_parameters; c++)
        f->elasticity[c] = NAN;
    if (s.n > 0) {
        mean_y /= (double)s.n;
        choose_regressors(&s);
        size_t m = s.p + 1;
        double *a = sum_products(&s, mean_y), *b = memory_zeroed(m, sizeof *b);
        double all = a[m * m - 1], explained = 0;
        factor_matrix(a, m);
        for (size_t k = 0; k < s.p; k++)
            explained += a[s.p * m + k] * a[s.p * m + k];
        for (size_t k = s.p; k-- > 0;) {
            double sum = a[s.p * m + k];
            for (size_t j = k + 1; j < s.p; j++)
                sum -= a[j * m + k] * b[j];
            b[k] = a[k * m + k] > 0 ? sum / a[k * m + k] : 0;
            if (!s.r[k].word && a[k * m + k] > 0)
                f->elasticity[s.r[k].parameter] = b[k];
        }
        for (size_t k = 0; k < s.p; k++)
            for (size_t i = 0; i < s.n && !s.r[k].word; i++) {
                double x = value_of_regressor(&s, &s.r[k], good[i]) - s.r[k].mean;
                size_t c = s.r[k].parameter;
                f->low[c] = x < f->low[c] ? x : f->low[c];
                f->high[c] = x > f->high[c] ? x : f->high[c];
            }
        f->explained = all > 0 ? explained / all : NAN;
        free(a);
        free(b);
    }
    free(s.r);
    free(good);
}

void fit_clear(struct fit *f)
{
    free(f->elasticity);
    free(f->low);
    free(f->high);
}

double fit_effect(const struct fit *f, size_t c, double times)
{
    return expm1(f->elasticity[c] * log(times));
}

double fit_range(const struct fit *f, size_t c)
{
    return expm1(fabs(f->elasticity[c]) * (f->high[c] - f->low[c]));
}
