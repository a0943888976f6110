#include "report/html/profile_page.h"

#include <stdlib.h>

#include "base/exact.h"
#include "base/json_write.h"
#include "base/memory.h"
#include "report/html/html_page.h"
#include "report/profile_report.h"

#define PS_PER_US UINT64_C(1000000)

static void write_classes(struct json_write *w, const struct profiled *p)
{
    json_write_object(w, "classes", JSON_LAYOUT_COMPACT);
    for (unsigned c = 0; c < PROFILED_N_CLASSES; c++) {
        json_write_array(w, profiled_class_key[c], JSON_LAYOUT_COMPACT);
        json_write_string(w, NULL, profiled_class_label(p, c));
        json_write_string(w, NULL, profiled_class_text[c]);
        json_write_close(w);
    }
    json_write_close(w);
}

static void write_microseconds(struct json_write *w, uint64_t ps)
{
    EXACT_Q(q);

    exact_ratio(q, ps, PS_PER_US);
    json_write_decimal(w, NULL, q, true);
}

/* The run that stands for the program. */
static void write_measured(struct json_write *w, const struct profiled *p)
{
    const struct profile *f = p->profile;
    uint32_t *number = memory_zeroed(f->n_kernels, sizeof *number), n = 0;

    json_write_object(w, "measured", JSON_LAYOUT_COMPACT);
    json_write_array(w, "names", JSON_LAYOUT_COMPACT);
    for (size_t i = 0; i < f->n_kernels; i++) {
        if (f->kernel[i].program != p->program)
            continue;
        json_write_string(w, NULL, f->kernel[i].name);
        number[i] = n++;
    }
    json_write_close(w);
    json_write_array(w, "spans", JSON_LAYOUT_COMPACT);
    for (size_t i = 0; i < f->n_events; i++) {
        const struct profile_event *e = &f->event[i];
        const struct profile_kernel *k = &f->kernel[e->kernel];
        if (k->program != p->program || k->asynchronous || k->container)
            continue;
        json_write_array(w, NULL, JSON_LAYOUT_COMPACT);
        write_microseconds(w, e->begin);
        write_microseconds(w, e->length);
        json_write_integer(w, NULL, number[e->kernel]);
        json_write_close(w);
    }
    json_write_close(w);
    json_write_close(w);
    free(number);
}

void profile_page(const struct profiled *p, const struct calibration *c, const struct lanes *lanes,
                  FILE *out)
{
    struct memory_text data;
    struct json_write w;

    memory_text_begin(&data);
    json_write_begin(&w, data.out);
    json_write_object(&w, NULL, JSON_LAYOUT_COMPACT);
    report_profile_json(p, c, json_write_value(&w, "report"));
    write_classes(&w, p);
    if (lanes)
        lanes_json(lanes, json_write_value(&w, "predicted"));
    else
        json_write_null(&w, "predicted");
    write_measured(&w, p);
    json_write_close(&w);
    putc('\n', data.out);
    char *text = memory_text_end(&data);
    html_profile(text, out);
    free(text);
}
