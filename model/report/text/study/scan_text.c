/* Trials side by side on one slice as text. */
#include <inttypes.h>

#include "base/exact.h"
#include "base/text_write.h"
#include "report/scan_report.h"
#include "report/text/account_text.h"
#include "report/text/evidence_text.h"
#include "run/epoch.h"
#include "run/result/words.h"

#define ERROR_WIDTH 8

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
        if (!r->kind[i].whole.derived)
            return false;
    return true;
}

static void print_kind(const struct scan_kind *k, FILE *out)
{
    EXACT_Q(one);
    EXACT_Q(hour);
    exact_ratio(one, 1, 1);
    exact_ratio(hour, 1, 3600);
    text_column(k->trace, 38, out);
    fprintf(out, "%8" PRIu64, k->trials);
    text_fixed(k->beside.seconds_per_step, one, 4, 11, out);
    evidence_text_cell(&k->beside, ERROR_WIDTH, out);
    account_text_cell(&k->beside.account, ERROR_WIDTH, out);
    text_fixed(k->training, hour, 4, 11, out);
    if (k->on_whole) {
        text_fixed(k->alone, hour, 4, 21, out);
        evidence_text_cell(&k->whole, ERROR_WIDTH, out);
        account_text_cell(&k->whole.account, ERROR_WIDTH, out);
    } else {
        fprintf(out, "%21s%*s%*s", "-", ERROR_WIDTH, "-", ERROR_WIDTH, "-");
    }
    fprintf(out, "  %s\n", k->beside.fits ? "yes" : "NO");
}

/* Print how long all trials take, each on the whole machine. */
static void print_one_by_one(const struct scan_result *r, const char *core, FILE *out)
{
    if (!r->on_whole) {
        fputs("  one by one    unknown: a program runs on the ", out);
        text_count(r->cores, core, out);
        fputs(" it was compiled for\n", out);
        return;
    }
    print_total("one by one", r, r->one_by_one, out);
    fprintf(out, "                (each trial on the whole machine, its batch %s%s%s)\n",
            is_divided(r) ? "divided over the " : "on every ", core, is_divided(r) ? "s" : "");
}

void report_scan_text(const struct scan_result *r, FILE *out)
{
    const char *core = words_of_chip(r->chip)->core;
    char cores[32];

    EXACT_Q(share);
    EXACT_Q(ratio);
    snprintf(cores, sizeof cores, "%ss", core);
    fprintf(out, "%" PRIu64 " trial%s of %" PRIu64 " epoch%s on %s take%s ", r->trials,
            r->trials == 1 ? "" : "s", r->epochs, r->epochs == 1 ? "" : "s", r->machine,
            r->trials == 1 ? "s" : "");
    print_hours(r->makespan, out);
    fprintf(out, " h, %" PRIu64 " at a time on ", r->places);
    text_count(r->cores, core, out);
    fputs(" each\n", out);
    print_total("side by side", r, r->makespan, out);
    print_one_by_one(r, core, out);
    fprintf(out, "  price         %s\n", r->has_price ? r->price_source : "none is listed");
    report_scan_occupancy(share, r);
    exact_ratio(ratio, 1, 1);
    fputs("  occupancy    ", out);
    text_percent(share, ratio, 6, out);
    fprintf(out, " %%  of the time of the %s that trials run on\n\ntrial", cores);
    fprintf(out,
            "%*s  runs     s/step   error  known    h/trial   one by one h/trial   error"
            "  known   fits\n",
            35, "");
    for (size_t i = 0; i < r->n_kinds; i++)
        print_kind(&r->kind[i], out);
    fputs("error: to expect of the times before it, either way (`replay` says what it rests "
          "on)\n" ACCOUNT_TEXT_KNOWN,
          out);
}
