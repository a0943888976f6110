#include <string.h>

#include "report/report.h"
#include "report/write.h"

static void key(const char *name, FILE *out)
{
    write_json_string(name, out);
    fputs(": ", out);
}

static void string(const char *name, const char *value, FILE *out)
{
    key(name, out);
    write_json_string(value, out);
}

static void integer(const char *name, uint64_t value, FILE *out)
{
    key(name, out);
    fprintf(out, "%llu", (unsigned long long)value);
}

static void decimal(const char *name, const mpq_t value, bool known, FILE *out)
{
    key(name, out);
    if (known)
        write_decimal(value, out);
    else
        fputs("null", out);
}

static void whole(const char *name, const mpz_t value, FILE *out)
{
    key(name, out);
    mpz_out_str(out, 10, value);
}

/* 64 bits do not survive a reader that keeps numbers in a double, so checksums are strings. */
static void checksum(const char *name, uint64_t value, FILE *out)
{
    key(name, out);
    fprintf(out, "\"%016llx\"", (unsigned long long)value);
}

static void causes(const mpq_t *cause, FILE *out)
{
    key("time_by_cause", out);
    for (unsigned c = 0; c < N_CAUSES; c++) {
        fputs(c ? ", " : "{", out);
        decimal(report_cause_name[c], cause[c], true, out);
    }
    putc('}', out);
}

static void rows(const char *name, const struct run_row *row, size_t n, FILE *out)
{
    fputs(",\n  ", out);
    key(name, out);
    putc('[', out);
    for (size_t i = 0; i < n; i++, row++) {
        fputs(i ? ",\n    {" : "\n    {", out);
        string("name", row->name, out);
        fputs(", ", out);
        string("phase", row->phase, out);
        fputs(", ", out);
        string("kind", row->kind, out);
        fputs(", ", out);
        integer("count", row->count, out);
        fputs(", ", out);
        decimal("seconds", row->seconds, true, out);
        fputs(", ", out);
        string("bound_by", report_cause_name[row->bound_by], out);
        fputs(", ", out);
        whole("flops", row->flops, out);
        fputs(", ", out);
        whole("hbm_bytes", row->hbm_bytes, out);
        fputs(", ", out);
        decimal("mxu", row->mxu, true, out);
        fputs(", ", out);
        causes(row->cause, out);
        putc('}', out);
    }
    fputs(n ? "\n  ]" : "]", out);
}

/* "utilization.mxu" goes into the object "utilization", which stands where its first figure does.
 */
static void figures(const struct run_figure *f, size_t n, FILE *out)
{
    for (size_t i = 0; i < n; i++) {
        size_t length = figure_group_length(f[i].column);
        if (length == 0) {
            fputs(",\n  ", out);
            decimal(f[i].column, f[i].value, f[i].known, out);
            continue;
        }
        if (!figure_opens_group(f, i))
            continue;
        fprintf(out, ",\n  \"%.*s\": ", (int)length, f[i].column);
        for (size_t j = i; j < n; j++) {
            if (!figure_same_group(f[j].column, f[i].column))
                continue;
            fputs(j > i ? ", " : "{", out);
            decimal(f[j].column + length + 1, f[j].value, f[j].known, out);
        }
        putc('}', out);
    }
}

static void links(const struct run_result *r, FILE *out)
{
    fputs(",\n  ", out);
    key("links", out);
    putc('[', out);
    for (size_t i = 0; i < r->n_links; i++) {
        const struct run_link *l = &r->links[i];
        fputs(i ? ",\n    {" : "\n    {", out);
        string("name", l->name, out);
        fputs(", ", out);
        whole("bytes", l->bytes, out);
        fputs(", ", out);
        decimal("utilization", l->utilization, true, out);
        putc('}', out);
    }
    fputs(r->n_links ? "\n  ]" : "]", out);
}

static void provenance(const struct run_result *r, FILE *out)
{
    fputs(",\n  ", out);
    key("provenance", out);
    putc('{', out);
    string("version", CYCLOTRON_VERSION, out);
    fputs(", ", out);
    checksum("trace_checksum", r->trace_checksum, out);
    fputs(", ", out);
    checksum("machine_checksum", r->machine_checksum, out);
    fputs(", ", out);
    key("parameters_changed", out);
    putc('[', out);
    for (size_t i = 0; i < r->n_changed; i++) {
        fputs(i ? ", " : "", out);
        write_json_string(r->changed[i], out);
    }
    fputs("]}", out);
}

void report_json(const struct run_result *r, FILE *out)
{
    fputs("{\n  ", out);
    string("machine", r->machine, out);
    fputs(",\n  ", out);
    string("trace", r->trace, out);
    fputs(",\n  ", out);
    integer("steps", r->steps, out);
    fputs(",\n  ", out);
    integer("cycles_per_step", r->cycles_per_step, out);
    fputs(",\n  ", out);
    decimal("seconds_per_step", r->seconds_per_step, true, out);
    fputs(",\n  ", out);
    decimal("seconds_per_epoch", r->seconds_per_epoch, r->has_epoch, out);
    fputs(",\n  ", out);
    decimal("samples_per_second", r->samples_per_second, true, out);
    fputs(",\n  ", out);
    key("usd_per_epoch", out);
    putc('{', out);
    decimal("on_demand", r->usd_per_epoch, r->has_epoch && r->has_price, out);
    fputs(", ", out);
    decimal("preemptible", r->usd_per_epoch_preemptible, r->has_epoch && r->has_preemptible, out);
    fputs("},\n  ", out);
    key("joules_per_step", out);
    fputs("null,\n  ", out); /* nobody published the energy of an operation */
    key("memory", out);
    putc('{', out);
    integer("peak_bytes_per_core", r->peak_bytes_per_core, out);
    fputs(", ", out);
    integer("capacity_bytes_per_core", r->capacity_bytes_per_core, out);
    fprintf(out, ", \"fits\": %s}", r->fits ? "true" : "false");
    figures(r->figures, r->n_figures, out);
    fputs(",\n  ", out);
    causes(r->cause, out);
    rows("phases", r->phases, r->n_phases, out);
    rows("ops", r->ops, r->n_ops, out);
    links(r, out);
    fputs(",\n  ", out);
    key("uncovered", out);
    putc('{', out);
    integer("ops", r->uncovered_ops, out);
    fputs(", ", out);
    decimal("share", r->uncovered_share, true, out);
    putc('}', out);
    provenance(r, out);
    fputs("\n}\n", out);
}
