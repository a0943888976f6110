/* One operation on one machine as text. */
#include <stdlib.h>
#include <string.h>

#include "base/exact.h"
#include "base/memory.h"
#include "base/text_write.h"
#include "report/op_report.h"
#include "report/text/account_text.h"
#include "report/text/evidence_text.h"
#include "report/text/result_text.h"
#include "report/text/verdict_text.h"
#include "run/result/words.h"

/* "  work     137.439 GFLOP at 22.41 TFLOP/s, each core" */
static void print_amount(const char *head, const mpz_t amount, const char *unit,
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
    if (r->cores > 1)
        fprintf(out, ", each %s", words_of_result(r)->core);
    putc('\n', out);
}

/* Units that had something to do. */
static void print_busy_units(const struct run_result *r, FILE *out)
{
    struct run_figure *f = memory_zeroed(r->n_figures + 1, sizeof *f);
    size_t n = 0;

    for (size_t i = 0; i < r->n_figures; i++)
        if (r->figures[i].known && mpq_sgn(r->figures[i].value) > 0)
            f[n++] = r->figures[i]; /* borrows the number */
    result_text_figures(f, n, words_of_result(r), out);
    free(f);
}

/* The times of a short operation. */
static void print_moments(const struct run_moments *m, FILE *out)
{
    if (m->n == 0)
        return;
    fputs("  refresh  ", out);
    text_quantity(m->least, "s", out);
    fputs(" to ", out);
    text_quantity(m->most, "s", out);
    fprintf(out, ", by the start between two refreshes of HBM; this is the mean of %llu starts\n",
            (unsigned long long)m->n);
}

static bool runs_in_tensor_cores(const struct run_result *r)
{
    for (size_t i = 0; i < r->n_figures; i++)
        if (strcmp(r->figures[i].column, "utilization.tensor") == 0)
            return r->figures[i].known && mpq_sgn(r->figures[i].value) > 0;
    return false;
}

/* True if the class is of products like the operation: " bf16 " for "matmul ... dtype=bf16". */
static bool is_alike(const char *class, const struct run_result *r)
{
    const char *dtype = strstr(r->trace, " dtype=");
    char word[16];

    if (strncmp(class, "products of GPUs", strlen("products of GPUs")) != 0 || !dtype ||
        strncmp(r->trace, "matmul ", strlen("matmul ")) != 0)
        return false;
    dtype += strlen(" dtype=");
    int n = strncmp(dtype, "f8", 2) == 0 ? 2 : (int)strcspn(dtype, " ");
    snprintf(word, sizeof word, " %.*s ", n, dtype);
    return strstr(class, strcmp(word, " f32 ") == 0 && runs_in_tensor_cores(r) ? " TF32 " : word) !=
           NULL;
}

/* Print the measured error of products like this one.  "  checked  products of GPUs, a100-sxm4-80gb
 * bf16 from 1e9 FLOP: 119 figures, error median 6.4 %, worst +34.7 %" */
static void print_checked(const struct run_result *r, FILE *out)
{
    const char *head = "  checked  ";

    for (size_t i = 0; i < r->evidence.n; i++) {
        const struct run_evidence_line *l = &r->evidence.line[i];
        if (!is_alike(l->class, r))
            continue;
        fprintf(out, "%s%s: ", head, l->class);
        text_count(l->rows, "figure", out);
        fputs(", error median ", out);
        text_share(l->median, 0, out);
        fputs(mpq_sgn(l->worst) > 0 ? " %, worst +" : " %, worst ", out);
        text_share(l->worst, 0, out);
        fputs(" %\n", out);
        head = "           ";
    }
}

void report_op_text(const struct run_result *r, FILE *out)
{
    struct scale time;

    fprintf(out, "%s takes ", r->machine);
    text_quantity(r->seconds_per_step, "s", out);
    fprintf(out, " for %s\n", r->trace);
    verdict_text_cause(r, "time", out);
    fprintf(out, "  cycles   %llu at ", (unsigned long long)r->cycles_per_step);
    EXACT_Q(hz);
    exact_ratio(hz, r->core_hz, 1);
    text_quantity(hz, "Hz", out);
    if (r->cores > 1)
        fprintf(out, ", the operation on each of %u %ss", r->cores, words_of_result(r)->core);
    putc('\n', out);
    print_moments(&r->moments, out);
    print_amount("  work     ", report_op_row(r)->flops, "FLOP", r, out);
    char memory[16];
    snprintf(memory, sizeof memory, "  %-9s", r->memory_name);
    print_amount(memory, report_op_row(r)->hbm_bytes, "B", r, out);
    account_text(r, out);
    evidence_text_expected(r, out);
    print_checked(r, out);
    if (!r->fits)
        result_text_memory(r, out);
    if (r->constants)
        fprintf(out, "  constants of %s: what is fitted was measured there, not on this chip\n",
                r->constants);
    verdict_text_changed(r, out);
    scale_init(&time, r->seconds_per_step, "s");
    result_text_causes(r, &time, "op", out);
    scale_clear(&time);
    print_busy_units(r, out);
    result_text_links(r->links, r->n_links, words_of_result(r), out);
    result_text_ledger(r->ops, r->n_ops, r, out);
}
