/* Trials side by side on one slice as JSON. */
#include "base/exact.h"
#include "base/json_write.h"
#include "report/json/result_json.h"
#include "report/scan_report.h"
#include "run/epoch.h"

/* The error to expect of a time, and its account. */
static void write_trust(struct json_write *w, const char *key, const struct run_result *r)
{
    const struct result_visitor v = result_json_visitor(w);

    json_write_object(w, key, JSON_LAYOUT_LINE);
    result_visit_expected(&v, r);
    result_visit_account_sums(&v, &r->account);
    json_write_close(w);
}

static void write_kind(struct json_write *w, const struct scan_kind *k)
{
    json_write_object(w, NULL, JSON_LAYOUT_LINE);
    json_write_string(w, "trace", k->trace);
    json_write_integer(w, "trials", k->trials);
    json_write_bool(w, "fits", k->beside.fits);
    json_write_decimal(w, "seconds_per_step", k->beside.seconds_per_step, true);
    json_write_decimal(w, "seconds", k->training, true);
    json_write_decimal(w, "whole_slice_seconds", k->alone, k->on_whole);
    write_trust(w, "trust", &k->beside);
    if (k->on_whole)
        write_trust(w, "whole_slice_trust", &k->whole);
    else
        json_write_null(w, "whole_slice_trust");
    json_write_close(w);
}

void report_scan_json(const struct scan_result *r, FILE *out)
{
    struct json_write w;

    EXACT_Q(q);
    json_write_begin(&w, out);
    json_write_object(&w, NULL, JSON_LAYOUT_LINE);
    json_write_string(&w, "machine", r->machine);
    json_write_integer(&w, "cores", r->slice_cores);
    json_write_integer(&w, "cores_per_trial", r->cores);
    json_write_integer(&w, "trials", r->trials);
    json_write_integer(&w, "epochs", r->epochs);
    json_write_decimal(&w, "makespan_seconds", r->makespan, true);
    json_write_decimal(&w, "one_by_one_seconds", r->one_by_one, r->on_whole);
    report_scan_occupancy(q, r);
    json_write_decimal(&w, "occupancy", q, true);
    cost_usd(q, r->usd_per_hour, r->makespan);
    json_write_decimal(&w, "usd", q, r->has_price);
    json_write_bool(&w, "price_verified", r->price_verified);
    json_write_string(&w, "price_source", r->price_source);
    json_write_array(&w, "kinds", JSON_LAYOUT_LINES);
    for (size_t i = 0; i < r->n_kinds; i++)
        write_kind(&w, &r->kind[i]);
    json_write_close(&w);
    json_write_close(&w);
    putc('\n', out);
}
