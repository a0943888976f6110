#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "base/numbered.h"

Test(numbered, names_count_from_0_in_the_order_in_which_they_come)
{
    struct numbered x = { 0 };
    char name[8] = "b";

    cr_expect_eq(numbered_find(&x, name), 0);
    strcpy(name, "a"); /* the name that came first is a copy */
    cr_expect_eq(numbered_find(&x, name), 1);
    cr_expect_eq(numbered_find(&x, ""), 2);
    cr_expect_eq(numbered_find(&x, "b"), 0);
    cr_expect_eq(numbered_find(&x, "a"), 1);
    cr_expect_eq(x.n, 3);
    numbered_clear(&x);
    cr_expect_eq(x.n, 0);
    cr_expect_eq(numbered_find(&x, "a"), 0);
    numbered_clear(&x);
}

Test(numbered, many_names_in_order)
{
    struct numbered x = { 0 };
    char name[16];

    for (size_t round = 0; round < 2; round++)
        for (size_t i = 0; i < 50000; i++) {
            snprintf(name, sizeof name, "p%06zu", i);
            cr_assert_eq(numbered_find(&x, name), i);
        }
    numbered_clear(&x);
}
