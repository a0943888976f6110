/* Time and dollars that go to padding, as text. */
#include <stdio.h> /* first: gmp.h declares gmp_fprintf only if it knows FILE */

#include <string.h>

#include "base/exact.h"
#include "base/text_write.h"
#include "report/text/result_text.h"
#include "run/epoch.h"

#define NAME 30 /* columns */

/* Seconds, share and price of a step that goes to padding. */
static void print_time(const struct run_result *r, const mpq_t seconds, const struct scale *time,
                       FILE *out)
{
    EXACT_Q(q);
    scale_write(seconds, time, 12, out);
    text_percent(seconds, r->seconds_per_step, 8, out);
    if (r->has_price || r->has_preemptible) {
        mpq_set(q, seconds);
        if (r->has_epoch)
            mpq_mul(q, q, r->steps_per_epoch);
        cost_usd(q, r->has_price ? r->usd_per_hour : r->usd_per_hour_preemptible, q);
        fputs("  ", out);
        text_number(q, out);
    }
    putc('\n', out);
}

static const char *label_of(const char *name)
{
    if (strcmp(name, PADDING_SAMPLES) == 0)
        return "samples of a step";
    return strcmp(name, PADDING_EPOCH) == 0 ? "samples of an epoch" : name;
}

void result_text_padding(const struct run_result *r, const struct scale *time, FILE *out)
{
    char unit[32];

    if (r->n_padding == 0)
        return;
    snprintf(unit, sizeof unit, "%s/step", time->unit);
    fprintf(out, "\n%-*s%14s%14s%8s%12s%8s", NAME, "padding", "real", "padded", "%", unit, "%");
    if (r->has_price || r->has_preemptible)
        fprintf(out, "  USD/%s%s", r->has_epoch ? "epoch" : "step",
                r->has_price ? "" : " preemptible");
    putc('\n', out);
    for (size_t i = 0; i < r->n_padding; i++) {
        const struct run_padding *p = &r->padding[i];
        fputs("  ", out);
        text_column(label_of(p->name), NAME - 2, out);
        gmp_fprintf(out, "%14Zd%14Zd", p->real, p->padded);
        text_share(p->share, 8, out);
        print_time(r, p->seconds, time, out);
    }
    if (r->n_padding > 1) {
        fprintf(out, "%-*s", NAME + 14 + 14 + 8, "  all of it");
        print_time(r, r->padding_seconds, time, out);
    }
}
