/* calibration.h - constants of a machine, fitted to a profile.
 *
 * Kernels that compute the same are one group.  Half of the groups are fitted on, the other half
 * gives the error of the result; both halves tell each constant, as far as the program allows.
 * The fit minimises the sum over groups of Huber's function of log(measured / predicted), by
 * Gauss and Newton: near a solution the logarithm of a kernel's time is linear in the logarithms
 * of the constants.  A group counts by how well its time is known: by what the model is off in
 * general, the noise of kernels in a group, and the moments of refreshes.
 *
 * The objective has to be smooth for that.  A refresh of HBM falls into a short kernel or before
 * it, which a small change of the kernels in front decides; so kernels are predicted with refreshes
 * spread evenly, and what a measured kernel met more or less is taken off (calibration_refresh.c).
 *
 * A constant is left alone where the kernels agree with it, to within two standard errors, and
 * where they do not determine it: its standard error is above CALIBRATION_MOST_ERROR, one kernel
 * alone tells it, or the kernels tell only a bound.  While the others are fitted it moves as well,
 * so that they do not make up for it.
 *
 * Time: some 100 replays of the program, whatever it is. */
#ifndef STUDY_CALIBRATE_CALIBRATION_H
#define STUDY_CALIBRATE_CALIBRATION_H

#include "study/profiled/profiled.h"

/* The largest standard error of a logarithm; a step recorded on a GPU has each kernel once. */
#define CALIBRATION_MOST_ERROR 0.03
#define CALIBRATION_MOST_ERROR_GPU 0.015
#define CALIBRATION_LEAST_GROUPS 4 /* of the fitted half, to fit anything */

/* The constants: what of a profile tells them. */
/* clang-format off */
#define CALIBRATION_CONSTANTS(C)                                                                   \
    C(CLOCK,      "core.clock",      "clock, by the peak that the device states, else by kernels")  \
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

#define CALIBRATION_TEXT 64 /* bytes of a value as text */
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

struct calibration_request {
    unsigned jobs; /* replays at a time; 0: one.  Any number gives the same */
    /* called by the calling thread alone; NULL is allowed */
    void (*progress)(void *self, const char *what, uint64_t done, uint64_t all);
    void *progress_self;
};

/* Errors: of a replay; ERR_FIT if there are too few kernels. */
int calibration_make(struct calibration *c, const struct profiled *p,
                     const struct calibration_request *q, struct err *err);
void calibration_free(struct calibration *c);

/* Write a machine file: what was fitted, on the base that the profile was compared with. */
void calibration_write(const struct calibration *c, const struct profiled *p, FILE *out);

/* --- least squares ------------------------------------------------------------------------ */

struct calibration_unknown {
    double by;    /* the solution */
    double error; /* its standard error; HUGE_VAL: the rows do not tell it */
    size_t row;   /* which has the largest part in its variance, */
    double part;  /* 0..1; 1: no other row tells it */
};

/* Solve sum over i of w[i] * (r[i] - sum over j of slope[i * n + j] * x[j].by)^2 -> min for n
 * unknowns.  Errors follow from what is left, which is taken to be at least `least` a row (root
 * mean square).  O(rows n^2). */
void calibration_solve(const double *slope, const double *r, const double *w, size_t rows, size_t n,
                       double least, struct calibration_unknown *x);

#endif
