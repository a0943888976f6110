#include "import/import_trace.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "import/kineto/kineto_job.h"
#include "trace/file/foreign.h"

static int fail_format(const struct import_request *q, struct err *err)
{
    static const char trace[] = "cyclotron-trace ", zstd[] = "\x28\xb5\x2f\xfd";
    char names[160];

    if ((q->size >= sizeof trace - 1 && memcmp(q->data, trace, sizeof trace - 1) == 0) ||
        (q->size >= 4 && memcmp(q->data, zstd, 4) == 0))
        return err_set(err, ERR_FORMAT,
                       "%.200s: this is a trace already, or packed by zstd: `cyclotron trace cat` "
                       "reads it",
                       q->name);
    if (q->size >= 2 && memcmp(q->data, "\x1f\x8b", 2) == 0)
        return err_set(err, ERR_FORMAT, "%.200s: gzip data, expected what `zcat` makes of it",
                       q->name);
    if (foreign_refuse_program(q->name, q->data, q->size, err) != 0)
        return -1;
    import_reader_names(names, sizeof names);
    return err_set(err, ERR_FORMAT,
                   "%.200s: no format that is known by its first bytes, expected %s", q->name,
                   names);
}

/* The text that a reader wrote has to be a trace. */
static int check_text(const struct import_request *q, const char *text, size_t size,
                      struct trace_totals *totals, struct err *err)
{
    char *name = memory_format("%.200s as a trace", q->name);
    struct trace *t;
    int rc = trace_open_memory(&t, name, text, size, q->allow_unknown, err);

    if (rc == 0)
        rc = trace_sum(t, totals, err);
    trace_close(t);
    free(name);
    return rc;
}

int import_trace(const struct import_request *q, struct import_result *result,
                 struct trace_totals *totals, FILE *out, struct err *err)
{
    const struct import_reader *reader = import_reader_of(q->data, q->size);
    struct memory_text body;

    *result = (struct import_result){ .uncovered = 0 };
    if (!reader)
        return fail_format(q, err);
    if (q->module && !reader->modules)
        return err_set(err, ERR_UNKNOWN, "%.200s: module %.80s: %s has no modules", q->name,
                       q->module, reader->name);
    memory_text_begin(&body);
    int rc = reader->read(q, result, body.out, err);
    char *text = memory_text_end(&body);
    if (rc == 0)
        rc = check_text(q, text, body.size, totals, err);
    if (rc == 0 && fwrite(text, 1, body.size, out) != body.size)
        rc = err_set(err, ERR_IO, "cannot write: %s", strerror(errno));
    free(text);
    return rc;
}

int import_ranks(const char *const *path, size_t n, size_t *chosen, char *notes, size_t size,
                 struct err *err)
{
    struct kineto_job job;

    if (kineto_job_read(&job, path, n, err) != 0)
        return -1;
    *chosen = job.chosen;
    snprintf(notes, size, "%s", job.notes);
    return 0;
}
