/* The bars on the figures that `cyclotron validate` shows. */
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

static const struct validate_class *find_class(const struct validate_result *v, const char *name)
{
    for (size_t i = 0; i < v->n_classes; i++)
        if (strcmp(v->class[i].name, name) == 0)
            return &v->class[i];
    cr_assert_fail("no class %s", name);
    return NULL;
}

static void expect_median(const struct validate_result *v, const char *name, size_t rows,
                          double most)
{
    const struct validate_class *c = find_class(v, name);
    double median = mpq_get_d(c->median);

    cr_log_info("%s: %zu rows, median %.1f %%, mean %.1f %%", name, c->n, 100 * median,
                100 * mpq_get_d(c->mean));
    cr_expect_geq(c->n, rows, "%s: %zu rows", name, c->n);
    cr_expect_leq(median, most, "%s: median %.1f %%", name, 100 * median);
}

/* Rows on which nothing was fitted; batches below 1024 are noise and not asserted. */
Test(validate, steps_of_fully_connected_networks_are_within_three_percent_in_the_median)
{
    struct validate_result v = validate_only("fc, steps", 2);

    cr_expect_eq(v.n_rows, 210);
    expect_median(&v, "fc, steps", 210, 0.03);
    expect_median(&v, "fc, steps, device-bound", 60, 0.03);
    expect_median(&v, "fc, steps, host-bound, batch >= 1024", 60, 0.03);
    validate_result_free(&v);
}

/* Programs that are kept as compiled.  Nothing is fitted on them. */
Test(validate, forward_passes_of_gpt_2_as_compiled_are_within_a_quarter_and_half_of_them_nearer)
{
    struct validate_result v = validate_only("GPT-2 forward", 2);

    cr_expect_eq(v.n_rows, 16);
    expect_median(&v, "GPT-2 forward, TPU v4 as compiled", 12, 0.10);
    expect_median(&v, "GPT-2 forward, TPU v6e as compiled", 4, 0.15);
    for (size_t i = 0; i < v.n_rows; i++) {
        cr_expect_eq(v.row[i].status, VALIDATE_CHECKED, "%s: %s", v.row[i].what, v.row[i].note);
        cr_expect_leq(fabs(mpq_get_d(v.row[i].error)), 0.25, "%s", v.row[i].what);
    }
    validate_result_free(&v);
}

/* Published rates as times; the launch of a small kernel on v7 and its links are not fitted. */
Test(validate, products_and_copies_on_v7_and_v5e_are_known_by_their_misses)
{
    struct validate_result v = validate_only("TPU v7", 2);

    expect_median(&v, "TPU v7 matrix products", 8, 0.25);
    expect_median(&v, "TPU v7 copies", 9, 0.10);
    expect_median(&v, "TPU v7 all-gathers", 5, 0.30);
    validate_result_free(&v);
    v = validate_only("TPU v5e", 2);
    expect_median(&v, "TPU v5e matrix products", 2, 0.06);
    validate_result_free(&v);
}

/* 128 images a core, which software alone moves by a third (MLPerf v0.5 to v0.7 on 32 cores). */
Test(validate, steps_of_resnet_50_as_compiled_are_within_a_tenth_of_the_fastest_measured)
{
    struct validate_result v = validate_only("ResNet-50", 2);
    size_t checked = 0;

    cr_expect_eq(v.n_rows, 18);
    for (size_t i = 0; i < v.n_rows; i++) {
        const struct validate_row *r = &v.row[i];
        if (r->status == VALIDATE_LATER)
            continue;
        cr_expect_eq(r->status, VALIDATE_CHECKED, "%s: %s", r->machine, r->note);
        checked++;
        /* v0.5 on v3 is the slower end of the band */
        bool slow = strcmp(r->source, "mlperf-v0.5") == 0 && strstr(r->machine, "v3");
        cr_expect_leq(mpq_get_d(r->error), 0.10, "%s", r->machine);
        cr_expect_geq(mpq_get_d(r->error), slow ? -0.32 : -0.15, "%s", r->machine);
    }
    cr_expect_eq(checked, 7);
    validate_result_free(&v);
}

static int compare_errors(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* 64 or 128 layers of at most 256: many kernels and variables, each of them small. */
Test(validate, narrow_and_deep_networks_have_no_bias_beyond_five_percent)
{
    struct validate_result v = validate_only("fc, steps, device-bound", 2);
    double error[32];
    size_t n = 0;

    for (size_t i = 0; i < v.n_rows; i++) {
        unsigned layers, width;
        cr_assert_eq(sscanf(v.row[i].what, "fc layers=%u width=%u", &layers, &width), 2);
        if (layers >= 64 && width <= 256 && n < 32)
            error[n++] = mpq_get_d(v.row[i].error);
    }
    cr_assert_geq(n, 8);
    qsort(error, n, sizeof *error, compare_errors);
    double bias = (error[n / 2] + error[(n - 1) / 2]) / 2;
    cr_expect(bias <= 0.05 && bias >= -0.05, "%zu rows, %+.1f %%", n, 100 * bias);
    validate_result_free(&v);
}

static void every_hit(const char *only, size_t rows)
{
    struct validate_result v = validate_only(only, 2);
    size_t checked = 0;

    for (size_t i = 0; i < v.n_rows; i++) {
        const struct validate_row *r = &v.row[i];
        cr_expect_neq(r->status, VALIDATE_FAILED, "%s: %s", r->what, r->note);
        if (r->status != VALIDATE_CHECKED)
            continue;
        checked++;
        double error = mpq_get_d(r->error);
        cr_expect(mpq_sgn(r->tolerance) > 0);
        cr_expect(error <= mpq_get_d(r->tolerance) && -error <= mpq_get_d(r->tolerance),
                  "%s, %s: %s: %+.1f %%", r->machine, r->what, r->metric, 100 * error);
    }
    cr_expect_eq(checked, rows, "%s: %zu rows", only, checked);
    validate_result_free(&v);
}

Test(validate, steps_and_epochs_of_3dgan_in_the_graph_are_within_five_percent)
{
    every_hit("3dgan, loop in the graph", 8);
}

Test(validate, phases_epoch_and_cost_of_3dgan_from_the_host_are_within_ten_percent)
{
    every_hit("3dgan, loop on the host", 21);
}

Test(validate, single_operations_are_within_ten_percent)
{
    every_hit("single operations", 2);
}

Test(validate, large_copies_reach_their_share_of_the_peak_within_five_percent)
{
    every_hit("large copies", 3);
}

Test(validate, prices_and_sizes_are_those_that_were_published)
{
    every_hit("prices and sizes", 8);
}

/* All profiled rows that do not wait for input.  The FLOPs by which a rate becomes a time are those
 * of all 8 cores, the update's 10 and the all-reduce's 1 a parameter included, as the profiler
 * counts them. */
Test(validate, profiled_device_times_are_within_five_percent_and_their_parts_within_ten)
{
    struct validate_result v = validate_only("profiled", 2);

    expect_median(&v, "fc, profiled device time", 60, 0.05);
    cr_expect_leq(mpq_get_d(find_class(&v, "fc, profiled device time")->worst), 0.10);
    expect_median(&v, "fc, profiled matrix products", 60, 0.10);
    cr_expect_leq(mpq_get_d(find_class(&v, "fc, profiled matrix products")->worst), 0.20);
    expect_median(&v, "fc, profiled RMSprop", 60, 0.05);
    expect_median(&v, "fc, profiled all-reduce", 60, 0.05);
    validate_result_free(&v);
}

/* Claims of sources in words hold, but for one of two readings of one sentence. */
Test(validate, claims_hold_and_questions_are_answered)
{
    struct validate_result v = validate_only("claims", 2);
    size_t claims = 0;

    for (size_t i = 0; i < v.n_rows; i++) {
        const struct validate_row *r = &v.row[i];
        cr_expect_str_not_empty(r->answer, "%s, %s: %s", r->machine, r->what, r->note);
        if (r->status != VALIDATE_CLAIM)
            continue;
        claims++;
        bool miss = strstr(r->claim, "read as an epoch") != NULL;
        cr_expect_eq(r->holds, !miss, "%s, %s: %s: %s", r->machine, r->what, r->claim, r->answer);
    }
    cr_expect_eq(claims, 37, "%zu claims", claims);
    validate_result_free(&v);
}

/* docs/examples/exatrkx_event.md has the same table. */
Test(validate, it_says_which_tpu_takes_an_event_as_one_graph)
{
    static const struct {
        const char *machine, *what, *answer;
    } expect[] = {
        { "tpu-v2-8", "exatrkx", "39.63 GiB of 7.482 GiB, does not fit" },
        { "tpu-v3-8", "exatrkx", "39.63 GiB of 15.48 GiB, does not fit" },
        { "tpu-v4-8", "exatrkx", "39.61 GiB of 30.75 GiB, does not fit" },
        { "tpu-v3-8", "exatrkx precision=bf16", "28.76 GiB of 15.48 GiB, does not fit" },
        { "tpu-v2-8", "exatrkx remat=yes", "12.52 GiB of 7.482 GiB, does not fit" },
        { "tpu-v3-8", "exatrkx remat=yes", "12.52 GiB of 15.48 GiB, fits" },
        { "tpu-v2-8", "exatrkx shard.edges=8", "6.64 GiB of 7.482 GiB, fits" },
        { "tpu-v3-8", "exatrkx graph=region", "6.50 GiB of 15.48 GiB, fits" },
    };
    struct validate_result v = validate_only("questions", 2);

    for (size_t i = 0; i < sizeof expect / sizeof *expect; i++) {
        const struct validate_row *found = NULL;
        for (size_t k = 0; k < v.n_rows && !found; k++)
            if (strcmp(v.row[k].machine, expect[i].machine) == 0 &&
                strcmp(v.row[k].what, expect[i].what) == 0 &&
                strcmp(v.row[k].metric, "memory") == 0)
                found = &v.row[k];
        cr_assert_not_null(found, "%s, %s", expect[i].machine, expect[i].what);
        cr_expect_eq(strncmp(found->answer, expect[i].answer, strlen(expect[i].answer)), 0,
                     "%s, %s: %s", expect[i].machine, expect[i].what, found->answer);
    }
    validate_result_free(&v);
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

/* Nothing is fitted on them; the aim is 25 %. */
Test(validate, training_steps_on_cpus_are_no_further_from_those_measured)
{
    struct validate_result v = validate_only("on CPUs", 2);

    cr_expect_eq(v.n_rows, 8);
    cr_expect_leq(mpq_get_d(find_class(&v, "mlpf on CPUs")->worst), 0.17);
    validate_result_free(&v);
}

/* The aims are 10 and 15 %; convolutions with few channels in three dimensions, the host's loop and
 * the kernels of MLPF miss them.  These bars say that it gets no worse. */
Test(validate, training_steps_on_gpus_are_no_further_from_those_measured)
{
    struct validate_result v = validate_only("on GPUs", 2);

    cr_expect_leq(mpq_get_d(find_class(&v, "3dgan on GPUs, loop in the graph")->worst), 0.23);
    cr_expect_leq(mpq_get_d(find_class(&v, "3dgan on GPUs, loop on the host")->worst), 0.19);
    cr_expect_leq(mpq_get_d(find_class(&v, "mlpf on GPUs")->worst), 0.55);
    validate_result_free(&v);
}

/* A step of 16 to 128 V100 takes little longer than one of 8, as the exchange of gradients does;
 * the 30 % that were measured on 128 are missed. */
Test(validate, nodes_of_gpus_are_as_far_as_one_of_them)
{
    struct validate_result v = validate_only("nodes of GPUs", 2);
    const struct validate_class *c = find_class(&v, "3dgan on nodes of GPUs");

    cr_expect_eq(c->n, 10);
    cr_expect_leq(mpq_get_d(c->worst), 0.25);
    cr_expect_leq(mpq_get_d(c->median), 0.19);
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
