#include "run/result/row_group.h"

#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/exact.h"
#include "base/memory.h"

/* Order by label, kind, and how often a row runs: operations between two steps stay apart from
 * those of a step. */
static int compare_groups(const struct run_row *x, const struct run_row *y)
{
    int order = strcmp(x->group, y->group);

    order = order ? order : strcmp(x->kind, y->kind);
    return order ? order : (x->every > y->every) - (x->every < y->every);
}

/* Order by group, and rows of one group by their place, so that it starts with its first
 * member. */
static int compare_rows(const void *a, const void *b)
{
    const struct run_row *const *x = a, *const *y = b;
    int order = compare_groups(*x, *y);

    return order ? order : (*x > *y) - (*x < *y);
}

/* Order by group, then by name. */
static int compare_names(const void *a, const void *b)
{
    const struct run_row *const *x = a, *const *y = b;
    int order = compare_groups(*x, *y);

    return order ? order : strcmp((*x)->name, (*y)->name);
}

static int compare_addresses(const void *a, const void *b)
{
    const struct run_row *const *x = a, *const *y = b;

    return (*x > *y) - (*x < *y);
}

/* `mxu` holds the sum of share * seconds until the group is complete */
static void start_group(struct run_row *g, const struct run_row *op)
{
    *g = (struct run_row){ .name = op->group,
                           .group = op->group,
                           .phase = op->phase,
                           .kind = op->kind,
                           .every = op->every,
                           .compiled = op->compiled,
                           .causes = op->causes };
    mpq_inits(g->seconds, g->estimated, g->mxu, NULL);
    mpz_inits(g->flops, g->hbm_bytes, NULL);
    run_slots_init(&g->slots);
}

/* Advice is that of the longest member. */
static void add_member(struct run_row *g, const struct run_row *op, mpq_ptr longest)
{
    if (mpq_cmp(op->seconds, longest) > 0 || !g->advice) {
        mpq_set(longest, op->seconds);
        g->advice = op->advice;
        g->advised = op->advised;
        g->n_advice = op->n_advice;
    }
    run_slots_add(&g->slots, &op->slots);
    g->count += op->count;
    exact_sum(g->seconds, op->seconds);
    exact_sum(g->estimated, op->estimated);
    amounts_add(&g->cause, &op->cause);
    mpz_add(g->flops, g->flops, op->flops);
    mpz_add(g->hbm_bytes, g->hbm_bytes, op->hbm_bytes);
    EXACT_Q(used);
    mpq_mul(used, op->mxu, op->seconds);
    exact_sum(g->mxu, used);
}

static void finish_group(struct run_row *g)
{
    if (mpq_sgn(g->seconds) != 0)
        mpq_div(g->mxu, g->mxu, g->seconds);
    g->bound_by = (enum cause)amounts_largest(&g->cause, g->causes);
}

/* Count the names in each group, whose first members are `first`. */
static void count_names(struct run_row *groups, const struct run_row **first, size_t n_groups,
                        const struct run_row **order, size_t n)
{
    const struct run_row **named = memory_zeroed(n + 1, sizeof *named);
    uint64_t *names = memory_zeroed(n + 1, sizeof *names); /* of the group that starts at [i] */
    size_t start = 0;

    memcpy(named, order, n * sizeof *named);
    qsort(named, n, sizeof *named, compare_names);
    for (size_t i = 0; i < n; i++) {
        if (i == 0 || compare_groups(named[i - 1], named[i]) != 0)
            start = i;
        names[start] += i == start || strcmp(named[i - 1]->name, named[i]->name) != 0;
    }
    for (size_t g = 0; g < n_groups; g++) {
        const struct run_row **at = bsearch(&first[g], order, n, sizeof *order, compare_rows);
        BUG_ON(!at);
        groups[g].names = names[at - order];
    }
    free(named);
    free(names);
}

struct run_row *row_group_sum(const struct run_row *rows, size_t n, size_t *n_groups)
{
    const struct run_row **order = memory_zeroed(n + 1, sizeof *order); /* no size is 0 */
    const struct run_row **first = memory_zeroed(n + 1, sizeof *first);
    struct run_row *groups = memory_zeroed(n + 1, sizeof *groups);
    size_t n_first = 0;

    for (size_t i = 0; i < n; i++)
        order[i] = &rows[i];
    qsort(order, n, sizeof *order, compare_rows);
    for (size_t i = 0; i < n; i++) {
        if (i == 0 || compare_groups(order[i - 1], order[i]) != 0)
            first[n_first++] = order[i];
    }
    qsort(first, n_first, sizeof *first, compare_addresses);
    for (size_t g = 0; g < n_first; g++) {
        const struct run_row **at = bsearch(&first[g], order, n, sizeof *order, compare_rows);
        BUG_ON(!at);
        EXACT_Q(longest);
        start_group(&groups[g], first[g]);
        for (; at < order + n && compare_groups(*at, first[g]) == 0; at++)
            add_member(&groups[g], *at, longest);
        finish_group(&groups[g]);
    }
    count_names(groups, first, n_first, order, n);
    free(order);
    free(first);
    *n_groups = n_first;
    return groups;
}

void row_group_free(struct run_row *groups, size_t n_groups)
{
    for (size_t i = 0; i < n_groups; i++) {
        mpq_clears(groups[i].seconds, groups[i].estimated, groups[i].mxu, NULL);
        mpz_clears(groups[i].flops, groups[i].hbm_bytes, NULL);
        amounts_clear(&groups[i].cause);
        run_slots_clear(&groups[i].slots);
    }
    free(groups);
}
