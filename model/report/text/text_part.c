#include "report/text/text_part.h"

#include <string.h>

#include "base/exact.h"
#include "base/quantity.h"
#include "report/run_report.h"
#include "report/write.h"

/* q with four significant digits, and its unit */
void text_quantity(const mpq_t q, const char *unit, FILE *out)
{
    char buf[256];

    fputs(quantity_format(buf, sizeof buf, q, unit, 4), out);
}

void text_number(const mpq_t q, FILE *out)
{
    char buf[256];

    fputs(exact_decimal(buf, sizeof buf, q, 4), out);
}

void text_bytes(uint64_t bytes, FILE *out)
{
    EXACT_Q(q);
    exact_ratio(q, bytes, 1);
    text_quantity(q, "B", out);
}

void text_count(uint64_t n, const char *noun, FILE *out)
{
    fprintf(out, "%llu %s%s", (unsigned long long)n, noun, n == 1 ? "" : "s");
}

/* What is there at the peak, largest part first, and how much of it is padding. */
static void roles(const struct run_result *r, FILE *out)
{
    bool told[N_MEMORY_ROLES] = { false };

    for (int n = 0; n < N_MEMORY_ROLES; n++) {
        int most = -1;
        for (int i = 0; i < N_MEMORY_ROLES; i++)
            if (!told[i] && (most < 0 || r->memory.role[i] > r->memory.role[most]))
                most = i;
        told[most] = true;
        if (r->memory.role[most] == 0)
            break;
        fprintf(out, "%s%s ",
                n == 0   ? "\n           "
                : n == 4 ? ",\n           "
                         : ", ",
                report_role_name[most]);
        text_bytes(r->memory.role[most], out);
    }
    if (r->memory.padding) {
        fputs("; ", out);
        text_bytes(r->memory.padding, out);
        fputs(" of it padding", out);
    }
}

/* By how much it does not fit, and what would help. */
static void remedies(const struct run_result *r, FILE *out)
{
    fputs("\n           ", out);
    text_bytes(r->peak_bytes_per_core - r->capacity_bytes_per_core, out);
    fputs(" too much; times and costs are as if the memory were larger\n           ", out);
    fputs("what would help:", out);
    for (size_t i = 0; i < r->n_remedies; i++) {
        const struct run_remedy *m = &r->remedies[i];
        fprintf(out, "\n             %s: ", m->what);
        if (m->saves) {
            fputs("saves ", out);
            text_bytes(m->saves, out);
            fputs(", ", out);
        }
        fputs(m->fits ? "fits" : "still ", out);
        if (!m->fits) {
            text_bytes(m->peak - r->capacity_bytes_per_core, out);
            fputs(" too much", out);
        }
    }
}

void text_memory(const struct run_result *r, FILE *out)
{
    EXACT_Q(peak);
    EXACT_Q(capacity);
    exact_ratio(peak, r->peak_bytes_per_core, 1);
    exact_ratio(capacity, r->capacity_bytes_per_core, 1);
    fputs(r->fits ? "  memory   fits: " : "  memory   DOES NOT FIT: needs ", out);
    text_bytes(r->peak_bytes_per_core, out);
    fputs(" of ", out);
    text_bytes(r->capacity_bytes_per_core, out);
    fputs(" per core (", out);
    write_percent(peak, capacity, 0, out);
    fputs(" %)", out);
    if (r->peak_at) {
        unsigned width = (unsigned)strlen(r->peak_at);
        fputs(r->fits ? ", most at " : "\n           most at ", out);
        write_column(r->peak_at, width < 32 ? width : 32, out);
        if (r->n_stages)
            fprintf(out, " of stage %u", (unsigned)r->peak_stage);
    }
    roles(r, out);
    if (!r->fits)
        remedies(r, out);
    putc('\n', out);
}

void text_causes(const struct run_result *r, const struct scale *time, const char *what, FILE *out)
{
    char head[32];
    bool shown[N_CAUSES] = { false };

    snprintf(head, sizeof head, "%s/%s", time->unit, what);
    fprintf(out, "\ntime by cause  %8s%7s\n", head, "%");
    for (unsigned line = 0; line < N_CAUSES; line++) {
        unsigned most = N_CAUSES;
        for (unsigned c = 0; c < N_CAUSES; c++) {
            if (!shown[c] && (most == N_CAUSES || mpq_cmp(r->cause[c], r->cause[most]) > 0))
                most = c;
        }
        if (mpq_sgn(r->cause[most]) == 0)
            break;
        shown[most] = true;
        fprintf(out, "  %-11s", report_cause_name[most]);
        scale_write(r->cause[most], time, 10, out);
        write_percent(r->cause[most], r->seconds_per_step, 7, out);
        fprintf(out, "  %s\n", report_cause_doc[most]);
    }
}

void text_stages(const struct run_result *r, const struct scale *time, FILE *out)
{
    char head[32];

    if (r->n_stages == 0)
        return;
    snprintf(head, sizeof head, "%s/step", time->unit);
    fprintf(out, "\nstages         %8s%7s  memory of a core\n", head, "bubble");
    for (uint32_t k = 0; k < r->n_stages; k++) {
        fprintf(out, "  %-11u", (unsigned)k);
        scale_write(r->stage[k].seconds, time, 10, out);
        write_percent(r->stage[k].bubble, r->seconds_per_step, 7, out);
        fputs("  ", out);
        text_bytes(r->stage[k].peak_bytes, out);
        putc('\n', out);
    }
}

static void figure(const struct run_figure *f, FILE *out)
{
    size_t length = figure_group_length(f->column), doc = strlen(f->doc);

    fputs("  ", out);
    write_column(f->column + (length ? length + 1 : 0), 21, out);
    if (f->known) {
        EXACT_Q(one);
        mpq_set_ui(one, 1, 1);
        write_percent(f->value, one, 7, out);
    } else {
        fprintf(out, "%7s", "-");
    }
    fputs("  ", out);
    write_column(f->doc, doc < 68 ? (unsigned)doc : 68, out);
    putc('\n', out);
}

/* What the per cent of a group are of, where that is one thing for all its figures. */
static const char *share_of(const char *column)
{
    return figure_same_group(column, "mxu_waste.") ? "  of busy MXU slots" : "";
}

void text_figures(const struct run_figure *f, size_t n, FILE *out)
{
    for (size_t i = 0; i < n; i++) {
        if (!figure_opens_group(f, i))
            continue;
        int length = (int)figure_group_length(f[i].column);
        fprintf(out, "\n%-23.*s%7s%s\n", length, f[i].column, "%", share_of(f[i].column));
        for (size_t j = i; j < n; j++) {
            if (figure_same_group(f[i].column, f[j].column))
                figure(&f[j], out);
        }
    }
}

void text_links(const struct run_link *l, size_t n, FILE *out)
{
    size_t hottest = 0;

    if (n == 0)
        return;
    EXACT_Q(sum);
    EXACT_Q(q);
    for (size_t i = 0; i < n; i++) {
        mpq_add(sum, sum, l[i].utilization);
        if (mpq_cmp(l[i].utilization, l[hottest].utilization) > 0)
            hottest = i;
    }
    if (mpq_sgn(sum) == 0) {
        return;
    }
    fprintf(out, "\n%-23s%7s\n  %-20s", "links", "%", l[hottest].name);
    mpq_set_ui(q, 100, 1);
    write_fixed(l[hottest].utilization, q, 1, 8, out);
    fprintf(out, "  the hottest of %zu: ", n);
    mpq_set_z(q, l[hottest].bytes);
    text_quantity(q, "B", out);
    exact_ratio(q, n, 1);
    mpq_mul(q, q, l[hottest].utilization);
    mpq_div(q, q, sum);
    fputs(" a step, ", out);
    text_number(q, out);
    fputs(" times the mean\n", out);
}
