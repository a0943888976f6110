/* hlo_helper.h - reading HLO text from a string, for the tests of model/hlo. */
#ifndef UNIT_HLO_HLO_HELPER_H
#define UNIT_HLO_HLO_HELPER_H

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hlo/hlo_module.h"

static inline struct hlo_module *parse_hlo(const char *text)
{
    struct hlo_module *m;
    struct err err;

    cr_assert_eq(hlo_parse(&m, "t", text, strlen(text), &err), 0, "%s", err.msg);
    return m;
}

/* The first instruction of that name. */
static inline const struct hlo_instruction *find_hlo(const struct hlo_module *m, const char *name)
{
    for (uint32_t i = 0; i < m->n_instructions; i++)
        if (hlo_text_is(m->instruction[i].name, name))
            return &m->instruction[i];
    cr_assert_fail("no instruction '%s'", name);
    return NULL;
}

#define EXPECT_TEXT(t, s)                                                                          \
    cr_expect(hlo_text_is((t), (s)), "'%.*s', not '%s'", (t).at ? (int)(t).size : 0,               \
              (t).at ? (t).at : "", (s))

#endif
