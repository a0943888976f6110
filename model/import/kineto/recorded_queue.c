/* The gap between kernels that stand in a queue.
 *
 *     launches   ..a..b............           b was launched before a began: what is between the
 *     stream           |--a--| |--b--|        end of a and the begin of b is the GPU's own
 *
 * Kernels alone count, each behind another one on its stream.
 *
 * Where no work runs and the launch of the next is not over, the step waits for the host. */
#include <stdlib.h>

#include "base/memory.h"
#include "import/kineto/recorded.h"

static int compare_places(const void *a, const void *b)
{
    const struct kineto_work *x = *(const struct kineto_work *const *)a;
    const struct kineto_work *y = *(const struct kineto_work *const *)b;

    if (x->device != y->device)
        return x->device < y->device ? -1 : 1;
    if (x->stream != y->stream)
        return x->stream < y->stream ? -1 : 1;
    if (x->begin != y->begin)
        return x->begin < y->begin ? -1 : 1;
    return (x->end > y->end) - (x->end < y->end);
}

static int compare_times(const void *a, const void *b)
{
    const uint64_t *x = a, *y = b;

    return (*x > *y) - (*x < *y);
}

static bool is_kernel(const struct kineto_work *w)
{
    return !w->copies && !w->fills;
}

/* Work of the step by its place, then by its begin. */
static const struct kineto_work **sort_work(const struct recorded_step *s, const struct kineto *k,
                                            uint32_t *n)
{
    const struct kineto_work **sorted = memory_zeroed(k->n_work, sizeof *sorted);

    *n = 0;
    for (uint32_t i = 0; i < k->n_work; i++)
        if (k->work[i].launched >= s->begin && k->work[i].launched < s->end)
            sorted[(*n)++] = &k->work[i];
    qsort(sorted, *n, sizeof *sorted, compare_places);
    return sorted;
}

/* b follows a on one stream, and stood behind it before a began. */
static bool has_waited(const struct kineto *k, const struct kineto_work *a,
                       const struct kineto_work *b)
{
    return a->device == b->device && a->stream == b->stream && is_kernel(a) && is_kernel(b) &&
           b->launch != KINETO_NONE && k->call[b->launch].kind == KINETO_RUNTIME &&
           k->call[b->launch].end <= a->begin && b->begin >= a->end;
}

static int compare_begins(const void *a, const void *b)
{
    const struct kineto_work *x = *(const struct kineto_work *const *)a;
    const struct kineto_work *y = *(const struct kineto_work *const *)b;

    return (x->begin > y->begin) - (x->begin < y->begin);
}

/* Times of the step in which nothing runs because nothing is launched.  Sorts `work`. */
static uint64_t sum_waits(const struct recorded_step *s, const struct kineto *k,
                          const struct kineto_work **work, uint32_t n)
{
    int64_t over = s->begin;
    uint64_t waits = 0;

    if (n > 0)
        qsort(work, n, sizeof *work, compare_begins);
    for (uint32_t i = 0; i < n; i++) {
        const struct kineto_work *w = work[i];
        bool called = w->launch != KINETO_NONE && k->call[w->launch].kind == KINETO_RUNTIME;
        int64_t launched = called ? k->call[w->launch].end : over;
        int64_t until = launched < w->begin ? launched : w->begin;
        waits += until > over ? (uint64_t)(until - over) : 0;
        over = w->end > over ? w->end : over;
    }
    return waits;
}

void recorded_queue(struct recorded_step *s, const struct kineto *k)
{
    uint32_t n, n_gaps = 0;
    const struct kineto_work **work = sort_work(s, k, &n);
    uint64_t *gap = memory_zeroed(n, sizeof *gap);

    for (uint32_t i = 1; i < n; i++)
        if (has_waited(k, work[i - 1], work[i]))
            gap[n_gaps++] = (uint64_t)(work[i]->begin - work[i - 1]->end);
    qsort(gap, n_gaps, sizeof *gap, compare_times);
    s->queued = n_gaps;
    if (n_gaps > 0) {
        s->queue_gap = gap[n_gaps / 2];
        s->queue_part = gap[n_gaps - 1 - n_gaps / 4] - gap[n_gaps / 4];
    }
    s->host_wait = sum_waits(s, k, work, n);
    free(gap);
    free(work);
}
