/* The contents of a trace as JSON. */
#include "base/json_write.h"
#include "report/inventory_report.h"
#include "traces/resize.h"

static void write_header(struct json_write *w, const struct trace_header *h)
{
    json_write_string(w, "workload", h->workload);
    if (h->samples_unknown)
        json_write_null(w, "samples_per_step");
    else
        json_write_integer(w, "samples_per_step", h->samples_per_step);
    if (h->samples_per_epoch > 0)
        json_write_integer(w, "samples_per_epoch", h->samples_per_epoch);
    else
        json_write_null(w, "samples_per_epoch");
    json_write_object(w, "dtype", JSON_LAYOUT_LINE);
    json_write_string(w, "tensors", trace_dtype_name[h->tensors]);
    json_write_string(w, "matmul", trace_dtype_name[h->matmul]);
    json_write_string(w, "activations", trace_activations_name[h->activations]);
    json_write_close(w);
    if (h->framework != TRACE_UNSTATED)
        json_write_string(w, "framework", trace_framework_name[h->framework]);
    json_write_object(w, "params", JSON_LAYOUT_LINE);
    for (uint32_t i = 0; i < h->n_params; i++)
        json_write_string(w, h->param[i].key, h->param[i].value);
    json_write_close(w);
    if (h->n_padding) {
        json_write_array(w, "padding", JSON_LAYOUT_LINE);
        for (uint32_t i = 0; i < h->n_padding; i++) {
            json_write_object(w, NULL, JSON_LAYOUT_LINE);
            json_write_string(w, "name", h->padding[i].name);
            json_write_integer(w, "real", h->padding[i].real);
            json_write_integer(w, "padded", h->padding[i].padded);
            json_write_close(w);
        }
        json_write_close(w);
    }
    if (h->cores || resize_cores(h)) {
        json_write_integer(w, "written_for_cores", h->cores ? h->cores : resize_cores(h));
        json_write_bool(w, "derived_for_others", h->cores == 0);
    }
    json_write_string(w, "provenance", h->provenance);
}

static void write_totals(struct json_write *w, const struct trace_totals *s)
{
    json_write_object(w, "totals", JSON_LAYOUT_LINE);
    json_write_integer(w, "steps", s->steps);
    json_write_integer(w, "ops", s->ops);
    json_write_integer(w, "ops_written", s->ops_written);
    json_write_integer(w, "fusions", s->fusions);
    json_write_whole(w, "flops", s->flops);
    json_write_whole(w, "reads", s->reads);
    json_write_whole(w, "writes", s->writes);
    json_write_whole(w, "collective_bytes", s->reduce_bytes);
    json_write_whole(w, "infeed_bytes", s->infeed_bytes);
    json_write_whole(w, "outfeed_bytes", s->outfeed_bytes);
    json_write_whole(w, "parameters", s->parameters);
    json_write_whole(w, "weight_bytes", s->weight_bytes);
    json_write_whole(w, "state_bytes", s->state_bytes);
    json_write_whole(w, "input_bytes", s->input_bytes);
    json_write_close(w);
}

static void write_phase(struct json_write *w, const struct inventory_phase *p)
{
    json_write_object(w, NULL, JSON_LAYOUT_LINE);
    json_write_string(w, "name", p->name);
    json_write_integer(w, "ops", p->ops);
    json_write_whole(w, "flops", p->flops);
    json_write_whole(w, "bytes", p->bytes);
    json_write_close(w);
}

void report_inventory_json(const struct inventory *v, const struct trace *t, FILE *out)
{
    struct json_write w;

    json_write_begin(&w, out);
    json_write_object(&w, NULL, JSON_LAYOUT_LINES);
    json_write_string(&w, "trace", trace_file(t));
    write_header(&w, trace_head(t));
    json_write_checksum(&w, "checksum", v->checksum);
    write_totals(&w, &v->totals);
    json_write_array(&w, "phases", JSON_LAYOUT_LINES);
    for (size_t i = 0; i < v->n_phases; i++)
        write_phase(&w, &v->phases[i]);
    json_write_close(&w);
    json_write_close(&w);
    putc('\n', out);
}
