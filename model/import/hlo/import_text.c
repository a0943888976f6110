/* import_text.c - a module as the text of a trace in memory, which the reader of traces has read.
 *
 * The importer knows the rules of traces as far as programs of XLA need them.  What it writes of a
 * text that is none of XLA may break one: then the line of the trace leads back to the instruction
 * that it was written for. */
#include <stdlib.h>
#include <string.h>

#include "import/hlo/import_impl.h"
#include "trace/trace.h"

#define NAME "trace"

/* The instruction for which the text at `at` was written; the root for lines of none. */
static const struct hlo_instruction *find_instruction(const struct hlo_module *m,
                                                      const struct import_places *p, off_t at)
{
    uint32_t lo = 0, hi = p->n;

    while (lo < hi) { /* the first place behind `at` */
        uint32_t mid = lo + (hi - lo) / 2;
        if (p->place[mid].at <= at)
            lo = mid + 1;
        else
            hi = mid;
    }
    return &m->instruction[lo ? p->place[lo - 1].instruction : m->computation[m->entry].root];
}

/* Where line `line` of the text begins. */
static off_t find_line(const char *text, uint64_t line)
{
    const char *at = text;

    while (line > 1 && (at = strchr(at, '\n')) != NULL) {
        at++;
        line--;
    }
    return at ? at - text : 0;
}

/* "trace:12:3: what" as an error of the module. */
static int fail_text(const struct hlo_module *m, const struct import_places *p, const char *text,
                     const struct err *why, struct err *err)
{
    const char *what = why->msg;
    uint64_t line = 0;

    if (strncmp(what, NAME ":", sizeof NAME) == 0) {
        char *end;
        line = strtoull(what + sizeof NAME, &end, 10);
        strtoull(end + (*end == ':'), &end, 10);
        what = end + strspn(end, ": ");
    }
    hlo_error(m, find_instruction(m, p, find_line(text, line)), err, "as a line of a trace: %s",
              what);
    err->code = why->code;
    return -1;
}

static int read_text(const char *text, size_t size, struct err *err)
{
    struct trace_item item = { .kind = TRACE_ITEM_HEADER };
    struct trace *t;
    int rc = trace_open_memory(&t, NAME, text, size, false, err);

    while (rc == 0 && item.kind != TRACE_ITEM_END)
        rc = trace_next(t, &item, err);
    trace_close(t);
    return rc;
}

int import_hlo_text(const struct hlo_module *m, const struct import_options *o, char **text,
                    size_t *size, struct import_totals *totals, struct err *err)
{
    struct import_places places = { 0 };
    struct memory_text t;
    struct err why;

    memory_text_begin(&t);
    int rc = import_write(m, o, t.out, totals, &places, err);
    *text = memory_text_end(&t);
    *size = t.size;
    if (rc == 0 && read_text(*text, *size, &why) != 0)
        rc = fail_text(m, &places, *text, &why, err);
    free(places.place);
    if (rc != 0) {
        free(*text);
        *text = NULL;
    }
    return rc;
}
