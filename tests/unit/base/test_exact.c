#include <criterion/criterion.h>
#include <inttypes.h>
#include <signal.h>
#include <string.h>

#include "base/exact.h"

static mpq_t q;

static void init_numbers(void)
{
    mpq_init(q);
}

static void clear_numbers(void)
{
    mpq_clear(q);
}

TestSuite(exact, .init = init_numbers, .fini = clear_numbers);

static char text[256];

static const char *expect_fixed(const char *fraction, unsigned places)
{
    mpq_set_str(q, fraction, 10);
    return exact_fixed(text, sizeof text, q, places);
}

static const char *expect_decimal(const char *fraction, unsigned digits)
{
    mpq_set_str(q, fraction, 10);
    return exact_decimal(text, sizeof text, q, digits);
}

/* The value that GMP reads from `fraction` is what exact_parse must read from `number`. */
static void check_parse(const char *number, const char *fraction, const char *rest)
{
    mpq_t want;

    mpq_init(want);
    mpq_set_str(want, fraction, 10);
    const char *end = exact_parse(q, number);
    cr_assert_not_null(end, "%s", number);
    cr_assert_str_eq(end, rest, "%s", number);
    cr_assert(mpq_equal(q, want), "%s", number);
    mpq_clear(want);
}

Test(exact, parse_reads_decimals_exactly)
{
    check_parse("-12", "-12", "");
    check_parse("0.86", "43/50", "");
    check_parse("2.5e-3", "1/400", "");
    check_parse("+.5", "1/2", "");
    check_parse("7.", "7", "");
    check_parse("1.1E+2", "110", "");
    check_parse("-0.0", "0", "");
    check_parse("0.1", "1/10", "");
}

Test(exact, parse_stops_at_what_is_not_the_number)
{
    check_parse("940 MHz", "940", " MHz");
    check_parse("2e", "2", "e");
    check_parse("2e+", "2", "e+");
    check_parse("2 e5", "2", " e5");
    check_parse("1.2.3", "6/5", ".3");
    check_parse("0x10", "0", "x10");
}

Test(exact, parse_refuses_what_is_no_number)
{
    cr_assert_null(exact_parse(q, ""));
    cr_assert_null(exact_parse(q, "-"));
    cr_assert_null(exact_parse(q, "."));
    cr_assert_null(exact_parse(q, "e5"));
    cr_assert_null(exact_parse(q, " 1"));
    cr_assert_null(exact_parse(q, "--1"));
    cr_assert_null(exact_parse(q, "nan"));
}

Test(exact, parse_bounds_the_exponent_at_60)
{
    check_parse("1e60", "1000000000000000000000000000000000000000000000000000000000000", "");
    cr_assert_null(exact_parse(q, "1e61"));
    cr_assert_null(exact_parse(q, "1e-61"));
    cr_assert_null(exact_parse(q, "1e99999999999999999999999999"));
}

Test(exact, parse_reads_a_thousand_digits)
{
    char number[1002];

    memset(number, '9', 1000);
    memcpy(number + 1000, "e", 2);
    cr_assert_str_eq(exact_parse(q, number), "e");
    /* 999...9 + 1 = 10^1000 */
    mpz_t want;
    mpz_init(want);
    mpz_ui_pow_ui(want, 10, 1000);
    mpz_sub_ui(want, want, 1);
    cr_assert_eq(mpz_cmp(mpq_numref(q), want), 0);
    cr_assert_eq(mpz_cmp_ui(mpq_denref(q), 1), 0);
    mpz_clear(want);
}

Test(exact, u64_survives_both_ways_at_its_ends)
{
    uint64_t v = 1;
    mpz_t z;

    mpz_init(z);
    exact_set_u64(z, UINT64_MAX);
    cr_assert_str_eq(mpz_get_str(text, 10, z), "18446744073709551615");
    mpz_clear(z);
    exact_ratio(q, 0, 5);
    cr_assert_eq(exact_to_u64(q, &v), 0);
    cr_assert_eq(v, 0);
    mpq_set_str(q, "18446744073709551615", 10);
    cr_assert_eq(exact_to_u64(q, &v), 0);
    cr_assert_eq(v, UINT64_MAX);
}

Test(exact, to_u64_refuses_negative_fraction_and_overflow)
{
    uint64_t v = 7;

    mpq_set_str(q, "-1", 10);
    cr_assert_eq(exact_to_u64(q, &v), -1);
    mpq_set_str(q, "1/2", 10);
    cr_assert_eq(exact_to_u64(q, &v), -1);
    mpq_set_str(q, "18446744073709551616", 10);
    cr_assert_eq(exact_to_u64(q, &v), -1);
    cr_assert_eq(v, 7);
}

Test(exact, ratio_is_in_lowest_terms)
{
    exact_ratio(q, 6, 4);
    cr_assert_str_eq(mpq_get_str(text, 10, q), "3/2");
}

Test(exact, ratio_over_zero_is_a_bug, .signal = SIGABRT)
{
    exact_ratio(q, 1, 0);
}

Test(exact, addmul_passes_64_bits)
{
    mpz_t acc;

    mpz_init_set_ui(acc, 1);
    exact_addmul(acc, UINT64_MAX, UINT64_MAX);
    /* (2^64 - 1)^2 + 1 = 2^128 - 2^65 + 2 */
    cr_assert_str_eq(mpz_get_str(text, 10, acc), "340282366920938463426481119284349108226");
    mpz_clear(acc);
}

Test(exact, round_is_half_to_even)
{
    static const struct {
        const char *fraction;
        long want;
    } rows[] = { { "1/2", 0 },  { "3/2", 2 },   { "5/2", 2 },  { "2/3", 1 },
                 { "-1/2", 0 }, { "-3/2", -2 }, { "-2/3", -1 } };
    mpz_t z;

    mpz_init(z);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        mpq_set_str(q, rows[i].fraction, 10);
        exact_round(z, q);
        cr_assert_eq(mpz_get_si(z), rows[i].want, "%s", rows[i].fraction);
    }
    mpz_clear(z);
}

Test(exact, fixed_rounds_half_to_even)
{
    cr_assert_str_eq(expect_fixed("1/8", 2), "0.12");
    cr_assert_str_eq(expect_fixed("3/8", 2), "0.38");
    cr_assert_str_eq(expect_fixed("-1/8", 2), "-0.12");
    cr_assert_str_eq(expect_fixed("5/2", 0), "2");
    cr_assert_str_eq(expect_fixed("7/2", 0), "4");
    cr_assert_str_eq(expect_fixed("999999/1000000", 3), "1.000");
}

Test(exact, fixed_keeps_its_zeros_and_has_no_minus_zero)
{
    cr_assert_str_eq(expect_fixed("1/20", 2), "0.05");
    cr_assert_str_eq(expect_fixed("0", 3), "0.000");
    cr_assert_str_eq(expect_fixed("-1/1000", 2), "0.00");
    cr_assert_str_eq(expect_fixed("12", 0), "12");
    cr_assert_str_eq(expect_fixed("-12", 1), "-12.0");
}

Test(exact, fixed_holds_what_the_header_promises_in_64_bytes)
{
    mpq_set_str(q, "-999999999999999999999999999999", 10);
    cr_assert_str_eq(exact_fixed(text, 64, q, 30),
                     "-999999999999999999999999999999.000000000000000000000000000000");
}

Test(exact, fixed_into_too_small_a_buffer_is_a_bug, .signal = SIGABRT)
{
    mpq_set_str(q, "123456", 10);
    exact_fixed(text, 6, q, 0);
}

Test(exact, decimal_is_the_shortest_text)
{
    cr_assert_str_eq(expect_decimal("3412/1000", 6), "3.412");
    cr_assert_str_eq(expect_decimal("1/3", 6), "0.333333");
    cr_assert_str_eq(expect_decimal("2/3", 6), "0.666667");
    cr_assert_str_eq(expect_decimal("3/2000000000000", 6), "1.5e-12");
    cr_assert_str_eq(expect_decimal("0", 6), "0");
    cr_assert_str_eq(expect_decimal("-5", 6), "-5");
    cr_assert_str_eq(expect_decimal("1000", 6), "1000");
    cr_assert_str_eq(expect_decimal("1/1000000", 3), "0.000001");
    cr_assert_str_eq(expect_decimal("1/10000000", 3), "1e-7");
    cr_assert_str_eq(expect_decimal("100000000000000000000", 3), "100000000000000000000");
    cr_assert_str_eq(expect_decimal("1000000000000000000000", 3), "1e21");
    cr_assert_str_eq(expect_decimal("-1230000000000000000000", 3), "-1.23e21");
}

Test(exact, decimal_rounds_half_to_even_and_carries)
{
    cr_assert_str_eq(expect_decimal("125/1000", 2), "0.12");
    cr_assert_str_eq(expect_decimal("135/1000", 2), "0.14");
    cr_assert_str_eq(expect_decimal("123456789", 6), "123457000");
    cr_assert_str_eq(expect_decimal("9999999", 3), "10000000");
    cr_assert_str_eq(expect_decimal("999/1000", 2), "1");
    cr_assert_str_eq(expect_decimal("-999999/100000000000000", 2), "-1e-8");
    cr_assert_str_eq(expect_decimal("18446744073709551615", 20), "18446744073709551615");
}

/* Fractions of two words are divided digit by digit, longer ones by GMP: here the same fraction,
 * with more bits above and below the line. */
Test(exact, decimal_of_words_is_that_of_long_numbers)
{
    uint64_t state = 1, word[2];
    char want[sizeof text];

    for (unsigned i = 0; i < 20000; i++) {
        for (int k = 0; k < 2; k++) {
            state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
            word[k] = state >> (state >> 13) % 64;
        }
        unsigned digits = 1 + i % 28;
        /* some of few digits, which end, and halves, which round to even */
        exact_ratio(q, word[0], i % 3 == 0 ? UINT64_C(1) << i % 40 : word[1] + !word[1]);
        exact_decimal(want, sizeof want, q, digits);
        mpz_mul_2exp(mpq_numref(q), mpq_numref(q), 80);
        mpz_mul_2exp(mpq_denref(q), mpq_denref(q), 80);
        exact_decimal(text, sizeof text, q, digits);
        cr_assert_str_eq(want, text, "%d digits of %" PRIu64 "/%" PRIu64, digits, word[0], word[1]);
    }
}

Test(exact, decimal_writes_very_long_numbers)
{
    mpz_ui_pow_ui(mpq_numref(q), 10, 500);
    cr_assert_str_eq(exact_decimal(text, sizeof text, q, 5), "1e500");
    mpq_inv(q, q);
    cr_assert_str_eq(exact_decimal(text, sizeof text, q, 5), "1e-500");
}

/* Words are added without GMP, longer numbers by it: the sum is the same, and in lowest terms. */
Test(exact, sum_of_words_is_that_of_long_numbers)
{
    static const struct {
        uint64_t a, b, c, d;
        const char *sum;
    } row[] = {
        { 0, 1, 3, 4, "3/4" },
        { 3, 4, 0, 1, "3/4" },
        { 1, 6, 1, 10, "4/15" },
        { 1, 6, 1, 3, "1/2" },
        { 1, 2, 1, 2, "1" },
        { 5, 1, 7, 1, "12" },
        { 1, 8000000000000000, 7999999999999999, 8000000000000000, "1" },
        { UINT64_MAX, 1, 1, 1, "18446744073709551616" },
        { UINT64_MAX, 2, 1, 2, "9223372036854775808" },
        { 1, UINT64_MAX, 1, UINT64_MAX - 1,
          "36893488147419103229/340282366920938463408034375210639556610" },
    };
    mpq_t sum, add;

    mpq_inits(sum, add, NULL);
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        exact_ratio(sum, row[i].a, row[i].b);
        exact_ratio(add, row[i].c, row[i].d);
        exact_sum(sum, add);
        mpq_set_str(q, row[i].sum, 10);
        cr_expect(mpq_equal(sum, q), "row %zu: not %s", i, row[i].sum);
    }
    uint64_t state = 7, word[4];
    for (unsigned i = 0; i < 20000; i++) {
        for (int k = 0; k < 4; k++) {
            state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
            word[k] = 1 + (state >> 1) / (UINT64_C(1) << (state >> 13) % 62);
        }
        exact_ratio(sum, word[0], word[1]);
        exact_ratio(add, word[2], i % 4 ? word[3] : word[1]);
        mpq_add(q, sum, add);
        exact_sum(sum, add);
        cr_assert(mpq_equal(sum, q), "the sum of %" PRIu64 "/%" PRIu64 " and %" PRIu64, word[0],
                  word[1], word[2]);
        mpq_neg(add, add);
        mpq_add(q, sum, add);
        exact_sum(sum, add);
        cr_assert(mpq_equal(sum, q));
    }
    mpq_clears(sum, add, NULL);
}
