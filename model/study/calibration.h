/* calibration.h - constants of a machine, fitted to a profile.
 *
 * Constants are fitted on half of the kernels with a partner; the other half gives the error of the
 * result.  Kernels of the same shape and kind are in the same half.  What is minimised is the sum
 * over kernels of Huber's function of log(measured / predicted), by Gauss and Newton: near a
 * solution the logarithm of a kernel's time is linear in the logarithms of the constants.
 *
 * A constant that the profile does not determine is left alone: one whose standard error, by the
 * kernels that it moves and by the other constants that move them too, is above
 * CALIBRATION_MOST_ERROR.
 *
 * Time: some 10 replays of the program for each constant. */
#ifndef STUDY_CALIBRATION_H
#define STUDY_CALIBRATION_H

#include "study/profiled.h"

#define CALIBRATION_MOST_ERROR 0.05 /* of the logarithm of a constant */
#define CALIBRATION_LEAST_KERNELS 4 /* of the fitted half, to fit anything */

/* The constants: what of a profile tells them. */
/* clang-format off */
#define CALIBRATION_CONSTANTS(C)                                                                   \
    C(CLOCK,      "core.clock",      "clock, by the peak that the device states")                  \
    C(HBM,        "hbm.efficiency",  "share of the peak that HBM reaches")                         \
    C(FLOOR,      "core.op_overhead", "floor of a kernel")                                         \
    C(MXU,        "mxu.issue",       "issue of matrix products")                                   \
    C(VECTOR,     "bundle.issue",    "issue of vector work")                                       \
    C(COLLECTIVE, "ici.bandwidth",   "bandwidth that collectives reach")                           \
    C(BETWEEN,    "core.kernel_gap", "idle time from kernel to kernel")                            \
    C(LAUNCH,     "host.launch_time", "idle time from step to step")
/* clang-format on */
enum calibration_key {
#define C(id, key, text) CALIBRATION_##id,
    CALIBRATION_CONSTANTS(C)
#undef C
        CALIBRATION_N
};

#define CALIBRATION_TEXT 64
struct calibration_constant {
    const char *key, *text;        /* "hbm.efficiency"; what it is */
    char before[CALIBRATION_TEXT]; /* "0.86" */
    char after[CALIBRATION_TEXT];  /* as before where it is left alone */
    bool changed;                  /* it differs */
    double ratio;                  /* after / before; 0: before is 0 */
    double error;                  /* standard error of its logarithm; 0: read off, or not known */
    const char *why;               /* it was left alone; NULL: it was fitted */
};

struct calibration_half {
    size_t kernels;
    double before, after; /* sum of |predicted - measured| / sum of measured */
};

struct calibration {
    struct calibration_constant constant[CALIBRATION_N];
    struct calibration_half fitted, held;
    struct machine_spec *spec; /* with the constants; shares what it points to with the profile's */
    char date[16];             /* of the profile's file, UTC: "2026-11-23" */
};

/* `progress` may be NULL.  Errors: of a replay; ERR_FIT if there are too few kernels. */
int calibration_make(struct calibration *c, const struct profiled *p,
                     void (*progress)(void *self, const char *what, uint64_t done, uint64_t all),
                     void *progress_self, struct err *err);
void calibration_free(struct calibration *c);

/* Write a machine file: what was fitted, on the base that the profile was compared with. */
void calibration_write(const struct calibration *c, const struct profiled *p, FILE *out);

/* --- least squares ------------------------------------------------------------------------ */

/* Solve sum over i of w[i] * (r[i] - sum over j of slope[i * n + j] * x[j])^2 -> min for n
 * unknowns; error[j] is the standard error of x[j], HUGE_VAL for what the rows do not tell.  O(rows
 * n^2). */
void calibration_solve(const double *slope, const double *r, const double *w, size_t rows, size_t n,
                       double *x, double *error);

#endif
