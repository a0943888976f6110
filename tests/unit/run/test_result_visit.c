/* The list of all values of a result. */
#include <math.h>

#include "base/exact.h"
#include "run/visit/result_visit.h"
#include "tests/unit/report/report_sample.h"

static void count_path(void *self, const char *path, const struct result_value *v)
{
    unsigned *n = self;

    (void)v;
    cr_assert_neq(strncmp(path, "ops.", 4), 0, "%s is of a list", path);
    n[0]++;
    n[1] += strcmp(path, "memory.roles.weights") == 0;
    n[2] += strcmp(path, "provenance.version") == 0;
}

Test(result_visit, paths_are_those_of_the_json_outside_its_lists)
{
    unsigned n[3] = { 0 };
    struct sample s;

    fill_result(&s);
    result_visit_paths(&s.r, count_path, n);
    cr_assert_gt(n[0], 60u);
    cr_assert_eq(n[1], 1u);
    cr_assert_eq(n[2], 1u);
    clear_result(&s);
}

static void expect_answer(const struct run_result *r, const char *path, const char *value,
                          const char *unit)
{
    const char *is = "";

    EXACT_Q(q);
    EXACT_Q(want);
    cr_assert_eq(mpq_set_str(want, value, 10), 0);
    cr_assert(result_number(q, &is, r, path), "%s is not there", path);
    cr_assert(mpq_equal(q, want), "%s", path);
    cr_assert_str_eq(is, unit, "%s", path);
}

Test(result_visit, numbers_are_found_by_their_path_and_are_exact)
{
    struct sample s;

    fill_result(&s);
    EXACT_Q(q);
    expect_answer(&s.r, "seconds_per_step", "1/250", "s");
    expect_answer(&s.r, "utilization.mxu", "1/3", "ratio");
    expect_answer(&s.r, "time_by_cause.hbm", "1/1250", "s");
    expect_answer(&s.r, "memory.fits", "1", "");
    expect_answer(&s.r, "model_flops.mfu", "1/2", "ratio");
    expect_answer(&s.r, "dropped_samples_per_epoch", "7", "");
    expect_answer(&s.r, "usd_per_epoch.on_demand", "2/225", "USD");
    const char *unit = "before";
    cr_assert_not(result_number(q, &unit, &s.r, "utilization.host"), "unknown");
    cr_assert_str_eq(unit, "before");
    cr_assert(result_number(q, NULL, &s.r, "memory.fits"));
    cr_assert_not(result_number(q, NULL, &s.r, "utilization.host"), "unknown");
    cr_assert_not(result_number(q, NULL, &s.r, "machine"), "a text");
    cr_assert_not(result_number(q, NULL, &s.r, "ops.seconds"), "of a list");
    clear_result(&s);
}

/* 1 + 2^-53 + 2^-60 lies above the middle between two doubles, its 17 digits below it. */
Test(result_visit, doubles_are_those_that_readers_of_the_json_get)
{
    EXACT_Q(q);
    mpq_set_str(q, "1152921504606847105/1152921504606846976", 10);
    const struct result_value v = { .kind = RESULT_DECIMAL, .known = true, .decimal = q };
    cr_assert_eq(result_double(&v), 1.0);
    EXACT_Z(z);
    mpz_set_str(z, "36893488147419107329", 10); /* 2^65 + 2^12 + 1 */
    const struct result_value whole = { .kind = RESULT_WHOLE, .known = true, .whole = z };
    cr_assert_eq(result_double(&whole), ldexp(1, 65) + ldexp(1, 13));
}
