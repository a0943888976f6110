#include "study/calibration.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "base/exact.h"
#include "base/memory.h"
#include "machine/spec.h"

#define FIRST_STEP 0.2 /* of a logarithm either way, to see what a constant moves */
#define LAST_STEP 0.025
#define MOST_STEP 0.3 /* of a logarithm in one iteration */
#define ENOUGH 0.001  /* an iteration that moves less is the last */
#define MOST_ITERATIONS 10
#define MOST_HALVINGS 5
#define HUBER 1.345       /* standard deviations up to which a kernel counts in full */
#define LEAST_SPREAD 0.01 /* of logarithms, which keeps the weights finite */
#define DIGITS 10000      /* constants have four digits */
#define CLOCK_NEAR 0.005  /* the peak that a device states is rounded */

/* Those that kernels tell, in the order in which they explain a kernel. */
static const enum calibration_key by_kernels[] = { CALIBRATION_HBM, CALIBRATION_FLOOR,
                                                   CALIBRATION_MXU, CALIBRATION_VECTOR,
                                                   CALIBRATION_COLLECTIVE };
enum { N_KEYS = sizeof by_kernels / sizeof *by_kernels };

struct fit {
    struct calibration *c;
    const struct profiled *p;
    uint32_t *row; /* [rows] kernels of the fitted half */
    size_t rows;
    enum calibration_key key[N_KEYS]; /* [n] that are fitted */
    size_t n;
    double *now, *moved, *lower; /* [kernels] predicted seconds */
    double *slope;               /* [rows * n] */
    double *rest, *weight;
    void (*progress)(void *self, const char *what, uint64_t done, uint64_t all);
    void *progress_self;
    uint64_t replays;
};

/* --- constants ------------------------------------------------------------------------------ */

static const char *const keys[] = {
#define C(id, key, text) key,
    CALIBRATION_CONSTANTS(C)
#undef C
};
static const char *const texts[] = {
#define C(id, key, text) text,
    CALIBRATION_CONSTANTS(C)
#undef C
};

struct place {
    const struct param_table *table;
    const struct param_desc *d;
    void *obj;
};

static struct place find_constant(const struct machine_spec *spec, enum calibration_key key)
{
    char section[32];
    const char *dot = strchr(keys[key], '.');
    size_t n = (size_t)(dot - keys[key]);

    memcpy(section, keys[key], n);
    section[n] = '\0';
    int t = spec_table(section);
    BUG_ON(t < 0);
    struct place at = { spec_tables[t], param_find(spec_tables[t], dot + 1),
                        spec_object(spec, (size_t)t) };
    BUG_ON(!at.d);
    return at;
}

static uint64_t amount_of(const struct machine_spec *spec, enum calibration_key key)
{
    struct place at = find_constant(spec, key);
    uint64_t amount = 0;

    param_amount(at.d, at.obj, &amount);
    return amount;
}

/* Rounded to four digits. */
static uint64_t round_amount(double amount)
{
    double unit = 1;

    while (amount / unit >= DIGITS)
        unit *= 10;
    return amount < 1 ? 0 : (uint64_t)(round(amount / unit) * unit);
}

/* Set a constant, at most half way again and again where its range ends.  false: it does not move.
 */
static bool set_amount(struct machine_spec *spec, enum calibration_key key, double amount)
{
    struct place at = find_constant(spec, key);
    uint64_t before = amount_of(spec, key);
    struct err err;

    for (int i = 0; i < 12; i++) {
        uint64_t want = round_amount(amount);
        if (want != before && param_set_amount(at.table, at.d, at.obj, want, &err) == 0)
            return true;
        amount = ((double)before + amount) / 2;
    }
    return false;
}

/* --- halves --------------------------------------------------------------------------------- */

/* A kernel whose time is its own work, rather than waiting for another. */
static bool is_fit_for(const struct profiled_kernel *k)
{
    return k->how != PAIRING_NONE && !k->waits && mpq_sgn(k->predicted) > 0 &&
           mpq_sgn(k->measured) > 0;
}

/* 0: fitted on, 1: held out; a bit of the FNV-1a hash of what it computes. */
static int half_of(const struct profiled_kernel *k)
{
    uint32_t hash = 2166136261u;

    for (const char *c = k->alike ? k->alike : k->name; *c; c++)
        hash = (hash ^ (unsigned char)*c) * 16777619u;
    return (int)(hash >> 16 & 1);
}

static void sum_half(const struct fit *f, int half, double *error, size_t *n)
{
    double wrong = 0, all = 0;

    *n = 0;
    for (size_t i = 0; i < f->p->n_kernels; i++) {
        const struct profiled_kernel *k = &f->p->kernel[i];
        if (!is_fit_for(k) || half_of(k) != half)
            continue;
        double measured = mpq_get_d(k->measured);
        wrong += fabs(f->now[i] - measured);
        all += measured;
        ++*n;
    }
    *error = all > 0 ? wrong / all : 0;
}

/* --- fitting -------------------------------------------------------------------------------- */

static int predict_seconds(struct fit *f, const struct machine_spec *spec, double *seconds,
                           struct err *err)
{
    if (f->progress)
        f->progress(f->progress_self, "replays", ++f->replays, 0);
    return profiled_predict(f->p, spec, seconds, err);
}

/* Predict with constant j moved by `by` of its logarithm, as far as its range goes.  Returns by how
 * much it was moved; HUGE_VAL: an error. */
static double move_one(struct fit *f, size_t j, double by, double *seconds, struct err *err)
{
    struct machine_spec moved = *f->c->spec;
    double before = (double)amount_of(&moved, f->key[j]);

    if (!set_amount(&moved, f->key[j], before * exp(by)))
        memcpy(seconds, f->now, f->p->n_kernels * sizeof *seconds);
    else if (predict_seconds(f, &moved, seconds, err) != 0)
        return HUGE_VAL;
    return log((double)amount_of(&moved, f->key[j]) / before);
}

/* slope[.][j] = how the logarithm of a kernel follows that of constant j, from `step` below it to
 * `step` above it: a kernel is the longer of several times, one of which may hide a constant. */
static int find_slopes(struct fit *f, double step, struct err *err)
{
    for (size_t j = 0; j < f->n; j++) {
        double up = move_one(f, j, step, f->moved, err);
        double down = isinf(up) ? up : move_one(f, j, -step, f->lower, err);
        if (isinf(down))
            return -1;
        for (size_t i = 0; i < f->rows; i++) {
            double ratio = f->moved[f->row[i]] / f->lower[f->row[i]];
            f->slope[i * f->n + j] = up > down ? log(ratio) / (up - down) : 0;
        }
    }
    return 0;
}

static int compare_doubles(const void *a, const void *b)
{
    const double *x = a, *y = b;

    return (*x > *y) - (*x < *y);
}

/* Set what is left of the kernels, and Huber's weights of it.  Returns up to where a kernel counts
 * in full. */
static double weigh_kernels(struct fit *f)
{
    for (size_t i = 0; i < f->rows; i++) {
        uint32_t k = f->row[i];
        f->rest[i] = log(mpq_get_d(f->p->kernel[k].measured) / f->now[k]);
        f->weight[i] = fabs(f->rest[i]);
    }
    qsort(f->weight, f->rows, sizeof *f->weight, compare_doubles);
    double spread = 1.4826 * f->weight[f->rows / 2];
    double bound = HUBER * (spread > LEAST_SPREAD ? spread : LEAST_SPREAD);
    for (size_t i = 0; i < f->rows; i++)
        f->weight[i] = fabs(f->rest[i]) > bound ? bound / fabs(f->rest[i]) : 1;
    return bound;
}

/* The sum of Huber's function of what is left with these predictions. */
static double add_losses(const struct fit *f, const double *seconds, double bound)
{
    double sum = 0;

    for (size_t i = 0; i < f->rows; i++) {
        uint32_t k = f->row[i];
        double rest = fabs(log(mpq_get_d(f->p->kernel[k].measured) / seconds[k]));
        sum += rest < bound ? rest * rest / 2 : bound * (rest - bound / 2);
    }
    return sum;
}

/* Move the constants by x, or by half of it again and again until the kernels fit better: they are
 * the longer of several times, so that slopes hold only nearby.  Returns 1 with f->now of where
 * they are then; 0, nothing is better; -1. */
static int move_constants(struct fit *f, const double *x, double bound, struct err *err)
{
    double before = add_losses(f, f->now, bound), part = 1;

    for (int i = 0; i < MOST_HALVINGS; i++, part /= 2) {
        struct machine_spec moved = *f->c->spec;
        for (size_t j = 0; j < f->n; j++) {
            double by = part * fmax(-MOST_STEP, fmin(MOST_STEP, x[j]));
            set_amount(&moved, f->key[j], (double)amount_of(&moved, f->key[j]) * exp(by));
        }
        if (predict_seconds(f, &moved, f->moved, err) != 0)
            return -1;
        if (add_losses(f, f->moved, bound) < before) {
            *f->c->spec = moved;
            memcpy(f->now, f->moved, f->p->n_kernels * sizeof *f->now);
            return 1;
        }
    }
    return 0;
}

/* Move the constants until they stand still.  error[j] is of key[j]. */
static int move_to_best(struct fit *f, double *error, struct err *err)
{
    double x[CALIBRATION_N];

    for (int i = 0; i < MOST_ITERATIONS; i++) {
        double most = 0, step = fmax(LAST_STEP, ldexp(FIRST_STEP, -i));
        if (find_slopes(f, step, err) != 0)
            return -1;
        double bound = weigh_kernels(f);
        calibration_solve(f->slope, f->rest, f->weight, f->rows, f->n, x, error);
        for (size_t j = 0; j < f->n; j++)
            most = fmax(most, fabs(x[j]));
        if (most < ENOUGH && step == LAST_STEP)
            break;
        int moved = move_constants(f, x, bound, err);
        if (moved < 0)
            return -1;
        if (moved == 0 && step == LAST_STEP)
            break;
    }
    return 0;
}

/* Put a constant back and fit without it. */
static void drop_constant(struct fit *f, size_t j, const char *why)
{
    f->c->constant[f->key[j]].why = why;
    memmove(&f->key[j], &f->key[j + 1], (f->n - j - 1) * sizeof *f->key);
    f->n--;
}

/* Constants that the kernels tell.  The worst of those that they do not tell is left alone, and the
 * others are fitted again from where they were. */
static int fit_kernels(struct fit *f, struct err *err)
{
    struct machine_spec begin = *f->c->spec;
    double error[CALIBRATION_N];

    while (f->n > 0) {
        size_t worst = 0;
        *f->c->spec = begin;
        if (predict_seconds(f, &begin, f->now, err) != 0 || move_to_best(f, error, err) != 0)
            return -1;
        for (size_t j = 1; j < f->n; j++)
            if (error[j] > error[worst])
                worst = j;
        if (error[worst] <= CALIBRATION_MOST_ERROR)
            break;
        drop_constant(f, worst,
                      isinf(error[worst])
                          ? "no kernel depends on it, or only as on another constant"
                          : "too few kernels depend on it");
    }
    for (size_t j = 0; j < f->n; j++) {
        f->c->constant[f->key[j]].error = error[j];
        f->c->constant[f->key[j]].why = NULL;
    }
    if (f->n == 0)
        *f->c->spec = begin;
    return 0;
}

/* --- constants that are read off ------------------------------------------------------------ */

/* FLOP/s of a device as the profile states them; 0: it does not.  Of a megacore that may be what
 * one of its cores does: the nearer one to `ours` counts. */
static double find_peak(const struct profile *m, double ours)
{
    double theirs = m->n_devices > 0 ? m->device[0].peak_flops : 0;

    return theirs > 0 && m->device[0].megacore &&
                   fabs(log(2 * theirs / ours)) < fabs(log(theirs / ours))
               ? 2 * theirs
               : theirs;
}

static void read_clock(struct fit *f)
{
    struct calibration_constant *c = &f->c->constant[CALIBRATION_CLOCK];
    double ours = mpq_get_d(f->p->run.peak_flops);
    double theirs = find_peak(f->p->profile, ours);

    c->why = "the profile does not state the peak of its device";
    if (theirs <= 0 || ours <= 0)
        return;
    c->why = "as the device states";
    if (fabs(theirs / ours - 1) <= CLOCK_NEAR)
        return;
    c->why = "out of its range";
    if (set_amount(f->c->spec, CALIBRATION_CLOCK, (double)f->p->spec->core.clock * theirs / ours))
        c->why = NULL;
}

/* Seconds a step that `seconds` are of, as femtoseconds of one of `n`. */
static void read_idle(struct fit *f, enum calibration_key key, const mpq_t seconds, uint64_t n,
                      const char *why)
{
    double each = n > 0 ? mpq_get_d(seconds) / (double)n * 1e15 : 0;
    struct calibration_constant *c = &f->c->constant[key];

    c->why = why;
    if (each < 1 || (double)amount_of(f->c->spec, key) == round(each))
        return;
    if (set_amount(f->c->spec, key, each))
        c->why = NULL;
}

static void read_gaps(struct fit *f)
{
    const struct profiled *p = f->p;
    uint64_t kernels = 0;

    for (size_t i = 0; i < p->n_kernels; i++)
        kernels += p->kernel[i].how != PAIRING_NONE ? p->kernel[i].count : 0;
    EXACT_Q(idle);
    if (p->step_known && p->profile->program[p->program].busy > 0)
        mpq_set(idle, p->class[PROFILED_IDLE].measured);
    read_idle(f, CALIBRATION_BETWEEN, idle, kernels,
              "the profile has no time between kernels of a step");
    read_idle(f, CALIBRATION_LAUNCH, p->class[PROFILED_GAP].measured, 1,
              "the profile has no time between steps");
}

/* --- the whole ------------------------------------------------------------------------------ */

static void date_of(const char *path, char date[16])
{
    struct stat s;
    struct tm tm;

    strcpy(date, "");
    if (stat(path, &s) == 0 && gmtime_r(&s.st_mtime, &tm))
        strftime(date, 16, "%Y-%m-%d", &tm);
}

static void begin_fit(struct fit *f)
{
    const struct profiled *p = f->p;

    f->row = memory_zeroed(p->n_kernels, sizeof *f->row);
    f->now = memory_zeroed(p->n_kernels, sizeof *f->now);
    f->moved = memory_zeroed(p->n_kernels, sizeof *f->moved);
    f->lower = memory_zeroed(p->n_kernels, sizeof *f->lower);
    for (uint32_t i = 0; i < p->n_kernels; i++)
        if (is_fit_for(&p->kernel[i]) && half_of(&p->kernel[i]) == 0)
            f->row[f->rows++] = i;
    f->slope = memory_zeroed(f->rows * N_KEYS, sizeof *f->slope);
    f->rest = memory_zeroed(f->rows, sizeof *f->rest);
    f->weight = memory_zeroed(f->rows, sizeof *f->weight);
    for (size_t j = 0; j < N_KEYS; j++)
        f->key[f->n++] = by_kernels[j];
}

static void end_fit(struct fit *f)
{
    free(f->row);
    free(f->now);
    free(f->moved);
    free(f->lower);
    free(f->slope);
    free(f->rest);
    free(f->weight);
}

static void fill_texts(struct calibration *c, const struct machine_spec *before)
{
    for (unsigned k = 0; k < CALIBRATION_N; k++) {
        struct place x = find_constant(before, k), y = find_constant(c->spec, k);
        struct calibration_constant *t = &c->constant[k];
        uint64_t a = amount_of(before, k), b = amount_of(c->spec, k);
        param_text(x.d, x.obj, t->before, sizeof t->before);
        param_text(y.d, y.obj, t->after, sizeof t->after);
        t->changed = a != b;
        t->ratio = a > 0 ? (double)b / (double)a : 0;
    }
}

int calibration_make(struct calibration *c, const struct profiled *p,
                     void (*progress)(void *self, const char *what, uint64_t done, uint64_t all),
                     void *progress_self, struct err *err)
{
    struct fit f = { .c = c, .p = p, .progress = progress, .progress_self = progress_self };
    int rc = 0;

    *c = (struct calibration){ 0 };
    for (unsigned k = 0; k < CALIBRATION_N; k++) {
        c->constant[k].key = keys[k];
        c->constant[k].text = texts[k];
    }
    c->spec = memory_zeroed(1, sizeof *c->spec);
    *c->spec = *p->spec;
    date_of(p->profile->path, c->date);
    begin_fit(&f);
    if (f.rows < CALIBRATION_LEAST_KERNELS)
        rc = err_set(err, ERR_FIT,
                     "%.200s: %zu kernels to fit on, which have a partner: expected at least %d",
                     p->profile->path, f.rows, CALIBRATION_LEAST_KERNELS);
    if (rc == 0)
        rc = predict_seconds(&f, p->spec, f.now, err);
    if (rc == 0) {
        sum_half(&f, 0, &c->fitted.before, &c->fitted.kernels);
        sum_half(&f, 1, &c->held.before, &c->held.kernels);
        read_clock(&f);
        rc = fit_kernels(&f, err);
    }
    if (rc == 0)
        rc = predict_seconds(&f, c->spec, f.now, err);
    if (rc == 0) {
        sum_half(&f, 0, &c->fitted.after, &c->fitted.kernels);
        sum_half(&f, 1, &c->held.after, &c->held.kernels);
        read_gaps(&f);
        fill_texts(c, p->spec);
    }
    end_fit(&f);
    if (rc != 0)
        calibration_free(c);
    return rc;
}

void calibration_free(struct calibration *c)
{
    free(c->spec);
    *c = (struct calibration){ 0 };
}
