/* Fronts, elasticities, pairs and break-even of tables whose answers are known by hand. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "sweep/report/ask.h"
#include "sweep/report/effects.h"
#include "sweep/report/sweep_verdict.h"
#include "sweep_figures.h"

static struct err err;

static const struct ask usual = { .top = 10, .times = 1 };

Test(analysis, a_front_holds_what_nothing_beats)
{
    /* 3 is beaten by 1, 4 equals 0 in all and comes later */
    static const double time[] = { 1, 2, 3, 4, 1 }, cost[] = { 9, 5, 1, 6, 9 };
    struct sweep_table t;
    struct ask_answer a;

    sweep_figures(&t, "[axis]\nmxu.count = 1,2,3,4,5\n", time, cost);
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

    sweep_figures(&t, axes, time, cost);
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

    sweep_figures(&t, "[axis]\nmxu.count = 1,2,3,4\n", time, cost);
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

    sweep_figures(&t, "machine = tpu-v2-8\n[axis]\nmxu.count = 1,2\nmxu.size = 64,256\n", time,
                  cost);
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

/* Elasticities of the time are -1, 1 and -2, in the order of the columns. */
Test(analysis, effects_are_told_best_first)
{
    static const double time[] = { 8, 2, 16, 4, 4, 1, 8, 2 };
    static const double cost[] = { 7, 7, 7, 7, 7, 7, 7, 7 };
    struct sweep_table t;
    struct ask_answer a;
    struct text_grid g;

    sweep_figures(&t, "[axis]\nhbm.bandwidth = 300,600 GB/s\nmxu.count = 1,2\nmxu.size = 64,128\n",
                  time, cost);
    cr_assert_eq(ask_answer(&a, &t, &usual, &err), 0, "%s", err.msg);
    cr_assert(effects_grid(&g, &a));
    size_t row = g.columns;
    cr_expect_str_eq(g.cell[row], "mxu.size");
    cr_expect_str_eq(g.cell[2 * row], "hbm.bandwidth");
    cr_expect_str_eq(g.cell[3 * row], "mxu.count");
    cr_expect_eq(g.n, 4 * row);
    FILE *out = tmpfile();
    text_grid_print(&g, out);
    fclose(out);
    ask_free(&a);
    sweep_table_free(&t);
}

Test(analysis, a_zip_is_one_parameter)
{
    static const double time[] = { 8, 4, 2 }, cost[] = { 1, 1, 1 };
    struct sweep_table t;
    struct ask_answer a;

    sweep_figures(&t, "zip = mxu.count,mxu.size\n[axis]\nmxu.count = 1,2,4\nmxu.size = 32,64,128\n",
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

    sweep_figures(
        &t, "where = mxu.count * mxu.size <= 128\n[axis]\nmxu.count = 1,2\nmxu.size = 64,128\n",
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

    sweep_figures(&t, "where = mxu.count != 2\n[axis]\nmxu.count = 1,2,4\n", time, cost);
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

    sweep_figures(&t, "machine = tpu-v3-32\n[axis]\nici.bandwidth = 50,100,200 GB/s\n", time, cost);
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
