/* Errors of measured kernels by kind and limit, from rows written by hand. */
#include <criterion/criterion.h>

#include "base/exact.h"
#include "base/memory.h"
#include "report/validate_report.h"
#include "study/validate/validate_detail.h"

#define COUNT(a) (sizeof(a) / sizeof *(a))

/* Errors in percent; estimate in percent above the measured time, 0: none. */
struct kernel {
    const char *generation, *op, *what;
    enum validate_use use;
    enum validate_regime regime;
    int error, estimate;
};

static const struct kernel kernels[] = {
    { "TPU a", "add", "add 1", VALIDATE_FITTED, VALIDATE_HBM, 10, 0 },
    { "TPU a", "add", "add 2", VALIDATE_FITTED, VALIDATE_HBM, -20, 0 },
    { "TPU a", "add", "add 3", VALIDATE_FITTED, VALIDATE_HBM, 40, 0 },
    { "TPU a", "add", "add 4", VALIDATE_HELD_OUT, VALIDATE_FLOOR, -6, 50 },
    { "TPU a", "matmul", "matmul 1", VALIDATE_HELD_OUT, VALIDATE_MXU, 2, 100 },
    { "TPU a", "matmul", "matmul 2", VALIDATE_UNSEEN, VALIDATE_MXU, -4, 300 },
    { "TPU b", "add", "add 5", VALIDATE_UNSEEN, VALIDATE_VECTOR, 1, 0 },
};

static struct validate_result make_rows(void)
{
    struct validate_result v = { .n_rows = COUNT(kernels) };

    v.row = memory_zeroed(v.n_rows, sizeof *v.row);
    for (size_t i = 0; i < v.n_rows; i++) {
        const struct kernel *k = &kernels[i];
        struct validate_row *r = &v.row[i];
        *r = (struct validate_row){ .generation = k->generation,
                                    .op = k->op,
                                    .what = memory_copy(k->what),
                                    .unit = memory_copy("us"),
                                    .use = k->use,
                                    .regime = k->regime };
        mpq_inits(r->measured, r->predicted, r->error, r->tolerance, r->estimate, NULL);
        mpq_set_ui(r->measured, 100, 1);
        mpq_set_si(r->predicted, 100 + k->error, 1);
        mpq_set_si(r->error, k->error, 100);
        mpq_canonicalize(r->error);
        mpq_set_si(r->estimate, k->estimate ? 100 + k->estimate : 0, 1);
    }
    return v;
}

static const struct validate_group *find_group(const struct validate_detail *d, const char *of,
                                               const char *op, int regime)
{
    for (size_t i = 0; i < d->n_groups; i++) {
        const struct validate_group *g = &d->group[i];
        if (strcmp(g->generation, of) == 0 && (op ? g->op && strcmp(g->op, op) == 0 : !g->op) &&
            g->regime == regime)
            return g;
    }
    return NULL;
}

static void expect_ratio(const mpq_t q, int numerator, unsigned denominator)
{
    cr_expect_eq(mpq_cmp_si(q, numerator, denominator), 0, "%g, expected %d/%u", mpq_get_d(q),
                 numerator, denominator);
}

Test(validate_detail, errors_are_summed_up_by_kind_and_limit_fitted_rows_apart)
{
    struct validate_result v = make_rows();
    struct validate_detail d;
    struct err e;

    cr_assert_eq(validate_detail_make(&d, &v, &e), 0, "%s", e.msg);
    /* a: all 4 + add 3 + matmul 2; b: all 2 + add 2 */
    cr_expect_eq(d.n_groups, 13u, "%zu groups", d.n_groups);
    const struct validate_group *add = find_group(&d, "TPU a", "add", VALIDATE_N_REGIMES);
    cr_assert_not_null(add);
    cr_expect_eq(add->fitted.n, 3u);
    expect_ratio(add->fitted.mean, 70, 300);
    expect_ratio(add->fitted.median, 20, 100);
    expect_ratio(add->fitted.p90, 40, 100);
    expect_ratio(add->fitted.worst, 40, 100);
    expect_ratio(add->fitted.bias, 10, 100);
    cr_expect_eq(add->fitted_estimate.n, 0u);
    cr_expect_eq(add->unseen.n, 1u);
    expect_ratio(add->unseen.bias, -6, 100);
    expect_ratio(add->unseen_estimate.mean, 50, 100);
    const struct validate_group *mxu = find_group(&d, "TPU a", "matmul", VALIDATE_MXU);
    cr_assert_not_null(mxu);
    cr_expect_eq(mxu->fitted.n, 0u);
    cr_expect_eq(mxu->unseen.n, 2u);
    expect_ratio(mxu->unseen.mean, 3, 100);
    expect_ratio(mxu->unseen.bias, -1, 100);
    expect_ratio(mxu->unseen_estimate.mean, 2, 1);
    cr_expect_null(find_group(&d, "TPU a", "add", VALIDATE_MXU));
    const struct validate_group *all = find_group(&d, "TPU a", NULL, VALIDATE_N_REGIMES);
    cr_expect_eq(all->fitted.n + all->unseen.n, 6u);
    validate_detail_free(&d);
    validate_result_free(&v);
}

Test(validate_detail, the_worst_rows_of_each_generation_come_largest_first)
{
    static const char *const worst[] = {
        "add 3", "add 2", "add 1", "add 4", "matmul 2", "matmul 1"
    };
    struct validate_result v = make_rows();
    struct validate_detail d;
    struct err e;

    cr_assert_eq(validate_detail_make(&d, &v, &e), 0, "%s", e.msg);
    cr_assert_eq(d.n_worst, 2u);
    cr_assert_eq(d.worst[0].n, 6u);
    for (size_t i = 0; i < 6; i++)
        cr_expect_str_eq(d.worst[0].row[i]->what, worst[i]);
    cr_expect_str_eq(d.worst[1].row[0]->what, "add 5");
    validate_detail_free(&d);
    validate_result_free(&v);
}

Test(validate_detail, only_the_largest_ten_are_the_worst)
{
    struct validate_result v = { .n_rows = 25 };
    struct validate_detail d;
    struct err e;

    v.row = memory_zeroed(v.n_rows, sizeof *v.row);
    for (size_t i = 0; i < v.n_rows; i++) {
        struct validate_row *r = &v.row[i];
        *r = (struct validate_row){ .generation = "TPU a", .op = "add" };
        mpq_inits(r->measured, r->predicted, r->error, r->tolerance, r->estimate, NULL);
        mpq_set_si(r->error, (long)(i * 7 % 25) - 12, 1); /* -12 to 12, shuffled */
    }
    cr_assert_eq(validate_detail_make(&d, &v, &e), 0, "%s", e.msg);
    cr_assert_eq(d.worst[0].n, 10u);
    expect_ratio(d.group[0].fitted.p90, 11, 1); /* 2 of 25 are larger */
    for (size_t i = 0; i < 10; i++) {
        int size = abs((int)mpq_get_d(d.worst[0].row[i]->error));
        cr_expect_eq(size, 12 - (int)i / 2, "%zu: %d", i, size);
    }
    validate_detail_free(&d);
    validate_result_free(&v);
}
