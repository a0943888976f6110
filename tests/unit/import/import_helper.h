/* import_helper.h - importing HLO text from a string, for the tests of model/import: whatever is
 * written is a valid trace in canonical form. */
#ifndef UNIT_IMPORT_IMPORT_HELPER_H
#define UNIT_IMPORT_IMPORT_HELPER_H

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "import/hlo/import.h"

static inline void check_canonical(const char *text)
{
    struct trace *t;
    struct trace_item item = { 0 };
    struct err err;
    struct memory_text again;

    cr_assert_eq(trace_open_memory(&t, "t", text, strlen(text), false, &err), 0, "%s\n%s", err.msg,
                 text);
    memory_text_begin(&again);
    do {
        cr_assert_eq(trace_next(t, &item, &err), 0, "%s\n%s", err.msg, text);
        trace_print(t, &item, again.out);
    } while (item.kind != TRACE_ITEM_END);
    char *printed = memory_text_end(&again);
    cr_expect_str_eq(printed, text);
    free(printed);
    trace_close(t);
}

/* The trace of a module; free() it.  `o` and `totals` may be NULL. */
static inline char *import_text(const char *hlo, const struct import_options *o,
                                struct import_totals *totals)
{
    struct hlo_module *m;
    struct memory_text out;
    struct err err;

    cr_assert_eq(hlo_parse(&m, "t.hlo", hlo, strlen(hlo), &err), 0, "%s", err.msg);
    memory_text_begin(&out);
    cr_assert_eq(import_hlo(m, o, out.out, totals, &err), 0, "%s", err.msg);
    char *text = memory_text_end(&out);
    hlo_free(m);
    check_canonical(text);
    return text;
}

/* The line that begins with `name` (and blanks) has all of `part`, in any place. */
static inline const char *find_line(const char *text, const char *name)
{
    size_t n = strlen(name);

    for (const char *p = text; *p; p = strchr(p, '\n') + 1) {
        const char *word = p + strspn(p, " ");
        if (strncmp(word, name, n) == 0)
            return word;
    }
    cr_assert_fail("no line begins with '%s' in\n%s", name, text);
    return NULL;
}

static inline bool line_has(const char *line, const char *part)
{
    const char *at = strstr(line, part);

    return at && at < strchr(line, '\n');
}

#define EXPECT_PART(text, name, part)                                                              \
    cr_expect(line_has(find_line((text), (name)), (part)), "no '%s' in %.*s", (part),              \
              (int)(strchr(find_line((text), (name)), '\n') - find_line((text), (name))),          \
              find_line((text), (name)))
#define EXPECT_NO_PART(text, name, part)                                                           \
    cr_expect_not(line_has(find_line((text), (name)), (part)), "'%s' in %.*s", (part),             \
                  (int)(strchr(find_line((text), (name)), '\n') - find_line((text), (name))),      \
                  find_line((text), (name)))

#endif
