/* Errors of measured kernels taken apart, as JSON. */
#include "report/json/validate_json.h"

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

void validate_json_detail(struct json_write *w, const struct validate_detail *d)
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
