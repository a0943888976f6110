/* A run as the report of a HEP workload, for HEPscore. */
#include "base/exact.h"
#include "base/json_write.h"
#include "base/memory.h"
#include "base/version.h"
#include "report/run_report.h"

#include <stdlib.h>

/* Compiled programs and traces of other tools have no workload. */
static const char *name_workload(const struct run_result *r)
{
    return r->workload && *r->workload ? r->workload : "step";
}

/* One score, which the model predicts: all statistics of it are itself. */
static void write_statistics(struct json_write *w, const struct run_result *r)
{
    static const char *const name[] = { "avg", "median", "min", "max" };
    bool known = !r->samples_unknown;

    json_write_object(w, name_workload(r), JSON_LAYOUT_LINE);
    for (size_t i = 0; i < sizeof name / sizeof *name; i++)
        json_write_decimal(w, name[i], r->samples_per_second, known);
    json_write_integer(w, "count", known);
    json_write_close(w);
}

static void write_report(struct json_write *w, const struct run_result *r)
{
    json_write_object(w, "report", JSON_LAYOUT_LINES);
    json_write_object(w, "wl-scores", JSON_LAYOUT_LINE);
    json_write_decimal(w, name_workload(r), r->samples_per_second, !r->samples_unknown);
    json_write_close(w);
    json_write_object(w, "wl-stats", JSON_LAYOUT_LINE);
    write_statistics(w, r);
    json_write_decimal(w, "seconds_per_epoch", r->seconds_per_epoch, r->has_epoch);
    json_write_decimal(w, "watts", r->power.watts, r->power.by_work);
    json_write_close(w);
    json_write_string(w, "log",
                      !r->fits                          ? "it does not fit the memory"
                      : r->samples_unknown              ? "nobody states the samples of a step"
                      : account_is_unknown(&r->account) ? "too much of the step is not known"
                                                        : "ok");
    json_write_close(w);
}

/* Beside what the standard asks for: how much of a step is not known, and the error to expect. */
static void write_prediction(struct json_write *w, const struct run_result *r)
{
    EXACT_Q(one);
    EXACT_Q(q);

    json_write_object(w, "prediction", JSON_LAYOUT_LINE);
    mpq_set_ui(one, 1, 1);
    account_known(q, &r->account);
    mpq_sub(q, one, q);
    json_write_decimal(w, "not_known", q, true);
    exact_ratio(q, r->expected.permille, 1000);
    json_write_decimal(w, "expected_error", q, r->expected.cases > 0);
    json_write_close(w);
}

void report_hepscore(const struct run_result *r, FILE *out)
{
    char *about = memory_format("samples a second on %s, predicted", r->machine);
    struct json_write w;

    json_write_begin(&w, out);
    json_write_object(&w, NULL, JSON_LAYOUT_LINES);
    json_write_object(&w, "run_info", JSON_LAYOUT_LINE);
    json_write_integer(&w, "copies", 1);
    json_write_integer(&w, "threads_per_copy", r->cores);
    json_write_integer(&w, "events_per_thread", r->cores ? r->samples_per_epoch / r->cores : 0);
    json_write_close(&w);
    write_report(&w, r);
    write_prediction(&w, r);
    json_write_object(&w, "app", JSON_LAYOUT_LINE);
    json_write_string(&w, "version", "cyclotron " CYCLOTRON_VERSION);
    json_write_string(&w, "description", about);
    json_write_close(&w);
    json_write_close(&w);
    putc('\n', out);
    free(about);
}
