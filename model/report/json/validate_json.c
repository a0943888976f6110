/* Predictions beside published figures as JSON. */
#include "base/json_write.h"
#include "report/validate_report.h"

static const char *const status_name[] = {
    [VALIDATE_CHECKED] = "checked",   [VALIDATE_FAILED] = "failed",
    [VALIDATE_EXCLUDED] = "left out", [VALIDATE_LATER] = "not modelled",
    [VALIDATE_CLAIM] = "claim",       [VALIDATE_ASKED] = "asked",
};

static void write_words(struct json_write *w, const struct validate_row *r)
{
    json_write_string(w, "class", r->class);
    json_write_string(w, "machine", r->machine);
    json_write_string(w, "what", r->what);
    json_write_string(w, "metric", r->metric);
    json_write_string(w, "unit", r->unit);
    json_write_string(w, "status", status_name[r->status]);
    json_write_string(w, "note", r->note);
    json_write_string(w, "source", r->source);
    json_write_string(w, "claim", r->claim);
    json_write_string(w, "relation", r->relation);
    json_write_string(w, "answer", r->answer);
}

static void write_row(struct json_write *w, const struct validate_row *r)
{
    bool checked = r->status == VALIDATE_CHECKED, says = r->status == VALIDATE_CLAIM;
    bool known = checked || (*r->answer && mpq_sgn(r->predicted) != 0);

    json_write_object(w, NULL, JSON_LAYOUT_LINE);
    write_words(w, r);
    json_write_decimal(w, "measured", r->measured, mpq_sgn(r->measured) != 0);
    json_write_decimal(w, "predicted", r->predicted, known);
    json_write_decimal(w, "error", r->error, checked);
    json_write_decimal(w, "tolerance", r->tolerance, mpq_sgn(r->tolerance) != 0);
    if (checked || says)
        json_write_bool(w, "hit", says ? r->holds : report_validate_hit(r));
    else
        json_write_null(w, "hit");
    json_write_close(w);
}

static void write_class(struct json_write *w, const struct validate_class *c)
{
    bool known = report_validate_has_errors(c);

    json_write_object(w, NULL, JSON_LAYOUT_LINE);
    json_write_string(w, "class", c->name);
    json_write_integer(w, "rows", c->n);
    json_write_integer(w, "hits", c->hits);
    json_write_integer(w, "with_tolerance", c->with_tolerance);
    json_write_integer(w, "claims", c->claims);
    json_write_integer(w, "claims_that_hold", c->held);
    json_write_string(w, "unit", "ratio");
    json_write_decimal(w, "median", c->median, known);
    json_write_decimal(w, "mean", c->mean, known);
    json_write_decimal(w, "worst", c->worst, known);
    json_write_decimal(w, "bias", c->bias, known);
    json_write_close(w);
}

/* --- errors of measured kernels taken apart ----------------------------------------------------
 */

static void write_errors(struct json_write *w, const char *name, const struct validate_errors *e)
{
    bool known = e->n > 0;

    json_write_object(w, name, JSON_LAYOUT_LINE);
    json_write_integer(w, "rows", e->n);
    json_write_decimal(w, "mean", e->mean, known);
    json_write_decimal(w, "median", e->median, known);
    json_write_decimal(w, "p90", e->p90, known);
    json_write_decimal(w, "bias", e->bias, known);
    json_write_decimal(w, "worst", e->worst, known);
    json_write_close(w);
}

static void write_group(struct json_write *w, const struct validate_group *g)
{
    json_write_object(w, NULL, JSON_LAYOUT_LINE);
    json_write_string(w, "generation", g->generation);
    json_write_string(w, "kind", g->op ? g->op : "all kinds");
    json_write_string(w, "limit", validate_regime_name[g->regime]);
    json_write_string(w, "unit", "ratio");
    write_errors(w, "fitted_on", &g->fitted);
    write_errors(w, "unseen", &g->unseen);
    write_errors(w, "fitted_on_estimate", &g->fitted_estimate);
    write_errors(w, "unseen_estimate", &g->unseen_estimate);
    json_write_close(w);
}

static void write_worst(struct json_write *w, const struct validate_row *r)
{
    json_write_object(w, NULL, JSON_LAYOUT_LINE);
    json_write_string(w, "generation", r->generation);
    json_write_string(w, "what", r->what);
    json_write_string(w, "unit", r->unit);
    json_write_decimal(w, "measured", r->measured, true);
    json_write_decimal(w, "predicted", r->predicted, true);
    json_write_decimal(w, "estimate", r->estimate, mpq_sgn(r->estimate) > 0);
    json_write_decimal(w, "error", r->error, true);
    json_write_string(w, "limit", validate_regime_name[r->regime]);
    json_write_string(w, "use", validate_use_name[r->use]);
    json_write_close(w);
}

static void write_detail(struct json_write *w, const struct validate_detail *d)
{
    json_write_object(w, "detail", JSON_LAYOUT_LINES);
    json_write_array(w, "groups", JSON_LAYOUT_LINES);
    for (size_t i = 0; i < d->n_groups; i++)
        write_group(w, &d->group[i]);
    json_write_close(w);
    json_write_array(w, "worst", JSON_LAYOUT_LINES);
    for (size_t i = 0; i < d->n_worst; i++)
        for (size_t k = 0; k < d->worst[i].n; k++)
            write_worst(w, d->worst[i].row[k]);
    json_write_close(w);
    json_write_array(w, "uses", JSON_LAYOUT_LINES);
    for (size_t i = 0; i < d->n_said; i++) {
        json_write_object(w, NULL, JSON_LAYOUT_LINE);
        json_write_string(w, "class", d->said[i].class);
        json_write_string(w, "use", d->said[i].use);
        json_write_string(w, "note", d->said[i].note);
        json_write_close(w);
    }
    json_write_close(w);
    json_write_close(w);
}

void report_validate_json(const struct validate_result *v, const struct validate_detail *detail,
                          FILE *out)
{
    struct json_write w;

    json_write_begin(&w, out);
    json_write_object(&w, NULL, JSON_LAYOUT_LINES);
    json_write_array(&w, "classes", JSON_LAYOUT_LINES);
    for (size_t i = 0; i < v->n_classes; i++)
        write_class(&w, &v->class[i]);
    json_write_close(&w);
    if (detail)
        write_detail(&w, detail);
    json_write_array(&w, "rows", JSON_LAYOUT_LINES);
    for (size_t i = 0; i < v->n_rows; i++)
        write_row(&w, &v->row[i]);
    json_write_close(&w);
    json_write_close(&w);
    putc('\n', out);
}
