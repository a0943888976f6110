#include "report/json_part.h"
#include "report/report.h"
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

void report_json(const struct run_result *r, FILE *out)
{
    fputs("{\n  ", out);
    part_string("machine", r->machine, out);
    fputs(",\n  ", out);
    part_string("trace", r->trace, out);
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
    part_key("joules_per_step", out);
    fputs("null,\n  ", out); /* nobody published the energy of an operation */
    part_memory(r, out);
    part_figures(r->figures, r->n_figures, out);
    fputs(",\n  ", out);
    part_slots(&r->slots, out);
    fputs(",\n  ", out);
    part_causes(r->cause, out);
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
