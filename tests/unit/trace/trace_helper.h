/* trace_helper.h - reading a trace from a string, for the tests of model/trace. */
#ifndef UNIT_TRACE_TRACE_HELPER_H
#define UNIT_TRACE_TRACE_HELPER_H

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "trace/trace.h"

static inline struct trace *open_text(const char *text, bool allow_unknown)
{
    struct trace *t;
    struct err err;

    cr_assert_eq(trace_open_memory(&t, "t", text, strlen(text), allow_unknown, &err), 0, "%s",
                 err.msg);
    return t;
}

/* Read to the end and throw away: 0, or the first error. */
static inline int read_all(const void *data, size_t size, bool allow_unknown, struct err *err)
{
    struct trace *t;
    struct trace_item item;
    int rc;

    if (trace_open_memory(&t, "t", data, size, allow_unknown, err) != 0)
        return -1;
    do
        rc = trace_next(t, &item, err);
    while (rc == 0 && item.kind != TRACE_ITEM_END);
    trace_close(t);
    return rc;
}

/* The canonical text of a trace; to be freed. */
static inline char *print_canonical(const char *text)
{
    struct trace *t = open_text(text, true);
    struct trace_item item;
    struct err err;
    char *printed;
    size_t size;
    FILE *out = open_memstream(&printed, &size);

    do {
        cr_assert_eq(trace_next(t, &item, &err), 0, "%s", err.msg);
        trace_print(t, &item, out);
    } while (item.kind != TRACE_ITEM_END);
    trace_close(t);
    fclose(out);
    return printed;
}

/* Read on to the next operation; its arrays last until the next call. */
static inline struct trace_op next_op(struct trace *t)
{
    struct trace_item item;
    struct err err;

    do {
        cr_assert_eq(trace_next(t, &item, &err), 0, "%s", err.msg);
        cr_assert_neq(item.kind, TRACE_ITEM_END, "no more operations");
    } while (item.kind != TRACE_ITEM_OP);
    return item.op;
}

#endif
