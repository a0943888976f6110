/* liveness_lend.c - temporaries in the memory of arguments.
 *
 * An argument that the program gives away is free between its last use and the line that writes the
 * result in its place, and what it returns besides those until it is made.  XLA gives that memory
 * to temporaries as a whole: the largest first, each to the smallest such argument that is as large
 * and free for all of its life.  A cache that is updated in another layout, copied there and back,
 * takes its copy's memory once instead of twice.
 */
#include <stdlib.h>

#include "base/memory.h"
#include "passes/liveness_impl.h"

#define MAX_LENDERS 256 /* that a temporary asks */
#define MAX_GUESTS 256  /* of a lender */

struct guest {
    uint32_t from, to;
};

struct lender {
    uint32_t value, n;
    uint64_t bytes;
    struct guest *guest;
};

struct lending {
    struct liveness *l;
    struct lender *lender; /* smallest first */
    uint32_t n_lenders, cap_lenders;
    struct lender *asks; /* temporaries, largest first */
    uint32_t n_asks, cap_asks;
};

static int compare_smaller(const void *a, const void *b)
{
    const struct lender *x = a, *y = b;

    if (x->bytes != y->bytes)
        return x->bytes < y->bytes ? -1 : 1;
    return x->value < y->value ? -1 : 1;
}

static int compare_larger(const void *a, const void *b)
{
    const struct lender *x = a, *y = b;

    if (x->bytes != y->bytes)
        return x->bytes > y->bytes ? -1 : 1;
    return x->value < y->value ? -1 : 1;
}

static void find_both(struct lending *d)
{
    const struct step *step = d->l->step;

    for (uint32_t v = 0; v < step->n_values; v++) {
        const struct liveness_life *life = &d->l->life[v];
        struct lender x = { .value = v, .bytes = step_bytes(step, v) };
        if (step_space(step, v) != TRACE_IN_HBM)
            continue;
        bool result = !step->value[v].persistent && life->place == v && life->returned;
        if ((step->value[v].persistent && life->n_gaps) || (result && !step->value[v].on_chip)) {
            MEMORY_GROW(d->lender, d->n_lenders + 1, d->cap_lenders);
            d->lender[d->n_lenders++] = x;
        } else if (!step->value[v].persistent && !step->value[v].on_chip && life->place == v &&
                   !life->returned) {
            MEMORY_GROW(d->asks, d->n_asks + 1, d->cap_asks);
            d->asks[d->n_asks++] = x;
        }
    }
}

static bool is_free(const struct lending *d, const struct lender *x, uint32_t from, uint32_t to)
{
    const struct liveness_life *life = &d->l->life[x->value];
    /* a result is free until it is made */
    bool inside = life->returned && to < d->l->step->value[x->value].def;

    for (uint32_t i = 0; i < life->n_gaps && !inside; i++) {
        const struct liveness_gap *gap = &d->l->gap[life->first_gap + i];
        inside = gap->from <= from && to <= gap->to;
    }
    for (uint32_t i = 0; i < x->n && inside; i++)
        inside = to < x->guest[i].from || x->guest[i].to < from;
    return inside && x->n < MAX_GUESTS;
}

/* The first lender of at least so many bytes. */
static uint32_t find_first(const struct lending *d, uint64_t bytes)
{
    uint32_t lo = 0, hi = d->n_lenders;

    while (lo < hi) {
        uint32_t mid = lo + (hi - lo) / 2;
        if (d->lender[mid].bytes < bytes)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}

static void place_guest(struct lending *d, uint32_t v, uint64_t bytes)
{
    struct liveness_life *life = &d->l->life[v];
    uint32_t first = find_first(d, bytes);

    for (uint32_t i = first; i < d->n_lenders && i - first < MAX_LENDERS; i++) {
        struct lender *x = &d->lender[i];
        if (!is_free(d, x, life->from, life->to))
            continue;
        if (x->guest == NULL)
            x->guest = memory_zeroed(MAX_GUESTS, sizeof *x->guest);
        x->guest[x->n++] = (struct guest){ life->from, life->to };
        life->lent = true;
        return;
    }
}

void liveness_lend(struct liveness *l)
{
    struct lending d = { .l = l };

    find_both(&d);
    if (d.n_lenders && d.n_asks) {
        qsort(d.lender, d.n_lenders, sizeof *d.lender, compare_smaller);
        qsort(d.asks, d.n_asks, sizeof *d.asks, compare_larger);
        for (uint32_t i = 0; i < d.n_asks; i++)
            place_guest(&d, d.asks[i].value, d.asks[i].bytes);
    }
    for (uint32_t i = 0; i < d.n_lenders; i++)
        free(d.lender[i].guest);
    free(d.lender);
    free(d.asks);
}
