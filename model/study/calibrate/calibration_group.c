/* Kernels that compute the same, and the two halves that they are divided into. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "study/calibrate/calibration_impl.h"

#define LEAST_TOLD 0.02 /* a slope that tells something */
#define COARSE 10e-9    /* seconds of a kernel that neither a profiler nor the model resolves */

/* A kernel whose time is its own work, rather than waiting for another. */
static bool is_fit_for(const struct profiled_kernel *k)
{
    return k->how != PAIRING_NONE && !k->waits && mpq_sgn(k->predicted) > 0 &&
           mpq_sgn(k->measured) > 0;
}

static const char *alike_of(const struct profiled_kernel *k)
{
    return k->alike ? k->alike : k->name;
}

struct member {
    const struct profiled_kernel *k;
    uint32_t place;
};

/* By what they compute, then by their place: equal ones stand together. */
static int compare_members(const void *a, const void *b)
{
    const struct member *x = a, *y = b;
    int order = strcmp(alike_of(x->k), alike_of(y->k));

    if (order == 0)
        order = (x->k->class > y->k->class) - (x->k->class < y->k->class);
    return order ? order : (x->place > y->place) - (x->place < y->place);
}

static bool are_alike(const struct member *a, const struct member *b)
{
    return a->k->class == b->k->class && strcmp(alike_of(a->k), alike_of(b->k)) == 0;
}

/* The longest first. */
static int compare_groups(const void *a, const void *b)
{
    const struct calibration_group *x = a, *y = b;

    if (x->measured != y->measured)
        return x->measured > y->measured ? -1 : 1;
    int order = strcmp(x->alike, y->alike);
    return order ? order : (x->class > y->class) - (x->class < y->class);
}

static void gather_groups(struct calibration_groups *g, const struct member *m, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (i == 0 || !are_alike(&m[i], &m[i - 1]))
            g->group[g->n++] =
                (struct calibration_group){ .alike = alike_of(m[i].k), .class = m[i].k->class };
        struct calibration_group *last = &g->group[g->n - 1];
        last->kernel = memory_resize(last->kernel, last->n + 1, sizeof *last->kernel);
        last->kernel[last->n++] = m[i].place;
        last->measured += mpq_get_d(m[i].k->measured);
        last->coarse += COARSE * (double)m[i].k->count;
    }
    for (size_t i = 0; i < g->n; i++)
        g->group[i].coarse /= g->group[i].measured;
}

void calibration_group_make(struct calibration_groups *g, const struct profiled *p)
{
    struct member *member = memory_zeroed(p->n_kernels, sizeof *member);
    size_t n = 0;

    for (uint32_t i = 0; i < p->n_kernels; i++)
        if (is_fit_for(&p->kernel[i]))
            member[n++] = (struct member){ &p->kernel[i], i };
    qsort(member, n, sizeof *member, compare_members);
    *g = (struct calibration_groups){ .group = memory_zeroed(n, sizeof *g->group) };
    gather_groups(g, member, n);
    qsort(g->group, g->n, sizeof *g->group, compare_groups);
    g->n_fitted = g->n;
    free(member);
}

/* --- halves --------------------------------------------------------------------------------- */

struct told {
    double slope;
    size_t place;
};

/* Those that follow most first. */
static int compare_told(const void *a, const void *b)
{
    const struct told *x = a, *y = b;

    if (x->slope != y->slope)
        return x->slope > y->slope ? -1 : 1;
    return (x->place > y->place) - (x->place < y->place);
}

/* Hold out every other one of the groups that are in no half (-1) and follow constant j. */
static void divide_by(const struct calibration_groups *g, const double *slope, size_t n, size_t j,
                      int *half)
{
    struct told *told = memory_zeroed(g->n, sizeof *told);
    size_t n_told = 0;

    for (size_t i = 0; i < g->n; i++) {
        double by = fabs(slope[i * n + j]);
        if (half[i] < 0 && g->group[i].own && by > LEAST_TOLD)
            told[n_told++] = (struct told){ by, i };
    }
    qsort(told, n_told, sizeof *told, compare_told);
    for (size_t i = 0; i < n_told; i++)
        half[told[i].place] = (int)(i % 2);
    free(told);
}

/* The constant among those not `done` that fewest groups follow. */
static size_t find_least_told(const struct calibration_groups *g, const double *slope, size_t n,
                              const bool *done)
{
    double least = HUGE_VAL;
    size_t found = 0;

    for (size_t j = 0; j < n; j++) {
        double sum = 0;
        for (size_t i = 0; i < g->n; i++)
            sum += g->group[i].own ? slope[i * n + j] * slope[i * n + j] : 0;
        if (!done[j] && sum < least) {
            least = sum;
            found = j;
        }
    }
    return found;
}

/* Those that are fitted on first, else in their order. */
static void sort_halves(struct calibration_groups *g, const int *half)
{
    struct calibration_group *sorted = memory_zeroed(g->n, sizeof *sorted);
    size_t n = 0;

    for (int h = 0; h < 2; h++) {
        for (size_t i = 0; i < g->n; i++)
            if (half[i] == h)
                sorted[n++] = g->group[i];
        g->n_fitted = h == 0 ? n : g->n_fitted;
    }
    free(g->group);
    g->group = sorted;
}

void calibration_group_divide(struct calibration_groups *g, const double *slope, size_t n)
{
    int *half = memory_zeroed(g->n, sizeof *half);
    bool done[CALIBRATION_N] = { false };

    for (size_t i = 0; i < g->n; i++)
        half[i] = -1;
    for (size_t i = 0; i < n; i++) {
        size_t j = find_least_told(g, slope, n, done);
        divide_by(g, slope, n, j, half);
        done[j] = true;
    }
    for (size_t i = 0, rest = 0; i < g->n; i++)
        if (half[i] < 0)
            half[i] = (int)(rest++ % 2);
    sort_halves(g, half);
    free(half);
}

void calibration_group_free(struct calibration_groups *g)
{
    for (size_t i = 0; i < g->n; i++)
        free(g->group[i].kernel);
    free(g->group);
    *g = (struct calibration_groups){ 0 };
}

void calibration_group_sum(const struct calibration_groups *g, const double *seconds,
                           double *predicted)
{
    for (size_t i = 0; i < g->n; i++) {
        predicted[i] = 0;
        for (size_t k = 0; k < g->group[i].n; k++)
            predicted[i] += seconds[g->group[i].kernel[k]];
    }
}

void calibration_group_error(const struct calibration_groups *g, const struct profiled *p, int half,
                             const double *seconds, double *error, size_t *kernels)
{
    size_t first = half ? g->n_fitted : 0, end = half ? g->n : g->n_fitted;
    double wrong = 0, all = 0;

    *kernels = 0;
    for (size_t i = first; i < end; i++)
        for (size_t j = 0; j < g->group[i].n; j++) {
            uint32_t k = g->group[i].kernel[j];
            double measured = mpq_get_d(p->kernel[k].measured);
            wrong += fabs(seconds[k] - measured);
            all += measured;
            ++*kernels;
        }
    *error = all > 0 ? wrong / all : 0;
}
