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

Test(plain, a_whole_number_has_all_its_digits)
{
    static const struct {
        uint64_t v;
        const char *text;
    } row[] = { { 0, "0" },
                { 9, "9" },
                { 10, "10" },
                { 1000, "1000" },
                { UINT64_MAX, "18446744073709551615" } };

    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        char digits[PLAIN_DIGITS + 1] = "";
        cr_expect_eq(plain_digits(digits, row[i].v), strlen(row[i].text));
        cr_expect_str_eq(digits, row[i].text);
    }
}
