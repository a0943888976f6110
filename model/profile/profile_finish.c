/* profile_finish.c - a profile from all that was put in: see profile_build.h. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "profile/profile_build.h"

static int compare_values(const void *a, const void *b)
{
    const uint64_t *x = a, *y = b;

    return (*x > *y) - (*x < *y);
}

uint64_t profile_build_median(uint64_t *value, size_t n)
{
    if (n == 0)
        return 0;
    qsort(value, n, sizeof *value, compare_values);
    uint64_t low = value[(n - 1) / 2], high = value[n / 2];
    return low + (high - low) / 2;
}

/* Values of all programs, to be sorted apart: one list with the bounds of each. */
struct lists {
    uint64_t *value;
    size_t *begin; /* of each program, and the end */
    size_t *n;     /* filled so far */
};

static void begin_lists(struct lists *l, const struct profile_build *b)
{
    size_t at = 0;

    l->begin = memory_zeroed((size_t)b->n_programs + 1, sizeof *l->begin);
    l->n = memory_zeroed(b->n_programs, sizeof *l->n);
    for (uint32_t i = 0; i < b->n_devices; i++)
        for (uint32_t r = 0; r < b->device[i].n_runs; r++)
            l->begin[b->device[i].run[r].program + 1]++;
    for (uint32_t p = 0; p < b->n_programs; p++)
        at = l->begin[p + 1] += at;
    l->value = memory_zeroed(at, sizeof *l->value);
}

static void add_value(struct lists *l, uint32_t program, uint64_t value)
{
    l->value[l->begin[program] + l->n[program]++] = value;
}

static void end_lists(struct lists *l)
{
    free(l->value);
    free(l->begin);
    free(l->n);
}

/* A run is cut if it is the first or the last of its device and has fewer kernels than the median
 * run of its program. */
static void find_cut(struct profile_build *b)
{
    struct lists l;

    begin_lists(&l, b);
    for (uint32_t i = 0; i < b->n_devices; i++)
        for (uint32_t r = 0; r < b->device[i].n_runs; r++)
            add_value(&l, b->device[i].run[r].program, b->device[i].run[r].n_kernels);
    for (uint32_t p = 0; p < b->n_programs; p++)
        if (l.n[p] > 0)
            qsort(l.value + l.begin[p], l.n[p], sizeof *l.value, compare_values);
    for (uint32_t i = 0; i < b->n_devices; i++) {
        struct profile_build_device *d = &b->device[i];
        for (uint32_t r = 0; r < d->n_runs; r += r + 1 < d->n_runs ? d->n_runs - 1 : 1) {
            uint32_t p = d->run[r].program;
            d->run[r].cut = d->run[r].n_kernels < l.value[l.begin[p] + l.n[p] / 2];
            b->program[p].is.cut += d->run[r].cut;
        }
    }
    end_lists(&l);
}

/* Count the kernels of first and last runs that are whole. */
static void merge_edges(struct profile_build *b, const struct profile_build_device *d)
{
    for (int last = 0; last < 2; last++) {
        if (d->n_runs == 0 || d->run[last ? d->n_runs - 1 : 0].cut)
            continue;
        for (uint32_t i = 0; i < d->cap_edge[last] && i < b->n_kernels; i++) {
            const struct profile_sum *s = &d->edge[last][i];
            struct profile_kernel *k = &b->kernel[i];
            if (s->count == 0)
                continue;
            k->least = k->count == 0 || s->least < k->least ? s->least : k->least;
            k->most = s->most > k->most ? s->most : k->most;
            k->count += s->count;
            k->total += s->total;
        }
    }
}

/* The shared time line is bent where clocks were made to agree, also in the middle of a run, whose
 * event has no times by the clock of the device: what its kernels span tells by how much. */
static void straighten_runs(struct profile_build_device *d)
{
    for (uint32_t i = 0; i < d->n_runs; i++) {
        struct profile_build_run *r = &d->run[i];
        int64_t longer = (int64_t)r->kernels.clock_length - (int64_t)r->kernels.length;
        int64_t length = (int64_t)r->length + longer;
        if (r->has_kernels)
            r->length = length > 0 ? (uint64_t)length : r->kernels.clock_length;
    }
}

static void sum_device(struct profile_build *b, struct profile_build_device *d)
{
    int64_t covered = d->n_runs > 0 ? d->run[0].begin : 0;

    for (uint32_t i = 0; i < d->n_runs; i++) {
        const struct profile_build_run *r = &d->run[i];
        struct profile_program *p = &b->program[r->program].is;
        int64_t end = r->begin + (int64_t)r->shared_length;
        if (r->begin > covered)
            d->is.idle += (uint64_t)(r->begin - covered);
        covered = end > covered ? end : covered;
        if (r->cut)
            continue;
        p->runs++;
        p->total += r->length;
        p->busy += r->busy < r->length ? r->busy : r->length;
        p->waits += r->wait < r->length ? r->wait : r->length;
    }
}

static void find_medians(struct profile_build *b)
{
    struct lists length, period;

    begin_lists(&length, b);
    begin_lists(&period, b);
    for (uint32_t i = 0; i < b->n_devices; i++) {
        const struct profile_build_device *d = &b->device[i];
        for (uint32_t r = 0; r < d->n_runs; r++) {
            const struct profile_build_run *run = &d->run[r];
            if (run->cut)
                continue;
            add_value(&length, run->program, run->length);
            if (r > 0 && run[-1].program == run->program && !run[-1].cut)
                add_value(&period, run->program, (uint64_t)(run->begin - run[-1].begin));
        }
    }
    for (uint32_t p = 0; p < b->n_programs; p++) {
        struct profile_program *is = &b->program[p].is;
        is->median = profile_build_median(length.value + length.begin[p], length.n[p]);
        is->period = profile_build_median(period.value + period.begin[p], period.n[p]);
    }
    end_lists(&length);
    end_lists(&period);
}

/* New places of programs and kernels: those in the profile, or PROFILE_BUILD_NONE. */
struct plan {
    struct profile *p;
    uint32_t *program, *kernel;
    const struct profile_build_log **log; /* of each program of the profile; NULL: no run */
};

static void place_programs(struct profile_build *b, struct plan *plan)
{
    struct profile *p = plan->p;

    plan->program = memory_zeroed(b->n_programs, sizeof *plan->program);
    p->program = memory_zeroed(b->n_programs, sizeof *p->program);
    for (uint32_t k = 0; k < b->n_kernels; k++)
        plan->program[b->kernel[k].program] |= b->kernel[k].count > 0;
    for (uint32_t i = 0; i < b->n_programs; i++) {
        struct profile_program *is = &b->program[i].is;
        bool ran = plan->program[i] || is->runs + is->cut > 0;
        plan->program[i] = ran ? (uint32_t)p->n_programs : PROFILE_BUILD_NONE;
        if (!ran)
            continue;
        p->program[p->n_programs++] = *is;
        is->name = NULL;
        is->hlo = NULL;
    }
    plan->log = memory_zeroed(p->n_programs, sizeof *plan->log);
}

struct kernel_order {
    uint64_t begin; /* first in the run that stands for the program; UINT64_MAX: not in it */
    uint32_t program, kernel;
};

static int compare_kernels(const void *a, const void *b)
{
    const struct kernel_order *x = a, *y = b;

    if (x->program != y->program)
        return x->program < y->program ? -1 : 1;
    if (x->begin != y->begin)
        return x->begin < y->begin ? -1 : 1;
    return (x->kernel > y->kernel) - (x->kernel < y->kernel);
}

static void place_kernels(struct profile_build *b, struct plan *plan)
{
    struct profile *p = plan->p;
    struct kernel_order *order = memory_zeroed(b->n_kernels, sizeof *order);
    uint32_t n = 0;

    for (uint32_t i = 0; i < b->n_kernels; i++)
        order[i] = (struct kernel_order){ UINT64_MAX, plan->program[b->kernel[i].program], i };
    for (size_t i = 0; i < p->n_programs; i++)
        for (uint32_t e = 0; plan->log[i] && e < plan->log[i]->n; e++) {
            const struct profile_event *event = &plan->log[i]->event[e];
            if (event->begin < order[event->kernel].begin)
                order[event->kernel].begin = event->begin;
        }
    qsort(order, b->n_kernels, sizeof *order, compare_kernels);
    plan->kernel = memory_zeroed(b->n_kernels, sizeof *plan->kernel);
    p->kernel = memory_zeroed(b->n_kernels, sizeof *p->kernel);
    for (uint32_t i = 0; i < b->n_kernels; i++) {
        struct profile_kernel *k = &b->kernel[order[i].kernel];
        plan->kernel[order[i].kernel] = k->count > 0 ? n : PROFILE_BUILD_NONE;
        if (k->count == 0)
            continue;
        p->kernel[n] = *k;
        p->kernel[n++].program = order[i].program;
        k->name = k->text = k->category = k->scope = NULL;
    }
    p->n_kernels = n;
    free(order);
}

static int compare_events(const void *a, const void *b)
{
    const struct profile_event *x = a, *y = b;

    if (x->begin != y->begin)
        return x->begin < y->begin ? -1 : 1;
    if (x->length != y->length) /* what holds others goes before them */
        return x->length > y->length ? -1 : 1;
    return (x->kernel > y->kernel) - (x->kernel < y->kernel);
}

static void copy_events(struct plan *plan)
{
    struct profile *p = plan->p;
    size_t all = 0;

    for (size_t i = 0; i < p->n_programs; i++)
        all += plan->log[i] ? plan->log[i]->n : 0;
    p->event = memory_zeroed(all, sizeof *p->event);
    for (size_t i = 0; i < p->n_programs; i++) {
        size_t begin = p->n_events;
        for (uint32_t e = 0; plan->log[i] && e < plan->log[i]->n; e++) {
            struct profile_event event = plan->log[i]->event[e];
            event.kernel = plan->kernel[event.kernel];
            p->event[p->n_events++] = event;
        }
        qsort(p->event + begin, p->n_events - begin, sizeof *p->event, compare_events);
    }
}

static void keep_log(struct plan *plan, const struct profile_build *b)
{
    for (uint32_t i = 0; i < b->n_programs; i++) {
        const struct profile_build_program *p = &b->program[i];
        if (plan->program[i] != PROFILE_BUILD_NONE && p->stands != PROFILE_BUILD_NONE)
            plan->log[plan->program[i]] = b->device[p->device].run[p->stands].log;
    }
}

static void choose_run(struct profile_build *b, uint32_t device, uint32_t run)
{
    struct profile_build_program *p = &b->program[b->device[device].run[run].program];

    if (p->device == device)
        p->stands = run;
}

static void copy_devices(struct profile_build *b, struct profile *p)
{
    p->device = memory_zeroed(b->n_devices, sizeof *p->device);
    p->n_devices = b->n_devices;
    for (uint32_t i = 0; i < b->n_devices; i++) {
        struct profile_device *is = &b->device[i].is;
        p->device[i] = *is;
        is->name = is->type = is->host = NULL;
    }
}

struct profile *profile_build_end(struct profile_build *b)
{
    struct plan plan = { .p = memory_zeroed(1, sizeof *plan.p) };
    struct profile *p = plan.p;

    find_cut(b);
    for (uint32_t i = 0; i < b->n_devices; i++) {
        straighten_runs(&b->device[i]);
        merge_edges(b, &b->device[i]);
        sum_device(b, &b->device[i]);
    }
    find_medians(b);
    for (uint32_t i = 0; i < b->n_devices; i++)
        profile_build_middle(b, i, 0, choose_run);
    place_programs(b, &plan);
    keep_log(&plan, b);
    place_kernels(b, &plan);
    copy_events(&plan);
    copy_devices(b, p);
    p->path = b->path;
    b->path = NULL;
    p->format = b->format;
    p->steps = (struct profile_steps){ b->n_steps, profile_build_median(b->step, b->n_steps) };
    free(plan.program);
    free(plan.kernel);
    free(plan.log);
    profile_build_free(b);
    return p;
}
