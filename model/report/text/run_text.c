/* A replay as text: one screen of 100 columns. */
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/exact.h"
#include "base/memory.h"
#include "base/text_write.h"
#include "report/run_report.h"
#include "report/text/group.h"
#include "report/text/result_text.h"
#include "report/text/scale.h"
#include "run/epoch.h"

#define SLOWEST 10
#define NAMES 38     /* columns for the name and the kind of an operation */
#define MOST_KIND 15 /* of them */

static void print_epoch(const struct run_result *r, FILE *out)
{
    fputs("  epoch    ", out);
    if (r->has_epoch) {
        EXACT_Q(hours);
        mpq_set_ui(hours, 1, 3600);
        mpq_mul(hours, hours, r->seconds_per_epoch);
        text_number(r->steps_per_epoch, out);
        fputs(" steps, ", out);
        text_number(r->seconds_per_epoch, out);
        fputs(" s (", out);
        text_number(hours, out);
        fputs(" h), ", out);
    } else {
        fputs("of unknown length, the trace does not say how many samples it has; ", out);
    }
    text_number(r->samples_per_second, out);
    fputs(" samples/s\n", out);
}

static void print_price(const struct run_result *r, const mpq_t per_hour, const mpq_t per_epoch,
                        const char *how, FILE *out)
{
    if (r->has_epoch) {
        text_number(per_epoch, out);
        fputs(" USD/epoch at ", out);
    } else {
        EXACT_Q(step);
        cost_usd(step, per_hour, r->seconds_per_step);
        text_number(step, out);
        fputs(" USD/step at ", out);
    }
    text_number(per_hour, out);
    fprintf(out, " USD/h %s", how);
}

static void print_cost(const struct run_result *r, FILE *out)
{
    const char *head = "  cost     ", *more = "           ";

    if (!r->has_price && !r->has_preemptible) {
        fprintf(out, "%sno list price of %s; --set 'price.on_demand=1 USD/h' gives it one\n", head,
                r->machine);
        return;
    }
    fputs(head, out);
    if (r->has_price)
        print_price(r, r->usd_per_hour, r->usd_per_epoch, "on demand", out);
    if (r->has_price && r->has_preemptible)
        fprintf(out, "\n%s", more);
    if (r->has_preemptible)
        print_price(r, r->usd_per_hour_preemptible, r->usd_per_epoch_preemptible, "preemptible",
                    out);
    if (r->has_price && r->has_preemptible && r->price_source)
        fprintf(out, "\n%sprices %s", more, r->price_source);
    else if (r->price_source)
        fprintf(out, " %s", r->price_source);
    putc('\n', out);
}

static void print_run_cost(const mpq_t per_hour, const mpq_t seconds, const char *how, FILE *out)
{
    EXACT_Q(usd);
    cost_usd(usd, per_hour, seconds);
    fputs(", ", out);
    text_number(usd, out);
    fprintf(out, " USD %s", how);
}

/* Time and cost of the number of epochs that was asked for. */
static void print_run(const struct run_result *r, FILE *out)
{
    if (!epoch_has_run(r))
        return;
    EXACT_Q(seconds);
    EXACT_Q(hours);
    epoch_run_seconds(seconds, r);
    mpq_set_ui(hours, 1, 3600);
    mpq_mul(hours, hours, seconds);
    fputs("  run      ", out);
    text_count(r->epochs, "epoch", out);
    fputs(" in ", out);
    text_number(hours, out);
    fputs(" h", out);
    if (r->has_price)
        print_run_cost(r->usd_per_hour, seconds, "on demand", out);
    if (r->has_preemptible)
        print_run_cost(r->usd_per_hour_preemptible, seconds, "preemptible", out);
    putc('\n', out);
}

static void print_energy(const struct run_result *r, FILE *out)
{
    if (!r->has_power)
        return;
    EXACT_Q(joules);
    mpq_mul(joules, r->watts, r->seconds_per_step);
    fputs("  energy   ", out);
    text_quantity(joules, "J", out);
    fputs("/step", out);
    if (r->has_epoch) {
        mpq_mul(joules, r->watts, r->seconds_per_epoch);
        fputs(", ", out);
        text_quantity(joules, "J", out);
        fputs("/epoch", out);
    }
    fputs(" of the chips, ", out);
    text_quantity(r->watts, "W", out);
    fprintf(out, " on average %s\n", r->power_source ? r->power_source : "");
}

/* The unit that sets the pace may differ from the cause that the cores wait for most. */
static void print_headline(const struct run_result *r, FILE *out)
{
    fprintf(out, "%s takes ", r->machine);
    text_quantity(r->seconds_per_step, "s", out);
    fprintf(out, " for a step of %s; ", r->workload);
    if (r->limited_by != r->bound_by || r->limited_by_server)
        fprintf(out, "%s is always busy and sets the pace; the largest part of the cores' time, ",
                r->limited_by_server          ? "the parameter server"
                : r->limited_by == CAUSE_HOST ? "the host"
                                              : "storage");
    else
        fputs("the largest part, ", out);
    text_percent(r->cause[r->bound_by], r->seconds_per_step, 0, out);
    fprintf(out, " %%, is %s\n", cause_name[r->bound_by]);
}

/* How fast, and how old the weights are that gradients were worked out with. */
static void print_server(const struct run_result *r, FILE *out)
{
    if (!r->server.serves)
        return;
    fputs("  server   ", out);
    text_number(r->server.updates, out);
    fputs(" updates/s; gradients miss ", out);
    text_number(r->server.missed, out);
    fputs(" updates on average\n", out);
}

static void print_verdict(const struct run_result *r, FILE *out)
{
    print_headline(r, out);
    if (r->uncovered_ops > 0) {
        EXACT_Q(one);
        mpq_set_ui(one, 1, 1);
        fputs("  WARNING  ", out);
        text_count(r->uncovered_ops, "operation", out);
        fputs(" of unknown kind, ", out);
        text_percent(r->uncovered_share, one, 0, out);
        fputs(" % of the step: costed as memory traffic alone\n", out);
    }
    print_epoch(r, out);
    print_cost(r, out);
    print_run(r, out);
    print_energy(r, out);
    result_text_memory(r, out);
    print_server(r, out);

    fputs("  machine  ", out);
    text_count(r->cores, "core", out);
    fputs(", ", out);
    text_count(r->chips, "chip", out);
    fputs(", ", out);
    text_count(r->hosts, "host", out);
    if (r->slices > 1) {
        fputs(", ", out);
        text_count(r->slices, "slice", out);
    }
    fprintf(out, "; %llu cycles/step at ", (unsigned long long)r->cycles_per_step);
    EXACT_Q(hz);
    exact_ratio(hz, r->core_hz, 1);
    text_quantity(hz, "Hz", out);
    if (r->unverified > 0) {
        fputs("\n           ", out);
        text_count(r->unverified, "value", out);
        fprintf(out, " unverified (see cyclotron machine show %s)", r->machine);
    }
    fprintf(out, "\n  trace    %s, ", r->trace);
    text_count(r->steps, "step", out);
    fputs(" measured\n", out);
    if (r->derived)
        fprintf(out, "           written for %llu core%s, derived again for %lu by its generator\n",
                (unsigned long long)r->written_for, r->written_for == 1 ? "" : "s",
                (unsigned long)r->cores);
    for (size_t i = 0; i < r->n_changed; i++)
        fprintf(out, "  changed  %s\n", r->changed[i]);
}

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
    struct columns c;
    size_t n_groups;

    if (r->n_phases == 0)
        return;
    struct run_row *groups = group_rows(r->phases, r->n_phases, &n_groups);
    init_columns(&c, groups, n_groups, r->seconds_per_step);
    fprintf(out, "\n%-41s", "phases");
    print_head(&c, out);
    for (size_t i = 0; i < n_groups; i++) {
        fputs("  ", out);
        group_name(&groups[i], 39, out);
        print_row(&c, &groups[i], out);
    }
    clear_columns(&c);
    group_free(groups, n_groups);
}

/* Longest first; of equals the earlier one, so that the order is a function of the result. */
static int compare_seconds(const void *a, const void *b)
{
    const struct run_row *const *x = a, *const *y = b;
    int order = mpq_cmp((*y)->seconds, (*x)->seconds);

    return order ? order : (*x > *y) - (*x < *y);
}

static uint64_t count_names(const struct run_row *groups, size_t n)
{
    uint64_t names = 0;

    for (size_t i = 0; i < n; i++)
        names += groups[i].names;
    return names;
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
    snprintf(title, sizeof title, "slowest %zu of %zu %s", n, n_groups,
             n_groups < count_names(groups, n_groups) ? "groups" : "names");
    fprintf(out, "\n%-*s %-*s", (int)name + 2, title, (int)kind, "kind");
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

    print_verdict(r, out);
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
