/* A replay as text: one screen of 100 columns. */
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/exact.h"
#include "base/memory.h"
#include "base/text_write.h"
#include "report/run_report.h"
#include "report/text/group.h"
#include "report/text/rest.h"
#include "report/text/result_text.h"
#include "report/text/scale.h"
#include "report/text/verdict_text.h"

#define SLOWEST 10
#define NAMES 38     /* columns for the name and the kind of an operation */
#define MOST_KIND 15 /* of them */

/* The units of the columns of a table of rows, from the largest number of each. */
struct columns {
    struct scale time, flops, bytes;
    mpq_t all; /* 100 %, the step */
};

static void init_columns(struct columns *c, const struct run_row *rows, size_t n, const mpq_t step)
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
    mpq_init(c->all);
    mpq_set(c->all, step);
}

static void clear_columns(struct columns *c)
{
    scale_clear(&c->time);
    scale_clear(&c->flops);
    scale_clear(&c->bytes);
    mpq_clear(c->all);
}

static void print_head(const struct columns *c, FILE *out)
{
    char time[32], bytes[32];

    snprintf(time, sizeof time, "%s/step", c->time.unit);
    snprintf(bytes, sizeof bytes, "HBM %s", c->bytes.unit);
    fprintf(out, "%6s%11s%6s  %-8s%10s%10s%6s\n", "runs", time, "%", "bound by", c->flops.unit,
            bytes, RUN_LEDGER_KEY " %");
}

static void print_row(const struct columns *c, const struct run_row *row, FILE *out)
{
    char runs[48];

    int n = snprintf(runs, sizeof runs, "%llu", (unsigned long long)row->count);
    if (row->every > 1)
        snprintf(runs + n, sizeof runs - (size_t)n, "/%llu", (unsigned long long)row->every);
    fprintf(out, "%6s", runs);
    scale_write(row->seconds, &c->time, 11, out);
    text_percent(row->seconds, c->all, 6, out);
    fprintf(out, "  %-8s", cause_name[row->bound_by]);
    scale_write_mpz(row->flops, &c->flops, 10, out);
    scale_write_mpz(row->hbm_bytes, &c->bytes, 10, out);
    EXACT_Q(one);
    mpq_set_ui(one, mpq_sgn(row->mxu) ? 1 : 0, 1); /* no share of nothing: "-" */
    text_percent(row->mxu, one, 6, out);
    putc('\n', out);
}

static void print_phases(const struct run_result *r, FILE *out)
{
    struct rest rest = { 0 };
    struct columns c;
    size_t n_groups;

    if (r->n_phases == 0)
        return;
    struct run_row *groups = group_rows(r->phases, r->n_phases, &n_groups);
    init_columns(&c, groups, n_groups, r->seconds_per_step);
    fprintf(out, "\n%-41s", "phases, per core");
    print_head(&c, out);
    EXACT_Q(share);
    for (size_t i = 0; i < n_groups; i++) {
        mpq_div(share, groups[i].seconds, r->seconds_per_step);
        if (rest_has(share))
            continue;
        fputs("  ", out);
        group_name(&groups[i], 39, out);
        print_row(&c, &groups[i], out);
    }
    clear_columns(&c);
    for (size_t i = 0; i < n_groups; i++) {
        mpq_div(share, groups[i].seconds, r->seconds_per_step);
        if (rest_has(share))
            rest_add(&rest, groups[i].name, out);
    }
    rest_end(&rest, out);
    group_free(groups, n_groups);
}

/* Longest first; of equals the earlier one, so that the order is a function of the result. */
static int compare_seconds(const void *a, const void *b)
{
    const struct run_row *const *x = a, *const *y = b;
    int order = mpq_cmp((*y)->seconds, (*x)->seconds);

    return order ? order : (*x > *y) - (*x < *y);
}

static void print_slowest(const struct run_result *r, FILE *out)
{
    struct columns c;
    size_t n_groups;

    if (r->n_ops == 0)
        return;
    struct run_row *groups = group_rows(r->ops, r->n_ops, &n_groups);
    const struct run_row **order = memory_zeroed(n_groups, sizeof *order);
    for (size_t i = 0; i < n_groups; i++)
        order[i] = &groups[i];
    qsort(order, n_groups, sizeof *order, compare_seconds);

    size_t n = n_groups < SLOWEST ? n_groups : SLOWEST;
    unsigned kind = (unsigned)strlen("kind");
    for (size_t i = 0; i < n; i++) {
        unsigned length = (unsigned)strlen(order[i]->kind);
        length = length < MOST_KIND ? length : MOST_KIND;
        kind = length > kind ? length : kind;
    }
    unsigned name = NAMES - kind;
    char title[64];
    snprintf(title, sizeof title, "slowest %zu of %zu, per core", n, n_groups);
    putc('\n', out);
    text_column(title, name + 2, out);
    fprintf(out, " %-*s", (int)kind, "kind");
    init_columns(&c, groups, n_groups, r->seconds_per_step);
    print_head(&c, out);
    for (size_t i = 0; i < n; i++) {
        fputs("  ", out);
        group_name(order[i], name, out);
        putc(' ', out);
        text_column(order[i]->kind, kind, out);
        print_row(&c, order[i], out);
    }
    clear_columns(&c);
    free(order);
    result_text_ledger(groups, n_groups, &r->slots, out);
    group_free(groups, n_groups);
}

void report_text(const struct run_result *r, FILE *out)
{
    struct scale time;

    verdict_text(r, out);
    scale_init(&time, r->seconds_per_step, "s");
    result_text_causes(r, &time, "step", out);
    result_text_stages(r, &time, out);
    result_text_padding(r, &time, out);
    scale_clear(&time);
    result_text_figures(r->figures, r->n_figures, out);
    result_text_links(r->links, r->n_links, out);
    print_phases(r, out);
    print_slowest(r, out);
}
