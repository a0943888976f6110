/* Refreshes of HBM in measured kernels.
 *
 * A kernel of a microsecond meets a refresh or not, by the moment at which it begins, which a small
 * change of the kernels before it decides.  So kernels are predicted with refreshes spread evenly,
 * and what a measured kernel met more or less than the average is taken off:
 *
 *     time   |---- without ----|          none met
 *            |---- without ----|--|       the average: n refreshes, say 0.3
 *            |---- without ----|-------|  one met
 *
 * Each of the three has a probability: half of all profiles are means over many moments, the others
 * have a whole number, which is n on average; and by how near it is to what was measured.  While
 * the constants are far off, all are as likely as at first, and the average stays.  */
#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "study/calibrate/calibration_impl.h"

#define MEDIAN 0.6745 /* of the absolute value of a normal variable */

struct moments {
    double mean, variance; /* of the refreshes met more than on average */
};

/* `n` are met on average.  t: measured seconds, with `n`: predicted ones; `takes` of a refresh. */
static struct moments guess_moments(double n, double t, double predicted, double takes,
                                    double scatter)
{
    double part = n - floor(n), more[] = { 0, -part, 1 - part };
    double weight[] = { 0.5, 0.5 * (1 - part), 0.5 * part }, near = HUGE_VAL, off[3], sum = 0;
    struct moments m = { 0 };

    for (int i = 0; i < 3; i++) {
        off[i] = log(t / fmax(predicted + more[i] * takes, predicted / 2)) / scatter;
        near = fmin(near, off[i] * off[i]);
    }
    for (int i = 0; i < 3; i++) {
        weight[i] *= exp((near - off[i] * off[i]) / 2);
        sum += weight[i];
        m.mean += weight[i] * more[i];
        m.variance += weight[i] * more[i] * more[i];
    }
    m.mean /= sum;
    m.variance = fmax(m.variance / sum - m.mean * m.mean, 0);
    return m;
}

/* Take the refreshes of a kernel off; add to the variance of its group in seconds. */
static double take_off(const struct profiled_kernel *k, double seconds, double without,
                       double takes, double scatter, double *variance)
{
    double measured = mpq_get_d(k->measured), count = (double)(k->count ? k->count : 1);
    double n = takes > 0 ? (seconds - without) / takes / count : 0, part = n - floor(n);

    if (n <= 0)
        return measured;
    if (count > 1) { /* a mean already */
        *variance += count * part * (1 - part) * takes * takes;
        return measured;
    }
    struct moments m = guess_moments(n, measured, seconds, takes, scatter);
    *variance += m.variance * takes * takes;
    return fmax(measured - m.mean * takes, measured / 2);
}

/* Set what group g measured; seconds and without: [kernels] with refreshes spread evenly and with
 * none.  deviation[]: of its kernels from their mean, in logarithms; returns how many there are. */
static size_t measure_group(struct calibration_group *g, const struct profiled *p,
                            const double *seconds, const double *without, double takes,
                            double scatter, double *deviation)
{
    double variance = 0, mean = 0, n = (double)g->n;

    g->measured = 0;
    for (size_t j = 0; j < g->n; j++) {
        uint32_t k = g->kernel[j];
        double t = take_off(&p->kernel[k], seconds[k], without[k], takes, scatter, &variance);
        deviation[j] = log(t / seconds[k]);
        mean += deviation[j] / n;
        g->measured += t;
    }
    g->refresh = sqrt(variance) / g->measured;
    for (size_t j = 0; j < g->n && g->n > 1; j++)
        deviation[j] = fabs(deviation[j] - mean) * sqrt(n / (n - 1));
    return g->n > 1 ? g->n : 0;
}

static int compare_doubles(const void *a, const void *b)
{
    const double *x = a, *y = b;

    return (*x > *y) - (*x < *y);
}

int calibration_refresh_take_off(struct calibration_fit *f, double scatter, struct err *err)
{
    const struct profiled *p = f->replay.p;
    struct machine_spec spec[] = { calibration_replay_even(&f->spec), f->spec };
    double *seconds = memory_zeroed(3 * p->n_kernels, sizeof *seconds);
    double *without = seconds + p->n_kernels, *deviation = without + p->n_kernels;
    double takes = (double)(f->spec.dram.rp + f->spec.dram.rfc) / 1e15;
    size_t n = 0;

    spec[1].dram.refresh = spec[0].dram.refresh;
    int rc = calibration_replay(&f->replay, spec, 2, seconds, err);
    for (size_t i = 0; i < f->groups.n && rc == 0; i++)
        n += measure_group(&f->groups.group[i], p, seconds, without, takes, scatter, deviation + n);
    qsort(deviation, n, sizeof *deviation, compare_doubles);
    f->noise = n > 0 ? deviation[n / 2] / MEDIAN : 0;
    free(seconds);
    return rc;
}
