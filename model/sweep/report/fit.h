/* fit.h - how an outcome follows its parameters: one power law through all points.
 *
 *     ln y = a + sum over numeric parameters of e * ln x + an amount for each other value of a word
 *
 * by least squares.  e is the elasticity: + 1 % of x makes + e % of y.  A parameter that goes along
 * with another one (a zip), or whose part cannot be told from others, has none. */
#ifndef SWEEP_REPORT_FIT_H
#define SWEEP_REPORT_FIT_H

#include "sweep/report/sweep_table.h"

struct fit {
    size_t n;           /* points with a positive outcome */
    double *elasticity; /* of parameter c; NAN: none */
    double *low, *high; /* ends of ln x, about its mean */
    double explained;   /* share of the variance of ln y, R^2 */
};

/* Fit column `y` over the rows.  O(n * p^2 + p^3). */
void fit_init(struct fit *f, const struct sweep_table *t, const size_t *rows, size_t n, size_t y);
void fit_clear(struct fit *f);

/* The relative change of the outcome if the parameter is multiplied by `times`: times^e - 1. */
double fit_effect(const struct fit *f, size_t c, double times);

/* The change of the outcome over all values of the parameter, as a share of its least. */
double fit_range(const struct fit *f, size_t c);

#endif
