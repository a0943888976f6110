/* Errors of groups of kernels, and the equations that say where constants are to move. */
#include <math.h>
#include <stdlib.h>

#include "study/calibrate/calibration_impl.h"

#define HUBER 1.345   /* standard deviations up to which a group counts in full */
#define MEDIAN 0.6745 /* of the absolute value of a normal variable */
#define PRIOR 0.3     /* a constant is as likely to be that far off, in logarithms */

/* The error that a group may have, as a standard deviation. */
static double deviation_of(const struct calibration_fit *f, size_t i, double off)
{
    const struct calibration_group *g = &f->groups.group[i];

    return hypot(hypot(off, f->noise / sqrt((double)g->n)), hypot(g->refresh, g->coarse));
}

/* The rest that is left of group i, in standard deviations. */
static double rest_of(const struct calibration_fit *f, size_t i, const double *predicted,
                      double off)
{
    return log(f->groups.group[i].measured / predicted[i]) / deviation_of(f, i, off);
}

static int compare_doubles(const void *a, const void *b)
{
    const double *x = a, *y = b;

    return (*x > *y) - (*x < *y);
}

/* The median over the fitted groups of what is left, in standard deviations. */
static double find_median(const struct calibration_fit *f, double off)
{
    double *rest = f->row.rest;
    size_t n = 0;

    for (size_t i = 0; i < f->groups.n_fitted; i++)
        if (f->groups.group[i].own)
            rest[n++] = fabs(rest_of(f, i, f->now, off));
    qsort(rest, n, sizeof *rest, compare_doubles);
    return n > 0 ? rest[n / 2] : 0;
}

double calibration_loss_off(const struct calibration_fit *f, double least)
{
    double low = least, high = 10;

    if (find_median(f, low) <= MEDIAN)
        return low;
    for (int i = 0; i < 30; i++) {
        double middle = sqrt(low * high);
        if (find_median(f, middle) > MEDIAN)
            low = middle;
        else
            high = middle;
    }
    return high;
}

/* The distance of constant j of `spec` from what it was, in standard deviations of PRIOR. */
static double distance_of(const struct calibration_fit *f, const struct machine_spec *spec,
                          size_t j)
{
    double before = (double)calibration_amount(f->begin, f->key[j]);

    return log((double)calibration_amount(spec, f->key[j]) / before) / PRIOR;
}

double calibration_loss_sum(const struct calibration_fit *f, const struct machine_spec *spec,
                            const double *predicted)
{
    double sum = 0;

    for (size_t i = 0; i < f->groups.n_fitted; i++) {
        double rest = fabs(rest_of(f, i, predicted, f->off));
        if (f->groups.group[i].own)
            sum += rest < HUBER ? rest * rest / 2 : HUBER * (rest - HUBER / 2);
    }
    for (size_t j = 0; j < f->n; j++)
        sum += distance_of(f, spec, j) * distance_of(f, spec, j) / 2;
    return sum;
}

/* --- equations ------------------------------------------------------------------------------ */

/* A row for each group of a half, and one for each constant, which draws it to what it was. */
static size_t fill_rows(struct calibration_fit *f, int half)
{
    size_t first = half ? f->groups.n_fitted : 0, end = half ? f->groups.n : f->groups.n_fitted;
    size_t n = 0;

    for (size_t i = first; i < end; i++) {
        const struct calibration_group *g = &f->groups.group[i];
        double deviation = deviation_of(f, i, f->off);
        if (!g->own)
            continue;
        f->row.kernels[n] = (double)g->n;
        f->row.rest[n] = rest_of(f, i, f->now, f->off);
        f->row.weight[n] = fabs(f->row.rest[n]) > HUBER ? HUBER / fabs(f->row.rest[n]) : 1;
        for (size_t j = 0; j < f->n; j++)
            f->row.slope[n * f->n + j] = f->slope[i * f->n + j] / deviation;
        n++;
    }
    for (size_t j = 0; j < f->n; j++, n++) {
        f->row.rest[n] = -distance_of(f, &f->spec, j);
        f->row.weight[n] = 1;
        f->row.kernels[n] = 1;
        for (size_t k = 0; k < f->n; k++)
            f->row.slope[n * f->n + k] = k == j ? 1 / PRIOR : 0;
    }
    return n;
}

void calibration_loss_solve(struct calibration_fit *f, double *x)
{
    struct calibration_unknown one[CALIBRATION_N], other[CALIBRATION_N];

    size_t n = fill_rows(f, 1);
    calibration_solve(f->row.slope, f->row.rest, f->row.weight, n, f->n, 1, other);
    n = fill_rows(f, 0);
    calibration_solve(f->row.slope, f->row.rest, f->row.weight, n, f->n, 1, one);
    for (size_t j = 0; j < f->n; j++) {
        double apart = fabs(one[j].by - other[j].by);
        bool both = other[j].error < calibration_most_error(&f->spec);
        x[j] = one[j].by;
        f->error[j] = one[j].error;
        f->alone[j] = both ? 0 : one[j].part / f->row.kernels[one[j].row];
        if (both && apart > 2 * hypot(one[j].error, other[j].error))
            f->error[j] = fmax(f->error[j], apart / 2);
    }
}
