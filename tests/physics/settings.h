/* settings.h - a list of settings "mxu.count=4" that a test makes one by one. */
#ifndef TESTS_PHYSICS_SETTINGS_H
#define TESTS_PHYSICS_SETTINGS_H

#include <criterion/criterion.h>
#include <stdint.h>
#include <stdio.h>

enum { MOST_SET = 16, LENGTH = 48 };

struct sets {
    char text[MOST_SET][LENGTH];
    const char *set[MOST_SET];
    size_t n;
};

/* Add "key=valueunit"; `unit` may be "". */
static inline void add_setting(struct sets *s, const char *key, uint64_t value, const char *unit)
{
    cr_assert_lt(s->n, MOST_SET);
    snprintf(s->text[s->n], LENGTH, "%s=%llu%s", key, (unsigned long long)value, unit);
    s->set[s->n] = s->text[s->n];
    s->n++;
}

#endif
