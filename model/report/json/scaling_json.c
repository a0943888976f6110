/* One trace on slices of several sizes as JSON. */
#include "base/json_write.h"
#include "report/json/result_json.h"
#include "report/scaling_report.h"

static const char *const part_name[SCALING_N_PARTS] = {
    [SCALING_COMPUTE] = "compute",
    [SCALING_LAUNCH] = "launch",
    [SCALING_NET_LATENCY] = "collective_latency",
    [SCALING_NET_BANDWIDTH] = "collective_bandwidth",
    [SCALING_INPUT] = "input",
    [SCALING_HOST] = "host",
    [SCALING_IMBALANCE] = "imbalance",
    [SCALING_BATCH] = "batch",
};

static void write_parts(struct json_write *w, const char *key, const mpq_t part[SCALING_N_PARTS],
                        int n)
{
    json_write_below(w);
    json_write_object(w, key, JSON_LAYOUT_LINE);
    for (int p = 0; p < n; p++)
        json_write_decimal(w, part_name[p], part[p], true);
    json_write_close(w);
}

static void write_size(struct json_write *w, const struct scaling_size *s)
{
    const struct run_result *r = &s->result;
    const struct result_visitor v = result_json_visitor(w);

    json_write_object(w, NULL, JSON_LAYOUT_LINE);
    json_write_integer(w, "size", s->size);
    json_write_string(w, "machine", s->machine);
    json_write_integer(w, "cores", r->cores);
    json_write_integer(w, "chips", r->chips);
    json_write_integer(w, "slices", r->slices);
    if (r->written_for) {
        json_write_integer(w, "trace_written_for", r->written_for);
        json_write_bool(w, "trace_derived", r->derived);
    }
    json_write_below(w);
    json_write_decimal(w, "seconds_per_step", r->seconds_per_step, true);
    json_write_decimal(w, "samples_per_second", r->samples_per_second, !r->samples_unknown);
    json_write_decimal(w, "speedup", s->speedup, true);
    json_write_decimal(w, "efficiency", s->efficiency, true);
    if (r->epochs)
        result_visit_run(&v, r);
    write_parts(w, "seconds", s->part, SCALING_BATCH);
    write_parts(w, "loss", s->loss, SCALING_N_PARTS);
    json_write_below(w);
    result_visit_expected(&v, r);
    json_write_below(w);
    result_visit_account_sums(&v, &r->account);
    json_write_close(w);
}

void report_scaling_json(const char *trace, const struct scaling_size *s, size_t n, FILE *out)
{
    struct json_write w;

    json_write_begin(&w, out);
    json_write_object(&w, NULL, JSON_LAYOUT_LINES);
    json_write_string(&w, "trace", trace);
    json_write_array(&w, "scale", JSON_LAYOUT_LINES);
    for (size_t i = 0; i < n; i++)
        write_size(&w, &s[i]);
    json_write_close(&w);
    json_write_close(&w);
    putc('\n', out);
}
