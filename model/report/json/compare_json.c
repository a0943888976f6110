/* Machines side by side as JSON. */
#include <stdlib.h>

#include "base/exact.h"
#include "base/json_write.h"
#include "base/memory.h"
#include "report/compare_report.h"
#include "report/json/result_json.h"
#include "run/epoch.h"
#include "run/result/margin.h"
#include "run/result/speed.h"

#define SECONDS_PER_HOUR 3600

static void write_costs(struct json_write *w, const struct run_result *r)
{
    EXACT_Q(q);
    json_write_bool(w, "price_verified", r->price_verified);
    json_write_string(w, "price_source", r->price_source);
    json_write_object(w, "usd_per_epoch", JSON_LAYOUT_LINE);
    json_write_decimal(w, "on_demand", r->usd_per_epoch, r->has_epoch && r->has_price);
    json_write_decimal(w, "preemptible", r->usd_per_epoch_preemptible,
                       r->has_epoch && r->has_preemptible);
    json_write_close(w);
    json_write_object(w, "usd_per_step", JSON_LAYOUT_LINE);
    cost_usd(q, r->usd_per_hour, r->seconds_per_step);
    json_write_decimal(w, "on_demand", q, r->has_price);
    cost_usd(q, r->usd_per_hour_preemptible, r->seconds_per_step);
    json_write_decimal(w, "preemptible", q, r->has_preemptible);
    json_write_close(w);
    json_write_object(w, "usd_per_million_samples", JSON_LAYOUT_LINE);
    epoch_million_samples(q, r, r->usd_per_hour);
    json_write_decimal(w, "on_demand", q, r->has_price && !r->samples_unknown);
    epoch_million_samples(q, r, r->usd_per_hour_preemptible);
    json_write_decimal(w, "preemptible", q, r->has_preemptible && !r->samples_unknown);
    json_write_close(w);
    mpq_mul(q, r->power.watts, r->seconds_per_epoch);
    json_write_decimal(w, "joules_per_epoch", q, r->has_epoch && r->power.by_work);
    json_write_object(w, "watts", JSON_LAYOUT_LINE);
    json_write_decimal(w, "least", r->power.least, r->power.known);
    json_write_decimal(w, "most", r->power.most, r->power.known);
    json_write_decimal(w, "average", r->power.watts, r->power.by_work);
    json_write_close(w);
}

static void write_result(struct json_write *w, const struct run_result *r)
{
    EXACT_Q(q);
    json_write_bool(w, "fits", r->fits);
    json_write_integer(w, "peak_bytes_per_core", r->peak_bytes_per_core);
    json_write_integer(w, "capacity_bytes_per_core", r->capacity_bytes_per_core);
    report_compare_times_capacity(q, r);
    json_write_decimal(w, "times_capacity", q, r->capacity_bytes_per_core != 0);
    json_write_bool(w, "close", margin_is_close(r));
    json_write_bool(w, "rests_on_switch", margin_rests_on_switch(r));
    if (r->fit_switch.known) {
        json_write_object(w, "switched", JSON_LAYOUT_LINE);
        json_write_string(w, "set", r->fit_switch.set);
        json_write_integer(w, "peak_bytes_per_core", r->fit_switch.peak);
        json_write_bool(w, "fits", r->fit_switch.fits);
        json_write_close(w);
    } else {
        json_write_null(w, "switched");
    }
    json_write_decimal(w, "seconds_per_step", r->seconds_per_step, true);
    json_write_string(w, "kind", r->chip);
    json_write_integer(w, "chips", r->chips);
    if (r->samples_unknown)
        json_write_null(w, "global_batch");
    else
        json_write_whole(w, "global_batch", r->samples_per_step);
    json_write_decimal(w, "samples_per_second", r->samples_per_second, !r->samples_unknown);
    speed_samples_per_chip(q, r);
    json_write_decimal(w, "samples_per_second_per_chip", q, !r->samples_unknown);
    epoch_dropped(q, r);
    json_write_decimal(w, "dropped_samples_per_epoch", q, r->has_epoch);
    epoch_added(q, r);
    json_write_decimal(w, "added_samples_per_epoch", q, r->has_epoch);
    exact_ratio(q, 1, SECONDS_PER_HOUR);
    mpq_mul(q, q, r->seconds_per_epoch);
    json_write_decimal(w, "hours_per_epoch", q, r->has_epoch);
    write_costs(w, r);
    const struct result_visitor v = result_json_visitor(w);
    if (r->epochs)
        result_visit_run(&v, r);
    result_visit_expected(&v, r);
    result_visit_account_sums(&v, &r->account);
    json_write_string(w, "bound_by", cause_name[r->bound_by]);
    json_write_string(w, "limited_by", result_limit_name(r));
}

static void write_proportion(struct json_write *w, const struct run_result *r)
{
    uint64_t samples;

    EXACT_Q(times);
    bool known = report_compare_proportion(times, &samples, r);
    json_write_object(w, "in_proportion", JSON_LAYOUT_LINE);
    json_write_decimal(w, "times_batch", times, known);
    if (samples)
        json_write_integer(w, "samples_per_core", samples);
    else
        json_write_null(w, "samples_per_core");
    json_write_close(w);
}

static void write_verdict(struct json_write *w, const struct report_verdict *v)
{
    json_write_object(w, NULL, JSON_LAYOUT_LINE);
    json_write_string(w, "machine", v->machine);
    if (v->trace)
        json_write_string(w, "trace", v->trace);
    if (v->batch)
        json_write_integer(w, "batch", v->batch);
    if (v->most_batch)
        json_write_bool(w, "batch_is_most", true);
    if (v->fixed_batch && v->result)
        write_proportion(w, v->result);
    json_write_string(w, "error", v->result ? NULL : v->error);
    if (v->result)
        write_result(w, v->result);
    else
        json_write_bool(w, "fits", false);
    json_write_close(w);
}

static void write_machines(struct json_write *w, const char *key, const struct report_comparison *c,
                           const bool *is)
{
    json_write_array(w, key, JSON_LAYOUT_LINE);
    for (size_t i = 0; i < c->n; i++)
        if (is[i])
            json_write_string(w, NULL, report_compare_label(&c->verdict[i]));
    json_write_close(w);
}

static void write_in_time(struct json_write *w, const struct report_comparison *c)
{
    bool *win = memory_zeroed(c->n, sizeof *win);

    report_compare_in_time(win, c);
    write_machines(w, "in_time", c, win);
    free(win);
}

static void write_best(struct json_write *w, const char *key, const struct report_comparison *c,
                       const struct report_choice *choice)
{
    bool *win = memory_zeroed(c->n, sizeof *win);

    report_compare_best(win, c, choice);
    write_machines(w, key, c, win);
    free(win);
}

/* The machines that may be the best as well, by the errors to expect. */
static void write_open(struct json_write *w, const char *key, const struct report_comparison *c,
                       report_figure *figure)
{
    const struct report_choice choice = { .figure = figure };
    bool *win = memory_zeroed(c->n, sizeof *win), *open = memory_zeroed(c->n, sizeof *open);

    report_compare_best(win, c, &choice);
    report_compare_open(open, win, c, &choice);
    write_machines(w, key, c, open);
    free(win);
    free(open);
}

void report_compare_json(const char *trace, const struct report_comparison *c, FILE *out)
{
    const struct run_slice *smallest =
        report_compare_any_fits(c) ? NULL : report_compare_smallest_of_all(c);
    struct json_write w;

    json_write_begin(&w, out);
    json_write_object(&w, NULL, JSON_LAYOUT_LINES);
    json_write_string(&w, "trace", trace);
    write_best(&w, "cheapest", c, &(struct report_choice){ .figure = report_compare_cost });
    write_best(&w, "cheapest_verified", c,
               &(struct report_choice){ .figure = report_compare_cost, .verified = true });
    write_best(&w, "fastest", c, &(struct report_choice){ .figure = report_compare_time });
    write_best(&w, "smallest", c, &(struct report_choice){ .figure = report_compare_size });
    json_write_string(&w, "smallest_of_all", smallest ? smallest->machine : NULL);
    if (c->deadline) {
        json_write_decimal(&w, "deadline_seconds", c->deadline, true);
        write_best(&w, "cheapest_in_time", c,
                   &(struct report_choice){ .figure = report_compare_cost, .in_time = true });
        write_in_time(&w, c);
    }
    json_write_object(&w, "open", JSON_LAYOUT_LINE);
    write_open(&w, "cheapest", c, report_compare_cost);
    write_open(&w, "fastest", c, report_compare_time);
    json_write_close(&w);
    json_write_array(&w, "machines", JSON_LAYOUT_LINES);
    for (size_t i = 0; i < c->n; i++)
        write_verdict(&w, &c->verdict[i]);
    json_write_close(&w);
    json_write_close(&w);
    putc('\n', out);
}
