/* Points that differ in prices alone: one replay, and the same results as of one for each. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "report/run_report.h"
#include "sweep/point.h"
#include "sweep/point_chain.h"

#define CYCLES 123456789 /* of no step here */

static struct err err;

static void make_plan(struct plan *p, const char *axes)
{
    char text[512];

    plan_init(p);
    snprintf(text, sizeof text,
             "[sweep]\ntrace = gen:fc layers=1 width=256 input=256 output=64 batch=64 cores=8\n"
             "machine = tpu-v3-8\n[axis]\n%s",
             axes);
    cr_assert_eq(plan_read_text(p, "plan", text, &err), 0, "%s", err.msg);
    cr_assert_eq(plan_finish(p, &err), 0, "%s", err.msg);
}

static double find_figure(const struct point_outcome *o, const char *name)
{
    for (size_t i = 0; i < o->n_figures; i++)
        if (strcmp(o->figure[i].name, name) == 0)
            return o->figure[i].value;
    return -1;
}

static void expect_equal(const struct point_outcome *a, const struct point_outcome *b)
{
    cr_assert(a->done && b->done, "%s", a->done ? b->error : a->error);
    cr_expect_str_eq(a->json, b->json);
    cr_expect_eq(a->trace_checksum, b->trace_checksum);
    cr_expect_eq(a->machine_checksum, b->machine_checksum);
    cr_assert_eq(a->n_figures, b->n_figures);
    for (size_t i = 0; i < a->n_figures; i++) {
        cr_expect_str_eq(a->figure[i].name, b->figure[i].name);
        cr_expect_eq(a->figure[i].value, b->figure[i].value, "%s", a->figure[i].name);
    }
}

Test(point, one_replay_serves_all_prices)
{
    struct point_kept kept = { 0 };
    struct point_outcome o, fresh;
    struct plan p;

    make_plan(&p, "price.on_demand = 8 USD/h, 0.5 USD/h\nprice.preemptible = 2, 1 USD/h\n"
                  "power.peak = 450, 100 W\nproxy.board = 600, 700 USD\n");
    cr_assert_eq(p.n_points, 16);
    for (size_t i = 0; i < p.n_points; i++) {
        struct point_kept none = { 0 };
        point_run(&p, i, report_json, &kept, &o);
        point_run(&p, i, report_json, &none, &fresh);
        expect_equal(&o, &fresh);
        point_kept_free(&none);
        point_outcome_free(&o);
        point_outcome_free(&fresh);
    }
    kept.result.cycles_per_step = CYCLES; /* so that a replay would show */
    point_run(&p, 0, report_json, &kept, &o);
    cr_assert(o.done);
    cr_expect_eq(find_figure(&o, "cycles_per_step"), CYCLES);
    point_outcome_free(&o);
    point_kept_free(&kept);
    plan_free(&p);
}

/* A rent is that of the machine as it stands, times what its parts cost: of each machine its own.
 */
Test(point, each_machine_is_compared_with_itself)
{
    struct point_kept kept = { 0 };
    struct point_outcome o, fresh;
    struct plan p;

    make_plan(&p, "machine = tpu-v3-8, tpu-v2-8\nmxu.count = 1, 2\n");
    cr_assert_eq(p.n_points, 4);
    for (size_t i = 0; i < p.n_points; i++) {
        struct point_kept none = { 0 };
        size_t at = i % 2 * 2 + i / 2; /* another machine at each point */
        point_run(&p, at, report_json, &kept, &o);
        point_run(&p, at, report_json, &none, &fresh);
        double second = find_figure(&o, "proxy.usd_per_hour") / 3600;
        cr_expect_gt(second, 0);
        cr_expect_float_eq(find_figure(&o, "proxy.usd_per_step"),
                           second * find_figure(&o, "seconds_per_step"), 1e-20);
        cr_expect_float_eq(find_figure(&o, "proxy.samples_per_usd"),
                           find_figure(&o, "samples_per_second") / second, 1e-6);
        expect_equal(&o, &fresh);
        point_kept_free(&none);
        point_outcome_free(&o);
        point_outcome_free(&fresh);
    }
    point_kept_free(&kept);
    plan_free(&p);
}

Test(point, what_changes_the_step_is_replayed)
{
    struct point_kept kept = { 0 };
    struct point_outcome o;
    struct plan p;

    make_plan(&p, "mxu.count = 1, 2\nprice.on_demand = 8, 4 USD/h\n");
    for (size_t i = 0; i < p.n_points; i++) {
        point_run(&p, i, report_json, &kept, &o);
        cr_assert(o.done, "%s", o.error);
        cr_expect_eq(find_figure(&o, "cycles_per_step") == CYCLES, i % 2 == 1, "%zu", i);
        kept.result.cycles_per_step = CYCLES;
        point_outcome_free(&o);
    }
    point_kept_free(&kept);
    plan_free(&p);
}

Test(point, a_bad_price_fails_and_the_next_point_runs)
{
    struct point_kept kept = { 0 };
    struct point_outcome o;
    struct plan p;

    make_plan(&p, "price.on_demand = 8, 9000000, 4 USD/h\n");
    for (size_t i = 0; i < p.n_points; i++) {
        point_run(&p, i, report_json, &kept, &o);
        cr_expect_eq(o.done, i != 1);
        point_outcome_free(&o);
    }
    point_kept_free(&kept);
    plan_free(&p);
}

Test(point_chain, prices_follow_one_another)
{
    static const size_t ids[] = { 0, 1, 2, 3, 4, 5 };
    static const size_t next[] = { 2, 3, 4, 5, POINT_CHAIN_END, POINT_CHAIN_END };
    struct point_chain c;
    struct plan p;

    make_plan(&p, "price.on_demand = 8, 4, 2 USD/h\nmxu.count = 1, 2\n");
    point_chain_make(&c, &p, ids, 6);
    cr_expect_eq(c.n_first, 2);
    cr_expect_eq(c.first[0], 0);
    cr_expect_eq(c.first[1], 1);
    for (size_t i = 0; i < 6; i++)
        cr_expect_eq(c.next[i], next[i], "%zu", i);
    point_chain_free(&c);
    plan_free(&p);
}

Test(point_chain, other_points_stand_alone)
{
    static const size_t ids[] = { 1, 3 };
    struct point_chain c;
    struct plan p;

    make_plan(&p, "core.clock = 900, 940 MHz\nmxu.count = 1, 2\n");
    point_chain_make(&c, &p, ids, 2);
    cr_expect_eq(c.n_first, 2);
    cr_expect_eq(c.first[1], 1);
    cr_expect_eq(c.next[0], POINT_CHAIN_END);
    point_chain_free(&c);
    plan_free(&p);
}
