/* Noise of sweeps, points that do not fit, and the verdict over them, by hand. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "sweep/report/ask.h"
#include "sweep/report/effects.h"
#include "sweep/report/noise.h"
#include "sweep/report/sweep_verdict.h"
#include "sweep_figures.h"

static struct err err;

static const struct ask usual = { .top = 10, .times = 1 };

static char *write_verdict(const struct ask_answer *a)
{
    struct memory_text text;

    memory_text_begin(&text);
    sweep_verdict(a, text.out);
    return memory_text_end(&text);
}

/* 1.24 at 700 MHz is 0.4 % less than the baseline at 940, but between 600 and 800 the step goes
 * down by 1.3 %, up by 1.0, down by 0.6: the middle one is noise.  The cost is the time's. */
Test(sweep_noise, a_point_that_is_better_by_less_than_its_neighbours_move_is_open)
{
    static const double time[] = { 1.256, 1.24, 1.2524, 1.245, 1.25 };
    struct sweep_table t;
    struct ask_answer a;

    sweep_figures(&t, "[axis]\ncore.clock = 600,700,800,940,1200 MHz\n", time, time);
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
Test(sweep_noise, noise_is_what_neighbours_reverse)
{
    static const double zigzag[] = { 1.05, 1, 1.04, 0.99, 1.02 }, valley[] = { 4, 2, 1, 2, 4 };
    struct sweep_table t;
    struct ask_answer a;

    sweep_figures(&t, "[axis]\ncore.clock = 600,700,800,900,940 MHz\n", zigzag, valley);
    cr_assert_eq(ask_answer(&a, &t, &usual, &err), 0, "%s", err.msg);
    cr_expect_float_eq(a.noise[0], 1.04 / 0.99 - 1, 1e-9, "%g", a.noise[0]);
    cr_expect_float_eq(a.noise[1], NOISE_LEAST, 1e-9, "%g", a.noise[1]);
    ask_free(&a);
    sweep_table_free(&t);
}

/* 3 % less than the baseline, where points drawn beside the best one turn by 4 %. */
Test(sweep_noise, a_swing_beside_the_best_point_is_noise)
{
    static const double time[] = { 1, 0.97 }, cost[] = { 1, 0.97 };
    struct ask q = usual;
    struct sweep_table t;
    struct ask_answer a;

    sweep_figures(&t, "[axis]\ncore.clock = 940,1200 MHz\n", time, cost);
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
Test(sweep_noise, a_point_that_does_not_fit_counts_nowhere)
{
    static const double time[] = { 4, 2, 1 }, fits[] = { 1, 1, 0 }, none[] = { 0, 0, 0 };
    struct sweep_table t;
    struct ask_answer a;

    sweep_figures_fitting(&t, "[axis]\nmxu.count = 2,4,8\n", time, time, fits);
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
    sweep_figures_fitting(&t, "[axis]\nmxu.count = 2,4,8\n", time, time, none);
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
Test(sweep_noise, a_baseline_that_does_not_fit_is_no_rival)
{
    static const double time[] = { 4, 2 }, fits[] = { 1, 0 };
    struct sweep_table t;
    struct ask_answer a;

    sweep_figures_fitting(&t, "[axis]\nmxu.count = 1,2\n", time, time, fits);
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
Test(sweep_noise, noise_is_that_of_neighbouring_values_alone)
{
    static const double zigzag[] = { 4, 1, 3, 2 };
    static const char *const axes[] = { "machine = v100x1\nmachine = a100x1\nmachine = k80\n",
                                        "[axis]\ncore.clock = 600,900,700,800 MHz\n" };

    for (size_t i = 0; i < 2; i++) {
        struct sweep_table t;
        struct ask_answer a;
        sweep_figures(&t, axes[i], zigzag, zigzag);
        cr_assert_eq(ask_answer(&a, &t, &usual, &err), 0, "%s", err.msg);
        cr_expect_float_eq(a.noise[0], NOISE_LEAST, 1e-9, "%zu: %g", i, a.noise[0]);
        ask_free(&a);
        sweep_table_free(&t);
    }
}

/* Steps that turn by a factor of two: twice and half are within the noise, 60 % less is beyond it.
 */
Test(sweep_noise, less_is_as_far_as_more)
{
    cr_expect(noise_covers(1, 0.99));
    cr_expect(noise_covers(1, -0.49));
    cr_expect_not(noise_covers(1, 1.01));
    cr_expect_not(noise_covers(1, -0.6));
}

/* The report names the point of which least is known. */
Test(sweep_noise, what_is_not_known_of_a_step_is_said)
{
    static const struct {
        const char *axes, *said;
        double known[3];
    } cases[] = {
        { "[axis]\nmxu.count = 2\n", "\n20.0 % of a step is not known at point 0: ", { 0.8 } },
        { "[axis]\nmxu.count = 2,4,8\n",
          "\n25.0 % of a step is not known, at most, at point 1: ",
          { 1, 0.75, 0.8 } },
        { "[axis]\nmxu.count = 2,4,8\n", NULL, { 1, 1, 1 } },
    };
    static const double time[] = { 1, 1, 1 };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct sweep_table t;
        struct ask_answer a;
        sweep_figures_with(&t, cases[i].axes, time, time, "account.known", cases[i].known);
        cr_assert_eq(ask_answer(&a, &t, &usual, &err), 0, "%s", err.msg);
        char *text = write_verdict(&a);
        if (cases[i].said)
            cr_expect(strstr(text, cases[i].said), "%s", text);
        else
            cr_expect_null(strstr(text, "not known,"), "%s", text);
        free(text);
        ask_free(&a);
        sweep_table_free(&t);
    }
}

/* Errors of 30 and 40 % cover half more or a third less, between machines alone. */
Test(sweep_noise, errors_cover_what_another_machine_changes)
{
    static const double time[] = { 1, 1, 1, 1 }, error[] = { 0.3, 0.3, 0.4, 0.4 };
    static const double none[] = { 0.3, 0.3, NAN, NAN };
    static const char axes[] = "machine = tpu-v2-8\n[axis]\nmxu.count = 2,4\n";
    char machine[] = "machine", count[] = "mxu.count";
    struct sweep_table t;
    struct ask_answer a;
    size_t at, other;

    sweep_figures_with(&t, axes, time, time, "evidence.expected.error", error);
    cr_assert_eq(ask_answer(&a, &t, &usual, &err), 0, "%s", err.msg);
    cr_assert(sweep_table_find(&t, machine, &at) && sweep_table_find(&t, count, &other));
    const struct pairs_step s = { .parameter = at, .from = "tpu-v3-8", .to = "tpu-v2-8" };
    const struct pairs_step c = { .parameter = other, .from = "2", .to = "4" };
    cr_expect(effects_covers(&a, 0, 1.499, &s));
    cr_expect(effects_covers(&a, 0, 1 / 1.499, &s));
    cr_expect_not(effects_covers(&a, 0, 1.501, &s));
    cr_expect_not(effects_covers(&a, 0, 1 / 1.501, &s));
    cr_expect_not(effects_covers(&a, 0, 1.4, &c));
    cr_expect_not(effects_covers(&a, 0, 1.4, NULL));
    ask_free(&a);
    sweep_table_free(&t);
    sweep_figures_with(&t, axes, time, time, "evidence.expected.error", none);
    cr_assert_eq(ask_answer(&a, &t, &usual, &err), 0, "%s", err.msg);
    cr_expect(effects_covers(&a, 0, 9, &s), "nobody knows the error on one of them");
    cr_expect_not(effects_covers(&a, 0, 9, &c));
    ask_free(&a);
    sweep_table_free(&t);
}

/* Elasticities of -0.02 and -0.05: ten percent more of either is within the noise of 1 %, which all
 * of the second's values, from 1 to 4, are not: 4^-0.05 is 0.933. */
Test(sweep_noise, a_lever_within_the_noise_is_none)
{
    struct sweep_table t;
    struct ask_answer a;
    double time[9], flat[9];

    for (int i = 0; i < 9; i++) {
        time[i] = pow(1.1, -0.02 * (i / 3)) * pow(2, -0.05 * (i % 3));
        flat[i] = pow(2, -0.001 * (i % 3));
    }
    sweep_figures(&t, "[axis]\ncore.clock = 1000,1100,1210 MHz\nmxu.count = 1,2,4\n", time, flat);
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
Test(sweep_noise, a_front_that_noise_widens_is_not_strict)
{
    static const double near[] = { 1, 1.005 }, far[] = { 1, 2 }, back[] = { 2, 1 };
    struct sweep_table t;
    struct ask_answer a;

    sweep_figures(&t, "[axis]\nmxu.count = 1,2\n", near, near);
    cr_assert_eq(ask_answer(&a, &t, &usual, &err), 0, "%s", err.msg);
    cr_expect_eq(a.n_front, 2);
    cr_expect_not(pareto_strict(&t, a.front, a.n_front, a.goal, a.n_goals));
    ask_free(&a);
    sweep_table_free(&t);
    sweep_figures(&t, "[axis]\nmxu.count = 1,2\n", far, back);
    cr_assert_eq(ask_answer(&a, &t, &usual, &err), 0, "%s", err.msg);
    cr_expect_eq(a.n_front, 2);
    cr_expect(pareto_strict(&t, a.front, a.n_front, a.goal, a.n_goals));
    ask_free(&a);
    sweep_table_free(&t);
}
