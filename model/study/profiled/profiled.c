#include "study/profiled/profiled.h"

#include <stdlib.h>

#include "base/exact.h"
#include "base/memory.h"
#include "import/kineto/kineto_profile.h"
#include "machine/spec/spec.h"
#include "study/profiled/profiled_impl.h"

static int compare_doubles(const void *a, const void *b)
{
    const double *x = a, *y = b;

    return (*x > *y) - (*x < *y);
}

/* Steps in a profile without runs: the median of occurrences measured to predicted. */
static uint64_t count_steps(const struct profiled *p, const struct profiled_sides *s)
{
    double *ratio = memory_zeroed(s->n_ops, sizeof *ratio);
    size_t n = 0;

    for (size_t i = 0; i < s->n_ops; i++)
        if (s->partner[i].how != PAIRING_NONE && p->kernel[i].count > 0)
            ratio[n++] = (double)p->profile->kernel[s->place[s->partner[i].other]].count /
                         (double)p->kernel[i].count;
    qsort(ratio, n, sizeof *ratio, compare_doubles);
    double median = n ? ratio[n / 2] : 1;
    free(ratio);
    return median < 1 ? 1 : (uint64_t)(median + 0.5);
}

/* Seconds of a step in kernel `k` of the profile, of which `times` are in a step; 0: as often as
 * there are runs of it. */
static void set_measured(mpq_t seconds, const struct profiled *p, const struct profile_kernel *k,
                         uint64_t times)
{
    const struct profile_program *m = &p->profile->program[p->program];

    EXACT_Q(each);
    exact_ratio(seconds, k->total, UINT64_C(1000000000000));
    if (m->runs > 0 || times == 0)
        exact_ratio(each, 1, p->steps);
    else
        exact_ratio(each, times, k->count);
    mpq_mul(seconds, seconds, each);
}

static void join_pairs(struct profiled *p, const struct profiled_sides *s)
{
    bool *taken = memory_zeroed(s->n_kernels, sizeof *taken);

    for (size_t i = 0; i < s->n_ops; i++) {
        struct profiled_kernel *k = &p->kernel[i];
        k->alike = memory_copy(s->op[i].whole);
        if (s->partner[i].how == PAIRING_NONE) {
            p->n_only_predicted += mpq_sgn(k->predicted) > 0;
            continue;
        }
        k->how = s->partner[i].how;
        k->kernel = s->place[s->partner[i].other];
        taken[s->partner[i].other] = true;
        const struct profile_kernel *m = &p->profile->kernel[k->kernel];
        k->measured_name = m->name;
        k->occurrences = m->count;
        set_measured(k->measured, p, m, k->count);
        p->n_pairs++;
    }
    p->kernel = memory_resize(p->kernel, s->n_ops + s->n_kernels, sizeof *p->kernel);
    for (size_t i = 0; i < s->n_kernels; i++) {
        if (taken[i])
            continue;
        struct profiled_kernel *k = &p->kernel[p->n_kernels++];
        const struct profile_kernel *m = &p->profile->kernel[s->place[i]];
        profiled_start_kernel(k, memory_copy(""));
        k->kernel = s->place[i];
        k->measured_name = m->name;
        k->class = profiled_class_of_kernel(m);
        k->occurrences = m->count;
        k->count = (m->count + p->steps / 2) / p->steps;
        set_measured(k->measured, p, m, 0);
        p->n_only_measured++;
    }
    free(taken);
}

static int read_profile(struct profiled *p, const char *path, struct err *err)
{
    return kineto_profile_knows(path) ? kineto_profile_read(&p->profile, path, err)
                                      : profile_read(&p->profile, path, err);
}

int profiled_make(struct profiled *p, const struct profiled_request *request, struct err *err)
{
    struct profiled_request own = *request, *q = &own;
    struct profiled_sides s = { 0 };

    *p = (struct profiled){ 0 };
    mpq_inits(p->step.predicted, p->step.measured, p->in_kernels.predicted, p->in_kernels.measured,
              p->error, p->paired_error, p->paired_share, NULL);
    for (unsigned c = 0; c < PROFILED_N_CLASSES; c++)
        mpq_inits(p->class[c].predicted, p->class[c].measured, NULL);
    int rc = q->profile ? read_profile(p, q->profile, err) : 0;
    if (rc == 0)
        rc = profiled_open(p, q, err);
    if (rc == 0)
        rc = profiled_load_machine(p, &q->run, err);
    if (rc == 0)
        rc = profiled_read_module(p, q->run.trace, err);
    if (rc == 0)
        rc = profiled_predict_step(p, &q->run, err);
    if (rc == 0 && q->profile) {
        profiled_describe(p, &s);
        rc = profiled_choose(p, q, &s, err);
    }
    if (rc == 0 && q->profile) {
        uint64_t runs = p->profile->program[p->program].runs;
        p->steps = runs ? runs : count_steps(p, &s);
        join_pairs(p, &s);
        profiled_sum(p);
    }
    profiled_free_sides(&s);
    if (rc != 0)
        profiled_free(p);
    return rc;
}

void profiled_free(struct profiled *p)
{
    for (size_t i = 0; i < p->n_kernels; i++) {
        free(p->kernel[i].name);
        free(p->kernel[i].alike);
        mpq_clears(p->kernel[i].predicted, p->kernel[i].measured, p->kernel[i].estimated, NULL);
    }
    for (unsigned c = 0; c < PROFILED_N_CLASSES; c++)
        mpq_clears(p->class[c].predicted, p->class[c].measured, NULL);
    mpq_clears(p->step.predicted, p->step.measured, p->in_kernels.predicted, p->in_kernels.measured,
               p->error, p->paired_error, p->paired_share, NULL);
    free(p->kernel);
    free(p->kernel_of_row);
    run_result_free(&p->run);
    profile_free(p->profile);
    hlo_free(p->module);
    spec_free(p->spec);
    free(p->text);
    free(p->file);
    *p = (struct profiled){ 0 };
}
