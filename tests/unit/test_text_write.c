#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/exact.h"
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
