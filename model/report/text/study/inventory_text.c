/* The contents of a trace as text. */
#include <stdio.h> /* first: gmp.h declares mpz_out_str only if it knows FILE */

#include <string.h>

#include "base/exact.h"
#include "base/quantity.h"
#include "base/text_write.h"
#include "report/inventory_report.h"
#include "report/text/scale.h"
#include "traces/resize.h"

/* The exact number, and in brackets the same for people. */
static void print_quantity(const char *name, const mpz_t z, const char *unit, FILE *out)
{
    struct scale s;
    char bytes[256];

    fprintf(out, "%-22s", name);
    mpz_out_str(out, 10, z);
    fprintf(out, " %s", unit);
    if (mpz_cmp_ui(z, 1000) >= 0 && strcmp(unit, "B") == 0) {
        EXACT_Q(q);
        mpq_set_z(q, z);
        fprintf(out, " (%s)", quantity_format(bytes, sizeof bytes, q, unit, 4));
    } else if (mpz_cmp_ui(z, 1000) >= 0) {
        scale_init_mpz(&s, z, unit);
        fputs(" (", out);
        scale_write_mpz(z, &s, 0, out);
        fprintf(out, " %s)", s.unit);
        scale_clear(&s);
    }
    putc('\n', out);
}

static void print_count(const char *name, uint64_t n, FILE *out)
{
    fprintf(out, "%-22s%llu\n", name, (unsigned long long)n);
}

static void print_header(const struct trace_header *h, FILE *out)
{
    fprintf(out, "%-22s", "workload");
    text_column(h->workload, (unsigned)strlen(h->workload), out);
    putc('\n', out);
    if (h->samples_unknown)
        fprintf(out, "%-22s%s\n", "samples per step", "unknown");
    else
        print_count("samples per step", h->samples_per_step, out);
    if (h->samples_per_epoch > 0)
        print_count("samples per epoch", h->samples_per_epoch, out);
    else
        fprintf(out, "%-22s%s\n", "samples per epoch", "unknown");
    fprintf(out, "%-22stensors %s, matmul %s, activations %s\n", "dtypes",
            trace_dtype_name[h->tensors], trace_dtype_name[h->matmul],
            trace_activations_name[h->activations]);
    if (h->framework != TRACE_UNSTATED)
        fprintf(out, "%-22s%s\n", "framework", trace_framework_name[h->framework]);
    for (uint32_t i = 0; i < h->n_params; i++)
        fprintf(out, "%-22s%s=%s\n", i == 0 ? "parameters given" : "", h->param[i].key,
                h->param[i].value);
    for (uint32_t i = 0; i < h->n_padding; i++)
        fprintf(out, "%-22s%s: %llu of %llu are real\n", i == 0 ? "padding" : "",
                h->padding[i].name, (unsigned long long)h->padding[i].real,
                (unsigned long long)h->padding[i].padded);
    if (h->cores > 0)
        fprintf(out, "%-22s%llu devices, as it was cut\n", "written for",
                (unsigned long long)h->cores);
    if (resize_cores(h) > 0)
        fprintf(out, "%-22s%llu device%s; derived again for a machine of another size\n",
                "written for", (unsigned long long)resize_cores(h),
                resize_cores(h) == 1 ? "" : "s");
    if (h->recorded.kernels + h->recorded.lost > 0) {
        EXACT_Q(share);
        trace_unread_share(share, &h->recorded);
        fprintf(out, "%-22s", "not read");
        text_share(share, 0, out);
        fputs(" % of the recorded time\n", out);
    }
    if (h->provenance[0] != '\0')
        fprintf(out, "%-22s%s\n", "provenance", h->provenance);
}

static void print_phases(const struct inventory *v, FILE *out)
{
    struct scale flops, bytes;

    EXACT_Z(most);
    for (size_t i = 0; i < v->n_phases; i++)
        mpz_set(most, mpz_cmp(v->phases[i].flops, most) > 0 ? v->phases[i].flops : most);
    scale_init_mpz(&flops, most, "FLOP");
    mpz_set_ui(most, 0);
    for (size_t i = 0; i < v->n_phases; i++)
        mpz_set(most, mpz_cmp(v->phases[i].bytes, most) > 0 ? v->phases[i].bytes : most);
    scale_init_mpz(&bytes, most, "B");

    char head[32];
    snprintf(head, sizeof head, "logical %s", bytes.unit);
    fprintf(out, "\n%-30s%12s%16s%16s\n", "phase", "ops", flops.unit, head);
    for (size_t i = 0; i < v->n_phases; i++) {
        const struct inventory_phase *p = &v->phases[i];
        text_column(p->name[0] ? p->name : "(none)", 30, out);
        fprintf(out, "%12llu", (unsigned long long)p->ops);
        scale_write_mpz(p->flops, &flops, 16, out);
        scale_write_mpz(p->bytes, &bytes, 16, out);
        putc('\n', out);
    }
    scale_clear(&flops);
    scale_clear(&bytes);
}

void report_inventory_text(const struct inventory *v, const struct trace *t, FILE *out)
{
    const struct trace_totals *s = &v->totals;

    print_header(trace_head(t), out);
    fprintf(out, "%-22s%016llx\n", "checksum", (unsigned long long)v->checksum);
    putc('\n', out);
    print_count("steps", s->steps, out);
    fprintf(out, "%-22s%llu run in ", "operations", (unsigned long long)s->ops);
    if (s->steps == 1)
        fputs("a step", out);
    else
        fprintf(out, "%llu steps", (unsigned long long)s->steps);
    fprintf(out, ", %llu line%s in the trace\n", (unsigned long long)s->ops_written,
            s->ops_written == 1 ? "" : "s");
    print_count("fusions", s->fusions, out);
    print_quantity("useful work", s->flops, "FLOP", out);
    print_quantity("logical reads", s->reads, "B", out);
    print_quantity("logical writes", s->writes, "B", out);
    print_quantity("collective payload", s->reduce_bytes, "B", out);
    print_quantity("infeed", s->infeed_bytes, "B", out);
    print_quantity("outfeed", s->outfeed_bytes, "B", out);
    fprintf(out, "%-22s", "parameters");
    mpz_out_str(out, 10, s->parameters);
    putc('\n', out);
    print_quantity("weights", s->weight_bytes, "B", out);
    print_quantity("optimizer state", s->state_bytes, "B", out);
    print_quantity("inputs", s->input_bytes, "B", out);

    print_phases(v, out);
}
