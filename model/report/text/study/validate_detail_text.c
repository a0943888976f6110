/* Errors of measured kernels taken apart, as text. */
#include <string.h>

#include "base/exact.h"
#include "base/text_write.h"
#include "report/validate_report.h"

/* "-" if it is not known. */
static void print_percent(const mpq_t q, bool known, bool sign, int width, FILE *out)
{
    if (!known)
        fprintf(out, "%*s", width, "-");
    else
        (sign ? text_signed_share : text_share)(q, width, out);
}

static void print_group(const struct validate_group *g, FILE *out)
{
    const struct validate_errors *f = &g->fitted, *u = &g->unseen;
    const struct validate_errors *e = u->n ? &g->unseen_estimate : &g->fitted_estimate;
    bool all = g->regime == VALIDATE_N_REGIMES;
    char name[64];

    snprintf(name, sizeof name, "%s%s", all ? "  " : "    ",
             !all    ? validate_regime_name[g->regime]
             : g->op ? g->op
                     : "all kinds");
    text_column(name, 20, out);
    fprintf(out, "%6zu", f->n);
    print_percent(f->mean, f->n > 0, false, 8, out);
    print_percent(f->bias, f->n > 0, true, 8, out);
    fprintf(out, " |%6zu", u->n);
    print_percent(u->mean, u->n > 0, false, 8, out);
    print_percent(u->median, u->n > 0, false, 9, out);
    print_percent(u->p90, u->n > 0, false, 8, out);
    print_percent(u->bias, u->n > 0, true, 8, out);
    fprintf(out, " |%6zu", e->n);
    print_percent(e->mean, e->n > 0, false, 8, out);
    print_percent(e->bias, e->n > 0, true, 8, out);
    putc('\n', out);
}

static void print_groups(const struct validate_detail *d, FILE *out)
{
    const char *generation = "";

    for (size_t i = 0; i < d->n_groups; i++) {
        const struct validate_group *g = &d->group[i];
        if (strcmp(generation, g->generation) != 0) {
            generation = g->generation;
            putc('\n', out);
            text_column(generation, 20, out);
            fprintf(out, "%22s |%39s |%22s\n", "fitted on", "held out or never seen",
                    "compiler's estimate");
            fprintf(out, "%20s%6s%8s%8s |%6s%8s%9s%8s%8s |%6s%8s%8s\n", "", "rows", "mean %",
                    "bias %", "rows", "mean %", "median %", "p90 %", "bias %", "rows", "mean %",
                    "bias %");
        }
        print_group(g, out);
    }
    if (d->n_groups > 0)
        fputs(
            "\nfloor: measured within twice the shortest kernel of the generation; the others are "
            "limited by that in the model\nestimate: the compiler's own cycles over the clock, of "
            "the rows to its left that have one\n",
            out);
}

static void print_worst(const struct validate_worst *w, FILE *out)
{
    char buf[3][64];

    fprintf(out, "\n%s: the worst %zu\n%-34s%10s%10s%10s%9s  %s\n", w->generation, w->n, "  kernel",
            "measured", "predicted", "estimate", "error %", "limit, rows of this kind");
    for (size_t i = 0; i < w->n; i++) {
        const struct validate_row *r = w->row[i];
        bool known = mpq_sgn(r->estimate) > 0;
        fputs("  ", out);
        text_column(r->what, 32, out);
        fprintf(out, "%7s us%7s us%10s", exact_decimal(buf[0], sizeof buf[0], r->measured, 4),
                exact_decimal(buf[1], sizeof buf[1], r->predicted, 4),
                known ? exact_decimal(buf[2], sizeof buf[2], r->estimate, 4) : "-");
        print_percent(r->error, true, true, 9, out);
        fprintf(out, "  %s, %s\n", validate_regime_name[r->regime], validate_use_name[r->use]);
    }
}

void report_validate_groups(const struct validate_detail *d, FILE *out)
{
    print_groups(d, out);
    for (size_t i = 0; i < d->n_worst; i++)
        print_worst(&d->worst[i], out);
    if (d->n_said > 0)
        fputs("\nhow constants and structure of the model came about\n", out);
    for (size_t i = 0; i < d->n_said; i++)
        fprintf(out, "  %s: %s%s%s\n", d->said[i].class, d->said[i].use,
                *d->said[i].note ? ", " : "", d->said[i].note);
}
