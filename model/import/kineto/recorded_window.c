/* The window of one step in a recording. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "import/kineto/recorded.h"

struct window {
    int64_t begin, end;
    uint32_t order;
};

static bool begins_with(const char *text, const char *with)
{
    return strncmp(text, with, strlen(with)) == 0;
}

static int compare_lengths(const void *a, const void *b)
{
    const struct window *x = a, *y = b;
    int64_t n = x->end - x->begin, m = y->end - y->begin;

    if (n != m)
        return n < m ? -1 : 1;
    return (x->order > y->order) - (x->order < y->order);
}

static int compare_begins(const void *a, const void *b)
{
    const struct window *x = a, *y = b;

    if (x->begin != y->begin)
        return x->begin < y->begin ? -1 : 1;
    return (x->order > y->order) - (x->order < y->order);
}

/* Annotations that begin with `with`, in the order of their begin. */
static struct window *list_windows(const struct kineto *k, const char *with, uint32_t *n)
{
    struct window *w = memory_zeroed(k->n_calls, sizeof *w);

    *n = 0;
    for (uint32_t i = 0; i < k->n_calls; i++) {
        const struct kineto_call *c = &k->call[i];
        if (c->kind == KINETO_ANNOTATION && begins_with(kineto_text(k, c->name), with)) {
            w[*n] = (struct window){ c->begin, c->end, *n };
            ++*n;
        }
    }
    qsort(w, *n, sizeof *w, compare_begins);
    return w;
}

static void take_middle(struct recorded_step *s, struct window *w, uint32_t n, const char *found)
{
    qsort(w, n, sizeof *w, compare_lengths);
    s->begin = w[(n - 1) / 2].begin;
    s->end = w[(n - 1) / 2].end;
    s->n_steps = n;
    s->found = found;
}

/* From the end of one update to that of the next; the first from the begin of the recording. */
static void cut_at_updates(struct window *w, uint32_t n, int64_t begin)
{
    for (uint32_t i = 0; i < n; i++) {
        int64_t end = w[i].end;
        w[i].begin = begin;
        begin = end;
    }
}

/* True if windows of work hold some launch. */
static bool holds_work(const struct kineto *k, const struct window *w)
{
    for (uint32_t i = 0; i < k->n_work; i++)
        if (k->work[i].launched >= w->begin && k->work[i].launched < w->end)
            return true;
    return false;
}

/* The length of the sequence of kernels that the recording repeats, or all of it. */
static uint32_t find_period(const struct kineto *k)
{
    uint32_t n = k->n_work, *back = memory_zeroed((size_t)n + 1, sizeof *back);

    for (uint32_t i = 1, j = 0; i < n; i++) {
        while (j > 0 && k->work[i].name != k->work[j].name)
            j = back[j];
        j += k->work[i].name == k->work[j].name;
        back[i + 1] = j;
    }
    uint32_t period = n - back[n];
    free(back);
    return n > 0 && period >= 8 && n / period >= 2 ? period : n;
}

static void take_repeated(struct recorded_step *s, const struct kineto *k)
{
    uint32_t period = find_period(k);

    if (period == k->n_work)
        return;
    struct window *w = memory_zeroed(k->n_work / period, sizeof *w);
    uint32_t n = 0;
    for (uint32_t i = 0; i + period <= k->n_work; i += period, n++) {
        int64_t next = i + period < k->n_work ? k->work[i + period].launched : s->end;
        w[n] = (struct window){ i ? k->work[i].launched : s->begin, next, n };
    }
    take_middle(s, w, n, "repetition");
    free(w);
}

/* From the first call to the last one, as long as nothing tells steps apart. */
static void take_all(struct recorded_step *s, const struct kineto *k)
{
    s->begin = INT64_MAX;
    s->end = INT64_MIN;
    for (uint32_t i = 0; i < k->n_calls; i++) {
        if (k->call[i].kind == KINETO_OVERHEAD)
            continue;
        s->begin = k->call[i].begin < s->begin ? k->call[i].begin : s->begin;
        s->end = k->call[i].end > s->end ? k->call[i].end : s->end;
    }
    for (uint32_t i = 0; i < k->n_work; i++) {
        s->begin = k->work[i].launched < s->begin ? k->work[i].launched : s->begin;
        s->end = k->work[i].launched >= s->end ? k->work[i].launched + 1 : s->end;
    }
    s->n_steps = 1;
    s->found = "the whole recording";
}

void recorded_window(struct recorded_step *s, const struct kineto *k)
{
    uint32_t n, kept = 0;
    struct window *w = list_windows(k, "ProfilerStep#", &n);

    take_all(s, k);
    for (uint32_t i = 0; i < n; i++)
        if (holds_work(k, &w[i]))
            w[kept++] = w[i];
    if (kept > 0) {
        take_middle(s, w, kept, "annotations");
        free(w);
        return;
    }
    free(w);
    w = list_windows(k, "Optimizer.step#", &n);
    if (n > 1) {
        cut_at_updates(w, n, s->begin);
        take_middle(s, w, n, "updates");
    } else if (n == 0) {
        take_repeated(s, k);
    }
    free(w);
}
