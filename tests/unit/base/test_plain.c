#include <criterion/criterion.h>

#include "base/plain.h"

static void expect_change(double change, int places, const char *expected)
{
    char text[32];
    int n = plain_change(text, sizeof text, change, places);

    cr_expect_str_eq(text, expected);
    cr_expect_eq((size_t)n, strlen(expected));
}

Test(plain, a_change_has_its_sign_unless_its_digits_are_zeros)
{
    expect_change(1.25, 2, "+1.25");
    expect_change(-0.06, 1, "-0.1");
    expect_change(0, 1, "0.0");
    expect_change(-0.0, 1, "0.0");
    expect_change(-0.04, 1, "0.0");
    expect_change(0.0004, 3, "0.000");
    expect_change(0.4, 0, "0");
    expect_change(100, 0, "+100");
}
