/* Sums over the pairs of a profile and a prediction: the step, classes, errors. */
#include <stdlib.h>

#include "base/exact.h"
#include "base/memory.h"
#include "study/profiled/profiled_impl.h"

static void add_kernels(struct profiled *p, mpq_t paired, mpq_t all)
{
    EXACT_Q(difference);
    EXACT_Q(wrong);
    EXACT_Q(wrong_pairs);

    for (size_t i = 0; i < p->n_kernels; i++) {
        const struct profiled_kernel *k = &p->kernel[i];
        struct profiled_pair *c = &p->class[k->class];
        exact_sum(c->predicted, k->predicted);
        exact_sum(c->measured, k->measured);
        mpq_sub(difference, k->predicted, k->measured);
        mpq_abs(difference, difference);
        exact_sum(wrong, difference);
        exact_sum(all, k->measured);
        if (k->how == PAIRING_NONE)
            continue;
        exact_sum(wrong_pairs, difference);
        exact_sum(paired, k->measured);
    }
    if (mpq_sgn(all) > 0) {
        mpq_div(p->error, wrong, all);
        mpq_div(p->paired_share, paired, all);
    }
    if (mpq_sgn(paired) > 0)
        mpq_div(p->paired_error, wrong_pairs, paired);
}

/* The measured step: the mean of the program's runs; else all kernels, one after the other. */
static void set_step(struct profiled *p, const mpq_t kernels)
{
    const struct profile_program *m = &p->profile->program[p->program];
    struct profiled_pair *gap = &p->class[PROFILED_GAP];

    mpq_set(p->step.predicted, p->run.seconds_per_step);
    mpq_set(p->step.measured, kernels);
    p->step_known = m->runs > 0 && m->total > 0;
    if (!p->step_known)
        return;
    exact_ratio(p->step.measured, m->total, m->runs);
    EXACT_Q(pico);
    exact_ratio(pico, 1, UINT64_C(1000000000000));
    mpq_mul(p->step.measured, p->step.measured, pico);
    if (m->period > m->median) {
        exact_ratio(gap->measured, m->period - m->median, 1);
        mpq_mul(gap->measured, gap->measured, pico);
    }
}

static void set_idle(struct profiled *p)
{
    struct profiled_pair *idle = &p->class[PROFILED_IDLE];

    for (unsigned c = 0; c < PROFILED_IDLE; c++) {
        struct profiled_pair *all = &p->in_kernels;
        exact_sum(all->predicted, p->class[c].predicted);
        exact_sum(all->measured, p->class[c].measured);
    }
    mpq_sub(idle->predicted, p->step.predicted, p->in_kernels.predicted);
    mpq_sub(idle->measured, p->step.measured, p->in_kernels.measured);
}

/* The most seconds of difference first; of equals the longer one, then by place. */
static int compare_kernels(const void *a, const void *b)
{
    const struct profiled_kernel *x = a, *y = b;

    EXACT_Q(u);
    EXACT_Q(v);
    mpq_sub(u, x->predicted, x->measured);
    mpq_sub(v, y->predicted, y->measured);
    mpq_abs(u, u);
    mpq_abs(v, v);
    int order = mpq_cmp(v, u);
    if (order == 0)
        order = mpq_cmp(y->measured, x->measured);
    return order ? order : x->place < y->place ? -1 : x->place > y->place;
}

static void sort_kernels(struct profiled *p)
{
    uint32_t *now = memory_zeroed(p->n_kernels, sizeof *now);

    for (uint32_t i = 0; i < p->n_kernels; i++)
        p->kernel[i].place = i;
    qsort(p->kernel, p->n_kernels, sizeof *p->kernel, compare_kernels);
    for (uint32_t i = 0; i < p->n_kernels; i++)
        now[p->kernel[i].place] = i;
    for (size_t i = 0; i < p->run.n_ops; i++)
        p->kernel_of_row[i] = now[p->kernel_of_row[i]];
    free(now);
}

void profiled_sum(struct profiled *p)
{
    EXACT_Q(paired);
    EXACT_Q(all);

    add_kernels(p, paired, all);
    set_step(p, all);
    set_idle(p);
    sort_kernels(p);
}

bool profiled_is_doubtful(const struct profiled *p, size_t *by_name)
{
    size_t alone = p->n_only_predicted + p->n_only_measured;

    *by_name = 0;
    for (size_t i = 0; i < p->n_kernels; i++)
        *by_name += p->kernel[i].how == PAIRING_NAME;
    return mpq_cmp_ui(p->paired_share, 1, 2) < 0 ||
           (3 * *by_name < p->n_pairs && 4 * alone > p->n_pairs + alone);
}

void profiled_host_wait(mpq_t seconds, const struct profiled *p)
{
    const struct profile_program *m = &p->profile->program[p->program];

    EXACT_Q(pico);
    exact_ratio(pico, 1, UINT64_C(1000000000000));
    exact_ratio(seconds, m->host_wait, m->runs > 0 ? m->runs : 1);
    mpq_mul(seconds, seconds, pico);
}
