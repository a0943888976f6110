/* Fronts, elasticities, pairs and break-even of tables whose answers are known by hand. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analysis/ask.h"
#include "analysis/noise.h"
#include "analysis/sweep_verdict.h"
#include "base/memory.h"

static struct err err;

/* A sweep whose point i has the figures time[i], cost[i] and, unless NULL, fits[i]. */
static void make_fitting_table(struct sweep_table *t, const char *axes, const double *time,
                               const double *cost, const double *fits)
{
    static char time_name[] = "seconds_per_step", cost_name[] = "proxy.usd_per_step", json[] = "{}";
    static char fits_name[] = "memory.fits";
    static const struct store_shard whole = { 1, 1 };
    char path[] = "/tmp/analysis.XXXXXX", text[512];
    struct store *s;
    struct plan p;

    close(mkstemp(path));
    plan_init(&p);
    snprintf(text, sizeof text, "[sweep]\ntrace = gen:3dgan\nmachine = tpu-v3-8\n%s", axes);
    cr_assert_eq(plan_read_text(&p, "plan", text, &err), 0, "%s", err.msg);
    cr_assert_eq(plan_finish(&p, &err), 0, "%s", err.msg);
    cr_assert_eq(store_open(&s, path, &p, whole, "1", &err), 0, "%s", err.msg);
    for (size_t i = 0; i < p.n_points; i++) {
        struct point_figure f[] = { { cost_name, cost[i] },
                                    { time_name, time[i] },
                                    { fits_name, fits ? fits[i] : 1 } };
        struct point_outcome o = {
            .done = true, .json = json, .json_size = 2, .figure = f, .n_figures = fits ? 3 : 2
        };
        bool new;
        cr_assert_eq(store_put(s, i, &o, &new, &err), 0);
    }
    store_close(s);
    cr_assert_eq(store_read(&s, path, &err), 0, "%s", err.msg);
    cr_assert_eq(sweep_table_read(t, s, &err), 0, "%s", err.msg);
    store_close(s);
    plan_free(&p);
    strcat(strcpy(text, path), "-wal");
    unlink(text);
    strcat(strcpy(text, path), "-shm");
    unlink(text);
    unlink(path);
}

static void make_table(struct sweep_table *t, const char *axes, const double *time,
                       const double *cost)
{
    make_fitting_table(t, axes, time, cost, NULL);
}

static const struct ask usual = { .top = 10, .times = 1 };

Test(analysis, a_front_holds_what_nothing_beats)
{
    /* 3 is beaten by 1, 4 equals 0 in all and comes later */
    static const double time[] = { 1, 2, 3, 4, 1 }, cost[] = { 9, 5, 1, 6, 9 };
    struct sweep_table t;
    struct ask_answer a;

    make_table(&t, "[axis]\nmxu.count = 1,2,3,4,5\n", time, cost);
    cr_assert_eq(ask_answer(&a, &t, &usual, &err), 0, "%s", err.msg);
    cr_assert_eq(a.n_front, 3);
    cr_assert_eq(t.id[a.front[0]], 0);
    cr_assert_eq(t.id[a.front[1]], 1);
    cr_assert_eq(t.id[a.front[2]], 2);
    ask_free(&a);
    /* to want much of time and little cost leaves 3 and 2 */
    struct ask q = usual;
    q.pareto = "max:seconds_per_step,proxy.usd_per_step";
    cr_assert_eq(ask_answer(&a, &t, &q, &err), 0, "%s", err.msg);
    cr_assert_eq(a.n_front, 2);
    cr_assert_eq(t.id[a.front[0]], 3);
    cr_assert_eq(t.id[a.front[1]], 2);
    ask_free(&a);
    sweep_table_free(&t);
}

static void expect_asked(const struct ask *ask, void (*print)(const struct ask_answer *, FILE *),
                         const char *axes, const double *time, const double *cost,
                         const char *expected)
{
    struct sweep_table t;
    struct ask_answer a;
    struct memory_text text;

    make_table(&t, axes, time, cost);
    cr_assert_eq(ask_answer(&a, &t, ask, &err), 0, "%s", err.msg);
    memory_text_begin(&text);
    print(&a, text.out);
    char *got = memory_text_end(&text);
    cr_assert_str_eq(got, expected);
    free(got);
    ask_free(&a);
    sweep_table_free(&t);
}

static void expect_text(void (*print)(const struct ask_answer *, FILE *), const char *axes,
                        const double *time, const double *cost, const char *expected)
{
    expect_asked(&usual, print, axes, time, cost, expected);
}

Test(analysis, the_verdict_compares_with_the_baseline)
{
    /* tpu-v3-8 has two arrays; y = 2 / x and y = x */
    static const double time[] = { 2, 1, 0.5 }, cost[] = { 1, 2, 4 };
    static const double one[] = { 1, 1, 1 };

    expect_text(sweep_verdict, "[axis]\nmxu.count = 1,2,4\n", time, cost,
                "least seconds_per_step: mxu.count 4 (point 2) with 500 ms, 50.0 % less than the "
                "baseline: 1 s\n"
                "least proxy.usd_per_step: mxu.count 1 (point 0) with 1 USD, 50.0 % less than the "
                "baseline: 2 USD\n"
                "for seconds_per_step, + 10 % of mxu.count changes most: -9.1 %\n"
                "for proxy.usd_per_step, more of no parameter does good\n"
                "error to expect of the baseline: not known; what-ifs on one machine share it\n"
                "baseline, marked *: the machine and workload as they stand: mxu.count 2 (point "
                "1)\n");
    expect_text(sweep_verdict, "[axis]\nmxu.count = 2,4,8\n", one, cost,
                "all points have the same seconds_per_step: 1 s\n"
                "no point has less proxy.usd_per_step than the baseline by more than the noise of "
                "1.0 %: 1 USD\n"
                "for seconds_per_step, more of no parameter does good\n"
                "for proxy.usd_per_step, more of no parameter does good\n"
                "error to expect of the baseline: not known; what-ifs on one machine share it\n"
                "baseline, marked *: the machine and workload as they stand: mxu.count 2 (point "
                "0)\n");
}

/* tpu-v3-8 has two arrays, which is no point of this plan: there is no baseline to read. */
Test(analysis, without_a_baseline_the_error_is_that_of_the_first_point)
{
    static const double time[] = { 2, 1, 0.5 }, cost[] = { 1, 2, 4 };

    expect_text(sweep_verdict, "[axis]\nmxu.count = 1,4,8\n", time, cost,
                "least seconds_per_step: mxu.count 8 (point 2) with 500 ms\n"
                "least proxy.usd_per_step: mxu.count 1 (point 0) with 1 USD\n"
                "for seconds_per_step, + 10 % of mxu.count changes most: -5.9 %\n"
                "for proxy.usd_per_step, more of no parameter does good\n"
                "error to expect of the first point: not known; what-ifs on one machine share it\n"
                "there is no baseline: no point has all values of the machine and workload as they "
                "stand\n");
}

Test(analysis, a_front_of_one_point_says_why)
{
    static const double up[] = { 1, 2, 3 }, down[] = { 3, 2, 1 }, one[] = { 1, 1, 1 },
                        twice[] = { 1, 1, 3 };
    static const char axes[] = "[axis]\nmxu.count = 1,3,4\n";

    expect_text(sweep_verdict_front, axes, up, down, "");
    expect_text(sweep_verdict_front, axes, up, up,
                "one point alone: it is best in every goal, so no goal has to give way to "
                "another\n");
    expect_text(sweep_verdict_front, axes, up, one,
                "one point alone: all points have the same proxy.usd_per_step, so "
                "seconds_per_step decides\n");
    expect_text(sweep_verdict_front, axes, one, one,
                "one point alone: all 3 points are equal in all goals\n");
    expect_text(sweep_verdict_front, axes, twice, twice,
                "one point alone: it is best in every goal, so no goal has to give way to "
                "another; 1 more point is equal to it in all goals\n");
    expect_text(sweep_verdict_front, "[axis]\nmxu.count = 1\n", up, up,
                "one point alone: no other is done\n");
}

/* Equal points are those that are asked about: in whatever order they are listed, with the same
 * parameter or another, and not one that a condition leaves out. */
Test(analysis, equals_of_a_front_of_one_point_are_counted)
{
    static const double late[] = { 3, 1, 1 }, early[] = { 1, 1, 3 }, both[] = { 1, 1, 3, 3 };
    static const char axes[] = "[axis]\nmxu.count = 1,3,4\n";
    static const char best[] = "one point alone: it is best in every goal, so no goal has to give "
                               "way to another";
    char one_more[200];
    struct ask last = usual, some = usual;

    last.best = "max:mxu.count";
    some.where = "mxu.count > 1";
    snprintf(one_more, sizeof one_more, "%s; 1 more point is equal to it in all goals\n", best);
    expect_asked(&last, sweep_verdict_front, axes, late, late, one_more);
    expect_text(sweep_verdict_front, "[axis]\nmxu.count = 1,3\nhbm.efficiency = 0.5,0.6\n", both,
                both, one_more);
    snprintf(one_more, sizeof one_more, "%s\n", best);
    expect_asked(&some, sweep_verdict_front, axes, early, early, one_more);
}

Test(analysis, the_best_come_first_and_conditions_hold)
{
    static const double time[] = { 4, 2, 3, 1 }, cost[] = { 1, 1, 1, 1 };
    struct sweep_table t;
    struct ask_answer a;
    struct ask q = usual;

    make_table(&t, "[axis]\nmxu.count = 1,2,3,4\n", time, cost);
    q.where = "mxu.count < 4";
    cr_assert_eq(ask_answer(&a, &t, &q, &err), 0, "%s", err.msg);
    cr_assert_eq(a.n, 3);
    cr_assert_eq(t.id[a.rows[0]], 1);
    cr_assert_eq(t.id[a.rows[1]], 2);
    cr_assert_eq(t.id[a.rows[2]], 0);
    ask_free(&a);
    q.where = "mxu.count < 4 && 1 / 0 < 3"; /* what is unknown does not hold */
    cr_assert_eq(ask_answer(&a, &t, &q, &err), 0);
    cr_assert_eq(a.n, 0);
    ask_free(&a);
    q.where = "mxu.cout < 4";
    cr_assert_eq(ask_answer(&a, &t, &q, &err), -1);
    cr_assert_str_eq(err.msg, "--where: condition: column 1: unknown name 'mxu.cout'; did you mean "
                              "'mxu.count'?");
    sweep_table_free(&t);
}

Test(analysis, a_power_law_is_found)
{
    /* time = 100 / count * sqrt(size / 64); on machine v2 three times as much.  cost is the same
     * for all. */
    static const double time[] = { 100, 200, 50, 100, 300, 600, 150, 300 };
    static const double cost[] = { 7, 7, 7, 7, 7, 7, 7, 7 };
    struct sweep_table t;
    struct ask_answer a;

    make_table(&t, "machine = tpu-v2-8\n[axis]\nmxu.count = 1,2\nmxu.size = 64,256\n", time, cost);
    cr_assert_eq(ask_answer(&a, &t, &usual, &err), 0, "%s", err.msg);
    cr_assert_eq(t.n_parameters, 3); /* machine, count, size */
    cr_assert(isnan(a.fit[0].elasticity[0]));
    cr_assert_float_eq(a.fit[0].elasticity[1], -1, 1e-9);
    cr_assert_float_eq(a.fit[0].elasticity[2], 0.5, 1e-9);
    cr_assert_float_eq(a.fit[0].explained, 1, 1e-9);
    cr_assert_float_eq(fit_effect(&a.fit[0], 2, 1.21), 0.1, 1e-9); /* sqrt(1.21) - 1 */
    cr_assert_float_eq(a.fit[1].elasticity[1], 0, 1e-9);
    /* ln 1 and ln 2, ln 64 and ln 256, about their means */
    cr_assert_float_eq(a.fit[0].low[1], -0.34657359, 1e-8);
    cr_assert_float_eq(a.fit[0].high[1], 0.34657359, 1e-8);
    cr_assert_float_eq(a.fit[0].low[2], -0.69314718, 1e-8);
    cr_assert_float_eq(a.fit[0].high[2], 0.69314718, 1e-8);
    /* pairs: machine 3 times, count one half, size twice, over 4 pairs each */
    static const double ratio[] = { 3, 0.5, 2 };
    cr_assert_eq(a.n_steps, 3);
    for (size_t i = 0; i < 3; i++) {
        cr_assert_eq(a.step[i].parameter, i);
        cr_assert_eq(a.step[i].n, 4);
        cr_assert_float_eq(a.step[i].ratio[0], ratio[i], 1e-9);
        cr_assert_float_eq(a.step[i].ratio[1], 1, 1e-9);
    }
    ask_free(&a);
    sweep_table_free(&t);
}

Test(analysis, a_zip_is_one_parameter)
{
    static const double time[] = { 8, 4, 2 }, cost[] = { 1, 1, 1 };
    struct sweep_table t;
    struct ask_answer a;

    make_table(&t, "zip = mxu.count,mxu.size\n[axis]\nmxu.count = 1,2,4\nmxu.size = 32,64,128\n",
               time, cost);
    cr_assert_eq(ask_answer(&a, &t, &usual, &err), 0, "%s", err.msg);
    cr_assert_float_eq(a.fit[0].elasticity[0], -1, 1e-9);
    cr_assert(isnan(a.fit[0].elasticity[1]));
    cr_assert_eq(a.n_steps, 2);
    cr_assert_float_eq(a.step[1].ratio[0], 0.5, 1e-9);
    ask_free(&a);
    sweep_table_free(&t);
}

Test(analysis, pairs_differ_in_one_parameter_alone)
{
    /* count 2 with size 128 is ruled out: (1,64) (1,128) (2,64); count has one pair, size one */
    static const double time[] = { 10, 30, 5 }, cost[] = { 1, 1, 1 };
    struct sweep_table t;
    struct ask_answer a;

    make_table(&t,
               "where = mxu.count * mxu.size <= 128\n[axis]\nmxu.count = 1,2\nmxu.size = 64,128\n",
               time, cost);
    cr_assert_eq(ask_answer(&a, &t, &usual, &err), 0, "%s", err.msg);
    cr_assert_eq(a.n_steps, 2);
    cr_assert_eq(a.step[0].n, 1);
    cr_assert_float_eq(a.step[0].ratio[0], 0.5, 1e-9);
    cr_assert_eq(a.step[1].n, 1);
    cr_assert_float_eq(a.step[1].ratio[0], 3, 1e-9);
    ask_free(&a);
    sweep_table_free(&t);
}

Test(analysis, values_with_one_between_them_are_no_pair)
{
    static const double time[] = { 10, 30 }, cost[] = { 1, 1 };
    struct sweep_table t;
    struct ask_answer a;

    make_table(&t, "where = mxu.count != 2\n[axis]\nmxu.count = 1,2,4\n", time, cost);
    cr_assert_eq(ask_answer(&a, &t, &usual, &err), 0, "%s", err.msg);
    cr_assert_eq(a.n_steps, 2);
    cr_assert_eq(a.step[0].n, 0);
    cr_assert_eq(a.step[1].n, 0);
    ask_free(&a);
    sweep_table_free(&t);
}

Test(analysis, break_even_is_between_the_last_loss_and_the_first_win)
{
    /* v3-8: 10, 10, 10; v3-32 at 50, 100, 200 GB/s: 40, 20, 10.  Against half of 10, no; against
     * 10 * 3 between 50 and 100, where 40 * (x / 50)^-1 = 30: 66.67; against 50 always. */
    static const double time[] = { 10, 10, 10, 40, 20, 10 }, cost[] = { 1, 1, 1, 1, 1, 1 };
    struct sweep_table t;
    struct ask_answer a;
    struct ask q = usual;

    make_table(&t, "machine = tpu-v3-32\n[axis]\nici.bandwidth = 50,100,200 GB/s\n", time, cost);
    q.best = "seconds_per_step";
    q.breakeven = "ici.bandwidth";
    q.challengers = "machine == 'tpu-v3-32'";
    q.rival = "machine == 'tpu-v3-8'";
    q.times = 3;
    cr_assert_eq(ask_answer(&a, &t, &q, &err), 0, "%s", err.msg);
    cr_assert_eq(a.breakeven.n_lines, 1);
    cr_assert_eq(a.breakeven.rival, 30);
    cr_assert_str_eq(a.breakeven.line[0].below_text, "50 GB/s");
    cr_assert_str_eq(a.breakeven.line[0].above_text, "100 GB/s");
    cr_assert_float_eq(a.breakeven.line[0].at, 66.666666667e9, 1);
    ask_free(&a);
    q.times = 0.5;
    cr_assert_eq(ask_answer(&a, &t, &q, &err), 0);
    cr_assert(a.breakeven.line[0].never);
    ask_free(&a);
    q.times = 5;
    cr_assert_eq(ask_answer(&a, &t, &q, &err), 0);
    cr_assert(a.breakeven.line[0].always);
    ask_free(&a);
    q.rival = "machine == 'tpu-v9'";
    cr_assert_eq(ask_answer(&a, &t, &q, &err), -1);
    cr_assert_str_eq(err.msg, "no point that fits is there where machine == 'tpu-v9'");
    sweep_table_free(&t);
}

static char *write_verdict(const struct ask_answer *a)
{
    struct memory_text text;

    memory_text_begin(&text);
    sweep_verdict(a, text.out);
    return memory_text_end(&text);
}

/* 1.24 at 700 MHz is 0.4 % less than the baseline at 940, but between 600 and 800 the step goes
 * down by 1.3 %, up by 1.0, down by 0.6: the middle one is noise.  The cost is the time's. */
Test(analysis, a_point_that_is_better_by_less_than_its_neighbours_move_is_open)
{
    static const double time[] = { 1.256, 1.24, 1.2524, 1.245, 1.25 };
    struct sweep_table t;
    struct ask_answer a;

    make_table(&t, "[axis]\ncore.clock = 600,700,800,940,1200 MHz\n", time, time);
    cr_assert_eq(ask_answer(&a, &t, &usual, &err), 0, "%s", err.msg);
    cr_expect_float_eq(a.best_noise, 0.01, 1e-9, "%g", a.best_noise);
    char *text = write_verdict(&a);
    cr_expect(strstr(text, "no point has less seconds_per_step than the baseline by more than the "
                           "noise of 1.0 %: 1.245 s; the best has 0.4 % less: open\n"),
              "%s", text);
    cr_expect_eq(a.n_front, 4, "%zu", a.n_front); /* 600 MHz alone is beaten, by 1.3 % */
    free(text);
    ask_free(&a);
    sweep_table_free(&t);
}

/* Down by 5 %, up by 4 and down by 5: a swing of 4 %, so 3 % less than the baseline is noise too;
 * one turn alone is an optimum, and no noise. */
Test(analysis, noise_is_what_neighbours_reverse)
{
    static const double zigzag[] = { 1.05, 1, 1.04, 0.99, 1.02 }, valley[] = { 4, 2, 1, 2, 4 };
    struct sweep_table t;
    struct ask_answer a;

    make_table(&t, "[axis]\ncore.clock = 600,700,800,900,940 MHz\n", zigzag, valley);
    cr_assert_eq(ask_answer(&a, &t, &usual, &err), 0, "%s", err.msg);
    cr_expect_float_eq(a.noise[0], 1.04 / 0.99 - 1, 1e-9, "%g", a.noise[0]);
    cr_expect_float_eq(a.noise[1], NOISE_LEAST, 1e-9, "%g", a.noise[1]);
    ask_free(&a);
    sweep_table_free(&t);
}

/* 3 % less than the baseline, where points drawn beside the best one turn by 4 %. */
Test(analysis, a_swing_beside_the_best_point_is_noise)
{
    static const double time[] = { 1, 0.97 }, cost[] = { 1, 0.97 };
    struct ask q = usual;
    struct sweep_table t;
    struct ask_answer a;

    make_table(&t, "[axis]\ncore.clock = 940,1200 MHz\n", time, cost);
    for (int drawn = 0; drawn < 2; drawn++) {
        q.swing = drawn ? 0.04 : 0;
        cr_assert_eq(ask_answer(&a, &t, &q, &err), 0, "%s", err.msg);
        char *text = write_verdict(&a);
        cr_expect_eq(strstr(text, "the best has 3.0 % less: open") != NULL, drawn == 1, "%s", text);
        cr_expect_eq(a.n_front, drawn ? 2 : 1, "%zu", a.n_front);
        cr_expect_float_eq(a.noise[1], drawn ? 0.04 : NOISE_LEAST, 1e-9, "%g", a.noise[1]);
        free(text);
        ask_free(&a);
    }
    sweep_table_free(&t);
}

/* 8 arrays would be fastest and cheapest, but do not fit: the best is 4, the front is 4 alone, and
 * neither the law nor the pairs know of 8. */
Test(analysis, a_point_that_does_not_fit_counts_nowhere)
{
    static const double time[] = { 4, 2, 1 }, fits[] = { 1, 1, 0 }, none[] = { 0, 0, 0 };
    struct sweep_table t;
    struct ask_answer a;

    make_fitting_table(&t, "[axis]\nmxu.count = 2,4,8\n", time, time, fits);
    cr_assert_eq(ask_answer(&a, &t, &usual, &err), 0, "%s", err.msg);
    char *text = write_verdict(&a);
    cr_expect(strstr(text, "least seconds_per_step: mxu.count 4 (point 1) with 2 s, 50.0 %"), "%s",
              text);
    cr_expect(strstr(text, "\n1 of 3 points does not fit the memory of its machine, and is never "
                           "best: point 2\n"),
              "%s", text);
    cr_expect(a.n_front == 1 && a.front[0] == 1);
    cr_expect_eq(a.fit[0].n, 2, "%zu", a.fit[0].n);
    cr_expect(a.n_steps == 2 && a.step[0].n == 1 && a.step[1].n == 0);
    cr_expect(a.n_beyond == 1 && a.rows[2] == 2);
    free(text);
    ask_free(&a);
    sweep_table_free(&t);
    make_fitting_table(&t, "[axis]\nmxu.count = 2,4,8\n", time, time, none);
    cr_assert_eq(ask_answer(&a, &t, &usual, &err), 0, "%s", err.msg);
    text = write_verdict(&a);
    cr_expect(strstr(text, "no point fits the memory of its machine; what follows is as if it "
                           "were larger\n"
                           "least seconds_per_step: mxu.count 8 (point 2) with 1 s, 75.0 % less "
                           "than the baseline: 4 s\n") == text,
              "%s", text);
    cr_expect(a.n == 3 && a.n_beyond == 0);
    free(text);
    ask_free(&a);
    sweep_table_free(&t);
}

/* Two arrays, the baseline, do not fit, so that a slower point is the best. */
Test(analysis, a_baseline_that_does_not_fit_is_no_rival)
{
    static const double time[] = { 4, 2 }, fits[] = { 1, 0 };
    struct sweep_table t;
    struct ask_answer a;

    make_fitting_table(&t, "[axis]\nmxu.count = 1,2\n", time, time, fits);
    cr_assert_eq(ask_answer(&a, &t, &usual, &err), 0, "%s", err.msg);
    char *text = write_verdict(&a);
    cr_expect(strstr(text, "mxu.count 1 (point 0) with 4 s, 100.0 % more than the baseline, which "
                           "does not fit: 2 s\n"),
              "%s", text);
    free(text);
    ask_free(&a);
    sweep_table_free(&t);
}

/* Machines side by side are no neighbours, in whatever order they are given; nor are values that
 * only stand side by side in the list of an axis, of which the step falls from value to value. */
Test(analysis, noise_is_that_of_neighbouring_values_alone)
{
    static const double zigzag[] = { 4, 1, 3, 2 };
    static const char *const axes[] = { "machine = v100x1\nmachine = a100x1\nmachine = k80\n",
                                        "[axis]\ncore.clock = 600,900,700,800 MHz\n" };

    for (size_t i = 0; i < 2; i++) {
        struct sweep_table t;
        struct ask_answer a;
        make_table(&t, axes[i], zigzag, zigzag);
        cr_assert_eq(ask_answer(&a, &t, &usual, &err), 0, "%s", err.msg);
        cr_expect_float_eq(a.noise[0], NOISE_LEAST, 1e-9, "%zu: %g", i, a.noise[0]);
        ask_free(&a);
        sweep_table_free(&t);
    }
}

/* Steps that turn by a factor of two: twice and half are within the noise, 60 % less is beyond it.
 */
Test(analysis, less_is_as_far_as_more)
{
    cr_expect(noise_covers(1, 0.99));
    cr_expect(noise_covers(1, -0.49));
    cr_expect_not(noise_covers(1, 1.01));
    cr_expect_not(noise_covers(1, -0.6));
}

/* Elasticities of -0.02 and -0.05: ten percent more of either is within the noise of 1 %, which all
 * of the second's values, from 1 to 4, are not: 4^-0.05 is 0.933. */
Test(analysis, a_lever_within_the_noise_is_none)
{
    struct sweep_table t;
    struct ask_answer a;
    double time[9], flat[9];

    for (int i = 0; i < 9; i++) {
        time[i] = pow(1.1, -0.02 * (i / 3)) * pow(2, -0.05 * (i % 3));
        flat[i] = pow(2, -0.001 * (i % 3));
    }
    make_table(&t, "[axis]\ncore.clock = 1000,1100,1210 MHz\nmxu.count = 1,2,4\n", time, flat);
    cr_assert_eq(ask_answer(&a, &t, &usual, &err), 0, "%s", err.msg);
    char *text = write_verdict(&a);
    cr_expect(strstr(text,
                     "for seconds_per_step, + 10 % of no parameter does good by more than the "
                     "noise of 1.0 %; from its least to its most, mxu.count changes most: "
                     "-6.7 %\n"),
              "%s", text);
    cr_expect(strstr(text, "for proxy.usd_per_step, more of no parameter does good\n"), "%s", text);
    free(text);
    ask_free(&a);
    sweep_table_free(&t);
}

/* 1 and 2 are 0.5 % apart in both goals, so that noise keeps 2 on the front. */
Test(analysis, a_front_that_noise_widens_is_not_strict)
{
    static const double near[] = { 1, 1.005 }, far[] = { 1, 2 }, back[] = { 2, 1 };
    struct sweep_table t;
    struct ask_answer a;

    make_table(&t, "[axis]\nmxu.count = 1,2\n", near, near);
    cr_assert_eq(ask_answer(&a, &t, &usual, &err), 0, "%s", err.msg);
    cr_expect_eq(a.n_front, 2);
    cr_expect_not(pareto_strict(&t, a.front, a.n_front, a.goal, a.n_goals));
    ask_free(&a);
    sweep_table_free(&t);
    make_table(&t, "[axis]\nmxu.count = 1,2\n", far, back);
    cr_assert_eq(ask_answer(&a, &t, &usual, &err), 0, "%s", err.msg);
    cr_expect_eq(a.n_front, 2);
    cr_expect(pareto_strict(&t, a.front, a.n_front, a.goal, a.n_goals));
    ask_free(&a);
    sweep_table_free(&t);
}
