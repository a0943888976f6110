#include "report/op_report.h"

#include <stdlib.h>

#include "base/err.h"
#include "base/exact.h"
#include "report/json/json_part.h"
#include "report/run_report.h"
#include "report/text/text_part.h"
#include "report/write.h"

/* The row of the step: of its one operation, or of all that it is made of, which are one phase. */
static const struct run_row *row(const struct run_result *r)
{
    BUG_ON(r->n_ops < 1 || r->n_phases != 1);
    return r->n_ops == 1 ? &r->ops[0] : &r->phases[0];
}

void report_op_json(const struct run_result *r, FILE *out)
{
    const struct run_row *w = row(r);

    fputs("{\n  ", out);
    part_string("machine", r->machine, out);
    fputs(",\n  ", out);
    part_string("op", r->trace, out);
    fputs(",\n  ", out);
    part_integer("cycles", r->cycles_per_step, out);
    fputs(",\n  ", out);
    part_decimal("seconds", r->seconds_per_step, true, out);
    fputs(",\n  ", out);
    part_string("bound_by", report_cause_name[r->bound_by], out);
    fputs(",\n  ", out);
    part_causes(r->cause, out);
    fputs(",\n  ", out);
    part_whole("flops", w->flops, out);
    fputs(",\n  ", out);
    part_whole("hbm_bytes", w->hbm_bytes, out);
    part_figures(r->figures, r->n_figures, out);
    fputs(",\n  ", out);
    part_slots(&w->slots, out);
    fputs(",\n  ", out);
    part_advice(w, out);
    fputs(",\n  ", out);
    part_memory(r, out);
    part_provenance(r, out);
    fputs("\n}\n", out);
}

/* "  work     137.439 GFLOP at 22.41 TFLOP/s, each core" */
static void amount(const char *head, const mpz_t amount, const char *unit,
                   const struct run_result *r, FILE *out)
{
    char per_second[16];
    struct scale scale;

    if (mpz_sgn(amount) == 0)
        return;
    snprintf(per_second, sizeof per_second, "%s/s", unit);
    scale_init_mpz(&scale, amount, unit);
    fputs(head, out);
    scale_write_mpz(amount, &scale, 0, out);
    fprintf(out, " %s at ", scale.unit);
    scale_clear(&scale);
    EXACT_Q(rate);
    mpq_set_z(rate, amount);
    mpq_div(rate, rate, r->seconds_per_step);
    text_quantity(rate, per_second, out);
    fprintf(out, "%s\n", r->cores > 1 ? ", each core" : "");
}

/* Units that had something to do. */
static void busy(const struct run_result *r, FILE *out)
{
    struct run_figure *f = calloc(r->n_figures + 1, sizeof *f);
    size_t n = 0;

    BUG_ON(!f);
    for (size_t i = 0; i < r->n_figures; i++)
        if (r->figures[i].known && mpq_sgn(r->figures[i].value) > 0)
            f[n++] = r->figures[i]; /* borrows the number */
    text_figures(f, n, out);
    free(f);
}

void report_op_text(const struct run_result *r, FILE *out)
{
    struct scale time;

    fprintf(out, "%s takes ", r->machine);
    text_quantity(r->seconds_per_step, "s", out);
    fprintf(out, " for %s; the largest part, ", r->trace);
    write_percent(r->cause[r->bound_by], r->seconds_per_step, 0, out);
    fprintf(out, " %%, is %s\n  cycles   %llu at ", report_cause_name[r->bound_by],
            (unsigned long long)r->cycles_per_step);
    EXACT_Q(hz);
    exact_ratio(hz, r->core_hz, 1);
    text_quantity(hz, "Hz", out);
    if (r->cores > 1)
        fprintf(out, ", the operation on each of %u cores", r->cores);
    putc('\n', out);
    amount("  work     ", row(r)->flops, "FLOP", r, out);
    amount("  HBM      ", row(r)->hbm_bytes, "B", r, out);
    if (!r->fits)
        text_memory(r, out);
    for (size_t i = 0; i < r->n_changed; i++)
        fprintf(out, "  changed  %s\n", r->changed[i]);
    scale_init(&time, r->seconds_per_step, "s");
    text_causes(r, &time, "op", out);
    scale_clear(&time);
    busy(r, out);
    text_links(r->links, r->n_links, out);
    text_ledger(r->ops, r->n_ops, &r->slots, out);
}
