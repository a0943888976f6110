#include "base/exact.h"
#include "report/cost.h"
#include "report/json/json_part.h"
#include "report/run_report.h"
#include "report/write.h"

static void rows(const char *name, const struct run_row *row, size_t n, FILE *out)
{
    fputs(",\n  ", out);
    part_key(name, out);
    putc('[', out);
    for (size_t i = 0; i < n; i++, row++) {
        fputs(i ? ",\n    {" : "\n    {", out);
        part_string("name", row->name, out);
        fputs(", ", out);
        part_string("phase", row->phase, out);
        fputs(", ", out);
        part_string("kind", row->kind, out);
        fputs(", ", out);
        part_integer("count", row->count, out);
        fputs(", ", out);
        part_integer("every", row->every, out);
        fputs(", ", out);
        part_decimal("seconds", row->seconds, true, out);
        fputs(", ", out);
        part_string("bound_by", report_cause_name[row->bound_by], out);
        fputs(", ", out);
        part_whole("flops", row->flops, out);
        fputs(", ", out);
        part_whole("hbm_bytes", row->hbm_bytes, out);
        fputs(", ", out);
        part_decimal("mxu", row->mxu, true, out);
        fputs(", ", out);
        part_causes(row->cause, out);
        fputs(", ", out);
        part_waste(row, out);
        fputs(", ", out);
        part_slots(&row->slots, out);
        putc('}', out);
    }
    fputs(n ? "\n  ]" : "]", out);
}

static void server(const struct run_result *r, FILE *out)
{
    if (!r->server.serves)
        return;
    fputs(",\n  ", out);
    part_key("server", out);
    putc('{', out);
    part_decimal("updates_per_second", r->server.updates, true, out);
    fputs(", ", out);
    part_decimal("missed_updates", r->server.missed, true, out);
    putc('}', out);
}

static void links(const struct run_result *r, FILE *out)
{
    fputs(",\n  ", out);
    part_key("links", out);
    putc('[', out);
    for (size_t i = 0; i < r->n_links; i++) {
        const struct run_link *l = &r->links[i];
        fputs(i ? ",\n    {" : "\n    {", out);
        part_string("name", l->name, out);
        fputs(", ", out);
        part_whole("bytes", l->bytes, out);
        fputs(", ", out);
        part_decimal("utilization", l->utilization, true, out);
        putc('}', out);
    }
    fputs(r->n_links ? "\n  ]" : "]", out);
}

/* "key": {"on_demand": USD, "preemptible": USD} for `seconds`. */
static void usd(const char *key, const struct run_result *r, const mpq_t seconds, FILE *out)
{
    EXACT_Q(q);
    part_key(key, out);
    putc('{', out);
    cost_usd(q, r->usd_per_hour, seconds);
    part_decimal("on_demand", q, r->has_price, out);
    fputs(", ", out);
    cost_usd(q, r->usd_per_hour_preemptible, seconds);
    part_decimal("preemptible", q, r->has_preemptible, out);
    putc('}', out);
}

static void joules(const char *key, const struct run_result *r, const mpq_t seconds, bool known,
                   FILE *out)
{
    EXACT_Q(q);
    mpq_mul(q, r->watts, seconds);
    part_decimal(key, q, known && r->has_power, out);
}

/* Of as many epochs as were asked for. */
static void run(const struct run_result *r, FILE *out)
{
    part_key("run", out);
    if (!cost_has_run(r)) {
        fputs("null", out);
        return;
    }
    EXACT_Q(seconds);
    cost_run_seconds(seconds, r);
    putc('{', out);
    part_integer("epochs", r->epochs, out);
    fputs(", ", out);
    part_decimal("seconds", seconds, true, out);
    fputs(", ", out);
    usd("usd", r, seconds, out);
    fputs(", ", out);
    joules("joules", r, seconds, true, out);
    putc('}', out);
}

static void costs(const struct run_result *r, FILE *out)
{
    usd("usd_per_step", r, r->seconds_per_step, out);
    fputs(",\n  ", out);
    EXACT_Q(million);
    mpq_set_ui(million, 1000000, 1);
    mpq_div(million, million, r->samples_per_second);
    usd("usd_per_million_samples", r, million, out);
    fputs(",\n  ", out);
    joules("joules_per_step", r, r->seconds_per_step, true, out);
    fputs(",\n  ", out);
    joules("joules_per_epoch", r, r->seconds_per_epoch, r->has_epoch, out);
    fputs(",\n  ", out);
    run(r, out);
    fputs(",\n  ", out);
}

void report_json(const struct run_result *r, FILE *out)
{
    fputs("{\n  ", out);
    part_string("machine", r->machine, out);
    fputs(",\n  ", out);
    part_string("trace", r->trace, out);
    fputs(",\n  ", out);
    part_string("workload", r->workload, out);
    part_slice(r, out);
    fputs(",\n  ", out);
    part_integer("steps", r->steps, out);
    fputs(",\n  ", out);
    part_integer("cycles_per_step", r->cycles_per_step, out);
    fputs(",\n  ", out);
    part_decimal("seconds_per_step", r->seconds_per_step, true, out);
    fputs(",\n  ", out);
    part_decimal("seconds_per_epoch", r->seconds_per_epoch, r->has_epoch, out);
    fputs(",\n  ", out);
    part_decimal("samples_per_second", r->samples_per_second, true, out);
    fputs(",\n  ", out);
    part_key("usd_per_epoch", out);
    putc('{', out);
    part_decimal("on_demand", r->usd_per_epoch, r->has_epoch && r->has_price, out);
    fputs(", ", out);
    part_decimal("preemptible", r->usd_per_epoch_preemptible, r->has_epoch && r->has_preemptible,
                 out);
    fputs("},\n  ", out);
    costs(r, out);
    part_string("bound_by", report_cause_name[r->bound_by], out);
    fputs(", ", out);
    part_string("limited_by", report_limit_name(r), out);
    fputs(",\n  ", out);
    part_memory(r, out);
    server(r, out);
    part_figures(r->figures, r->n_figures, out);
    fputs(",\n  ", out);
    part_slots(&r->slots, out);
    fputs(",\n  ", out);
    part_causes(r->cause, out);
    fputs(",\n  ", out);
    part_stages(r, out);
    rows("phases", r->phases, r->n_phases, out);
    rows("ops", r->ops, r->n_ops, out);
    links(r, out);
    fputs(",\n  ", out);
    part_key("uncovered", out);
    putc('{', out);
    part_integer("ops", r->uncovered_ops, out);
    fputs(", ", out);
    part_decimal("share", r->uncovered_share, true, out);
    putc('}', out);
    part_provenance(r, out);
    fputs("\n}\n", out);
}
