/* A replay as text: one screen of 100 columns. */
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/exact.h"
#include "base/memory.h"
#include "base/text_write.h"
#include "report/run_report.h"
#include "report/text/columns.h"
#include "report/text/group_name.h"
#include "report/text/memory_text.h"
#include "report/text/origin_text.h"
#include "report/text/rest.h"
#include "report/text/result_text.h"
#include "report/text/scale.h"
#include "report/text/verdict_text.h"
#include "run/result/advised.h"
#include "run/result/row_group.h"
#include "run/result/words.h"

#define SLOWEST 10
#define NAMES 38     /* columns for the name and the kind of an operation */
#define MOST_KIND 15 /* of them */

static void print_phases(const struct run_result *r, FILE *out)
{
    struct rest rest = { 0 };
    struct columns c;
    size_t n_groups;

    if (r->n_phases == 0 || (r->n_phases == 1 && !*r->phases[0].name))
        return; /* compiled programs have none: the row would be the step once more */
    struct run_row *groups = row_group_sum(r->phases, r->n_phases, &n_groups);
    columns_init(&c, groups, n_groups, r->seconds_per_step, r->memory_name);
    char title[64];
    snprintf(title, sizeof title, "phases, per %s", words_of_result(r)->core);
    fprintf(out, "\n%-41s", title);
    columns_head(&c, out);
    EXACT_Q(share);
    for (size_t i = 0; i < n_groups; i++) {
        mpq_div(share, groups[i].seconds, r->seconds_per_step);
        if (rest_has(share))
            continue;
        fputs("  ", out);
        if (*groups[i].name)
            group_name(&groups[i], 39, out);
        else
            text_column("(in no phase)", 39, out);
        columns_row(&c, &groups[i], out);
    }
    columns_clear(&c);
    for (size_t i = 0; i < n_groups; i++) {
        mpq_div(share, groups[i].seconds, r->seconds_per_step);
        if (rest_has(share))
            rest_add(&rest, *groups[i].name ? groups[i].name : "(in no phase)", out);
    }
    rest_end(&rest, out);
    row_group_free(groups, n_groups);
}

/* Longest first; of equals the earlier one, so that the order is a function of the result. */
static int compare_seconds(const void *a, const void *b)
{
    const struct run_row *const *x = a, *const *y = b;
    int order = mpq_cmp((*y)->seconds, (*x)->seconds);

    return order ? order : (*x > *y) - (*x < *y);
}

/* First advice on the slowest operations of machines without matrix units, whose ledger has it. */
static void print_help(const struct run_row *const *order, size_t n, const struct run_result *r,
                       FILE *out)
{
    bool any = false;

    for (size_t i = 0; i < n && i < ADVISED_MOST && !r->mxus; i++) {
        if (!advised_is_worth(order[i], r))
            continue;
        fputs(any ? "  " : "\nwhat would help the slowest\n  ", out);
        group_name(order[i], NAMES, out);
        fprintf(out, "\n    %s\n", order[i]->advice[0]);
        any = true;
    }
}

static void print_slowest(const struct run_result *r, FILE *out)
{
    struct columns c;
    size_t n_groups;

    if (r->n_ops == 0)
        return;
    struct run_row *groups = row_group_sum(r->ops, r->n_ops, &n_groups);
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
    char title[64];
    putc('\n', out);
    columns_init(&c, groups, n_groups, r->seconds_per_step, r->memory_name);
    unsigned name = NAMES - kind - (c.estimates ? COLUMNS_ESTIMATE : 0);
    int length = snprintf(title, sizeof title, "slowest %zu of %zu, per %s", n, n_groups,
                          words_of_result(r)->core);
    if (length > (int)name + 2) /* the tables above and below say it as well */
        snprintf(title, sizeof title, "slowest %zu of %zu", n, n_groups);
    text_column(title, name + 2, out);
    fprintf(out, " %-*s", (int)kind, "kind");
    columns_head(&c, out);
    for (size_t i = 0; i < n; i++) {
        fputs("  ", out);
        group_name(order[i], name, out);
        putc(' ', out);
        text_column(order[i]->kind, kind, out);
        columns_row(&c, order[i], out);
    }
    columns_clear(&c);
    print_help(order, n, r, out);
    free(order);
    result_text_ledger(groups, n_groups, r, out);
    row_group_free(groups, n_groups);
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
    result_text_figures(r->figures, r->n_figures, words_of_result(r), out);
    result_text_links(r->links, r->n_links, words_of_result(r), out);
    print_phases(r, out);
    print_slowest(r, out);
    origin_text(r, out);
    memory_text_owners(r, out);
}
