/* cyclotron_result.c - replays of the library and what they found out. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "api/cyclotron_impl.h"
#include "base/memory.h"
#include "base/text_guard.h"
#include "report/html/html_page.h"
#include "report/run_report.h"

#define MOST_STEPS UINT64_C(1000000000)

struct cyclotron_result {
    struct run_result run;
    struct lanes *lanes; /* NULL: not recorded */
};

/* --- replays -------------------------------------------------------------------------------- */

/* The caller's options in the layout of this library: what his header does not know is zero. */
static int read_options(struct cyclotron_options *o, const struct cyclotron_options *given,
                        struct err *err)
{
    const struct cyclotron_options usual = CYCLOTRON_OPTIONS;

    *o = usual;
    if (!given)
        return 0;
    if (given->size < sizeof given->size || given->size > 4096)
        return err_set(err, ERR_RANGE,
                       "options: size = %zu: expected sizeof(struct "
                       "cyclotron_options), %zu here",
                       given->size, sizeof usual);
    size_t known = given->size < sizeof *o ? given->size : sizeof *o;
    memset(o, 0, sizeof *o);
    memcpy(o, given, known);
    for (size_t i = known; i < given->size; i++)
        if (((const unsigned char *)given)[i])
            return err_set(err, ERR_RANGE,
                           "options: size = %zu: this library, %s, knows %zu bytes of them",
                           given->size, cyclotron_version(), sizeof usual);
    if (o->steps < 1 || o->steps > MOST_STEPS)
        return err_set(err, ERR_RANGE, "options: steps = %" PRIu64 ": outside [1, %" PRIu64 "]",
                       o->steps, MOST_STEPS);
    if (o->epochs > MOST_STEPS)
        return err_set(err, ERR_RANGE, "options: epochs = %" PRIu64 ": outside [0, %" PRIu64 "]",
                       o->epochs, MOST_STEPS);
    return 0;
}

static int run_program(struct cyclotron_result *r, const struct cyclotron_program *p,
                       const struct cyclotron_machine *m, const struct cyclotron_options *o,
                       struct err *err)
{
    struct run_observer observer;
    struct run_request q = {
        .trace = p->name,
        .text = p->bytes,
        .text_size = p->size,
        .machine = m->name,
        .spec = m->spec,
        .steps = o->steps,
        .epochs = o->epochs,
        .exact = o->exact != 0,
        .retile = o->retile != 0,
        .allow_unknown = p->allow_unknown,
        .progress = o->progress,
        .progress_self = o->progress_self,
        .stop = o->stop,
        .stop_self = o->stop_self,
    };

    if (o->lanes) {
        r->lanes = lanes_new_page();
        observer = lanes_observer(r->lanes);
        q.observer = &observer;
        q.n_observers = 1;
    }
    return run_replay(&q, &r->run, err);
}

struct cyclotron_result *cyclotron_replay(const struct cyclotron_program *program,
                                          const struct cyclotron_machine *machine,
                                          const struct cyclotron_options *options,
                                          struct cyclotron_error *error)
{
    struct cyclotron_options o;
    struct err err;

    if (read_options(&o, options, &err) != 0) {
        cyclotron_error_set(error, &err);
        return NULL;
    }
    struct cyclotron_result *r = memory_zeroed(1, sizeof *r);
    if (run_program(r, program, machine, &o, &err) == 0)
        return r;
    cyclotron_error_set(error, &err);
    lanes_free(r->lanes);
    free(r);
    return NULL;
}

void cyclotron_result_free(struct cyclotron_result *result)
{
    if (!result)
        return;
    run_result_free(&result->run);
    lanes_free(result->lanes);
    free(result);
}

/* --- figures -------------------------------------------------------------------------------- */

void cyclotron_value_pass(void *self, const char *path, const struct result_value *v)
{
    const struct cyclotron_caller *c = self;
    struct cyclotron_value to = { .path = path, .unit = v->unit ? v->unit : "" };
    char sum[17];

    if (!v->known || v->kind == RESULT_NOTHING) {
        to.kind = CYCLOTRON_NONE;
    } else if (v->kind == RESULT_TEXT) {
        to.kind = CYCLOTRON_STRING;
        to.text = v->text;
    } else if (v->kind == RESULT_CHECKSUM) {
        snprintf(sum, sizeof sum, "%016" PRIx64, v->integer);
        to.kind = CYCLOTRON_STRING;
        to.text = sum;
    } else if (v->kind == RESULT_FLAG) {
        to.kind = CYCLOTRON_FLAG;
        to.number = v->flag;
    } else {
        to.kind = CYCLOTRON_NUMBER;
        to.number = result_double(v);
    }
    c->visit(c->self, &to);
}

void cyclotron_result_visit(const struct cyclotron_result *result, cyclotron_visit *visit,
                            void *self)
{
    struct cyclotron_caller c = { visit, self };

    result_visit_paths(&result->run, cyclotron_value_pass, &c);
}

struct wanted {
    const char *path, *unit;
    bool found, is_number;
    double number;
    char *text; /* a copy */
};

static void take_wanted(void *self, const struct cyclotron_value *v)
{
    struct wanted *w = self;

    if (w->found || strcmp(v->path, w->path) != 0)
        return;
    w->found = true;
    w->unit = v->unit;
    w->is_number = v->kind == CYCLOTRON_NUMBER || v->kind == CYCLOTRON_FLAG;
    w->number = v->number;
    w->text = memory_copy(v->text);
}

int cyclotron_result_number(const struct cyclotron_result *result, const char *path, double *value,
                            const char **unit)
{
    struct wanted w = { .path = path };

    cyclotron_result_visit(result, take_wanted, &w);
    free(w.text);
    if (!w.is_number)
        return -1;
    *value = w.number;
    if (unit)
        *unit = w.unit;
    return 0;
}

char *cyclotron_result_string(const struct cyclotron_result *result, const char *path)
{
    struct wanted w = { .path = path };

    cyclotron_result_visit(result, take_wanted, &w);
    return w.text;
}

/* --- rows and reports ----------------------------------------------------------------------- */

static const struct run_row *find_rows(const struct run_result *r, enum cyclotron_rows rows,
                                       size_t *n)
{
    switch (rows) {
    case CYCLOTRON_PHASES: *n = r->n_phases; return r->phases;
    case CYCLOTRON_OPERATIONS: *n = r->n_ops; return r->ops;
    case CYCLOTRON_LAYERS: *n = r->n_layers; return r->layers;
    case CYCLOTRON_SCOPES: *n = r->n_scopes; return r->scopes;
    case CYCLOTRON_SOURCES: *n = r->n_sources; return r->sources;
    }
    *n = 0;
    return NULL;
}

size_t cyclotron_result_rows(const struct cyclotron_result *result, enum cyclotron_rows rows)
{
    size_t n;

    find_rows(&result->run, rows, &n);
    return n;
}

int cyclotron_result_visit_row(const struct cyclotron_result *result, enum cyclotron_rows rows,
                               size_t i, cyclotron_visit *visit, void *self)
{
    struct cyclotron_caller c = { visit, self };
    size_t n;
    const struct run_row *row = find_rows(&result->run, rows, &n);

    if (i >= n)
        return -1;
    result_visit_row_paths(&row[i], cyclotron_value_pass, &c);
    return 0;
}

char *cyclotron_result_report(const struct cyclotron_result *result, enum cyclotron_report report)
{
    const struct run_result *r = &result->run;
    struct memory_text t;
    struct text_guard guard;
    FILE *shown;

    if (report > CYCLOTRON_HTML)
        return NULL;
    memory_text_begin(&t);
    switch (report) {
    case CYCLOTRON_TEXT:
        shown = text_guard_open(&guard, t.out);
        report_text(r, shown);
        fclose(shown);
        break;
    case CYCLOTRON_JSON: report_json(r, t.out); break;
    case CYCLOTRON_CSV: report_csv(r, t.out); break;
    case CYCLOTRON_HTML: html_report(r, result->lanes, t.out); break;
    }
    return memory_text_end(&t);
}
