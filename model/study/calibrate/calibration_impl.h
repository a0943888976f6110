/* calibration_impl.h - the parts of calibration.h: constants, groups of kernels, replays, the fit,
 * which constants it leaves alone, and what is read off without a replay.
 *
 * Reading order: calibration.c, calibration_choice.c, calibration_fit.c, calibration_loss.c. */
#ifndef STUDY_CALIBRATE_CALIBRATION_IMPL_H
#define STUDY_CALIBRATE_CALIBRATION_IMPL_H

#include "machine/spec/spec.h"
#include "study/calibrate/calibration.h"

/* --- calibration_key.c ---------------------------------------------------------------------- */

/* The amount of a constant of `spec`, in the unit of its table: fs, B/s, parts per billion. */
uint64_t calibration_amount(const struct machine_spec *spec, enum calibration_key key);

/* The largest standard error of a constant that is fitted. */
double calibration_most_error(const struct machine_spec *spec);

/* Set a constant, to four digits, or as far towards `amount` as its range goes.  false: it stays
 * where it was. */
bool calibration_set(struct machine_spec *spec, enum calibration_key key, double amount);

/* Fill keys and what they are; values and how far they moved. */
void calibration_name(struct calibration *c, const struct machine_spec *spec);
void calibration_tell(struct calibration *c, const struct machine_spec *before);

/* --- calibration_group.c -------------------------------------------------------------------- */

/* Kernels that compute the same. */
struct calibration_group {
    const char *alike;
    enum profiled_class class;
    uint32_t *kernel; /* [n] of profiled.kernel */
    size_t n;
    double measured; /* seconds of a step */
    double refresh;  /* standard deviation by the moments of refreshes, as a share of its time */
    double coarse;   /* by what a profiler and the model do not resolve */
    bool own;        /* its time is that of its own work */
};

struct calibration_groups {
    struct calibration_group *group; /* [n], those that are fitted on first */
    size_t n, n_fitted;
};

/* Divide the kernels that have a partner and wait for no other among groups, the longest first, all
 * to be fitted on. */
void calibration_group_make(struct calibration_groups *g, const struct profiled *p);

/* Hold half of them out, such that both halves tell each of n constants, as far as that goes: of
 * the groups that follow a constant every other one, the constant that fewest follow first. slope[i
 * * n + j]: how group i follows constant j. */
void calibration_group_divide(struct calibration_groups *g, const double *slope, size_t n);
void calibration_group_free(struct calibration_groups *g);

/* predicted[i] = seconds of group i where kernels take `seconds`. */
void calibration_group_sum(const struct calibration_groups *g, const double *seconds,
                           double *predicted);

/* Set the figures of a half (0: fitted on, 1: held out) where kernels take `seconds`. */
void calibration_group_error(const struct calibration_groups *g, const struct profiled *p, int half,
                             const double *seconds, double *error, size_t *kernels);

/* --- calibration_replay.c ------------------------------------------------------------------- */

struct calibration_replay {
    const struct profiled *p;
    const struct calibration_request *q;
    uint64_t done;
};

/* seconds[i * p->n_kernels + k] = kernel k on spec[i].  Errors: of the first that failed. */
int calibration_replay(struct calibration_replay *r, const struct machine_spec *spec, size_t n,
                       double *seconds, struct err *err);

/* The machine with refreshes of HBM spread evenly: their share of the time makes it slower. */
struct machine_spec calibration_replay_even(const struct machine_spec *spec);

/* --- calibration_fit.c ---------------------------------------------------------------------- */

struct calibration_fit {
    struct calibration_replay replay;
    struct calibration_groups groups;
    const struct machine_spec *begin;        /* the machine as it was */
    struct machine_spec spec;                /* with the constants as they are now */
    enum calibration_key key[CALIBRATION_N]; /* [n] that move */
    size_t n;
    double error[CALIBRATION_N]; /* of key[]: standard errors of logarithms */
    /* the largest part that one kernel has in what tells it, 0..1; 0: the other half tells it too
     */
    double alone[CALIBRATION_N];
    double off;                  /* how far the model is off in a group, in logarithms */
    double noise;                /* of a kernel in its group */
    double *now, *moved, *slope; /* [groups] predicted seconds; on other machines; [groups * n] */
    struct {
        double *slope, *rest, *weight;
        double *kernels; /* that it is of */
    } row;               /* of the equations, [groups + n] */
};

/* Gather groups, divide them, and predict them on `spec`.  clock: it is fitted too.  Errors: of a
 * replay. */
int calibration_fit_begin(struct calibration_fit *f, const struct calibration_replay *replay,
                          const struct machine_spec *spec, bool clock, struct err *err);
void calibration_fit_end(struct calibration_fit *f);

/* Move the constants until they stand still, and set their errors.  Errors: of a replay. */
int calibration_fit_settle(struct calibration_fit *f, struct err *err);

/* Predict groups on n machines: predicted[i * groups.n + g].  Errors: of a replay. */
int calibration_fit_predict(struct calibration_fit *f, const struct machine_spec *spec, size_t n,
                            double *predicted, struct err *err);

/* --- calibration_loss.c --------------------------------------------------------------------- */

#define CALIBRATION_LEAST_OFF 0.005 /* the model knows no kernel better, in logarithms */

/* The error of the model in a group, at least `least`: such that the median of what is left, in
 * standard deviations, is that of a normal variable. */
double calibration_loss_off(const struct calibration_fit *f, double least);

/* The sum of Huber's function of what is left over the fitted groups that do their own work, and of
 * how far the constants of `spec` are from what they were. */
double calibration_loss_sum(const struct calibration_fit *f, const struct machine_spec *spec,
                            const double *predicted);

/* Find how far the constants are to move, x[n], and their errors: by the fitted half, and at least
 * half of what the halves disagree by, where that is no chance. */
void calibration_loss_solve(struct calibration_fit *f, double *x);

/* --- calibration_refresh.c ------------------------------------------------------------------ */

/* Set what groups measured, with the average of refreshes, what is uncertain about it, and the
 * noise, by the constants as they are; kernels are off by `scatter` of a logarithm.  Errors: of a
 * replay. */
int calibration_refresh_take_off(struct calibration_fit *f, double scatter, struct err *err);

/* --- calibration_choice.c ------------------------------------------------------------------- */

/* Fit what the kernels tell, leave alone what they do not, and set `c->constant` of both.  Errors:
 * of a replay. */
int calibration_choice_make(struct calibration_fit *f, struct calibration *c, struct err *err);

/* --- calibration_reading.c ------------------------------------------------------------------ */

/* Set what the profile states: the clock, before anything is fitted; time between kernels and steps
 * without the starts that the model has there already, after that.  Both set c->constant.  The
 * clock: true if the profile states it. */
bool calibration_reading_clock(struct calibration *c, const struct profiled *p);
void calibration_reading_gaps(struct calibration *c, const struct profiled *p);

#endif
