/* Do the lanes of the HTML report tell the same as the report? */
#include <criterion/criterion.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "report/timeline/lanes.h"
#include "timeline_run.h"

static char *lanes_of(const char *machine, bool one_chip, bool exact, struct run_result *r)
{
    static const char *const globs[] = { "chip0.core0.*", "chip0.[!c]*", "chip0->*", "host0.*" };
    struct lanes *l = lanes_new(globs, 4);
    struct run_observer o = lanes_observer(l);
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);

    o.one_chip = one_chip;
    replay_tiny(machine, exact, &o, 1, r);
    lanes_json(l, out);
    lanes_free(l);
    fclose(out);
    return text;
}

/* The mean of a lane of shares, or of one of its states. */
static double mean_of_lane(const json_t *lane, double bins)
{
    const json_t *values = json_object_get(lane, "values"), *v;
    double sum = 0;
    size_t i;

    json_array_foreach(values, i, v)
    {
        double share = json_number_value(v) / 1000;
        cr_assert(share >= 0 && share <= 1);
        sum += share * ((double)i + 1 < bins ? 1 : bins - (double)i);
    }
    return sum / bins;
}

static const json_t *find_lane(const json_t *list, const char *name, const char *kind)
{
    const json_t *x;
    size_t i;

    json_array_foreach(list, i, x)
    {
        const char *k = json_string_value(json_object_get(x, "kind"));
        if (strcmp(json_string_value(json_object_get(x, "name")), name) == 0 &&
            (!kind || strcmp(k, kind) == 0))
            return x;
    }
    cr_assert(false, "no lane %s", name);
    return NULL;
}

static double find_figure(const struct run_result *r, const char *column)
{
    for (size_t i = 0; i < r->n_figures; i++)
        if (strcmp(r->figures[i].column, column) == 0)
            return mpq_get_d(r->figures[i].value);
    cr_assert(false, "no figure %s", column);
    return 0;
}

/* Operations of the core follow each other within the step; the share of the time until the last
 * one ends that they take. */
static double expect_in_turn(const json_t *all)
{
    double seconds = json_number_value(json_object_get(all, "seconds")), over = 0, sum = 0;
    const json_t *s;
    size_t i;

    json_array_foreach(json_object_get(all, "spans"), i, s)
    {
        double from = json_number_value(json_array_get(s, 0));
        cr_assert(from >= over - 0.002, "an operation begins at %g us, before %g", from, over);
        over = from + json_number_value(json_array_get(s, 1));
        sum += over - from;
    }
    cr_assert(i > 3 && over * 1e-6 <= seconds + 1e-8, "%zu until %g", i, over);
    return sum / over;
}

Test(lanes, their_means_are_the_figures_of_the_report)
{
    struct run_result r;
    char *text = lanes_of("tpu-v3-1", false, false, &r);
    json_t *all = json_loads(text, 0, NULL);
    cr_assert_not_null(all);
    const json_t *lanes = json_object_get(all, "lanes"), *states = json_object_get(all, "states");
    double seconds = json_number_value(json_object_get(all, "seconds"));
    double bins = seconds / json_number_value(json_object_get(all, "bin_seconds"));

    cr_assert_float_eq(seconds, mpq_get_d(r.seconds_per_step), 1e-15);
    /* rounded to a thousandth, bin by bin */
    double mxu = mean_of_lane(find_lane(lanes, "chip0.core0.mxu0", "share"), bins) +
                 mean_of_lane(find_lane(lanes, "chip0.core0.mxu1", "share"), bins);
    cr_assert_float_eq(mxu / 2, find_figure(&r, "utilization.mxu_busy"), 5e-4);
    cr_assert_float_eq(mean_of_lane(find_lane(lanes, "chip0.core0.xlu", "share"), bins),
                       find_figure(&r, "utilization.xlu"), 5e-4);
    cr_assert_float_eq(mean_of_lane(find_lane(lanes, "host0", "share"), bins),
                       find_figure(&r, "utilization.host"), 5e-4);
    double state = 0;
    const json_t *s;
    size_t i;
    json_array_foreach(states, i, s) state += mean_of_lane(s, bins);
    cr_assert_float_eq(state, 1, 5e-3, "states of a core fill its time: %g", state);
    /* the core waits for the host while it works, and computes while the matrix units do */
    double host = mean_of_lane(find_lane(states, "host", NULL), bins);
    cr_assert(host > 0.8 && host < find_figure(&r, "utilization.host"), "%g", host);
    double compute = mean_of_lane(find_lane(states, "compute", NULL), bins);
    cr_assert(compute > mxu / 2 && compute < 2 * mxu, "%g", compute);
    expect_in_turn(all);
    json_decref(all);
    free(text);
    run_result_free(&r);
}

/* A program runs while its operations do, and those that it starts run beside others. */
Test(lanes, operations_of_a_program_follow_each_other)
{
    static const char *const glob = "chip0.core0.*";
    struct lanes *l = lanes_new(&glob, 1);
    const struct run_observer o = lanes_observer(l);
    const struct run_request q = { .trace = "tests/programs/ring.tpu-v5p-16.hlo.zst",
                                   .machine = "tpu-v5p-16",
                                   .steps = 1,
                                   .observer = &o,
                                   .n_observers = 1 };
    struct run_result r;
    struct err err;
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);

    cr_assert_eq(run_replay(&q, &r, &err), 0, "%s", err.msg);
    lanes_json(l, out);
    fclose(out);
    json_t *all = json_loads(text, 0, NULL);
    cr_assert_gt(expect_in_turn(all), 0.99);
    json_decref(all);
    free(text);
    lanes_free(l);
    run_result_free(&r);
}

Test(lanes, one_chip_shows_what_all_show)
{
    struct run_result r;
    char *one = lanes_of("tpu-v3-8", true, false, &r);
    run_result_free(&r);
    char *all = lanes_of("tpu-v3-8", false, false, &r);
    run_result_free(&r);
    char *exact = lanes_of("tpu-v3-8", false, true, &r);
    run_result_free(&r);

    cr_assert_str_eq(one, all);
    cr_assert_str_eq(exact, all);
    free(one);
    free(all);
    free(exact);
}
