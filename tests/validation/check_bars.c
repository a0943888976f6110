/* The bars on the figures that `cyclotron validate` shows. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "check_bars.h"

/* The rows of a whole validation that `--only` picks, and all of its classes.  Free `row` alone. */
static struct validate_result validate_part(const struct validate_result *whole, const char *only)
{
    struct validate_result v = *whole;

    v.row = memory_zeroed(whole->n_rows, sizeof *v.row);
    v.n_rows = 0;
    for (size_t i = 0; i < whole->n_rows; i++) {
        const struct validate_row *r = &whole->row[i];
        if (strcasestr(r->class, only) || (r->within && strcasestr(r->within, only)))
            v.row[v.n_rows++] = *r;
    }
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
static void steps_of_fully_connected_networks_are_within_three_percent_in_the_median(
    const struct validate_result *whole)
{
    struct validate_result v = validate_part(whole, "fc, steps");

    cr_expect_eq(v.n_rows, 210);
    expect_median(&v, "fc, steps", 210, 0.03);
    expect_median(&v, "fc, steps, device-bound", 60, 0.03);
    expect_median(&v, "fc, steps, host-bound, batch >= 1024", 60, 0.03);
    free(v.row);
}

/* Programs that are kept as compiled.  Nothing is fitted on them. */
static void forward_passes_of_gpt_2_as_compiled_are_within_a_quarter_and_half_of_them_nearer(
    const struct validate_result *whole)
{
    struct validate_result v = validate_part(whole, "GPT-2 forward");

    cr_expect_eq(v.n_rows, 16);
    expect_median(&v, "GPT-2 forward, TPU v4 as compiled", 12, 0.10);
    expect_median(&v, "GPT-2 forward, TPU v6e as compiled", 4, 0.15);
    for (size_t i = 0; i < v.n_rows; i++) {
        cr_expect_eq(v.row[i].status, VALIDATE_CHECKED, "%s: %s", v.row[i].what, v.row[i].note);
        cr_expect_leq(fabs(mpq_get_d(v.row[i].error)), 0.25, "%s", v.row[i].what);
    }
    free(v.row);
}

/* Published rates as times; the launch of a small kernel on v7 and its links are not fitted. */
static void
products_and_copies_on_v7_and_v5e_are_known_by_their_misses(const struct validate_result *whole)
{
    struct validate_result v = validate_part(whole, "TPU v7");

    expect_median(&v, "TPU v7 matrix products", 8, 0.25);
    expect_median(&v, "TPU v7 copies", 9, 0.10);
    expect_median(&v, "TPU v7 all-gathers", 5, 0.30);
    free(v.row);
    v = validate_part(whole, "TPU v5e");
    expect_median(&v, "TPU v5e matrix products", 2, 0.06);
    free(v.row);
}

/* 128 images a core, which software alone moves by a third (MLPerf v0.5 to v0.7 on 32 cores). */
static void steps_of_resnet_50_as_compiled_are_within_a_tenth_of_the_fastest_measured(
    const struct validate_result *whole)
{
    struct validate_result v = validate_part(whole, "ResNet-50");
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
    free(v.row);
}

static int compare_errors(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* 64 or 128 layers of at most 256: many kernels and variables, each of them small. */
static void
narrow_and_deep_networks_have_no_bias_beyond_five_percent(const struct validate_result *whole)
{
    struct validate_result v = validate_part(whole, "fc, steps, device-bound");
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
    free(v.row);
}

static void every_hit(const struct validate_result *whole, const char *only, size_t rows)
{
    struct validate_result v = validate_part(whole, only);
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
    free(v.row);
}

static void
steps_and_epochs_of_3dgan_in_the_graph_are_within_five_percent(const struct validate_result *whole)
{
    every_hit(whole, "3dgan, loop in the graph", 8);
}

static void phases_epoch_and_cost_of_3dgan_from_the_host_are_within_ten_percent(
    const struct validate_result *whole)
{
    every_hit(whole, "3dgan, loop on the host", 21);
}

static void single_operations_are_within_ten_percent(const struct validate_result *whole)
{
    every_hit(whole, "single operations", 2);
}

static void
large_copies_reach_their_share_of_the_peak_within_five_percent(const struct validate_result *whole)
{
    every_hit(whole, "large copies", 3);
}

static void prices_and_sizes_are_those_that_were_published(const struct validate_result *whole)
{
    every_hit(whole, "prices and sizes", 8);
}

/* All profiled rows that do not wait for input.  The FLOPs by which a rate becomes a time are those
 * of all 8 cores, the update's 10 and the all-reduce's 1 a parameter included, as the profiler
 * counts them. */
static void profiled_device_times_are_within_five_percent_and_their_parts_within_ten(
    const struct validate_result *whole)
{
    struct validate_result v = validate_part(whole, "profiled");

    expect_median(&v, "fc, profiled device time", 60, 0.05);
    cr_expect_leq(mpq_get_d(find_class(&v, "fc, profiled device time")->worst), 0.10);
    expect_median(&v, "fc, profiled matrix products", 60, 0.10);
    cr_expect_leq(mpq_get_d(find_class(&v, "fc, profiled matrix products")->worst), 0.20);
    expect_median(&v, "fc, profiled RMSprop", 60, 0.05);
    expect_median(&v, "fc, profiled all-reduce", 60, 0.05);
    free(v.row);
}

/* Claims of sources in words hold, but for one of two readings of one sentence. */
static void claims_hold_and_questions_are_answered(const struct validate_result *whole)
{
    struct validate_result v = validate_part(whole, "claims");
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
    free(v.row);
}

/* docs/examples/exatrkx_event.md has the same table. */
static void it_says_which_tpu_takes_an_event_as_one_graph(const struct validate_result *whole)
{
    static const struct {
        const char *machine, *what, *answer;
    } expect[] = {
        { "tpu-v2-8", "exatrkx", "37.06 GiB of 7.482 GiB, does not fit" },
        { "tpu-v3-8", "exatrkx", "37.06 GiB of 15.48 GiB, does not fit" },
        { "tpu-v4-8", "exatrkx", "37.00 GiB of 30.75 GiB, does not fit" },
        { "tpu-v3-8", "exatrkx precision=bf16", "22.97 GiB of 15.48 GiB, does not fit" },
        { "tpu-v2-8", "exatrkx remat=yes", "13.92 GiB of 7.482 GiB, does not fit" },
        { "tpu-v3-8", "exatrkx remat=yes", "13.92 GiB of 15.48 GiB, fits" },
        { "tpu-v2-8", "exatrkx shard.edges=8", "6.61 GiB of 7.482 GiB, fits" },
        { "tpu-v3-8", "exatrkx graph=region", "6.07 GiB of 15.48 GiB, fits" },
    };
    struct validate_result v = validate_part(whole, "questions");

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
    free(v.row);
}

/* Nothing is fitted on them; the aim is 25 %. */
static void
training_steps_on_cpus_are_no_further_from_those_measured(const struct validate_result *whole)
{
    struct validate_result v = validate_part(whole, "on CPUs");

    cr_expect_eq(v.n_rows, 8);
    cr_expect_leq(mpq_get_d(find_class(&v, "mlpf on CPUs")->worst), 0.17);
    free(v.row);
}

/* The aims are 10 and 15 %; convolutions with few channels in three dimensions, the host's loop and
 * the kernels of MLPF miss them.  These bars say that it gets no worse. */
static void
training_steps_on_gpus_are_no_further_from_those_measured(const struct validate_result *whole)
{
    struct validate_result v = validate_part(whole, "on GPUs");

    cr_expect_leq(mpq_get_d(find_class(&v, "3dgan on GPUs, loop in the graph")->worst), 0.23);
    cr_expect_leq(mpq_get_d(find_class(&v, "3dgan on GPUs, loop on the host")->worst), 0.19);
    cr_expect_leq(mpq_get_d(find_class(&v, "mlpf on GPUs")->worst), 0.55);
    free(v.row);
}

/* A step of 16 to 128 V100 takes little longer than one of 8, as the exchange of gradients does;
 * the 30 % that were measured on 128 are missed. */
static void nodes_of_gpus_are_as_far_as_one_of_them(const struct validate_result *whole)
{
    struct validate_result v = validate_part(whole, "nodes of GPUs");
    const struct validate_class *c = find_class(&v, "3dgan on nodes of GPUs");

    cr_expect_eq(c->n, 10);
    cr_expect_leq(mpq_get_d(c->worst), 0.25);
    cr_expect_leq(mpq_get_d(c->median), 0.19);
    free(v.row);
}

void check_bars(const struct validate_result *whole)
{
    steps_of_fully_connected_networks_are_within_three_percent_in_the_median(whole);
    forward_passes_of_gpt_2_as_compiled_are_within_a_quarter_and_half_of_them_nearer(whole);
    products_and_copies_on_v7_and_v5e_are_known_by_their_misses(whole);
    steps_of_resnet_50_as_compiled_are_within_a_tenth_of_the_fastest_measured(whole);
    narrow_and_deep_networks_have_no_bias_beyond_five_percent(whole);
    steps_and_epochs_of_3dgan_in_the_graph_are_within_five_percent(whole);
    phases_epoch_and_cost_of_3dgan_from_the_host_are_within_ten_percent(whole);
    single_operations_are_within_ten_percent(whole);
    large_copies_reach_their_share_of_the_peak_within_five_percent(whole);
    prices_and_sizes_are_those_that_were_published(whole);
    profiled_device_times_are_within_five_percent_and_their_parts_within_ten(whole);
    claims_hold_and_questions_are_answered(whole);
    it_says_which_tpu_takes_an_event_as_one_graph(whole);
    training_steps_on_cpus_are_no_further_from_those_measured(whole);
    training_steps_on_gpus_are_no_further_from_those_measured(whole);
    nodes_of_gpus_are_as_far_as_one_of_them(whole);
}
