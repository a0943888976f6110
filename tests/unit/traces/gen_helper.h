/* gen_helper.h - traces that generators write, for their tests. */
#ifndef UNIT_TRACES_GEN_HELPER_H
#define UNIT_TRACES_GEN_HELPER_H

#include <criterion/criterion.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "trace/trace.h"
#include "traces/gen.h"

#define COUNT(a) (sizeof(a) / sizeof *(a))
#define SET(...) (const char *const[]){ __VA_ARGS__ }, COUNT(((const char *const[]){ __VA_ARGS__ }))

static inline void refuses_options(const char *workload, const char *set, enum err_code code,
                                   const char *message)
{
    struct err err = { 0 };
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);

    cr_assert_not_null(out);
    cr_expect_eq(gen_write(workload, &set, set ? 1 : 0, out, &err), -1, "%s", message);
    fclose(out);
    cr_expect_eq(size, 0, "wrote before it refused");
    cr_expect_eq(err.code, code, "%s", message);
    cr_expect_str_eq(err.msg, message);
    free(text);
}

static inline char *generate_text(const char *workload, const char *const *set, size_t n_set,
                                  size_t *size)
{
    struct err err;
    char *text;
    FILE *out = open_memstream(&text, size);

    cr_assert_not_null(out);
    cr_assert_eq(gen_write(workload, set, n_set, out, &err), 0, "%s", err.msg);
    fclose(out);
    return text;
}

/* Sum of flops, and of those of one kind, over the operations as written; checks everything. */
static inline uint64_t flops_of(const char *workload, enum trace_kind kind, const char *const *set,
                                size_t n_set)
{
    struct trace *t;
    struct trace_item item;
    struct err err;
    size_t size;
    uint64_t sum = 0;
    char *text = generate_text(workload, set, n_set, &size);

    cr_assert_eq(trace_open_memory(&t, workload, text, size, false, &err), 0, "%s", err.msg);
    do {
        cr_assert_eq(trace_next(t, &item, &err), 0, "%s", err.msg);
        if (item.kind == TRACE_ITEM_OP && item.op.kind == kind)
            sum += item.op.flops;
    } while (item.kind != TRACE_ITEM_END);
    trace_close(t);
    free(text);
    return sum;
}

#endif
