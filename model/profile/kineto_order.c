/* Calls of a recording as a tree, and its work in the order of its launches. */
#include <stdlib.h>

#include "base/memory.h"
#include "profile/kineto.h"

static int compare_calls(const void *a, const void *b)
{
    const struct kineto_call *x = a, *y = b;

    if (x->thread != y->thread)
        return x->thread < y->thread ? -1 : 1;
    if (x->begin != y->begin)
        return x->begin < y->begin ? -1 : 1;
    if (x->end != y->end)
        return x->end > y->end ? -1 : 1; /* the outer one first */
    if (x->kind != y->kind)
        return x->kind == KINETO_ANNOTATION || y->kind == KINETO_RUNTIME ? -1 : 1;
    return (x->id > y->id) - (x->id < y->id);
}

static void find_parents(struct kineto *k)
{
    uint32_t open = KINETO_NONE;

    for (uint32_t i = 0; i < k->n_calls; i++) {
        struct kineto_call *c = &k->call[i];
        if (i > 0 && c->thread != c[-1].thread)
            open = KINETO_NONE;
        while (open != KINETO_NONE && k->call[open].end <= c->begin)
            open = k->call[open].parent;
        c->parent = open;
        if (c->end > c->begin)
            open = i;
    }
}

/* --- launches ----------------------------------------------------------------------------- */

struct match {
    uint64_t key;
    uint32_t call;
};

static int compare_matches(const void *a, const void *b)
{
    const struct match *x = a, *y = b;

    if (x->key != y->key)
        return x->key < y->key ? -1 : 1;
    return (x->call > y->call) - (x->call < y->call);
}

/* Calls by their correlation, or by their id, sorted. */
static struct match *list_matches(const struct kineto *k, enum kineto_kind kind, uint32_t *n)
{
    struct match *m = memory_zeroed(k->n_calls, sizeof *m);

    *n = 0;
    for (uint32_t i = 0; i < k->n_calls; i++) {
        const struct kineto_call *c = &k->call[i];
        uint64_t key = kind == KINETO_RUNTIME ? c->matches : c->id;
        if (c->kind == kind && key)
            m[(*n)++] = (struct match){ key, i };
    }
    qsort(m, *n, sizeof *m, compare_matches);
    return m;
}

static uint32_t find_match(const struct match *m, uint32_t n, uint64_t key)
{
    uint32_t low = 0, high = n;

    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (m[middle].key < key)
            low = middle + 1;
        else
            high = middle;
    }
    return low < n && m[low].key == key ? m[low].call : KINETO_NONE;
}

/* By correlation the call of the runtime; by external id, where it says none, the operation. */
static void find_launches(struct kineto *k)
{
    uint32_t n_runtime, n_ops;
    struct match *runtime = list_matches(k, KINETO_RUNTIME, &n_runtime);
    struct match *ops = list_matches(k, KINETO_OPERATION, &n_ops);

    for (uint32_t i = 0; i < k->n_work; i++) {
        struct kineto_work *w = &k->work[i];
        w->launch = w->matches ? find_match(runtime, n_runtime, w->matches) : KINETO_NONE;
        if (w->launch == KINETO_NONE && w->id)
            w->launch = find_match(ops, n_ops, w->id);
        w->launched = w->launch == KINETO_NONE ? w->begin : k->call[w->launch].begin;
    }
    free(runtime);
    free(ops);
}

static int compare_work(const void *a, const void *b)
{
    const struct kineto_work *x = a, *y = b;

    if (x->launched != y->launched)
        return x->launched < y->launched ? -1 : 1;
    if (x->begin != y->begin)
        return x->begin < y->begin ? -1 : 1;
    return (x->stream > y->stream) - (x->stream < y->stream);
}

void kineto_order(struct kineto *k)
{
    if (k->n_calls > 0)
        qsort(k->call, k->n_calls, sizeof *k->call, compare_calls);
    find_parents(k);
    find_launches(k);
    if (k->n_work > 0)
        qsort(k->work, k->n_work, sizeof *k->work, compare_work);
}
