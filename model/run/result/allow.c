#include "run/result/allow.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define N_NAMES 7

static const char *const names[N_NAMES] = { "steps", "operations", "operands",  "lines",
                                            "names", "text",       "grid-steps" };

static void find_limits(struct allow *a, uint64_t *limit[N_NAMES])
{
    limit[0] = &a->trace.steps;
    limit[1] = &a->trace.operations;
    limit[2] = &a->trace.operands;
    limit[3] = &a->trace.lines;
    limit[4] = &a->trace.names;
    limit[5] = &a->trace.text;
    limit[6] = &a->grid_steps;
}

int allow_read(struct allow *a, const char *text, struct err *err)
{
    size_t length = strcspn(text, "="), i = 0;
    const char *number = text + length + 1;
    uint64_t *limit[N_NAMES];

    find_limits(a, limit);
    while (i < N_NAMES && (strlen(names[i]) != length || memcmp(names[i], text, length) != 0))
        i++;
    if (i == N_NAMES || text[length] == '\0')
        return err_set(err, ERR_UNKNOWN, "%.60s: expected " ALLOW_NAMES, text);
    bool digits = *number && number[strspn(number, "0123456789")] == '\0';
    errno = 0;
    unsigned long long n = digits ? strtoull(number, NULL, 10) : 0;
    if (n < 1 || n > INT64_MAX || errno != 0)
        return err_set(err, ERR_RANGE, "%.60s: expected a count from 1 to 2^63 - 1", text);
    if (*limit[i] && *limit[i] != n)
        return err_set(err, ERR_FORMAT, "%s is given twice: %" PRIu64 " and %llu", names[i],
                       *limit[i], n);
    *limit[i] = n;
    return 0;
}

void allow_print(const struct allow *a, const char *before, const char *after, FILE *out)
{
    struct allow copy = *a;
    uint64_t *limit[N_NAMES];

    find_limits(&copy, limit);
    for (size_t i = 0; i < N_NAMES; i++)
        if (*limit[i])
            fprintf(out, "%s%s=%" PRIu64 "%s", before, names[i], *limit[i], after);
}

void allow_trace(const struct allow *a, struct trace *t)
{
    struct allow given = *a, all = { .trace = trace_limits_usual };
    uint64_t *from[N_NAMES], *to[N_NAMES];

    find_limits(&given, from);
    find_limits(&all, to);
    for (size_t i = 0; i < N_NAMES; i++)
        if (*from[i])
            *to[i] = *from[i];
    trace_limit(t, &all.trace);
}
