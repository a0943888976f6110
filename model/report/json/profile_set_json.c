/* A folder of programs with profiles of them, as JSON. */
#include "base/json_write.h"
#include "report/profile_set_report.h"

static void write_step(struct json_write *w, const struct profile_set_pair *p)
{
    json_write_object(w, "step", JSON_LAYOUT_LINE);
    json_write_decimal(w, "predicted_seconds", p->step.predicted, true);
    json_write_decimal(w, "measured_seconds", p->step.measured, true);
    json_write_bool(w, "kernels_alone", !p->step_known);
    json_write_close(w);
}

static void write_pair(struct json_write *w, const struct profile_set_pair *p)
{
    json_write_object(w, NULL, JSON_LAYOUT_LINE);
    json_write_string(w, "name", p->name);
    json_write_string(w, "program", p->program);
    json_write_string(w, "profile", p->profile);
    json_write_string(w, "format", p->format);
    json_write_string(w, "machine", p->machine);
    json_write_string(w, "generation", p->generation);
    json_write_string(w, "use", profile_set_use_name[p->use]);
    json_write_integer(w, "steps", p->steps);
    write_step(w, p);
    json_write_integer(w, "kernels", p->n_pairs);
    json_write_integer(w, "only_predicted", p->n_only_predicted);
    json_write_integer(w, "only_measured", p->n_only_measured);
    json_write_decimal(w, "paired_share", p->paired_share, true);
    json_write_decimal(w, "weighted_error", p->error, true);
    json_write_close(w);
}

static void write_group(struct json_write *w, const struct profile_set_group *g)
{
    const struct validate_errors *e = &g->errors;
    bool all = g->class == PROFILED_IDLE;

    json_write_object(w, NULL, JSON_LAYOUT_LINE);
    json_write_string(w, "generation", g->generation);
    json_write_string(w, "use", profile_set_use_name[g->use]);
    json_write_string(w, "class", all ? "all" : profiled_class_key[g->class]);
    json_write_string(w, "limit", profile_set_regime_name[g->regime]);
    json_write_string(w, "unit", "ratio");
    json_write_integer(w, "kernels", e->n);
    json_write_decimal(w, "mean", e->mean, true);
    json_write_decimal(w, "median", e->median, true);
    json_write_decimal(w, "p90", e->p90, true);
    json_write_decimal(w, "bias", e->bias, true);
    json_write_decimal(w, "worst", e->worst, true);
    json_write_decimal(w, "weighted_error", g->weighted, true);
    json_write_close(w);
}

static void write_rank(struct json_write *w, const struct profile_set_rank *r)
{
    const struct profile_set_kernel *k = r->kernel;

    json_write_object(w, NULL, JSON_LAYOUT_LINE);
    json_write_string(w, "name", k->name);
    json_write_string(w, "pair", r->pair->name);
    json_write_string(w, "class", profiled_class_key[k->class]);
    json_write_string(w, "limit", profile_set_regime_name[k->regime]);
    json_write_integer(w, "count", k->count);
    json_write_decimal(w, "predicted_seconds", k->predicted, true);
    json_write_decimal(w, "measured_seconds", k->measured, true);
    json_write_decimal(w, "estimated_seconds", k->estimated, mpq_sgn(k->estimated) > 0);
    json_write_decimal(w, "error", k->error, true);
    json_write_decimal(w, "share_of_step", r->share, true);
    json_write_close(w);
}

static void write_failed(struct json_write *w, const struct profile_set_pair *p)
{
    json_write_object(w, NULL, JSON_LAYOUT_LINE);
    json_write_string(w, "name", p->name);
    json_write_string(w, "program", p->program);
    json_write_string(w, "profile", p->profile);
    json_write_string(w, "reason", p->reason);
    json_write_close(w);
}

void report_profile_set_json(const struct profile_set *s, size_t rows, FILE *out)
{
    struct json_write w;

    json_write_begin(&w, out);
    json_write_object(&w, NULL, JSON_LAYOUT_LINES);
    json_write_string(&w, "folder", s->folder);
    json_write_array(&w, "pairs", JSON_LAYOUT_LINES);
    for (size_t i = 0; i < s->n_pairs; i++)
        if (!s->pair[i].reason)
            write_pair(&w, &s->pair[i]);
    json_write_close(&w);
    json_write_array(&w, "groups", JSON_LAYOUT_LINES);
    for (size_t i = 0; i < s->n_groups; i++)
        write_group(&w, &s->group[i]);
    json_write_close(&w);
    json_write_array(&w, "kernels", JSON_LAYOUT_LINES);
    for (size_t i = 0; i < s->n_ranks && i < rows; i++)
        write_rank(&w, &s->rank[i]);
    json_write_close(&w);
    json_write_array(&w, "failed", JSON_LAYOUT_LINES);
    for (size_t i = 0; i < s->n_pairs; i++)
        if (s->pair[i].reason)
            write_failed(&w, &s->pair[i]);
    json_write_close(&w);
    json_write_close(&w);
    putc('\n', out);
}
