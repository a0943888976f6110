/* `cyclotron validate` with settings, with threads, of classes; the bars on its figures are in
 * check_bars.c. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "study/validate/validate.h"
#include "traces/gen.h"

static struct validate_result validate_only(const char *only, unsigned jobs)
{
    struct validate_request q = { .generate = gen_write, .only = only, .jobs = jobs };
    struct validate_result v;
    struct err e;

    cr_assert_eq(validate_run(&q, &v, &e), 0, "%s", e.msg);
    return v;
}

Test(validate, what_contradicts_its_source_or_is_not_modelled_is_named)
{
    struct validate_result v = validate_only("mlpf", 1);

    cr_expect_eq(v.n_rows, 14);
    cr_expect_eq(v.n_classes, 2);
    uint32_t n_out = 0;
    for (size_t i = 0; i < v.n_rows; i++) {
        if (v.row[i].status != VALIDATE_LATER && v.row[i].status != VALIDATE_EXCLUDED)
            continue;
        n_out++;
        cr_expect(*v.row[i].note, "%s", v.row[i].what);
    }
    cr_expect_eq(n_out, 3, "an epoch on four A100, and one table of two on the EPYC");
    validate_result_free(&v);
}

Test(validate, the_figures_do_not_depend_on_how_many_run_at_once)
{
    struct validate_result one = validate_only("held out", 1), many = validate_only("held out", 7);

    /* v4: 327 matrix products, 465 others, 110 reductions; v6e: 112, 489, 70; each in two ways */
    cr_assert_eq(one.n_rows, 2 * 1573);
    cr_assert_eq(many.n_rows, one.n_rows);
    for (size_t i = 0; i < one.n_rows; i++) {
        cr_expect_str_eq(many.row[i].what, one.row[i].what);
        cr_expect(mpq_equal(many.row[i].predicted, one.row[i].predicted));
    }
    validate_result_free(&one);
    validate_result_free(&many);
}

static const struct validate_row *find_row(const struct validate_result *v, const char *what)
{
    for (size_t i = 0; i < v->n_rows; i++)
        if (strncmp(v->row[i].what, what, strlen(what)) == 0)
            return &v->row[i];
    cr_assert_fail("no row %s", what);
    return NULL;
}

static struct validate_result validate_with(const char *only, const char *set)
{
    struct validate_request q = {
        .generate = gen_write, .only = only, .set = &set, .n_set = 1, .jobs = 1
    };
    struct validate_result v;
    struct err e;

    cr_assert_eq(validate_run(&q, &v, &e), 0, "%s", e.msg);
    return v;
}

/* 1,024 chips of a v3-2048 with 16 GiB each in place of 32. */
Test(validate, a_setting_changes_every_machine)
{
    struct validate_result v = validate_with("prices and sizes", "hbm.capacity=16 GiB");
    size_t found = 0;

    for (size_t i = 0; i < v.n_rows; i++) {
        const struct validate_row *r = &v.row[i];
        if (strcmp(r->machine, "tpu-v3-2048") != 0 || strcmp(r->metric, "HBM") != 0)
            continue;
        found++;
        cr_expect_eq(mpq_get_d(r->predicted), 16384);
    }
    cr_expect_eq(found, 1);
    validate_result_free(&v);
}

/* Layer norms of v4 run as three kernels or more, each with its fixed cost. */
Test(validate, a_setting_reaches_the_kernels)
{
    struct validate_result v = validate_only("layer norm", 1);
    struct validate_result w = validate_with("layer norm", "core.op_overhead=1 ms");

    cr_assert_eq(v.n_rows, w.n_rows);
    for (size_t i = 0; i < v.n_rows; i++)
        cr_expect_gt(mpq_get_d(w.row[i].predicted), 998 + mpq_get_d(v.row[i].predicted));
    validate_result_free(&v);
    validate_result_free(&w);
}

/* The row of two chips in a line says how they lie, which is not as the others of a v2-8. */
Test(validate, a_row_that_sets_a_parameter_itself_keeps_it)
{
    struct validate_result v = validate_only("single operations", 1);
    struct validate_result w = validate_with("single operations", "slice.mesh_y=2");
    const char *what = "op reduce-scatter";

    cr_expect_eq(find_row(&w, what)->status, VALIDATE_CHECKED, "%s", find_row(&w, what)->note);
    cr_expect(mpq_equal(find_row(&v, what)->predicted, find_row(&w, what)->predicted));
    validate_result_free(&v);
    validate_result_free(&w);
}

Test(validate, settings_that_no_machine_takes_are_an_error)
{
    const char *set = "hbm.efficiency=7";
    struct validate_request q = {
        .generate = gen_write, .only = "prices", .set = &set, .n_set = 1, .jobs = 1
    };
    struct validate_result v;
    struct err e;

    cr_expect_neq(validate_run(&q, &v, &e), 0);
    cr_expect_eq(e.code, ERR_RANGE);
    cr_expect(strstr(e.msg, "hbm.efficiency = 7: outside [0.05, 1]"), "%s", e.msg);
}

Test(validate, a_class_that_there_is_not_is_an_error)
{
    struct validate_request q = { .generate = gen_write, .only = "vgg", .jobs = 1 };
    struct validate_result v;
    struct err e;

    cr_assert_eq(validate_run(&q, &v, &e), -1);
    cr_expect_not_null(strstr(e.msg, "no class of figures has 'vgg' in its name; there are "), "%s",
                       e.msg);
    cr_expect_not_null(strstr(e.msg, ", GPT-2 forward, "), "%s", e.msg);
}
