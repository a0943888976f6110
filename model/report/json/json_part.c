#include "report/json/json_part.h"

#include "base/exact.h"
#include "report/run_report.h"
#include "report/write.h"

void part_key(const char *name, FILE *out)
{
    write_json_string(name, out);
    fputs(": ", out);
}

void part_string(const char *name, const char *value, FILE *out)
{
    part_key(name, out);
    write_json_string(value, out);
}

void part_integer(const char *name, uint64_t value, FILE *out)
{
    part_key(name, out);
    fprintf(out, "%llu", (unsigned long long)value);
}

void part_decimal(const char *name, const mpq_t value, bool known, FILE *out)
{
    part_key(name, out);
    if (known)
        write_decimal(value, out);
    else
        fputs("null", out);
}

void part_whole(const char *name, const mpz_t value, FILE *out)
{
    part_key(name, out);
    mpz_out_str(out, 10, value);
}

/* 64 bits do not survive a reader that keeps numbers in a double, so checksums are strings. */
static void checksum(const char *name, uint64_t value, FILE *out)
{
    part_key(name, out);
    fprintf(out, "\"%016llx\"", (unsigned long long)value);
}

void part_causes(const mpq_t *cause, FILE *out)
{
    part_key("time_by_cause", out);
    for (unsigned c = 0; c < N_CAUSES; c++) {
        fputs(c ? ", " : "{", out);
        part_decimal(report_cause_name[c], cause[c], true, out);
    }
    putc('}', out);
}

void part_advice(const struct run_row *row, FILE *out)
{
    part_key("advice", out);
    putc('[', out);
    for (size_t i = 0; i < row->n_advice; i++) {
        fputs(i ? ", " : "", out);
        write_json_string(row->advice[i], out);
    }
    putc(']', out);
}

void part_waste(const struct run_row *row, FILE *out)
{
    EXACT_Q(busy);
    EXACT_Q(share);
    run_slots_busy(busy, &row->slots);
    bool known = mpq_sgn(busy) != 0;
    part_key("mxu_waste", out);
    putc('{', out);
    for (unsigned u = 0; u < N_USES; u++) {
        if (u == USE_USEFUL)
            continue;
        if (known)
            mpq_div(share, row->slots.use[u], busy);
        part_decimal(report_use_name[u], share, known, out);
        fputs(", ", out);
    }
    part_advice(row, out);
    putc('}', out);
}

void part_slots(const struct run_slots *s, FILE *out)
{
    part_key("mxu_slots", out);
    putc('{', out);
    part_decimal("capacity", s->capacity, true, out);
    for (unsigned u = 0; u < N_USES; u++) {
        fputs(", ", out);
        part_decimal(report_use_name[u], s->use[u], true, out);
    }
    fputs(", ", out);
    part_decimal("not_issued", s->not_issued, true, out);
    fputs(", ", out);
    part_key("waiting", out);
    for (unsigned c = 0; c < N_CAUSES; c++) {
        fputs(c ? ", " : "{", out);
        part_decimal(report_cause_name[c], s->wait[c], true, out);
    }
    fputs("}}", out);
}

/* "utilization.mxu" goes into the object "utilization", which stands where its first figure does.
 */
void part_figures(const struct run_figure *f, size_t n, FILE *out)
{
    for (size_t i = 0; i < n; i++) {
        size_t length = figure_group_length(f[i].column);
        if (length == 0) {
            fputs(",\n  ", out);
            part_decimal(f[i].column, f[i].value, f[i].known, out);
            continue;
        }
        if (!figure_opens_group(f, i))
            continue;
        fprintf(out, ",\n  \"%.*s\": ", (int)length, f[i].column);
        for (size_t j = i; j < n; j++) {
            if (!figure_same_group(f[j].column, f[i].column))
                continue;
            fputs(j > i ? ", " : "{", out);
            part_decimal(f[j].column + length + 1, f[j].value, f[j].known, out);
        }
        putc('}', out);
    }
}

void part_memory(const struct run_result *r, FILE *out)
{
    part_key("memory", out);
    putc('{', out);
    part_integer("peak_bytes_per_core", r->peak_bytes_per_core, out);
    fputs(", ", out);
    part_integer("capacity_bytes_per_core", r->capacity_bytes_per_core, out);
    fprintf(out, ", \"fits\": %s, ", r->fits ? "true" : "false");
    part_key("roles", out);
    putc('{', out);
    for (int i = 0; i < N_MEMORY_ROLES; i++) {
        fputs(i ? ", " : "", out);
        part_integer(report_role_name[i], r->memory.role[i], out);
    }
    fputs("}, ", out);
    part_integer("padding_bytes", r->memory.padding, out);
    fputs(", ", out);
    part_string("peak_at", r->peak_at ? r->peak_at : "", out);
    fputs(", ", out);
    part_key("remedies", out);
    putc('[', out);
    for (size_t i = 0; i < r->n_remedies; i++) {
        const struct run_remedy *m = &r->remedies[i];
        fputs(i ? ", {" : "{", out);
        part_string("what", m->what, out);
        fputs(", ", out);
        part_integer("saves_bytes", m->saves, out);
        fputs(", ", out);
        part_integer("peak_bytes_per_core", m->peak, out);
        fprintf(out, ", \"fits\": %s}", m->fits ? "true" : "false");
    }
    fputs("]}", out);
}

void part_stages(const struct run_result *r, FILE *out)
{
    part_key("stages", out);
    putc('[', out);
    for (uint32_t k = 0; k < r->n_stages; k++) {
        fputs(k ? ", {" : "{", out);
        part_decimal("seconds", r->stage[k].seconds, true, out);
        fputs(", ", out);
        part_decimal("bubble", r->stage[k].bubble, true, out);
        fputs(", ", out);
        part_integer("peak_bytes_per_core", r->stage[k].peak_bytes, out);
        putc('}', out);
    }
    putc(']', out);
}

void part_provenance(const struct run_result *r, FILE *out)
{
    fputs(",\n  ", out);
    part_key("provenance", out);
    putc('{', out);
    part_string("version", CYCLOTRON_VERSION, out);
    fputs(", ", out);
    checksum("trace_checksum", r->trace_checksum, out);
    fputs(", ", out);
    checksum("machine_checksum", r->machine_checksum, out);
    fputs(", ", out);
    part_key("parameters_changed", out);
    putc('[', out);
    for (size_t i = 0; i < r->n_changed; i++) {
        fputs(i ? ", " : "", out);
        write_json_string(r->changed[i], out);
    }
    fputs("]}", out);
}

void part_slice(const struct run_result *r, FILE *out)
{
    fputs(",\n  ", out);
    part_key("slice", out);
    putc('{', out);
    part_integer("cores", r->cores, out);
    fputs(", ", out);
    part_integer("chips", r->chips, out);
    fputs(", ", out);
    part_integer("hosts", r->hosts, out);
    fputs(", ", out);
    part_integer("slices", r->slices, out);
    fputs(", ", out);
    part_key("mesh", out);
    fprintf(out, "[%u, %u, %u], ", (unsigned)r->mesh[0], (unsigned)r->mesh[1],
            (unsigned)r->mesh[2]);
    part_decimal("peak_flops_per_core", r->peak_flops, true, out);
    fputs(", ", out);
    part_decimal("hbm_bytes_per_second_per_core", r->hbm_bytes_per_second, true, out);
    putc('}', out);
}
