/* Machines side by side as text. */
#include <stdlib.h>
#include <string.h>

#include "base/exact.h"
#include "base/memory.h"
#include "base/quantity.h"
#include "base/text_write.h"
#include "report/compare_report.h"
#include "report/text/rest.h"
#include "report/text/result_text.h"
#include "report/text/scale.h"
#include "run/epoch.h"
#include "run/margin.h"

#define WIDTH 11 /* of a column of numbers */

static void print_number(const mpq_t q, bool known, FILE *out)
{
    char buf[256] = "-";

    if (known && strlen(exact_decimal(buf, sizeof buf, q, 4)) >= WIDTH)
        exact_decimal(buf, sizeof buf, q, 3);
    fprintf(out, " %*s", WIDTH - 1, buf);
}

static void print_memory(const struct run_result *r, FILE *out)
{
    char peak[256], capacity[256];

    EXACT_Q(q);
    exact_ratio(q, r->peak_bytes_per_core, 1);
    quantity_format(peak, sizeof peak, q, "B", 3);
    exact_ratio(q, r->capacity_bytes_per_core, 1);
    quantity_format(capacity, sizeof capacity, q, "B", 3);
    fprintf(out, "%s of %s", peak, capacity);
    if (!r->fits) {
        report_compare_times_capacity(q, r);
        fprintf(out, ", %s times", exact_decimal(peak, sizeof peak, q, 2));
    }
}

/* The units of a step and of an epoch: what the longest is at least one of. */
struct units {
    struct scale step, epoch;
};

static void units_init(struct units *u, const struct report_verdict *v, size_t n)
{
    EXACT_Q(step);
    EXACT_Q(epoch);
    for (size_t i = 0; i < n; i++) {
        const struct run_result *r = v[i].result;
        if (r && mpq_cmp(r->seconds_per_step, step) > 0)
            mpq_set(step, r->seconds_per_step);
        if (r && r->has_epoch && mpq_cmp(r->seconds_per_epoch, epoch) > 0)
            mpq_set(epoch, r->seconds_per_epoch);
    }
    if (mpq_sgn(step) == 0)
        mpq_set_ui(step, 1, 1); /* nothing to show: seconds */
    if (mpq_sgn(epoch) == 0)
        mpq_set_ui(epoch, 1, 1);
    scale_init(&u->step, step, "s");
    scale_init(&u->epoch, epoch, "s");
    if (mpq_cmp_ui(epoch, 3600, 1) >= 0) {
        strcpy(u->epoch.unit, "h");
        mpq_set_ui(u->epoch.factor, 1, 3600);
    }
}

static void units_clear(struct units *u)
{
    scale_clear(&u->step);
    scale_clear(&u->epoch);
}

static void print_head(const struct units *u, unsigned width, FILE *out)
{
    char step[32], epoch[32];

    snprintf(step, sizeof step, "%s/step", u->step.unit);
    snprintf(epoch, sizeof epoch, "%s/epoch", u->epoch.unit);
    fprintf(out, "\n\n%-*s %s%*s%*s%*s%*s%*s  %-8s  %s\n", (int)width, "machine", "fits", WIDTH,
            step, WIDTH, "samples/s", WIDTH, epoch, WIDTH, "USD/epoch", WIDTH, "USD/M", "bound by",
            "memory of a core");
}

static void print_row(const struct report_verdict *v, const struct units *u, unsigned width,
                      FILE *out)
{
    const struct run_result *r = v->result;

    text_column(v->machine, width, out);
    if (!r) {
        fprintf(out, "  no   cannot run it: %s\n", v->error);
        return;
    }
    fputs(r->fits ? "  yes" : "  no ", out);
    EXACT_Q(q);
    mpq_mul(q, r->seconds_per_step, u->step.factor);
    print_number(q, true, out);
    print_number(r->samples_per_second, true, out);
    mpq_mul(q, r->seconds_per_epoch, u->epoch.factor);
    print_number(q, r->has_epoch, out);
    print_number(r->usd_per_epoch, r->has_epoch && r->has_price, out);
    epoch_million_samples(q, r, r->usd_per_hour);
    print_number(q, r->has_price, out);
    fprintf(out, "  %-8s  ", result_limit_name(r));
    print_memory(r, out);
    putc('\n', out);
}

/* How machines are ranked: the smallest figure is best; it is shown as itself or as 1 / figure. */
struct rank {
    report_figure *figure;
    bool inverted;
    const char *unit;
};

static const struct rank by_cost = { report_compare_cost, false, "USD/M" };
static const struct rank by_time = { report_compare_time, true, "samples/s" };

static void print_rank(const struct rank *rank, const struct run_result *r, FILE *out)
{
    EXACT_Q(q);
    rank->figure(q, r);
    if (rank->inverted)
        mpq_inv(q, q);
    fputs(", ", out);
    text_number(q, out);
    fprintf(out, " %s", rank->unit);
}

/* "WHAT: a, b and c, 5 samples/s", all machines that share the best figure, or that there is none.
 */
static void print_best(const char *what, const struct report_comparison *c, const struct rank *rank,
                       bool in_time, FILE *out)
{
    const struct run_result *best = NULL;

    bool *win = memory_zeroed(c->n, sizeof *win);
    size_t left = report_compare_best(win, c, rank->figure, in_time);

    fprintf(out, "%s: %s", what, left ? "" : "none");
    for (size_t i = 0; left > 0; i++)
        if (win[i]) {
            left--;
            best = c->verdict[i].result;
            fprintf(out, "%s%s", c->verdict[i].machine,
                    left == 0   ? ""
                    : left == 1 ? " and "
                                : ", ");
        }
    if (best)
        print_rank(rank, best, out);
    free(win);
}

static void name_deadline(mpq_srcptr seconds, char *text, size_t size)
{
    unsigned long unit = mpq_cmp_ui(seconds, 3600, 1) >= 0 ? 3600
                         : mpq_cmp_ui(seconds, 60, 1) >= 0 ? 60
                                                           : 1;
    char buf[64];

    EXACT_Q(q);
    mpq_set_ui(q, 1, unit);
    mpq_mul(q, q, seconds);
    snprintf(text, size, "cheapest under %s %s/epoch", exact_decimal(buf, sizeof buf, q, 4),
             unit == 3600 ? "h"
             : unit == 60 ? "min"
                          : "s");
}

/* The trace says how long an epoch is, or not, for all machines. */
static bool knows_epoch(const struct report_comparison *c)
{
    for (size_t i = 0; i < c->n; i++)
        if (c->verdict[i].result)
            return c->verdict[i].result->has_epoch;
    return false;
}

static void print_verdict(const struct report_comparison *c, FILE *out)
{
    char under[96];
    bool any = false;

    for (size_t i = 0; i < c->n; i++)
        any = any || report_compare_fits(&c->verdict[i]);
    if (!any) {
        fputs("none of the machines can hold it", out);
        return;
    }
    print_best("cheapest", c, &by_cost, false, out);
    fputs("; ", out);
    print_best("fastest", c, &by_time, false, out);
    if (!c->deadline)
        return;
    name_deadline(c->deadline, under, sizeof under);
    fputs("; ", out);
    if (knows_epoch(c))
        print_best(under, c, &by_cost, true, out);
    else
        fprintf(out, "%s: unknown, the trace does not say how many samples an epoch has", under);
}

/* The share of an epoch that whole steps drop, or of its only step that is padding; false: none. */
static bool find_left(mpq_t share, const struct run_result *r, bool dropped)
{
    EXACT_Q(whole);
    if (!r || !r->has_epoch || (!dropped && !epoch_is_short(r)))
        return false;
    if (dropped) {
        epoch_dropped(share, r);
        exact_ratio(whole, r->samples_per_epoch, 1);
    } else {
        epoch_added(share, r);
        mpq_set_z(whole, r->samples_per_step);
    }
    mpq_div(share, share, whole);
    return !rest_has(share);
}

/* A line that says for each machine what its epoch leaves over; nothing where none does. */
static void print_left(const struct report_comparison *c, bool dropped, FILE *out)
{
    const char *head = dropped ? "Samples that fill no whole global batch are dropped:"
                               : "The global batch is larger than the data set; padding:";
    unsigned width = 0;

    EXACT_Q(share);
    for (size_t i = 0; i < c->n; i++) {
        const struct report_verdict *v = &c->verdict[i];
        if (!find_left(share, v->result, dropped))
            continue;
        unsigned length = (unsigned)strlen(v->machine) + (unsigned)strlen(", 00.0 %,");
        if (width == 0)
            width = (unsigned)fprintf(out, "%s", head);
        else
            width += (unsigned)fprintf(out, ",");
        if (width + length > RESULT_TEXT_WIDTH)
            width = (unsigned)fprintf(out, "\n ") - 1;
        width += length;
        fprintf(out, " %s ", v->machine);
        text_share(share, 0, out);
        fputs(" %", out);
    }
    if (width)
        putc('\n', out);
}

/* What result_text_doubt writes of a machine, to be freed; NULL: nothing. */
static char *write_doubt(const struct report_verdict *v)
{
    struct memory_text text;

    if (!v->result)
        return NULL;
    memory_text_begin(&text);
    bool any = result_text_doubt(v->result, text.out);
    char *doubt = memory_text_end(&text);
    if (any)
        return doubt;
    free(doubt);
    return NULL;
}

/* A line for machines whose memory is close to the peak, or on which a switch of the compiler
 * decides: one for all of which the same is to be said. */
static void print_doubts(const struct report_comparison *c, FILE *out)
{
    char **doubt = memory_zeroed(c->n, sizeof *doubt);

    for (size_t i = 0; i < c->n; i++)
        doubt[i] = write_doubt(&c->verdict[i]);
    for (size_t i = 0; i < c->n; i++) {
        if (!doubt[i])
            continue;
        fprintf(out, "Memory %s\n  on %s", doubt[i], c->verdict[i].machine);
        for (size_t k = i + 1; k < c->n; k++)
            if (doubt[k] && strcmp(doubt[i], doubt[k]) == 0) {
                fprintf(out, ", %s", c->verdict[k].machine);
                free(doubt[k]);
                doubt[k] = NULL;
            }
        putc('\n', out);
    }
    for (size_t i = 0; i < c->n; i++)
        free(doubt[i]);
    free(doubt);
}

void report_compare_text(const char *trace, const struct report_verdict *v, size_t n,
                         mpq_srcptr deadline, FILE *out)
{
    unsigned width = (unsigned)strlen("machine");
    bool beyond = false;
    const struct report_comparison c = { v, n, deadline };
    struct units u;

    for (size_t i = 0; i < n; i++) {
        unsigned length = (unsigned)strlen(v[i].machine);
        width = length > width ? length : width;
        beyond = beyond || (v[i].result && !v[i].result->fits);
    }
    fprintf(out, "%s: ", trace);
    print_verdict(&c, out);
    units_init(&u, v, n);
    print_head(&u, width, out);
    for (size_t i = 0; i < n; i++)
        print_row(&v[i], &u, width, out);
    units_clear(&u);
    fputs("USD/M: for a million samples\n", out);
    print_left(&c, true, out);
    print_left(&c, false, out);
    print_doubts(&c, out);
    if (beyond)
        fputs("Where the trace does not fit, times and costs are as if the memory were larger.\n",
              out);
}
