#include "report/run_report.h"
#include "report/write.h"

static void number(const mpq_t q, FILE *out)
{
    putc(',', out);
    write_decimal(q, out);
}

static void slots(const struct run_slots *s, FILE *out)
{
    number(s->capacity, out);
    for (unsigned u = 0; u < N_USES; u++)
        number(s->use[u], out);
    number(s->not_issued, out);
    for (unsigned c = 0; c < N_CAUSES; c++)
        number(s->wait[c], out);
}

void report_csv(const struct run_result *r, FILE *out)
{
    fputs("name,phase,kind,count,seconds,bound_by,flops,hbm_bytes,mxu", out);
    for (unsigned c = 0; c < N_CAUSES; c++)
        fprintf(out, ",time_by_cause.%s", report_cause_name[c]);
    fputs(",mxu_slots.capacity", out);
    for (unsigned u = 0; u < N_USES; u++)
        fprintf(out, ",mxu_slots.%s", report_use_name[u]);
    fputs(",mxu_slots.not_issued", out);
    for (unsigned c = 0; c < N_CAUSES; c++)
        fprintf(out, ",mxu_slots.waiting.%s", report_cause_name[c]);
    fputs(",advice", out);
    putc('\n', out);
    for (size_t i = 0; i < r->n_ops; i++) {
        const struct run_row *op = &r->ops[i];
        write_csv_string(op->name, out);
        putc(',', out);
        write_csv_string(op->phase, out);
        putc(',', out);
        write_csv_string(op->kind, out);
        fprintf(out, ",%llu,", (unsigned long long)op->count);
        write_decimal(op->seconds, out);
        fprintf(out, ",%s,", report_cause_name[op->bound_by]);
        mpz_out_str(out, 10, op->flops);
        putc(',', out);
        mpz_out_str(out, 10, op->hbm_bytes);
        putc(',', out);
        write_decimal(op->mxu, out);
        for (unsigned c = 0; c < N_CAUSES; c++)
            number(op->cause[c], out);
        slots(&op->slots, out);
        putc(',', out);
        write_csv_string(op->n_advice ? op->advice[0] : "", out);
        putc('\n', out);
    }
}
