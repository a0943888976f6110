/* Constants move by the method of Gauss and Newton until kernels fit best. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "study/calibrate/calibration_impl.h"

#define LAST_STEP 0.04 /* of a logarithm either way, to see what a constant moves */
#define FIRST_STEP 0.2 /* the first of these */
#define MOST_MOVE 0.3  /* of a logarithm in one iteration */
#define MOST_ITERATIONS 8
#define MOST_HALVINGS 6 /* of a move, two at a time */
#define LEAST_GAIN 0.02 /* of the loss: an iteration that gains less is the last */
#define OWN_LEAST 0.25  /* what a slope may be beyond that of a kernel's own work */

/* Those that kernels tell, in the order in which they explain a kernel.  The clock is last: it is
 * read off where the device states it. */
static const enum calibration_key by_kernels[] = { CALIBRATION_HBM,        CALIBRATION_FLOOR,
                                                   CALIBRATION_MXU,        CALIBRATION_VECTOR,
                                                   CALIBRATION_COLLECTIVE, CALIBRATION_CLOCK };
enum { N_KEYS = sizeof by_kernels / sizeof *by_kernels };

int calibration_fit_predict(struct calibration_fit *f, const struct machine_spec *spec, size_t n,
                            double *predicted, struct err *err)
{
    size_t n_kernels = f->replay.p->n_kernels;
    struct machine_spec *even = memory_zeroed(n, sizeof *even);
    double *seconds = memory_zeroed(n * n_kernels, sizeof *seconds);

    for (size_t i = 0; i < n; i++)
        even[i] = calibration_replay_even(&spec[i]);
    int rc = calibration_replay(&f->replay, even, n, seconds, err);
    for (size_t i = 0; i < n && rc == 0; i++)
        calibration_group_sum(&f->groups, seconds + i * n_kernels, predicted + i * f->groups.n);
    free(even);
    free(seconds);
    return rc;
}

/* --- slopes --------------------------------------------------------------------------------- */

/* A kernel's own work takes at most as much less time as a unit is faster, and no more time.  What
 * follows otherwise waits for transfers of others. */
static bool is_own(enum calibration_key key, double slope)
{
    return key == CALIBRATION_FLOOR ? slope > -OWN_LEAST
                                    : slope > -1 - OWN_LEAST && slope < OWN_LEAST;
}

/* slope[.][j] = how the logarithm of a group follows that of constant j, from `step` below it to
 * `step` above it: a kernel is the longer of several times, one of which may hide a constant. */
static int find_slopes(struct calibration_fit *f, double step, struct err *err)
{
    struct machine_spec spec[2 * CALIBRATION_N];
    size_t n = f->groups.n;

    for (size_t j = 0; j < 2 * f->n; j++) {
        double now = (double)calibration_amount(&f->spec, f->key[j / 2]);
        spec[j] = f->spec;
        calibration_set(&spec[j], f->key[j / 2], now * exp(j % 2 ? -step : step));
    }
    if (calibration_fit_predict(f, spec, 2 * f->n, f->moved, err) != 0)
        return -1;
    for (size_t i = 0; i < n; i++)
        f->groups.group[i].own = true;
    for (size_t j = 0; j < f->n; j++) {
        const double *up = f->moved + 2 * j * n, *down = up + n;
        double by = log((double)calibration_amount(&spec[2 * j], f->key[j]) /
                        (double)calibration_amount(&spec[2 * j + 1], f->key[j]));
        for (size_t i = 0; i < n; i++) {
            double slope = by > 0 ? log(up[i] / down[i]) / by : 0;
            f->slope[i * f->n + j] = slope;
            f->groups.group[i].own = f->groups.group[i].own && is_own(f->key[j], slope);
        }
    }
    return 0;
}

/* --- moves ---------------------------------------------------------------------------------- */

static struct machine_spec move_all(const struct calibration_fit *f, const double *x, double part)
{
    struct machine_spec moved = f->spec;

    for (size_t j = 0; j < f->n; j++) {
        double by = part * fmax(-MOST_MOVE, fmin(MOST_MOVE, x[j]));
        calibration_set(&moved, f->key[j], (double)calibration_amount(&moved, f->key[j]) * exp(by));
    }
    return moved;
}

/* Move the constants by x, or by half of it again and again until the kernels fit better: slopes
 * hold only nearby.  Two moves are tried at a time, by whatever number of threads.  f->now is of
 * where they are then.  *gain: by how much they fit better; 0: they stay. */
static int move_constants(struct calibration_fit *f, const double *x, double *gain, struct err *err)
{
    double before = calibration_loss_sum(f, &f->spec, f->now);
    struct machine_spec spec[2];
    int found = -1;

    *gain = 0;
    for (int i = 0; i < MOST_HALVINGS && found < 0; i += 2) {
        spec[0] = move_all(f, x, ldexp(1, -i));
        spec[1] = move_all(f, x, ldexp(1, -i - 1));
        if (calibration_fit_predict(f, spec, 2, f->moved, err) != 0)
            return -1;
        for (int k = 0; k < 2; k++) {
            double loss = calibration_loss_sum(f, &spec[k], f->moved + (size_t)k * f->groups.n);
            if (before - loss > *gain) {
                *gain = before - loss;
                found = k;
            }
        }
    }
    if (found >= 0) {
        f->spec = spec[found];
        memcpy(f->now, f->moved + (size_t)found * f->groups.n, f->groups.n * sizeof *f->now);
    }
    return 0;
}

int calibration_fit_settle(struct calibration_fit *f, struct err *err)
{
    double x[CALIBRATION_N], step = FIRST_STEP, gain;

    for (int i = 0; i < MOST_ITERATIONS; i++) {
        if (find_slopes(f, step, err) != 0 ||
            calibration_refresh_take_off(f, fmax(hypot(f->off, f->noise), step / 2), err) != 0)
            return -1;
        f->off = calibration_loss_off(f, step > LAST_STEP ? step / 2 : CALIBRATION_LEAST_OFF);
        calibration_loss_solve(f, x);
        if (move_constants(f, x, &gain, err) != 0)
            return -1;
        if (step == LAST_STEP && gain < LEAST_GAIN)
            break;
        step = fmax(step / 2, LAST_STEP);
    }
    return 0;
}

int calibration_fit_begin(struct calibration_fit *f, const struct calibration_replay *replay,
                          const struct machine_spec *spec, bool clock, struct err *err)
{
    *f = (struct calibration_fit){ .replay = *replay, .begin = spec, .spec = *spec };
    calibration_group_make(&f->groups, replay->p);
    size_t n = f->groups.n, rows = n + N_KEYS;
    f->now = memory_zeroed(n, sizeof *f->now);
    f->moved = memory_zeroed(n * 2 * N_KEYS, sizeof *f->moved);
    f->slope = memory_zeroed(n * N_KEYS, sizeof *f->slope);
    f->row.slope = memory_zeroed(rows * N_KEYS, sizeof *f->row.slope);
    f->row.rest = memory_zeroed(rows, sizeof *f->row.rest);
    f->row.weight = memory_zeroed(rows, sizeof *f->row.weight);
    f->row.kernels = memory_zeroed(rows, sizeof *f->row.kernels);
    for (size_t j = 0; j + !clock < N_KEYS; j++)
        f->key[f->n++] = by_kernels[j];
    int rc = find_slopes(f, FIRST_STEP, err);
    if (rc == 0) {
        calibration_group_divide(&f->groups, f->slope, f->n);
        rc = calibration_fit_predict(f, spec, 1, f->now, err);
    }
    if (rc != 0)
        calibration_fit_end(f);
    return rc;
}

void calibration_fit_end(struct calibration_fit *f)
{
    calibration_group_free(&f->groups);
    free(f->now);
    free(f->moved);
    free(f->slope);
    free(f->row.slope);
    free(f->row.rest);
    free(f->row.weight);
    free(f->row.kernels);
}
