/* Errors of the kernels of all pairs by generation, class and limit; and the kernels by how much of
 * a step they are predicted otherwise. */
#include <stdlib.h>
#include <string.h>

#include "base/exact.h"
#include "base/memory.h"
#include "study/validate/profile_set_impl.h"

static bool has_pair(const struct profile_set_group *g, const struct profile_set_pair *p)
{
    return !p->reason && p->use == g->use && strcmp(p->generation, g->generation) == 0;
}

static bool has_kernel(const struct profile_set_group *g, const struct profile_set_kernel *k)
{
    return (g->class == PROFILED_IDLE || g->class == k->class) &&
           (g->regime == PROFILE_SET_N_REGIMES || g->regime == k->regime);
}

/* Add the group unless it has no kernel. */
static void add_group(struct profile_set *s, const struct profile_set_group *like,
                      mpq_srcptr *error)
{
    struct profile_set_group g = *like;
    size_t n = 0;

    EXACT_Q(wrong);
    EXACT_Q(all);
    EXACT_Q(q);
    for (size_t i = 0; i < s->n_pairs; i++)
        for (size_t k = 0; k < s->pair[i].n_kernels && has_pair(&g, &s->pair[i]); k++) {
            const struct profile_set_kernel *x = &s->pair[i].kernel[k];
            if (!has_kernel(&g, x))
                continue;
            error[n++] = x->error;
            mpq_sub(q, x->predicted, x->measured);
            mpq_abs(q, q);
            exact_sum(wrong, q);
            exact_sum(all, x->measured);
        }
    if (n == 0)
        return;
    validate_errors_init(&g.errors);
    validate_errors_sum(&g.errors, error, n);
    mpq_init(g.weighted);
    mpq_div(g.weighted, wrong, all);
    MEMORY_ADD(s->group, s->n_groups);
    s->group[s->n_groups++] = g;
}

/* All classes, then each of them: in all regimes, then in each. */
static void add_groups(struct profile_set *s, const char *generation, enum profile_set_use use,
                       mpq_srcptr *error)
{
    for (int c = -1; c < (int)PROFILED_IDLE; c++)
        for (int r = -1; r < PROFILE_SET_N_REGIMES; r++) {
            const struct profile_set_group like = {
                .generation = generation,
                .use = use,
                .class = c < 0 ? PROFILED_IDLE : (enum profiled_class)c,
                .regime = r < 0 ? PROFILE_SET_N_REGIMES : r,
            };
            add_group(s, &like, error);
        }
}

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* --- ranks ---------------------------------------------------------------------------------- */

static int compare_ranks(const void *a, const void *b)
{
    const struct profile_set_rank *x = a, *y = b;
    int order = mpq_cmp(y->share, x->share);

    if (order == 0)
        order = (x->pair > y->pair) - (x->pair < y->pair);
    return order ? order : (x->kernel > y->kernel) - (x->kernel < y->kernel);
}

static void rank_kernels(struct profile_set *s, size_t n)
{
    s->rank = memory_zeroed(n, sizeof *s->rank);
    for (size_t i = 0; i < s->n_pairs; i++)
        for (size_t k = 0; k < s->pair[i].n_kernels; k++) {
            const struct profile_set_pair *p = &s->pair[i];
            struct profile_set_rank *r = &s->rank[s->n_ranks++];
            *r = (struct profile_set_rank){ .pair = p, .kernel = &p->kernel[k] };
            mpq_init(r->share);
            mpq_sub(r->share, r->kernel->predicted, r->kernel->measured);
            mpq_abs(r->share, r->share);
            mpq_div(r->share, r->share, p->step.measured);
        }
    if (n > 0)
        qsort(s->rank, n, sizeof *s->rank, compare_ranks);
}

void profile_set_sum(struct profile_set *s)
{
    const char **name = memory_zeroed(s->n_pairs, sizeof *name);
    size_t n = 0, kernels = 0;

    for (size_t i = 0; i < s->n_pairs; i++) {
        if (!s->pair[i].reason)
            name[n++] = s->pair[i].generation;
        kernels += s->pair[i].n_kernels;
    }
    if (n > 0)
        qsort(name, n, sizeof *name, compare_names);
    mpq_srcptr *error = memory_zeroed(kernels, sizeof *error);
    for (int use = 0; use < PROFILE_SET_N_USES; use++)
        for (size_t i = 0; i < n; i++)
            if (i == 0 || strcmp(name[i], name[i - 1]) != 0)
                add_groups(s, name[i], (enum profile_set_use)use, error);
    rank_kernels(s, kernels);
    free(error);
    free(name);
}
