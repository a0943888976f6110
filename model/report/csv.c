#include "report/report.h"
#include "report/write.h"

void report_csv(const struct run_result *r, FILE *out)
{
    fputs("name,phase,kind,count,seconds,bound_by,flops,hbm_bytes,mxu", out);
    for (unsigned c = 0; c < N_CAUSES; c++)
        fprintf(out, ",time_by_cause.%s", report_cause_name[c]);
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
        for (unsigned c = 0; c < N_CAUSES; c++) {
            putc(',', out);
            write_decimal(op->cause[c], out);
        }
        putc('\n', out);
    }
}
