#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/exact.h"
#include "base/memory.h"
#include "base/text_write.h"

/* Expect `print` to write num/den so in `width` columns. */
static void expect_text(void (*print)(const mpq_t, int, FILE *), long num, unsigned long den,
                        int width, const char *expected)
{
    char *text;
    size_t n;
    FILE *out = open_memstream(&text, &n);

    EXACT_Q(q);
    mpq_set_si(q, num, den);
    print(q, width, out);
    fclose(out);
    cr_expect_str_eq(text, expected);
    free(text);
}

Test(text_write, a_share_has_one_place_and_a_sign_where_it_is_asked_for)
{
    expect_text(text_share, 1, 8, 7, "   12.5");
    expect_text(text_signed_share, 1, 8, 7, "  +12.5");
    expect_text(text_signed_share, -1, 8, 7, "  -12.5");
    expect_text(text_signed_share, 0, 1, 7, "    0.0");
    expect_text(text_signed_share, -1, 10000, 7, "    0.0");
    expect_text(text_signed_share, 1, 10000, 7, "    0.0");
    expect_text(text_signed_share, 12345, 1, 4, "+1234500.0");
}

static void expect_field(const char *cell, const char *expected)
{
    struct memory_text t;

    memory_text_begin(&t);
    text_csv_field(cell, t.out);
    char *got = memory_text_end(&t);
    cr_expect_str_eq(got, expected);
    free(got);
}

/* An apostrophe keeps a table program from running a cell; a number with its unit is none to run.
 */
Test(text_write, cells_that_are_no_numbers_are_no_formulas)
{
    expect_field("-2+3", "'-2+3");
    expect_field("+1+cmd|' /C calc'!A0", "'+1+cmd|' /C calc'!A0");
    expect_field("-1,2+3", "\"'-1,2+3\"");
    expect_field("=1", "'=1");
    expect_field("-", "-");
    expect_field("-2.5e-3", "-2.5e-3");
    expect_field("+12 us", "+12 us");
    expect_field("-infinity", "'-infinity");
}
