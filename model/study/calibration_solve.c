/* Weighted least squares with few unknowns, by the normal equations and Cholesky. */
#include <math.h>
#include <string.h>

#include "study/calibration.h"

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

void calibration_solve(const double *slope, const double *r, const double *w, size_t rows, size_t n,
                       double *x, double *error)
{
    double a[CALIBRATION_N][CALIBRATION_N] = { { 0 } }, unit[CALIBRATION_N], left = 0;

    memset(x, 0, n * sizeof *x);
    for (size_t i = 0; i < rows; i++)
        for (size_t j = 0; j < n; j++) {
            x[j] += w[i] * slope[i * n + j] * r[i];
            for (size_t k = 0; k <= j; k++)
                a[j][k] += w[i] * slope[i * n + j] * slope[i * n + k];
        }
    factor_matrix(a, n);
    solve_factored(a, n, x);
    for (size_t i = 0; i < rows; i++) {
        double rest = r[i];
        for (size_t j = 0; j < n; j++)
            rest -= slope[i * n + j] * x[j];
        left += w[i] * rest * rest;
    }
    left /= rows > n ? (double)(rows - n) : 1;
    for (size_t j = 0; j < n; j++) {
        memset(unit, 0, sizeof unit);
        unit[j] = 1;
        solve_factored(a, n, unit);
        error[j] = isinf(a[j][j]) ? HUGE_VAL : sqrt(left * unit[j]);
    }
}
