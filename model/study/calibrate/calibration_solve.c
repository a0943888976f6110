/* Weighted least squares with few unknowns, by the normal equations and Cholesky. */
#include <math.h>

#include "study/calibrate/calibration.h"

#define TINY 1e-9 /* of the diagonal before: an unknown that the ones before it explain */

/* The lower triangle of a, in place: a = L L^T.  An unknown whose pivot vanishes gets an infinite
 * one, which makes it 0. */
static void factor_matrix(double a[CALIBRATION_N][CALIBRATION_N], size_t n)
{
    for (size_t j = 0; j < n; j++) {
        double least = TINY * a[j][j];
        for (size_t k = 0; k < j; k++)
            a[j][j] -= a[j][k] * a[j][k];
        a[j][j] = a[j][j] > least ? sqrt(a[j][j]) : HUGE_VAL;
        for (size_t i = j + 1; i < n; i++) {
            for (size_t k = 0; k < j; k++)
                a[i][j] -= a[i][k] * a[j][k];
            a[i][j] /= a[j][j];
        }
    }
}

static void solve_factored(double a[CALIBRATION_N][CALIBRATION_N], size_t n, double *x)
{
    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; k < i; k++)
            x[i] -= a[i][k] * x[k];
        x[i] /= a[i][i];
    }
    for (size_t i = n; i-- > 0;) {
        for (size_t k = i + 1; k < n; k++)
            x[i] -= a[k][i] * x[k];
        x[i] /= a[i][i];
    }
}

/* The sum of squares of what is left; a row of less weight counts as less far off, as in Huber's
 * estimate of the variance. */
static double add_left(const double *slope, const double *r, const double *w, size_t rows, size_t n,
                       const double *x)
{
    double left = 0;

    for (size_t i = 0; i < rows; i++) {
        double rest = r[i];
        for (size_t j = 0; j < n; j++)
            rest -= slope[i * n + j] * x[j];
        left += w[i] * rest * w[i] * rest;
    }
    return left;
}

/* The row with the largest part in the variance of an unknown, where `unit` is its column of the
 * inverse matrix.  Sets its part. */
static size_t find_largest(const double *slope, const double *w, size_t rows, size_t n,
                           const double *unit, double *part)
{
    double most = 0, all = 0;
    size_t found = 0;

    for (size_t i = 0; i < rows; i++) {
        double by = 0;
        for (size_t j = 0; j < n; j++)
            by += slope[i * n + j] * unit[j];
        by *= by * w[i];
        all += by;
        if (by > most) {
            most = by;
            found = i;
        }
    }
    *part = all > 0 ? most / all : 1;
    return found;
}

void calibration_solve(const double *slope, const double *r, const double *w, size_t rows, size_t n,
                       double least, struct calibration_unknown *x)
{
    double a[CALIBRATION_N][CALIBRATION_N] = { { 0 } }, by[CALIBRATION_N] = { 0 };

    for (size_t i = 0; i < rows; i++)
        for (size_t j = 0; j < n; j++) {
            by[j] += w[i] * slope[i * n + j] * r[i];
            for (size_t k = 0; k <= j; k++)
                a[j][k] += w[i] * slope[i * n + j] * slope[i * n + k];
        }
    factor_matrix(a, n);
    solve_factored(a, n, by);
    double left = add_left(slope, r, w, rows, n, by) / (rows > n ? (double)(rows - n) : 1);
    for (size_t j = 0; j < n; j++) {
        double unit[CALIBRATION_N] = { 0 };
        unit[j] = 1;
        solve_factored(a, n, unit);
        x[j].by = by[j];
        x[j].error = isinf(a[j][j]) ? HUGE_VAL : sqrt(fmax(left, least * least) * unit[j]);
        x[j].row = find_largest(slope, w, rows, n, unit, &x[j].part);
    }
}
