/* A measured step beside its prediction, as JSON. */
#include <math.h>

#include "base/exact.h"
#include "base/json_write.h"
#include "report/json/result_json.h"
#include "report/profile_report.h"

static const char *const how[] = {
    [PAIRING_NONE] = NULL, [PAIRING_NAME] = "name", [PAIRING_SHAPE] = "shape"
};

static void write_pair(struct json_write *w, const char *key, const struct profiled_pair *x)
{
    json_write_object(w, key, JSON_LAYOUT_LINE);
    json_write_decimal(w, "predicted_seconds", x->predicted, true);
    json_write_decimal(w, "measured_seconds", x->measured, true);
    json_write_close(w);
}

static void write_kernel(struct json_write *w, const struct profiled_kernel *k)
{
    json_write_object(w, NULL, JSON_LAYOUT_LINE);
    json_write_string(w, "name", k->name);
    json_write_string(w, "measured_name", k->measured_name);
    json_write_string(w, "matched_by", how[k->how]);
    json_write_string(w, "class", profiled_class_key[k->class]);
    json_write_integer(w, "count", k->count);
    json_write_integer(w, "occurrences", k->occurrences);
    json_write_decimal(w, "predicted_seconds", k->predicted, true);
    json_write_decimal(w, "measured_seconds", k->measured, true);
    json_write_decimal(w, "estimated_seconds", k->estimated, mpq_sgn(k->estimated) > 0);
    json_write_string(w, "scope", k->scope);
    json_write_string(w, "source", k->source);
    json_write_close(w);
}

static void write_unmatched(struct json_write *w, const struct profiled *p,
                            const struct profiled_kernel *k)
{
    bool predicted = k->kernel == UINT32_MAX;
    const struct profiled_pair *step = &p->step;
    EXACT_Q(share);

    mpq_srcptr seconds = predicted ? k->predicted : k->measured;
    mpq_srcptr all = predicted ? step->predicted : step->measured;
    bool known = mpq_sgn(all) > 0;
    if (known)
        mpq_div(share, seconds, all);
    json_write_object(w, NULL, JSON_LAYOUT_LINE);
    json_write_string(w, "name", predicted ? k->name : k->measured_name);
    json_write_string(w, "side", predicted ? "predicted" : "measured");
    json_write_string(w, "class", profiled_class_key[k->class]);
    json_write_integer(w, "count", k->count);
    json_write_decimal(w, "seconds", seconds, true);
    json_write_decimal(w, "share_of_step", share, known);
    json_write_close(w);
}

static void write_double(struct json_write *w, const char *key, double value)
{
    EXACT_Q(q);
    bool known = isfinite(value);

    if (known)
        mpq_set_d(q, value);
    json_write_decimal(w, key, q, known);
}

static void write_calibration(struct json_write *w, const struct calibration *c)
{
    json_write_object(w, "calibration", JSON_LAYOUT_LINES);
    json_write_array(w, "constants", JSON_LAYOUT_LINES);
    for (unsigned i = 0; i < CALIBRATION_N; i++) {
        const struct calibration_constant *k = &c->constant[i];
        json_write_object(w, NULL, JSON_LAYOUT_LINE);
        json_write_string(w, "key", k->key);
        json_write_string(w, "before", k->before);
        json_write_string(w, "after", k->after);
        json_write_bool(w, "changed", k->changed);
        write_double(w, "standard_error", k->error > 0 ? k->error : (double)NAN);
        json_write_string(w, "left_alone", k->why);
        json_write_close(w);
    }
    json_write_close(w);
    const struct calibration_half *half[] = { &c->fitted, &c->held };
    for (int i = 0; i < 2; i++) {
        json_write_object(w, i ? "held_out" : "fitted_on", JSON_LAYOUT_LINE);
        json_write_integer(w, "kernels", half[i]->kernels);
        write_double(w, "weighted_error_before", half[i]->before);
        write_double(w, "weighted_error_after", half[i]->after);
        json_write_close(w);
    }
    json_write_close(w);
}

void report_profile_json(const struct profiled *p, const struct calibration *c, FILE *out)
{
    struct json_write w;
    size_t by_name;

    json_write_begin(&w, out);
    json_write_object(&w, NULL, JSON_LAYOUT_LINES);
    json_write_string(&w, "machine", p->run.machine);
    json_write_string(&w, "program", p->run.trace);
    json_write_string(&w, "profile", p->profile->path);
    json_write_string(&w, "format", p->profile->format);
    json_write_integer(&w, "steps_measured", p->steps);
    json_write_object(&w, "step", JSON_LAYOUT_LINES);
    json_write_decimal(&w, "predicted_seconds", p->step.predicted, true);
    json_write_decimal(&w, "measured_seconds", p->step.measured, true);
    json_write_bool(&w, "measured_is_sum_of_kernels", !p->step_known);
    json_write_decimal(&w, "predicted_kernel_seconds", p->in_kernels.predicted, true);
    json_write_decimal(&w, "measured_kernel_seconds", p->in_kernels.measured, true);
    json_write_close(&w);
    json_write_decimal(&w, "weighted_error", p->error, true);
    EXACT_Q(waits);
    profiled_host_wait(waits, p);
    json_write_decimal(&w, "host_wait_seconds", waits, mpq_sgn(waits) > 0);
    json_write_decimal(&w, "weighted_error_matched", p->paired_error, true);
    json_write_decimal(&w, "matched_share", p->paired_share, true);
    json_write_bool(&w, "doubtful", profiled_is_doubtful(p, &by_name));
    const struct result_visitor v = result_json_visitor(&w);
    result_visit_account_sums(&v, &p->run.account);
    json_write_object(&w, "classes", JSON_LAYOUT_LINES);
    for (unsigned i = 0; i < PROFILED_N_CLASSES; i++)
        write_pair(&w, profiled_class_key[i], &p->class[i]);
    json_write_close(&w);
    json_write_array(&w, "kernels", JSON_LAYOUT_LINES);
    for (size_t i = 0; i < p->n_kernels; i++)
        if (p->kernel[i].how != PAIRING_NONE)
            write_kernel(&w, &p->kernel[i]);
    json_write_close(&w);
    json_write_array(&w, "unmatched", JSON_LAYOUT_LINES);
    for (size_t i = 0; i < p->n_kernels; i++)
        if (p->kernel[i].how == PAIRING_NONE &&
            (mpq_sgn(p->kernel[i].predicted) > 0 || mpq_sgn(p->kernel[i].measured) > 0))
            write_unmatched(&w, p, &p->kernel[i]);
    json_write_close(&w);
    if (c)
        write_calibration(&w, c);
    json_write_close(&w);
    putc('\n', out);
}
