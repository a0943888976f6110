/* Predictions beside published figures as text. */
#include <string.h>

#include "base/exact.h"
#include "base/text_write.h"
#include "report/validate_report.h"

#define FEW 100 /* rows of a class that are shown one by one, unless all are */

static void percent(const mpq_t q, bool sign, int width, FILE *out)
{
    char buf[64], text[80];

    EXACT_Q(hundred);
    mpq_set_ui(hundred, 100, 1);
    mpq_mul(hundred, hundred, q);
    exact_fixed(buf, sizeof buf, hundred, 1);
    snprintf(text, sizeof text, "%s%s", sign && mpq_sgn(q) > 0 ? "+" : "", buf);
    fprintf(out, "%*s", width, text);
}

static void number(const mpq_t q, int width, FILE *out)
{
    char buf[256];

    fprintf(out, "%*s", width, exact_decimal(buf, sizeof buf, q, 4));
}

static void summary(const struct validate_result *v, FILE *out)
{
    fprintf(out, "%-40s%7s%10s%8s%8s%8s%9s\n", "error of predictions", "rows", "median %", "mean %",
            "worst %", "bias %", "hits");
    for (size_t i = 0; i < v->n_classes; i++) {
        const struct validate_class *c = &v->class[i];
        char hits[32] = "-";
        text_column(c->name, 40, out);
        fprintf(out, "%7zu", c->n);
        if (report_validate_has_errors(c)) {
            percent(c->median, false, 10, out);
            percent(c->mean, false, 8, out);
            percent(c->worst, true, 8, out);
            percent(c->bias, true, 8, out);
        } else {
            fprintf(out, "%10s%8s%8s%8s", "-", "-", "-", "-");
        }
        if (c->with_tolerance || c->claims)
            snprintf(hits, sizeof hits, "%zu", c->hits + c->held);
        fprintf(out, "%9s\n", hits);
    }
}

static void head(const char *title, FILE *out)
{
    putc('\n', out);
    text_column(title, 64, out);
    fprintf(out, "%10s%10s %-6s%8s  %s\n", "predicted", "measured", "unit", "error %", "source");
}

static void name(const struct validate_row *r, FILE *out)
{
    char text[512];

    snprintf(text, sizeof text, "%s, %s: %s", r->machine, r->what, r->metric);
    fputs("  ", out);
    text_column(text, 62, out);
}

static void checked(const struct validate_row *r, FILE *out)
{
    name(r, out);
    number(r->predicted, 10, out);
    number(r->measured, 10, out);
    fprintf(out, " %-6s", r->unit);
    percent(r->error, true, 8, out);
    fprintf(out, "  %s%s%s%s\n", r->source, *r->note ? ", " : "", r->note,
            report_validate_hit(r) ? "" : ", MISS");
}

/* Classes of few rows whole, of many the misses alone. */
static void class_rows(const struct validate_result *v, const struct validate_class *c, bool all,
                       FILE *out)
{
    char title[160];
    bool whole = all || c->n <= FEW, begun = false;

    for (size_t i = 0; i < v->n_rows; i++) {
        const struct validate_row *r = &v->row[i];
        if (r->status != VALIDATE_CHECKED || strcmp(r->class, c->name) != 0 ||
            (!whole && report_validate_hit(r)))
            continue;
        if (!begun) {
            snprintf(title, sizeof title, "%.100s%s", c->name, whole ? "" : ": misses");
            head(title, out);
        }
        begun = true;
        checked(r, out);
    }
}

/* Words are not cut: a line says what is claimed, the next what is predicted. */
static void claim(const struct validate_row *r, FILE *out)
{
    fprintf(out, "  %-5s%s [%s]\n", r->holds ? "yes" : "MISS", r->claim, r->source);
    fprintf(out, "       %s, %s: %s %s\n", r->machine, r->what, r->metric, r->answer);
}

/* One question after the other, each with all its answers. */
static void question(const struct validate_row *r, const char **asked, FILE *out)
{
    if (!*asked || strcmp(*asked, r->claim) != 0)
        fprintf(out, "  %s [%s]\n", r->claim, r->source);
    *asked = r->claim;
    fprintf(out, "       %s, %s: %s %s\n", r->machine, r->what, r->metric, r->answer);
}

static void words(const struct validate_result *v, const struct validate_class *c, FILE *out)
{
    const char *asked = NULL;

    if (c->claims + c->asked > 0)
        fprintf(out, "\n%s\n", c->name);
    for (size_t i = 0; i < v->n_rows; i++) {
        const struct validate_row *r = &v->row[i];
        if (strcmp(r->class, c->name) != 0)
            continue;
        if (r->status == VALIDATE_CLAIM)
            claim(r, out);
        else if (r->status == VALIDATE_ASKED)
            question(r, &asked, out);
    }
}

static void others(const struct validate_result *v, enum validate_status status, const char *title,
                   FILE *out)
{
    bool begun = false;

    for (size_t i = 0; i < v->n_rows; i++) {
        const struct validate_row *r = &v->row[i];
        if (r->status != status)
            continue;
        if (!begun)
            fprintf(out, "\n%-64s%10s%10s %-6s %s\n", title, "", "measured", "unit", "source, why");
        begun = true;
        name(r, out);
        fprintf(out, "%10s", "");
        number(r->measured, 10, out);
        fprintf(out, " %-6s %s, %s\n", r->unit, r->source, r->note);
    }
}

void report_validate_text(const struct validate_result *v, bool all, FILE *out)
{
    summary(v, out);
    fputs("hits: rows within the error that their table asks for, and claims that hold; the others "
          "are listed as MISS\n",
          out);
    for (size_t i = 0; i < v->n_classes; i++)
        class_rows(v, &v->class[i], all, out);
    for (size_t i = 0; i < v->n_classes; i++)
        words(v, &v->class[i], out);
    others(v, VALIDATE_FAILED, "could not be predicted", out);
    others(v, VALIDATE_EXCLUDED, "left out", out);
    others(v, VALIDATE_LATER, "not modelled yet", out);
}
