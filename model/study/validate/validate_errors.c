#include "study/validate/validate_errors.h"

#include <stdbool.h>
#include <stdlib.h>

#include "base/exact.h"

void validate_errors_init(struct validate_errors *e)
{
    e->n = 0;
    mpq_inits(e->mean, e->median, e->p90, e->worst, e->bias, NULL);
}

void validate_errors_clear(struct validate_errors *e)
{
    mpq_clears(e->mean, e->median, e->p90, e->worst, e->bias, NULL);
}

static int compare_errors(const void *a, const void *b)
{
    return mpq_cmp(*(const mpq_srcptr *)a, *(const mpq_srcptr *)b);
}

static int compare_sizes(const void *a, const void *b)
{
    mpq_srcptr x = *(const mpq_srcptr *)a, y = *(const mpq_srcptr *)b;
    EXACT_Q(p);
    EXACT_Q(q);

    mpq_abs(p, x);
    mpq_abs(q, y);
    return mpq_cmp(p, q);
}

/* The median of sorted errors, of their absolute values if `sizes`. */
static void take_median(mpq_t q, const mpq_srcptr *error, size_t n, bool sizes)
{
    EXACT_Q(a);
    EXACT_Q(b);
    EXACT_Q(half);

    mpq_set(a, error[n / 2]);
    mpq_set(b, error[(n - 1) / 2]);
    if (sizes) {
        mpq_abs(a, a);
        mpq_abs(b, b);
    }
    mpq_set_ui(half, 1, 2);
    mpq_add(q, a, b);
    mpq_mul(q, q, half);
}

static void take_mean(mpq_t q, const mpq_srcptr *error, size_t n)
{
    EXACT_Q(size);
    mpq_set_ui(q, 0, 1);
    for (size_t i = 0; i < n; i++) {
        mpq_abs(size, error[i]);
        exact_sum(q, size);
    }
    mpq_set_ui(size, n, 1);
    mpq_div(q, q, size);
}

void validate_errors_sum(struct validate_errors *e, mpq_srcptr *error, size_t n)
{
    e->n = n;
    if (n == 0)
        return;
    take_mean(e->mean, error, n);
    qsort(error, n, sizeof *error, compare_errors);
    take_median(e->bias, error, n, false);
    qsort(error, n, sizeof *error, compare_sizes);
    take_median(e->median, error, n, true);
    mpq_abs(e->p90, error[n - 1 - n / 10]);
    mpq_set(e->worst, error[n - 1]);
}
