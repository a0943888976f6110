/* fusion_bench.h - programs through our own passes, for tests: the text that comes of one. */
#ifndef UNIT_FUSION_FUSION_BENCH_H
#define UNIT_FUSION_FUSION_BENCH_H

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "fusion/fusion.h"
#include "import/hlo/import.h"

static inline char *fuse_text(const char *hlo)
{
    struct hlo_module *m;
    struct err err;
    size_t size;

    cr_assert_eq(hlo_parse(&m, "t.hlo", hlo, strlen(hlo), &err), 0, "%s", err.msg);
    char *text = fusion_text(m, FUSION_TPU, &size);
    hlo_free(m);
    if (text) { /* it is read again */
        cr_assert_eq(strlen(text), size);
        cr_assert_eq(hlo_parse(&m, "t.hlo", text, size, &err), 0, "%s\n%s", err.msg, text);
        cr_expect(m->scheduled);
        hlo_free(m);
    }
    return text;
}

/* The text has each of the parts; those that begin with '!' it does not have. */
static inline void check_parts(const char *hlo, const char *const *part, size_t n)
{
    char *text = fuse_text(hlo);

    cr_assert_not_null(text);
    for (size_t k = 0; k < n; k++)
        if (*part[k] == '!')
            cr_expect_null(strstr(text, part[k] + 1), "has %s:\n%s", part[k] + 1, text);
        else
            cr_expect_not_null(strstr(text, part[k]), "lacks %s:\n%s", part[k], text);
    free(text);
}
#define CHECK(hlo, ...)                                                                            \
    check_parts(hlo, (const char *const[]){ __VA_ARGS__ },                                         \
                sizeof((const char *const[]){ __VA_ARGS__ }) / sizeof(char *))

#define SUM                                                                                        \
    "sum {\n  a = f32[] parameter(0)\n  b = f32[] parameter(1)\n  ROOT c = f32[] add(a, b)\n}\n"

#endif
