/* Trials side by side on one slice as text. */
#include <inttypes.h>

#include "base/exact.h"
#include "base/text_write.h"
#include "report/scan_report.h"
#include "run/epoch.h"

static void print_hours(const mpq_t seconds, FILE *out)
{
    EXACT_Q(q);
    exact_ratio(q, 1, 3600);
    mpq_mul(q, q, seconds);
    text_number(q, out);
}

static void print_total(const char *what, const struct scan_result *r, const mpq_t seconds,
                        FILE *out)
{
    fprintf(out, "  %-14s", what);
    print_hours(seconds, out);
    fputs(" h", out);
    if (r->has_price) {
        EXACT_Q(cost);
        cost_usd(cost, r->usd_per_hour, seconds);
        fputs(", ", out);
        text_number(cost, out);
        fputs(" USD", out);
    }
    fputc('\n', out);
}

/* True if every trial divides its batch over the cores of the slice. */
static bool is_divided(const struct scan_result *r)
{
    for (size_t i = 0; i < r->n_kinds; i++)
        if (!r->kind[i].divided)
            return false;
    return true;
}

void report_scan_text(const struct scan_result *r, FILE *out)
{
    EXACT_Q(share);
    EXACT_Q(ratio);
    fprintf(out, "%" PRIu64 " trial%s of %" PRIu64 " epoch%s on %s take%s ", r->trials,
            r->trials == 1 ? "" : "s", r->epochs, r->epochs == 1 ? "" : "s", r->machine,
            r->trials == 1 ? "s" : "");
    print_hours(r->makespan, out);
    fprintf(out, " h, %" PRIu64 " at a time on %" PRIu64 " core%s each\n", r->places, r->cores,
            r->cores == 1 ? "" : "s");
    print_total("side by side", r, r->makespan, out);
    print_total("one by one", r, r->one_by_one, out);
    fprintf(out, "                (each trial on the whole machine, its batch %s)\n",
            is_divided(r) ? "divided over the cores" : "on every core");
    report_scan_occupancy(share, r);
    exact_ratio(ratio, 1, 1);
    fputs("  occupancy    ", out);
    text_percent(share, ratio, 6, out);
    fputs(" %  of the time of the cores that trials run on\n\ntrial", out);
    fprintf(out, "%*s  runs     s/step    h/trial   one by one h/trial  fits\n", 35, "");
    for (size_t i = 0; i < r->n_kinds; i++) {
        const struct scan_kind *k = &r->kind[i];

        EXACT_Q(one);
        EXACT_Q(hour);
        exact_ratio(one, 1, 1);
        exact_ratio(hour, 1, 3600);
        text_column(k->trace, 38, out);
        fprintf(out, "%8" PRIu64, k->trials);
        text_fixed(k->step, one, 4, 11, out);
        text_fixed(k->training, hour, 4, 11, out);
        text_fixed(k->alone, hour, 4, 21, out);
        fprintf(out, "  %s\n", k->fits ? "yes" : "NO");
    }
}
