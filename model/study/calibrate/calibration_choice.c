/* The choice of the fitted constants that are changed; the others are left alone. */
#include <math.h>

#include "study/calibrate/calibration_impl.h"

#define SIGNIFICANT 2.0  /* errors that a constant has to move by */
#define NO_ERROR 0.25    /* of a logarithm: kernels tell nothing */
#define MOST_OF_ONE 0.75 /* of what tells a constant that one kernel may have */
#define FAR 4.0          /* errors from the best value, or at least */
#define LEAST_FAR 0.04   /* of its logarithm, where */
#define LEAST_RISE 2.0   /* the loss has to be larger by this, a quarter of what a parabola has */

/* bounded[j]: the kernels fit as well with constant j far from its best value, on one side. */
static int find_bounded(struct calibration_fit *f, bool *bounded, struct err *err)
{
    struct machine_spec spec[2 * CALIBRATION_N];
    double least = calibration_loss_sum(f, &f->spec, f->now) + LEAST_RISE;

    for (size_t j = 0; j < 2 * f->n; j++) {
        double now = (double)calibration_amount(&f->spec, f->key[j / 2]);
        double by = fmax(FAR * f->error[j / 2], LEAST_FAR);
        spec[j] = f->spec;
        calibration_set(&spec[j], f->key[j / 2], now * exp(j % 2 ? -by : by));
    }
    if (calibration_fit_predict(f, spec, 2 * f->n, f->moved, err) != 0)
        return -1;
    for (size_t j = 0; j < 2 * f->n; j++) {
        double loss = calibration_loss_sum(f, &spec[j], f->moved + j * f->groups.n);
        bool moved = calibration_amount(&spec[j], f->key[j / 2]) !=
                     calibration_amount(&f->spec, f->key[j / 2]);
        bounded[j / 2] = (j % 2 && bounded[j / 2]) || (moved && loss < least);
    }
    return 0;
}

/* The reason why constant j is left alone; NULL: it is not. */
static const char *find_reason(const struct calibration_fit *f, size_t j, bool bounded)
{
    double before = (double)calibration_amount(f->begin, f->key[j]);
    double by = log((double)calibration_amount(&f->spec, f->key[j]) / before);

    if (f->error[j] > NO_ERROR)
        return "no kernel depends on it, or only as on another constant";
    if (bounded)
        return "the kernels tell only a bound of it";
    if (f->error[j] > calibration_most_error(&f->spec))
        return "too few kernels depend on it";
    if (f->alone[j] > MOST_OF_ONE)
        return "one kernel alone depends on it";
    return fabs(by) < SIGNIFICANT * f->error[j] ? "the kernels agree with it" : NULL;
}

int calibration_choice_make(struct calibration_fit *f, struct calibration *c, struct err *err)
{
    bool bounded[CALIBRATION_N] = { false };

    if (calibration_fit_settle(f, err) != 0 || find_bounded(f, bounded, err) != 0)
        return -1;
    for (size_t j = 0; j < f->n; j++) {
        struct calibration_constant *k = &c->constant[f->key[j]];
        k->why = find_reason(f, j, bounded[j]);
        k->error = f->error[j] > NO_ERROR ? 0 : f->error[j];
        if (!k->why)
            calibration_set(c->spec, f->key[j], (double)calibration_amount(&f->spec, f->key[j]));
    }
    return 0;
}
