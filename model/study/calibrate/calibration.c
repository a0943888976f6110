#include "study/calibrate/calibration.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "base/memory.h"
#include "study/calibrate/calibration_impl.h"

static void date_of(const char *path, char date[16])
{
    struct stat s;
    struct tm tm;

    strcpy(date, "");
    if (stat(path, &s) == 0 && gmtime_r(&s.st_mtime, &tm))
        strftime(date, 16, "%Y-%m-%d", &tm);
}

/* Errors of both halves: before, as the step was predicted; after, on the machine as it is now. */
static int find_errors(struct calibration *c, struct calibration_fit *f, struct err *err)
{
    const struct profiled *p = f->replay.p;
    double *before = memory_zeroed(p->n_kernels, sizeof *before);
    double *after = memory_zeroed(p->n_kernels, sizeof *after);

    for (size_t i = 0; i < p->n_kernels; i++)
        before[i] = mpq_get_d(p->kernel[i].predicted);
    int rc = calibration_replay(&f->replay, c->spec, 1, after, err);
    for (int half = 0; half < 2 && rc == 0; half++) {
        struct calibration_half *h = half ? &c->held : &c->fitted;
        calibration_group_error(&f->groups, p, half, before, &h->before, &h->kernels);
        calibration_group_error(&f->groups, p, half, after, &h->after, &h->kernels);
    }
    free(before);
    free(after);
    return rc;
}

/* Fit what kernels tell, the clock as well or not, on the machine with what was read off. */
static int fit_kernels(struct calibration *c, const struct profiled *p,
                       const struct calibration_request *q, bool clock, struct err *err)
{
    const struct calibration_replay replay = { .p = p, .q = q };
    struct machine_spec begin = *c->spec;
    struct calibration_fit f;

    if (calibration_fit_begin(&f, &replay, &begin, clock, err) != 0)
        return -1;
    int rc = 0;
    if (f.groups.n_fitted < CALIBRATION_LEAST_GROUPS)
        rc = err_set(err, ERR_FIT,
                     "%.200s: %zu different kernels with a partner to fit on: expected at least %d",
                     p->profile->path, f.groups.n_fitted, CALIBRATION_LEAST_GROUPS);
    if (rc == 0)
        rc = calibration_choice_make(&f, c, err);
    if (rc == 0)
        rc = find_errors(c, &f, err);
    calibration_fit_end(&f);
    return rc;
}

int calibration_make(struct calibration *c, const struct profiled *p,
                     const struct calibration_request *q, struct err *err)
{
    *c = (struct calibration){ 0 };
    calibration_name(c, p->spec);
    c->spec = memory_zeroed(1, sizeof *c->spec);
    *c->spec = *p->spec;
    date_of(p->profile->path, c->date);
    bool stated = calibration_reading_clock(c, p);
    if (fit_kernels(c, p, q, !stated, err) != 0) {
        calibration_free(c);
        return -1;
    }
    calibration_reading_gaps(c, p);
    calibration_tell(c, p->spec);
    return 0;
}

void calibration_free(struct calibration *c)
{
    free(c->spec);
    *c = (struct calibration){ 0 };
}
