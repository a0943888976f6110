#include "run/result/origin.h"

#include <stdlib.h>
#include <string.h>

#include "base/exact.h"
#include "base/memory.h"
#include "run/result/layer_name.h"

struct key {
    const char *at;
    size_t n;
    size_t row;
};

static struct key layer_of(const char *layer, const struct run_row *w, size_t row)
{
    (void)w;
    return (struct key){ layer, strlen(layer), row };
}

static struct key scope_of(const char *layer, const struct run_row *w, size_t row)
{
    (void)layer;
    const char *last = strrchr(w->scope, '/');

    return (struct key){ w->scope, last ? (size_t)(last - w->scope) : 0, row };
}

static struct key source_of(const char *layer, const struct run_row *w, size_t row)
{
    (void)layer;
    return (struct key){ w->source, strlen(w->source), row };
}

static int compare_texts(const struct key *a, const struct key *b)
{
    int order = memcmp(a->at, b->at, a->n < b->n ? a->n : b->n);

    return order ? order : (a->n > b->n) - (a->n < b->n);
}

static int compare_keys(const void *a, const void *b)
{
    const struct key *x = a, *y = b;
    int order = compare_texts(x, y);

    return order ? order : (x->row > y->row) - (x->row < y->row);
}

/* Longest first; of equals the one that sorts first by name. */
static int compare_rows(const void *a, const void *b)
{
    const struct run_row *x = a, *y = b;
    int order = mpq_cmp(y->seconds, x->seconds);

    return order ? order : strcmp(x->name, y->name);
}

static void add_row(struct run_row *sum, const struct run_row *w)
{
    sum->count += w->count;
    exact_sum(sum->seconds, w->seconds);
    exact_sum(sum->estimated, w->estimated);
    mpz_add(sum->flops, sum->flops, w->flops);
    mpz_add(sum->hbm_bytes, sum->hbm_bytes, w->hbm_bytes);
    amounts_add(&sum->cause, &w->cause);
    run_slots_add(&sum->slots, &w->slots);
    EXACT_Q(work); /* the ratio times the seconds it is over: divided by their sum at the end */
    mpq_mul(work, w->mxu, w->seconds);
    exact_sum(sum->mxu, work);
}

static void finish_row(struct run_row *sum)
{
    sum->bound_by = (enum cause)amounts_largest(&sum->cause, sum->causes);
    if (mpq_sgn(sum->seconds))
        mpq_div(sum->mxu, sum->mxu, sum->seconds);
}

/* Texts of one result are one where they are equal. */
static int compare_pointers(const void *a, const void *b)
{
    const char *const *x = a, *const *y = b;

    return (*x > *y) - (*x < *y);
}

/* Names that are equal but for numbers are a group; one that is alone stays its own. */
static void group_numbers(struct run_result *r, struct run_row *rows, size_t n)
{
    const char **label = memory_zeroed(n + 1, sizeof *label);
    const char **sorted = memory_zeroed(n + 1, sizeof *sorted);

    for (size_t i = 0; i < n; i++)
        sorted[i] = label[i] = texts_take(&r->texts, layer_label(rows[i].name));
    qsort(sorted, n, sizeof *sorted, compare_pointers);
    for (size_t i = 0; i < n; i++) {
        const char **one = bsearch(&label[i], sorted, n, sizeof *sorted, compare_pointers);
        if ((one > sorted && one[-1] == *one) || (one + 1 < sorted + n && one[1] == *one))
            rows[i].group = label[i];
    }
    free(label);
    free(sorted);
}

static struct run_row *sum_by(struct run_result *r, size_t *n, const char *const *layer,
                              struct key key_of(const char *, const struct run_row *, size_t))
{
    struct key *key = memory_zeroed(r->n_ops + 1, sizeof *key);
    struct run_row *rows = NULL;
    bool some = false;

    for (size_t i = 0; i < r->n_ops; i++) {
        key[i] = key_of(layer[i], &r->ops[i], i);
        some |= key[i].n > 0;
    }
    qsort(key, r->n_ops, sizeof *key, compare_keys);
    *n = 0;
    for (size_t i = 0; some && i < r->n_ops; i++) {
        if (i == 0 || compare_texts(&key[i - 1], &key[i]) != 0) {
            MEMORY_ADD(rows, *n);
            char *name = memory_copy_part(key[i].at, key[i].n);
            run_row_init(&rows[(*n)++], r->causes, texts_take(&r->texts, name), NULL, NULL);
            rows[*n - 1].every = 1;
        }
        add_row(&rows[*n - 1], &r->ops[key[i].row]);
    }
    free(key);
    for (size_t i = 0; i < *n; i++)
        finish_row(&rows[i]);
    if (*n)
        qsort(rows, *n, sizeof *rows, compare_rows);
    return rows;
}

void origin_sum(struct run_result *r, bool ungroup)
{
    const char **layer = memory_zeroed(r->n_ops + 1, sizeof *layer);

    for (size_t i = 0; i < r->n_ops; i++)
        layer[i] = texts_take(&r->texts, layer_name(r->ops[i].scope));
    r->layers = sum_by(r, &r->n_layers, layer, layer_of);
    r->scopes = sum_by(r, &r->n_scopes, layer, scope_of);
    r->sources = sum_by(r, &r->n_sources, layer, source_of);
    free(layer);
    if (ungroup)
        return;
    group_numbers(r, r->layers, r->n_layers);
    group_numbers(r, r->scopes, r->n_scopes);
}
