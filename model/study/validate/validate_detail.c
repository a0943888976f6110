#include "study/validate/validate_detail.h"

#include <stdlib.h>
#include <string.h>

#include "base/exact.h"
#include "base/memory.h"
#include "run/result/published.h"

const char *const validate_regime_name[VALIDATE_N_REGIMES + 1] = {
    [VALIDATE_FLOOR] = "floor", [VALIDATE_VECTOR] = "vector",        [VALIDATE_MXU] = "MXU",
    [VALIDATE_HBM] = "HBM",     [VALIDATE_N_REGIMES] = "all limits",
};

/* A predicted row of a measured kernel. */
static bool is_kernel(const struct validate_row *r)
{
    return r->generation && r->status == VALIDATE_CHECKED;
}

static bool has_row(const struct validate_group *g, const struct validate_row *r)
{
    return is_kernel(r) && strcmp(r->generation, g->generation) == 0 &&
           (!g->op || strcmp(r->op, g->op) == 0) &&
           (g->regime == VALIDATE_N_REGIMES || (int)r->regime == g->regime);
}

/* --- groups --------------------------------------------------------------------------------- */

/* Errors of the group's rows that were fitted on, or of the others: ours, and the compiler's, whose
 * numbers are kept in `theirs`. */
static void sum_rows(const struct validate_group *g, const struct validate_result *v, bool fitted,
                     struct validate_errors *ours, struct validate_errors *theirs)
{
    mpq_srcptr *error = memory_zeroed(v->n_rows + 1, sizeof *error);
    mpq_t *estimate = memory_zeroed(v->n_rows + 1, sizeof *estimate);
    size_t n = 0, known = 0;

    for (size_t i = 0; i < v->n_rows; i++)
        if (has_row(g, &v->row[i]) && (v->row[i].use == VALIDATE_FITTED) == fitted)
            error[n++] = v->row[i].error;
    validate_errors_sum(ours, error, n);
    for (size_t i = 0; i < v->n_rows; i++) {
        const struct validate_row *r = &v->row[i];
        if (!has_row(g, r) || (r->use == VALIDATE_FITTED) != fitted || mpq_sgn(r->estimate) == 0)
            continue;
        mpq_init(estimate[known]);
        mpq_div(estimate[known], r->estimate, r->measured);
        EXACT_Q(one);
        mpq_set_ui(one, 1, 1);
        mpq_sub(estimate[known], estimate[known], one);
        error[known] = estimate[known];
        known++;
    }
    validate_errors_sum(theirs, error, known);
    for (size_t i = 0; i < known; i++)
        mpq_clear(estimate[i]);
    free(estimate);
    free(error);
}

static void add_group(struct validate_detail *d, const struct validate_result *v,
                      const char *generation, const char *op, int regime)
{
    MEMORY_ADD(d->group, d->n_groups);
    struct validate_group *g = &d->group[d->n_groups];
    *g = (struct validate_group){ .generation = generation, .op = op, .regime = regime };
    validate_errors_init(&g->fitted);
    validate_errors_init(&g->unseen);
    validate_errors_init(&g->fitted_estimate);
    validate_errors_init(&g->unseen_estimate);
    sum_rows(g, v, true, &g->fitted, &g->fitted_estimate);
    sum_rows(g, v, false, &g->unseen, &g->unseen_estimate);
    d->n_groups++;
    if (g->fitted.n + g->unseen.n > 0)
        return;
    d->n_groups--;
    validate_errors_clear(&g->fitted);
    validate_errors_clear(&g->unseen);
    validate_errors_clear(&g->fitted_estimate);
    validate_errors_clear(&g->unseen_estimate);
}

/* A kind, or all of them, in all regimes and in each. */
static void add_kind(struct validate_detail *d, const struct validate_result *v,
                     const char *generation, const char *op)
{
    add_group(d, v, generation, op, VALIDATE_N_REGIMES);
    for (int regime = 0; regime < VALIDATE_N_REGIMES; regime++)
        add_group(d, v, generation, op, regime);
}

static bool has_kind(const struct validate_detail *d, const char *generation, const char *op)
{
    for (size_t i = 0; i < d->n_groups; i++) {
        const struct validate_group *g = &d->group[i];
        if (strcmp(g->generation, generation) == 0 && g->op && strcmp(g->op, op) == 0)
            return true;
    }
    return false;
}

/* --- the worst ------------------------------------------------------------------------------ */

static bool is_worse(const struct validate_row *a, const struct validate_row *b)
{
    EXACT_Q(x);
    EXACT_Q(y);
    mpq_abs(x, a->error);
    mpq_abs(y, b->error);
    return mpq_cmp(x, y) > 0;
}

static void rank_row(struct validate_worst *w, const struct validate_row *r)
{
    size_t at = w->n;

    while (at > 0 && is_worse(r, w->row[at - 1]))
        at--;
    if (at == VALIDATE_WORST)
        return;
    w->n += w->n < VALIDATE_WORST;
    memmove(&w->row[at + 1], &w->row[at], (w->n - at - 1) * sizeof *w->row);
    w->row[at] = r;
}

static void add_generation(struct validate_detail *d, const struct validate_result *v,
                           const char *generation)
{
    for (size_t i = 0; i < d->n_worst; i++)
        if (strcmp(d->worst[i].generation, generation) == 0)
            return;
    MEMORY_ADD(d->worst, d->n_worst);
    struct validate_worst *w = &d->worst[d->n_worst++];
    *w = (struct validate_worst){ .generation = generation };
    add_kind(d, v, generation, NULL);
    for (size_t i = 0; i < v->n_rows; i++) {
        const struct validate_row *r = &v->row[i];
        if (!is_kernel(r) || strcmp(r->generation, generation) != 0)
            continue;
        rank_row(w, r);
        if (!has_kind(d, generation, r->op))
            add_kind(d, v, generation, r->op);
    }
}

/* --- uses ----------------------------------------------------------------------------------- */

enum { CLASS, USE, NOTE, N };

/* The line of a class that there is, in the order of the table. */
static bool has_class(const struct validate_result *v, const char *begin)
{
    for (size_t i = 0; i < v->n_classes; i++)
        if (strncmp(v->class[i].name, begin, strlen(begin)) == 0)
            return true;
    return false;
}

static int read_uses(struct validate_detail *d, const struct validate_result *v,
                     const struct published_file *file, struct err *err)
{
    char f[N + 1][PUBLISHED_FIELD];
    struct published_reader t;
    size_t n;

    published_open(&t, file);
    while ((n = published_next(&t, f, N + 1)) > 0) {
        if (n != N || !*f[CLASS] || !*f[USE])
            return published_refuse(&t, err);
        if (!has_class(v, f[CLASS]))
            continue;
        MEMORY_ADD(d->said, d->n_said);
        d->said[d->n_said++] = (struct validate_said){ memory_copy(f[CLASS]), memory_copy(f[USE]),
                                                       memory_copy(f[NOTE]) };
    }
    return 0;
}

int validate_detail_make(struct validate_detail *d, const struct validate_result *v,
                         struct err *err)
{
    int rc = 0;

    *d = (struct validate_detail){ 0 };
    for (size_t i = 0; i < v->n_rows; i++)
        if (is_kernel(&v->row[i]))
            add_generation(d, v, v->row[i].generation);
    for (size_t i = 0; i < published_n_files && rc == 0; i++)
        if (strcmp(published_files[i].stem, "uses") == 0)
            rc = read_uses(d, v, &published_files[i], err);
    if (rc != 0)
        validate_detail_free(d);
    return rc;
}

void validate_detail_free(struct validate_detail *d)
{
    for (size_t i = 0; i < d->n_groups; i++) {
        validate_errors_clear(&d->group[i].fitted);
        validate_errors_clear(&d->group[i].unseen);
        validate_errors_clear(&d->group[i].fitted_estimate);
        validate_errors_clear(&d->group[i].unseen_estimate);
    }
    for (size_t i = 0; i < d->n_said; i++) {
        free(d->said[i].class);
        free(d->said[i].use);
        free(d->said[i].note);
    }
    free(d->group);
    free(d->worst);
    free(d->said);
    *d = (struct validate_detail){ 0 };
}
