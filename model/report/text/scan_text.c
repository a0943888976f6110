#include <inttypes.h>

#include "base/exact.h"
#include "report/run_report.h"
#include "report/write.h"

static void number(const mpq_t q, FILE *out)
{
    char buf[256];

    fputs(exact_decimal(buf, sizeof buf, q, 4), out);
}

static void hours(const mpq_t seconds, FILE *out)
{
    EXACT_Q(q);
    exact_ratio(q, 1, 3600);
    mpq_mul(q, q, seconds);
    number(q, out);
}

/* Of the slice for so long. */
static void usd(mpq_t q, const struct scan_result *r, const mpq_t seconds)
{
    exact_ratio(q, 1, 3600);
    mpq_mul(q, q, seconds);
    mpq_mul(q, q, r->usd_per_hour);
}

static void way(const char *what, const struct scan_result *r, const mpq_t seconds, FILE *out)
{
    fprintf(out, "  %-14s", what);
    hours(seconds, out);
    fputs(" h", out);
    if (r->has_price) {
        EXACT_Q(cost);
        usd(cost, r, seconds);
        fputs(", ", out);
        number(cost, out);
        fputs(" USD", out);
    }
    fputc('\n', out);
}

/* The share of the places' time that trials fill. */
static void occupancy(mpq_t q, const struct scan_result *r)
{
    exact_ratio(q, r->places, 1);
    mpq_mul(q, q, r->makespan);
    if (mpq_sgn(q) != 0)
        mpq_div(q, r->work, q);
}

void report_scan_text(const struct scan_result *r, FILE *out)
{
    EXACT_Q(share);
    EXACT_Q(ratio);
    fprintf(out, "%" PRIu64 " trials of %" PRIu64 " epoch%s on %s take ", r->trials, r->epochs,
            r->epochs == 1 ? "" : "s", r->machine);
    hours(r->makespan, out);
    fprintf(out, " h, %" PRIu64 " at a time on %" PRIu64 " core%s each\n", r->places, r->cores,
            r->cores == 1 ? "" : "s");
    way("side by side", r, r->makespan, out);
    way("one by one", r, r->one_by_one, out);
    fputs("                (each trial on the whole slice, its batch on every core)\n", out);
    occupancy(share, r);
    exact_ratio(ratio, 1, 1);
    fputs("  occupancy    ", out);
    write_percent(share, ratio, 6, out);
    fputs(" %  of the places' time\n\ntrial", out);
    fprintf(out, "%*s  runs     s/step    h/trial  whole slice h/trial  fits\n", 35, "");
    for (size_t i = 0; i < r->n_kinds; i++) {
        const struct scan_kind *k = &r->kind[i];

        EXACT_Q(one);
        EXACT_Q(hour);
        exact_ratio(one, 1, 1);
        exact_ratio(hour, 1, 3600);
        write_column(k->trace, 38, out);
        fprintf(out, "%8" PRIu64, k->trials);
        write_fixed(k->step, one, 4, 11, out);
        write_fixed(k->training, hour, 4, 11, out);
        write_fixed(k->alone, hour, 4, 21, out);
        fprintf(out, "  %s\n", k->fits ? "yes" : "NO");
    }
}

static void member(const char *key, const mpq_t q, FILE *out)
{
    fprintf(out, ", \"%s\": ", key);
    write_decimal(q, out);
}

void report_scan_json(const struct scan_result *r, FILE *out)
{
    EXACT_Q(q);
    fputs("{\"machine\": ", out);
    write_json_string(r->machine, out);
    fprintf(out,
            ", \"cores\": %" PRIu64 ", \"cores_per_trial\": %" PRIu64 ", \"trials\": %" PRIu64
            ", \"epochs\": %" PRIu64,
            r->slice_cores, r->cores, r->trials, r->epochs);
    member("makespan_seconds", r->makespan, out);
    member("one_by_one_seconds", r->one_by_one, out);
    occupancy(q, r);
    member("occupancy", q, out);
    usd(q, r, r->makespan);
    if (r->has_price)
        member("usd", q, out);
    else
        fputs(", \"usd\": null", out);
    fputs(", \"kinds\": [", out);
    for (size_t i = 0; i < r->n_kinds; i++) {
        const struct scan_kind *k = &r->kind[i];

        fprintf(out, "%s\n  {\"trace\": ", i ? "," : "");
        write_json_string(k->trace, out);
        fprintf(out, ", \"trials\": %" PRIu64 ", \"fits\": %s", k->trials,
                k->fits ? "true" : "false");
        member("seconds_per_step", k->step, out);
        member("seconds", k->training, out);
        member("whole_slice_seconds", k->alone, out);
        fputc('}', out);
    }
    fputs("\n]}\n", out);
}
