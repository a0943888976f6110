/* The time that the host's threads took between launches.
 *
 *     time of an operation = from the end of the launch before its first to the end of its last,
 *                            without waits for the GPU and what the profiler itself says it took
 *
 * Launches of all threads are one sequence: while the backward pass has a thread of its own, the
 * one that called it waits.  A profiler slows the host down: it takes notes at each call, shapes
 * among them.  How much is told by the launches, which take launch.call of the machine where nobody
 * watches; so times are kept as multiples of the median launch.  A launch that waits, because the
 * queue is full or the library is loaded, counts as a median one. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "import/kineto/recorded.h"

#define LONG_LAUNCH 8 /* medians */
#define LEAST 100     /* hundredths: a launch */
#define MOST UINT64_C(1000000000)

bool recorded_is_launch(const char *name)
{
    return strstr(name, "LaunchKernel") || strstr(name, "LaunchCooperativeKernel");
}

static int compare_lengths(const void *a, const void *b)
{
    const uint64_t *x = a, *y = b;

    return (*x > *y) - (*x < *y);
}

static uint64_t find_median(const struct recorded_step *s, const struct kineto *k)
{
    uint64_t *length = memory_zeroed(k->n_calls, sizeof *length), median = 0;
    uint32_t n = 0;

    for (uint32_t i = 0; i < k->n_calls; i++) {
        const struct kineto_call *c = &k->call[i];
        if (c->kind == KINETO_RUNTIME && c->begin >= s->begin && c->begin < s->end &&
            recorded_is_launch(kineto_text(k, c->name)))
            length[n++] = (uint64_t)(c->end - c->begin);
    }
    qsort(length, n, sizeof *length, compare_lengths);
    if (n > 0)
        median = length[n / 2];
    free(length);
    return median;
}

/* --- waits ---------------------------------------------------------------------------------- */

struct wait {
    int64_t begin, end;
};

static int compare_waits(const void *a, const void *b)
{
    const struct wait *x = a, *y = b;

    if (x->begin != y->begin)
        return x->begin < y->begin ? -1 : 1;
    return (x->end > y->end) - (x->end < y->end);
}

/* Calls in which the host waits, and what the profiler did, in their order; none holds another. */
static struct wait *list_waits(const struct kineto *k, uint32_t *n)
{
    struct wait *w = memory_zeroed(k->n_calls, sizeof *w);
    uint32_t all = 0;

    *n = 0;
    for (uint32_t i = 0; i < k->n_calls; i++) {
        const struct kineto_call *c = &k->call[i];
        if (c->kind == KINETO_OVERHEAD ||
            (c->kind == KINETO_RUNTIME && strstr(kineto_text(k, c->name), "Synchronize")))
            w[all++] = (struct wait){ c->begin, c->end };
    }
    qsort(w, all, sizeof *w, compare_waits);
    for (uint32_t i = 0; i < all; i++) {
        if (*n > 0 && w[i].begin <= w[*n - 1].end)
            w[*n - 1].end = w[i].end > w[*n - 1].end ? w[i].end : w[*n - 1].end;
        else
            w[(*n)++] = w[i];
    }
    return w;
}

struct clock {
    const struct wait *wait;
    uint32_t n, at;
    int64_t now;
};

/* Work of the host up to `to`, which is no earlier than the last time. */
static uint64_t pass_time(struct clock *c, int64_t to)
{
    int64_t from = c->now, work = to - from;

    if (to <= from)
        return 0;
    while (c->at < c->n && c->wait[c->at].end <= from)
        c->at++;
    for (uint32_t i = c->at; i < c->n && c->wait[i].begin < to; i++) {
        int64_t begin = c->wait[i].begin > from ? c->wait[i].begin : from;
        int64_t end = c->wait[i].end < to ? c->wait[i].end : to;
        work -= end - begin;
    }
    c->now = to;
    return (uint64_t)work;
}

/* --- operations ----------------------------------------------------------------------------- */

static uint64_t time_of_launch(const struct recorded_step *s, const struct kineto *k,
                               const struct kineto_work *w, struct clock *clock)
{
    if (w->launch == KINETO_NONE || k->call[w->launch].kind != KINETO_RUNTIME)
        return 0;
    const struct kineto_call *c = &k->call[w->launch];
    uint64_t before = pass_time(clock, c->begin), in = pass_time(clock, c->end);
    return before + (s->launch && in > LONG_LAUNCH * s->launch ? s->launch : in);
}

enum recorded_copy recorded_copy(const struct kineto *k, const struct recorded_op *op)
{
    const struct kineto_work *w = &k->work[op->first];
    const char *name = kineto_text(k, w->name);

    if (!w->copies || w->bytes == 0 || w->bytes > RECORDED_MOST_BYTES)
        return RECORDED_NO_COPY;
    return strstr(name, "HtoD")   ? RECORDED_IN
           : strstr(name, "DtoH") ? RECORDED_OUT
                                  : RECORDED_NO_COPY;
}

/* Copies from and to the host take no time of a launch in a trace: what its threads did before one
 * comes before the next launch, behind the last before the first of the next step. */
static void pass_copies_on(struct recorded_step *s, const struct kineto *k)
{
    struct recorded_op *first = NULL;
    uint64_t carried = 0;

    for (uint32_t i = 0; i < s->n; i++) {
        struct recorded_op *op = &s->op[i];
        carried += op->dispatch;
        op->dispatch = 0;
        if (recorded_copy(k, op) != RECORDED_NO_COPY)
            continue;
        first = first ? first : op;
        op->dispatch = carried;
        carried = 0;
    }
    if (first)
        first->dispatch += carried;
}

/* The end of the host's work in the step: behind its last call that is no wait. */
static int64_t find_end(const struct recorded_step *s, const struct kineto *k)
{
    int64_t end = s->begin;

    for (uint32_t i = 0; i < k->n_calls; i++) {
        const struct kineto_call *c = &k->call[i];
        if (c->begin >= s->begin && c->end <= s->end && c->end > end)
            end = c->end;
    }
    return end;
}

void recorded_host(struct recorded_step *s, const struct kineto *k)
{
    struct clock clock = { .now = s->begin };
    struct wait *wait = list_waits(k, &clock.n);

    s->launch = find_median(s, k);
    clock.wait = wait;
    for (uint32_t i = 0; i < s->n; i++) {
        struct recorded_op *op = &s->op[i];
        uint64_t ns = 0;
        for (uint32_t j = op->first; j <= op->last_work; j++)
            ns += time_of_launch(s, k, &k->work[j], &clock);
        s->host += ns;
        op->dispatch = s->launch ? ns * 100 / s->launch : 0;
    }
    uint64_t rest = pass_time(&clock, find_end(s, k)); /* before the next step's first launch */
    s->host += rest;
    if (s->n > 0 && s->launch)
        s->op[0].dispatch += rest * 100 / s->launch;
    pass_copies_on(s, k);
    for (uint32_t i = 0; i < s->n; i++) {
        struct recorded_op *op = &s->op[i];
        uint64_t others = (uint64_t)(op->n - 1) * LEAST; /* each costs a launch of its own */
        if (s->launch && recorded_copy(k, op) == RECORDED_NO_COPY)
            op->dispatch = op->dispatch > others + LEAST ? op->dispatch - others : LEAST;
        op->dispatch = op->dispatch > MOST ? MOST : op->dispatch;
    }
    free(wait);
}
