/* Constants that a profile states, or that are times between its kernels and its steps. */
#include <math.h>

#include "base/exact.h"
#include "study/calibrate/calibration_impl.h"

#define CLOCK_NEAR 0.005    /* the peak that a device states is rounded */
#define MEDIAN_ERROR 1.2533 /* of normal variables, times that of their mean */
#define QUARTERS 1.349      /* standard deviations between the quarters of normal variables */
#define MOST_GAP_ERROR 0.05 /* these times are read and not fitted */
#define FS_PER_PS 1000

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

bool calibration_reading_clock(struct calibration *c, const struct profiled *p)
{
    struct calibration_constant *clock = &c->constant[CALIBRATION_CLOCK];
    double ours = mpq_get_d(p->run.peak_flops);
    double theirs = find_peak(p->profile, ours);

    if (p->spec->kind == CHIP_GPU) {
        clock->why = "the shares of it that work keeps are told apart, it is not";
        return true;
    }
    if (theirs <= 0 || ours <= 0)
        return false;
    clock->why = "as the device states";
    if (fabs(theirs / ours - 1) <= CLOCK_NEAR)
        return true;
    clock->why = "out of its range";
    if (calibration_set(c->spec, CALIBRATION_CLOCK, (double)p->spec->core.clock * theirs / ours))
        clock->why = NULL;
    return true;
}

/* `seconds` of a step are `n` equal idle times. */
static void read_idle(struct calibration *c, enum calibration_key key, const mpq_t seconds,
                      uint64_t n, const char *why)
{
    double each = n > 0 ? mpq_get_d(seconds) / (double)n * 1e15 : 0;

    c->constant[key].why = why;
    if (each < 1 || (double)calibration_amount(c->spec, key) == round(each))
        return;
    if (calibration_set(c->spec, key, each))
        c->constant[key].why = NULL;
}

/* On a GPU idle time holds waits for the host; kernels that stood in the queue waited for none. */
static void read_queue(struct calibration *c, const struct profiled *p)
{
    const struct profile_program *m = &p->profile->program[p->program];
    struct calibration_constant *k = &c->constant[CALIBRATION_BETWEEN];
    double gap = (double)m->queue_gap;

    c->constant[CALIBRATION_LAUNCH].why =
        m->launch > 0 ? "the profiler slows down the launches that it records"
                      : "the profile has no launches of the host";
    k->why = "no kernel stands in the profile that waited in the queue";
    if (m->queued == 0 || gap <= 0)
        return;
    k->error = MEDIAN_ERROR * (double)m->queue_part / QUARTERS / sqrt((double)m->queued) / gap;
    double by = log(gap * FS_PER_PS / (double)calibration_amount(c->spec, CALIBRATION_BETWEEN));
    if (k->error > MOST_GAP_ERROR)
        k->why = "the times between kernels in the queue differ too much";
    else if (fabs(by) < 2 * k->error)
        k->why = "the kernels agree with it";
    else if (calibration_set(c->spec, CALIBRATION_BETWEEN, gap * FS_PER_PS))
        k->why = NULL;
}

void calibration_reading_gaps(struct calibration *c, const struct profiled *p)
{
    uint64_t kernels = 0;

    if (p->spec->kind == CHIP_GPU) {
        read_queue(c, p);
        return;
    }

    for (size_t i = 0; i < p->n_kernels; i++)
        kernels += p->kernel[i].how != PAIRING_NONE ? p->kernel[i].count : 0;
    EXACT_Q(idle);
    if (p->step_known && p->profile->program[p->program].busy > 0)
        mpq_set(idle, p->class[PROFILED_IDLE].measured);
    read_idle(c, CALIBRATION_BETWEEN, idle, kernels,
              "the profile has no time between kernels of a step");
    read_idle(c, CALIBRATION_LAUNCH, p->class[PROFILED_GAP].measured, 1,
              "the profile has no time between steps");
}
