#include <criterion/criterion.h>
#include <string.h>

#include "base/quantity.h"

static mpq_t q;

static void init_numbers(void)
{
    mpq_init(q);
}

static void clear_numbers(void)
{
    mpq_clear(q);
}

TestSuite(unit, .init = init_numbers, .fini = clear_numbers);

static void check_result(const char *text, const char *unit, const char *fraction)
{
    struct err err;
    mpq_t want;

    mpq_init(want);
    mpq_set_str(want, fraction, 10);
    mpq_canonicalize(want);
    cr_assert_eq(quantity_parse(q, text, unit, &err), 0, "%s", text);
    cr_assert(mpq_equal(q, want), "%s", text);
    mpq_clear(want);
}

static void expect_refusal(const char *text, const char *unit, enum err_code code,
                           const char *message)
{
    struct err err = { ERR_NONE, "" };

    mpq_set_si(q, 77, 1);
    cr_assert_eq(quantity_parse(q, text, unit, &err), -1, "%s", text);
    cr_assert_eq(err.code, code, "%s: %s", text, err.msg);
    cr_assert_str_eq(err.msg, message);
    cr_assert_eq(mpq_cmp_si(q, 77, 1), 0, "%s changed the value", text);
}

Test(unit, every_prefix_scales_exactly)
{
    check_result("1 PHz", "Hz", "1000000000000000");
    check_result("1 THz", "Hz", "1000000000000");
    check_result("1 GHz", "Hz", "1000000000");
    check_result("940 MHz", "Hz", "940000000");
    check_result("1 kHz", "Hz", "1000");
    check_result("1 ms", "s", "1/1000");
    check_result("1.03 us", "s", "103/100000000");
    check_result("1 ns", "s", "1/1000000000");
    check_result("1 ps", "s", "1/1000000000000");
    check_result("1 fs", "s", "1/1000000000000000");
    check_result("1 KiB", "B", "1024");
    check_result("16 MiB", "B", "16777216");
    check_result("1 GiB", "B", "1073741824");
    check_result("1 TiB", "B", "1099511627776");
    check_result("16 GB", "B", "16000000000");
    check_result("62 GB/s", "B/s", "62000000000");
    check_result("1 GiB/s", "B/s", "1073741824");
    check_result("250 W", "W", "250");
    check_result("4.50 USD/h", "USD/h", "9/2");
}

Test(unit, spaces_around_and_between_are_free)
{
    check_result("  700MHz  ", "Hz", "700000000");
    check_result("700 \t MHz", "Hz", "700000000");
}

Test(unit, counted_things_stand_with_or_without_their_name)
{
    check_result("128", "PE", "128");
    check_result("128 PE", "PE", "128");
    check_result("128", "", "128");
    check_result("-3", "cycle", "-3");
}

Test(unit, a_ratio_may_be_in_percent)
{
    check_result("0.86", "ratio", "43/50");
    check_result("86 %", "ratio", "43/50");
    check_result("86%", "ratio", "43/50");
}

Test(unit, a_missing_or_other_unit_is_refused)
{
    const char *hz = "expected a value with unit Hz, such as \"700 MHz\"";

    expect_refusal("940", "Hz", ERR_UNIT, hz);
    expect_refusal("940 s", "Hz", ERR_UNIT, hz);
    expect_refusal("940 KiHz", "Hz", ERR_UNIT, hz);
    expect_refusal("940 mhz", "Hz", ERR_UNIT, hz);
    expect_refusal("940 M", "Hz", ERR_UNIT, hz);
    expect_refusal("16 MiB/s", "B", ERR_UNIT, "expected a value with unit B, such as \"16 MiB\"");
    expect_refusal("16 mB", "B", ERR_UNIT, "expected a value with unit B, such as \"16 MiB\"");
    expect_refusal("4 kUSD/h", "USD/h", ERR_UNIT,
                   "expected a value with unit USD/h, such as \"4.5 USD/h\"");
    expect_refusal("4 kPE", "PE", ERR_UNIT, "expected a number of PE, such as \"128\"");
    expect_refusal("4 PE", "", ERR_UNIT, "expected a number without a unit, such as \"128\"");
    expect_refusal("4 ratio", "ratio", ERR_UNIT, "expected a ratio, such as \"0.86\" or \"86 %\"");
}

Test(unit, what_is_no_number_is_refused)
{
    const char *none = "not a number (digits, a point, an exponent up to 60)";

    expect_refusal("", "Hz", ERR_FORMAT, none);
    expect_refusal("fast", "Hz", ERR_FORMAT, none);
    expect_refusal("MHz 700", "Hz", ERR_FORMAT, none);
    expect_refusal("1e999 Hz", "Hz", ERR_FORMAT, none);
}

Test(unit, more_text_is_refused)
{
    expect_refusal("700 MHz or so", "Hz", ERR_FORMAT, "unexpected \"or so\" after the value");
    expect_refusal("1.2.3 Hz", "Hz", ERR_FORMAT, "unexpected \".3 Hz\" after the number");
    expect_refusal("1,000", "", ERR_FORMAT, "unexpected \",000\" after the number");
}

static void expect_format(const char *fraction, const char *unit, unsigned digits, const char *want)
{
    char buf[64];

    mpq_set_str(q, fraction, 10);
    mpq_canonicalize(q);
    cr_assert_str_eq(quantity_format(buf, sizeof buf, q, unit, digits), want);
}

Test(unit, format_takes_the_largest_prefix_at_or_above_one)
{
    expect_format("3412/1000", "s", 6, "3.412 s");
    expect_format("940000000", "Hz", 6, "940 MHz");
    expect_format("16777216", "B", 6, "16 MiB");
    expect_format("62000000000", "B/s", 6, "62 GB/s");
    expect_format("103/100000000", "s", 6, "1.03 us");
    expect_format("1023", "B", 6, "1023 B");
    expect_format("1024", "B", 6, "1 KiB");
    expect_format("-1500", "Hz", 6, "-1.5 kHz");
    expect_format("0", "s", 6, "0 s");
    expect_format("128", "PE", 6, "128 PE");
    expect_format("43/50", "ratio", 6, "0.86");
    expect_format("5000", "USD/h", 6, "5000 USD/h");
    expect_format("1/10000000000000000", "s", 6, "0.1 fs");
    expect_format("5", "", 6, "5");
}

Test(unit, format_takes_the_next_prefix_when_rounding_reaches_it)
{
    expect_format("9999996/10", "Hz", 3, "1 MHz");
    expect_format("1048575", "B", 3, "1 MiB");
    expect_format("999499/1", "Hz", 3, "999 kHz");
}

static void expect_exact(const char *fraction, const char *unit, const char *want)
{
    char buf[64];

    mpq_set_str(q, fraction, 10);
    mpq_canonicalize(q);
    cr_assert_str_eq(quantity_exact(buf, sizeof buf, q, unit), want);
}

Test(unit, exact_takes_the_shortest_text)
{
    expect_exact("16777216", "B", "16 MiB");
    expect_exact("16000000000", "B", "16 GB");
    expect_exact("1536", "B", "1536 B");
    expect_exact("12345", "B", "12345 B");
    expect_exact("940000000", "Hz", "940 MHz");
    expect_exact("940000001", "Hz", "940000001 Hz");
    expect_exact("103/100000000", "s", "1.03 us");
    expect_exact("1/1000000000000000", "s", "1 fs");
    expect_exact("0", "Hz", "0 Hz");
    expect_exact("18446744073709551615", "B", "18446744073709551615 B");
    expect_exact("1/1000000000", "ratio", "1e-9");
    expect_exact("128", "PE", "128 PE");
}

Test(unit, whole_numbers_of_any_place_are_written_as_their_fractions)
{
    static const struct {
        const char *unit;
        unsigned places;
    } kinds[] = { { "B", 0 },  { "B/s", 0 }, { "Hz", 0 }, { "PE", 0 },   { "", 0 },
                  { "s", 15 }, { "J", 9 },   { "W", 9 },  { "ratio", 9 } };
    uint64_t draw = 1;

    for (unsigned i = 0; i < 3600; i++) {
        char whole[64], fraction[64];
        draw = draw * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        uint64_t v = draw >> draw % 64 & ~UINT64_C(0) << i % 40; /* few digits in each base */
        if (i % 3 == 0)
            v = v % 1000 * (i % 2 ? UINT64_C(1000000000) : UINT64_C(1000000000000));
        mpz_ui_pow_ui(mpq_denref(q), 10, kinds[i % 9].places);
        mpz_import(mpq_numref(q), 1, 1, sizeof v, 0, 0, &v);
        mpq_canonicalize(q);
        cr_assert_str_eq(
            quantity_whole(whole, sizeof whole, v, kinds[i % 9].places, kinds[i % 9].unit),
            quantity_exact(fraction, sizeof fraction, q, kinds[i % 9].unit));
    }
}

Test(unit, a_whole_number_takes_the_shortest_text)
{
    char buf[64];

    cr_assert_str_eq(quantity_whole(buf, sizeof buf, 2621440, 0, "B"), "2.5 MiB");
    cr_assert_str_eq(quantity_whole(buf, sizeof buf, 62000000000, 0, "B/s"), "62 GB/s");
    cr_assert_str_eq(quantity_whole(buf, sizeof buf, 1030000000, 15, "s"), "1.03 us");
    cr_assert_str_eq(quantity_whole(buf, sizeof buf, 860000000, 9, "ratio"), "0.86");
    cr_assert_str_eq(quantity_whole(buf, sizeof buf, 0, 15, "s"), "0 s");
}
