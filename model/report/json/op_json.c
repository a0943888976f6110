/* One operation on one machine as JSON. */
#include "report/json/result_json.h"
#include "report/op_report.h"

/* The times of a short operation, by the moment at which it begins. */
static void write_moments(struct json_write *w, const struct run_moments *m)
{
    if (m->n == 0)
        return;
    json_write_object(w, "refresh", JSON_LAYOUT_LINE);
    json_write_integer(w, "starts", m->n);
    json_write_decimal(w, "seconds_least", m->least, true);
    json_write_decimal(w, "seconds_most", m->most, true);
    json_write_close(w);
}

void report_op_json(const struct run_result *r, FILE *out)
{
    const struct run_row *row = report_op_row(r);
    struct json_write w;
    const struct result_visitor v = result_json_visitor(&w);

    json_write_begin(&w, out);
    json_write_object(&w, NULL, JSON_LAYOUT_LINES);
    json_write_string(&w, "machine", r->machine);
    json_write_string(&w, "op", r->trace);
    json_write_integer(&w, "cycles", r->cycles_per_step);
    json_write_decimal(&w, "seconds", r->seconds_per_step, true);
    write_moments(&w, &r->moments);
    json_write_string(&w, "bound_by", cause_name[r->bound_by]);
    result_visit_causes(&v, r->causes, &r->cause);
    json_write_whole(&w, "flops", row->flops);
    json_write_whole(&w, "hbm_bytes", row->hbm_bytes);
    result_visit_figures(&v, r);
    result_visit_slots(&v, r->causes, &row->slots);
    result_visit_advice(&v, row);
    result_visit_memory(&v, r);
    result_visit_account_sums(&v, &r->account);
    result_visit_expected(&v, r);
    result_visit_provenance(&v, r);
    json_write_close(&w);
    putc('\n', out);
}
