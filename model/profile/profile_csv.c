/* profile_csv.c - see profile_csv.h. */
#include "profile/profile_csv.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/plain.h"
#include "profile/source/profile_table.h"

#define US_TO_PS 6 /* decimal digits */

static bool is_header(const char *second)
{
    return plain_same(second, "microseconds") || plain_same(second, "us");
}

/* A number of any size or sign: whether it is a time, the row is asked. */
static bool is_number(const char *text)
{
    char *end;

    plain_read(text, &end);
    return end != text && *end == '\0';
}

bool profile_csv_knows(const unsigned char *head, size_t n)
{
    char second[32] = { 0 };
    size_t at = 0, end;
    bool quoted = false;

    if (n >= 3 && memcmp(head, "\xef\xbb\xbf", 3) == 0)
        at = 3;
    for (; at < n && head[at] != '\n' && (quoted || head[at] != ','); at++) {
        if (head[at] < 0x20 && head[at] != '\t')
            return false;
        quoted ^= head[at] == '"';
    }
    if (at == n || head[at] != ',')
        return false;
    for (at++; at < n && (head[at] == ' ' || head[at] == '"'); at++)
        ;
    for (end = at; end < n && !strchr(",\r\n\" ", head[end]); end++)
        ;
    if (end - at >= sizeof second)
        return false;
    memcpy(second, head + at, end - at);
    return is_header(second) || is_number(second);
}

static int read_header(const struct profile_table *t, struct err *err)
{
    if (!plain_same(profile_table_cell(t, 0), "name") ||
        (t->n_cells > 2 && !plain_same(profile_table_cell(t, 2), "count")))
        return profile_table_wrong(
            t, err, "columns %.40s,%.40s,%.40s, expected name,microseconds[,count]",
            profile_table_cell(t, 0), profile_table_cell(t, 1), profile_table_cell(t, 2));
    return 0;
}

static int read_row(struct profile_build *b, const struct profile_table *t, uint32_t program,
                    struct err *err)
{
    const char *name = profile_table_cell(t, 0);
    uint64_t ps, count = 1;

    name += name[0] == '%';
    if (name[0] == '\0')
        return profile_table_wrong(t, err, "a kernel without a name");
    if (t->n_cells < 2 || t->n_cells > 3)
        return profile_table_wrong(t, err, "%u columns, expected name,microseconds[,count]",
                                   t->n_cells);
    if (!profile_table_number(profile_table_cell(t, 1), US_TO_PS, &ps) ||
        ps > (uint64_t)PROFILE_BUILD_PS_MAX)
        return profile_table_wrong(t, err, "microseconds = %.40s: no number in [0, %" PRId64 "] us",
                                   profile_table_cell(t, 1), PROFILE_BUILD_US_MAX);
    if (t->n_cells == 3 && (!profile_table_number(profile_table_cell(t, 2), 0, &count) ||
                            count == 0 || count > PROFILE_BUILD_COUNT_MAX))
        return profile_table_wrong(t, err, "count = %.40s: no whole number in [1, %" PRIu64 "]",
                                   profile_table_cell(t, 2), PROFILE_BUILD_COUNT_MAX);
    uint32_t kernel = profile_build_kernel(b, program, name, strlen(name), false);
    struct profile_kernel *k = &b->kernel[kernel];
    if (!profile_build_add(k, count, ps))
        return profile_table_wrong(t, err,
                                   "with this row %.80s has more than %" PRIu64 " occurrences or "
                                   "%" PRId64 " us",
                                   name, PROFILE_BUILD_COUNT_MAX, PROFILE_BUILD_US_MAX);
    return 0;
}

static int read_rows(struct profile_build *b, struct profile_table *t, struct err *err)
{
    uint32_t program = profile_build_program(b, "", 0, 0), n = 0;
    int rc;

    for (bool first = true; (rc = profile_table_next(t, err)) > 0; first = false) {
        bool header = first && is_header(profile_table_cell(t, 1));
        if (header ? read_header(t, err) != 0 : read_row(b, t, program, err) != 0)
            return -1;
        n += !header;
    }
    if (rc == 0 && n == 0)
        return profile_table_wrong(t, err, "no kernel in it");
    return rc;
}

int profile_csv_read(struct profile_build *b, struct profile_source *s, struct err *err)
{
    struct profile_table t;

    profile_table_begin(&t, s);
    int rc = read_rows(b, &t, err);
    profile_table_end(&t);
    return rc;
}
