#include "report/text/columns.h"

#include "base/exact.h"
#include "base/text_write.h"

void columns_init(struct columns *c, const struct run_row *rows, size_t n, const mpq_t step,
                  const char *memory)
{
    EXACT_Z(flops);
    EXACT_Z(bytes);
    for (size_t i = 0; i < n; i++) {
        if (mpz_cmp(rows[i].flops, flops) > 0)
            mpz_set(flops, rows[i].flops);
        if (mpz_cmp(rows[i].hbm_bytes, bytes) > 0)
            mpz_set(bytes, rows[i].hbm_bytes);
    }
    scale_init(&c->time, step, "s");
    scale_init_mpz(&c->flops, flops, "FLOP");
    scale_init_mpz(&c->bytes, bytes, "B");
    c->memory = memory;
    c->estimates = false;
    c->key = n && !(rows[0].causes >> CAUSE_MXU & 1) ? "peak %" : RUN_LEDGER_KEY " %";
    for (size_t i = 0; i < n; i++)
        c->estimates |= mpq_sgn(rows[i].estimated) > 0;
    mpq_init(c->all);
    mpq_set(c->all, step);
}

void columns_clear(struct columns *c)
{
    scale_clear(&c->time);
    scale_clear(&c->flops);
    scale_clear(&c->bytes);
    mpq_clear(c->all);
}

void columns_head(const struct columns *c, FILE *out)
{
    char time[32], bytes[32];

    snprintf(time, sizeof time, "%s/step", c->time.unit);
    snprintf(bytes, sizeof bytes, "%s %s", c->memory, c->bytes.unit);
    fprintf(out, "%6s%11s%6s", "runs", time, "%");
    if (c->estimates)
        fprintf(out, "%10s", "compiler");
    fprintf(out, "  %-8s%10s%10s%6s\n", "bound by", c->flops.unit, bytes, c->key);
}

void columns_row(const struct columns *c, const struct run_row *row, FILE *out)
{
    char runs[48];

    int n = snprintf(runs, sizeof runs, "%llu", (unsigned long long)row->count);
    if (row->every > 1)
        snprintf(runs + n, sizeof runs - (size_t)n, "/%llu", (unsigned long long)row->every);
    fprintf(out, "%6s", runs);
    scale_write(row->seconds, &c->time, 11, out);
    text_percent(row->seconds, c->all, 6, out);
    if (c->estimates && mpq_sgn(row->estimated) > 0)
        scale_write(row->estimated, &c->time, 10, out);
    else if (c->estimates)
        fprintf(out, "%10s", "-");
    fprintf(out, "  %-8s", cause_name[row->bound_by]);
    scale_write_mpz(row->flops, &c->flops, 10, out);
    scale_write_mpz(row->hbm_bytes, &c->bytes, 10, out);
    EXACT_Q(one);
    mpq_set_ui(one, mpq_sgn(row->mxu) ? 1 : 0, 1); /* no share of nothing: "-" */
    text_percent(row->mxu, one, 6, out);
    putc('\n', out);
}
