/* Errors of a folder of programs with profiles of them.  The profiles are predictions, exported
 * with errors that are known; sums are worked out by hand. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "report/profile_set_report.h"
#include "site_folder.h"

/* 1, 2, ... 10 % of MXU, -20 % of vector, 50 % of collectives. */
static double known_error(enum profiled_class class, unsigned i)
{
    return class == PROFILED_MXU ? 0.01 * (i + 1) : class == PROFILED_VECTOR ? -0.2 : 0.5;
}

/* Measured times are a fiftieth: shorter than twice the 0.4 us of an operation of a TPU v3, but for
 * that of the collective, which is predicted as 85 us. */
static double far_error(enum profiled_class class, unsigned i)
{
    (void)class;
    (void)i;
    return 49;
}

/* --- figures -------------------------------------------------------------------------------- */

struct sums {
    size_t n;
    double mean, median, p90, bias, weighted; /* NAN: not known by hand */
};

static void expect_share(const mpq_t got, double want, const char *what, int class, int regime)
{
    cr_expect(isnan(want) || fabs(mpq_get_d(got) - want) < 4e-6 * (1 + fabs(want)),
              "%s of %d, %d: %.9f", what, class, regime, mpq_get_d(got));
}

static void expect_group(const struct profile_set *s, enum profile_set_use use,
                         enum profiled_class class, int regime, struct sums want)
{
    const struct profile_set_group *found = NULL;

    for (size_t i = 0; i < s->n_groups; i++) {
        const struct profile_set_group *g = &s->group[i];
        if (g->use == use && g->class == class && g->regime == regime)
            found = g;
    }
    cr_assert_eq(found != NULL, want.n > 0, "%d, %d", class, regime);
    if (!found)
        return;
    cr_expect_str_eq(found->generation, "TPU v3");
    cr_expect_eq(found->errors.n, want.n, "%zu kernels of %d, %d", found->errors.n, class, regime);
    expect_share(found->errors.mean, want.mean, "mean", class, regime);
    expect_share(found->errors.median, want.median, "median", class, regime);
    expect_share(found->errors.p90, want.p90, "p90", class, regime);
    expect_share(found->errors.bias, want.bias, "bias", class, regime);
    expect_share(found->weighted, want.weighted, "weighted", class, regime);
}

/* All 15: sizes are 1 to 10, four times 20, 50: mean 185 / 15, the middle one 8, the second largest
 * 20; in order -20 four times, 1 to 10, 50: the middle one 4. */
Test(profile_set, errors_by_class_and_limit)
{
    struct profile_set s;

    site_folder_make();
    site_folder_copy("a.hlo", SITE_FOLDER_PROGRAM);
    site_folder_profile("a.csv", known_error);
    site_folder_copy("far/b.hlo", SITE_FOLDER_PROGRAM);
    site_folder_profile("far/b.csv", far_error);
    site_folder_write("pairs.ini", "; a comment\n[far/b]\nuse = fitted\n  machine = tpu-v3-8\n");
    site_folder_compare(&s, "tpu-v3-8", 2);
    cr_expect_eq(s.n_pairs, 2);
    cr_expect_eq(s.n_failed, 0);
    const int all = PROFILE_SET_N_REGIMES;
    expect_group(&s, PROFILE_SET_UNSEEN, PROFILED_IDLE, all,
                 (struct sums){ 15, 1.85 / 15, 0.08, 0.2, 0.04, NAN });
    expect_group(&s, PROFILE_SET_UNSEEN, PROFILED_MXU, all,
                 (struct sums){ 10, 0.055, 0.055, 0.09, 0.055, NAN });
    expect_group(&s, PROFILE_SET_UNSEEN, PROFILED_VECTOR, all,
                 (struct sums){ 4, 0.2, 0.2, 0.2, -0.2, 0.2 });
    expect_group(&s, PROFILE_SET_UNSEEN, PROFILED_COLLECTIVE, all,
                 (struct sums){ 1, 0.5, 0.5, 0.5, 0.5, 0.5 });
    expect_group(&s, PROFILE_SET_UNSEEN, PROFILED_COLLECTIVE, PROFILE_SET_OTHER,
                 (struct sums){ 1, 0.5, 0.5, 0.5, 0.5, 0.5 });
    expect_group(&s, PROFILE_SET_UNSEEN, PROFILED_IDLE, VALIDATE_FLOOR, (struct sums){ .n = 0 });
    expect_group(&s, PROFILE_SET_FITTED, PROFILED_IDLE, all,
                 (struct sums){ 15, 49, 49, 49, 49, 49 });
    expect_group(&s, PROFILE_SET_FITTED, PROFILED_IDLE, VALIDATE_FLOOR,
                 (struct sums){ 14, NAN, NAN, NAN, NAN, NAN });
    /* of each kernel 49 times its length: of the step too */
    double shares = 0;
    for (size_t i = 0; i < s.n_ranks; i++)
        shares += strcmp(s.rank[i].pair->name, "far/b") == 0 ? mpq_get_d(s.rank[i].share) : 0;
    cr_expect(fabs(shares - 49) < 1e-3, "%.9f", shares);
    cr_expect_str_eq(s.rank[0].kernel->name, "all-reduce.4");
    cr_expect_str_eq(s.rank[0].pair->name, "far/b");
    profile_set_free(&s);
    site_folder_remove();
}

/* --- reports -------------------------------------------------------------------------------- */

static char *write_reports(unsigned jobs)
{
    struct memory_text t;
    struct profile_set s;

    site_folder_compare(&s, "tpu-v3-8", jobs);
    memory_text_begin(&t);
    report_profile_set_text(&s, 3, t.out);
    report_profile_set_json(&s, 3, t.out);
    report_profile_set_csv(&s, t.out);
    profile_set_free(&s);
    return memory_text_end(&t);
}

Test(profile_set, any_number_of_threads_writes_the_same)
{
    site_folder_make();
    for (int i = 0; i < 5; i++) {
        char name[32];
        snprintf(name, sizeof name, "p%d.hlo", i);
        site_folder_copy(name, SITE_FOLDER_PROGRAM);
        snprintf(name, sizeof name, "p%d.csv", i);
        site_folder_profile(name, i % 2 ? known_error : far_error);
    }
    site_folder_write("p9.csv", "a,nan\n");
    char *one = write_reports(1), *many = write_reports(4);
    cr_expect_str_eq(one, many);
    free(one);
    free(many);
    site_folder_remove();
}
