#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "base/param.h"

/* clang-format off */
#define TOY_PARAMS(P) \
    P(U32,  rows,     "PE",    "128",     "8",     "1024",   "reduction lanes [toy]") \
    P(U64,  clock,    "Hz",    "700 MHz", "1 MHz", "10 GHz", "array clock [toy]")     \
    P(U64,  hbm,      "B",     "16 GiB",  "1",     "1e18",   "capacity | size [toy]") \
    P(U64,  link,     "B/s",   "-",       "1 B/s", "1 TB/s", "must be given [toy]")   \
    P(FS,   latency,  "s",     "1.03 us", "0",     "1",      "of a hop [toy]")        \
    P(PPB,  share,    "ratio", "0.86",    "0",     "1",      "of the peak [toy]")     \
    P(ENUM, overlap,  "serial|exposed|shadow", "exposed", "", "", "of DMA [toy]")     \
    P(U64,  any,      "",      "0",       "0",     "1e30",   "wider than it [toy]")   \
    P(U32,  narrow,   "",      "0",       "0",     "1e30",   "wider than it [toy]")
/* clang-format on */

struct toy {
    TOY_PARAMS(PARAM_FIELD)
};

#define TOY_DESC(...) PARAM_DESC(struct toy, __VA_ARGS__)
static const struct param_desc rows[] = { TOY_PARAMS(TOY_DESC) };
static const struct param_table table = { "toy", rows, sizeof rows / sizeof *rows,
                                          sizeof(struct toy), NULL };

static struct err err;

static int set_param(struct toy *t, const char *name, const char *text)
{
    const struct param_desc *d = param_find(&table, name);

    cr_assert_not_null(d, "%s", name);
    return param_set(&table, d, t, text, &err);
}

static void expect_refusal(const char *name, const char *text, enum err_code code,
                           const char *message)
{
    struct toy t, before;

    param_defaults(&table, &t);
    memcpy(&before, &t, sizeof t);
    cr_assert_eq(set_param(&t, name, text), -1, "%s = %s", name, text);
    cr_assert_eq(err.code, code, "%s", err.msg);
    cr_assert_str_eq(err.msg, message);
    cr_assert_eq(memcmp(&before, &t, sizeof t), 0, "%s = %s changed something", name, text);
}

Test(param, defaults_are_read_from_the_table)
{
    struct toy t;

    memset(&t, 0xff, sizeof t);
    param_defaults(&table, &t);
    cr_assert_eq(t.rows, 128);
    cr_assert_eq(t.clock, 700000000);
    cr_assert_eq(t.hbm, UINT64_C(17179869184));
    cr_assert_eq(t.link, 0); /* must be given */
    cr_assert_eq(t.latency, UINT64_C(1030000000));
    cr_assert_eq(t.share, 860000000);
    cr_assert_eq(t.overlap, 1);
}

Test(param, find_knows_its_rows_only)
{
    cr_assert_str_eq(param_find(&table, "share")->name, "share");
    cr_assert_null(param_find(&table, "shares"));
    cr_assert_null(param_find(&table, ""));
}

Test(param, set_is_exact)
{
    struct toy t;

    param_defaults(&table, &t);
    cr_assert_eq(set_param(&t, "link", "62 GB/s"), 0);
    cr_assert_eq(t.link, UINT64_C(62000000000));
    cr_assert_eq(set_param(&t, "clock", "0.9400000001 GHz"), -1); /* a tenth of a Hz */
    cr_assert_eq(set_param(&t, "clock", "0.940000001 GHz"), 0);
    cr_assert_eq(t.clock, 940000001);
    cr_assert_eq(set_param(&t, "rows", "256 PE"), 0);
    cr_assert_eq(t.rows, 256);
    cr_assert_eq(set_param(&t, "overlap", "shadow"), 0);
    cr_assert_eq(t.overlap, 2);
    cr_assert_eq(set_param(&t, "any", "18446744073709551615"), 0);
    cr_assert_eq(t.any, UINT64_MAX);
}

Test(param, times_round_half_to_even_at_a_femtosecond)
{
    struct toy t;

    param_defaults(&table, &t);
    cr_assert_eq(set_param(&t, "latency", "1.5 fs"), 0);
    cr_assert_eq(t.latency, 2);
    cr_assert_eq(set_param(&t, "latency", "2.5 fs"), 0);
    cr_assert_eq(t.latency, 2);
    cr_assert_eq(set_param(&t, "latency", "0.00250000000000001 ps"), 0);
    cr_assert_eq(t.latency, 3);
    cr_assert_eq(set_param(&t, "latency", "1 s"), 0);
    cr_assert_eq(t.latency, UINT64_C(1000000000000000));
}

Test(param, ratios_are_parts_per_billion)
{
    struct toy t;

    param_defaults(&table, &t);
    cr_assert_eq(set_param(&t, "share", "86.4 %"), 0);
    cr_assert_eq(t.share, 864000000);
    cr_assert_eq(set_param(&t, "share", "0.3333333333"), 0);
    cr_assert_eq(t.share, 333333333);
    cr_assert_eq(set_param(&t, "share", "1"), 0);
    cr_assert_eq(t.share, 1000000000);
}

Test(param, range_errors_name_the_range_with_its_unit)
{
    expect_refusal("rows", "4", ERR_RANGE, "toy.rows = 4: outside [8, 1024] PE");
    expect_refusal("rows", "1025", ERR_RANGE, "toy.rows = 1025: outside [8, 1024] PE");
    expect_refusal("rows", "-8", ERR_RANGE, "toy.rows = -8: outside [8, 1024] PE");
    expect_refusal("clock", "11 GHz", ERR_RANGE, "toy.clock = 11 GHz: outside [1 MHz, 10 GHz]");
    expect_refusal("latency", "1.0000000000000001 s", ERR_RANGE,
                   "toy.latency = 1.0000000000000001 s: outside [0, 1] s");
    expect_refusal("share", "101 %", ERR_RANGE, "toy.share = 101 %: outside [0, 1]");
}

Test(param, the_ends_of_a_range_belong_to_it)
{
    struct toy t;

    param_defaults(&table, &t);
    cr_assert_eq(set_param(&t, "rows", "8"), 0);
    cr_assert_eq(set_param(&t, "rows", "1024"), 0);
    cr_assert_eq(set_param(&t, "clock", "1000 kHz"), 0);
}

Test(param, what_the_field_cannot_hold_is_refused_even_inside_the_range)
{
    expect_refusal("any", "18446744073709551616", ERR_RANGE,
                   "toy.any = 18446744073709551616: does not fit its 64-bit counter");
    expect_refusal("narrow", "4294967296", ERR_RANGE,
                   "toy.narrow = 4294967296: does not fit its 32-bit counter");
}

Test(param, whole_numbers_have_no_fraction)
{
    expect_refusal("rows", "12.5", ERR_FORMAT, "toy.rows = 12.5: not a whole number of PE");
    expect_refusal("any", "0.5", ERR_FORMAT, "toy.any = 0.5: not a whole number");
}

Test(param, unit_errors_say_what_was_expected)
{
    expect_refusal("clock", "940", ERR_UNIT,
                   "toy.clock = 940: expected a value with unit Hz, such as \"700 MHz\"");
    expect_refusal("clock", "fast", ERR_FORMAT,
                   "toy.clock = fast: not a number (digits, a point, an exponent up to 60)");
}

Test(param, a_wrong_choice_lists_the_choices_and_the_nearest)
{
    expect_refusal(
        "overlap", "exposd", ERR_FORMAT,
        "toy.overlap = exposd: expected one of serial, exposed, shadow; nearest is \"exposed\"");
    expect_refusal("overlap", "mxu", ERR_FORMAT,
                   "toy.overlap = mxu: expected one of serial, exposed, shadow");
    expect_refusal("overlap", "serial|exposed", ERR_FORMAT,
                   "toy.overlap = serial|exposed: expected one of serial, exposed, shadow");
}

Test(param, text_reads_well)
{
    struct toy t;
    char buf[64];

    param_defaults(&table, &t);
    t.link = UINT64_C(62000000000);
    static const char *const want[] = { "128 PE", "700 MHz", "16 GiB", "62 GB/s", "1.03 us",
                                        "0.86",   "exposed", "0",      "0" };
    for (size_t i = 0; i < table.n_rows; i++)
        cr_assert_str_eq(param_text(&rows[i], &t, buf, sizeof buf), want[i]);
}

Test(param, text_parses_to_the_same_value)
{
    static const char *const names[] = { "any", "hbm", "latency", "share", "clock" };
    static const uint64_t most[] = { UINT64_MAX, UINT64_C(1000000000000000000),
                                     UINT64_C(1000000000000000), 1000000000,
                                     UINT64_C(10000000000) };
    struct toy t, back;
    char buf[64];
    uint64_t x = 88172645463325252u; /* xorshift64 */

    param_defaults(&table, &t);
    for (unsigned i = 0; i < 20000; i++) {
        const struct param_desc *d = param_find(&table, names[i % 5]);
        x ^= x << 13;
        x ^= x >> 7;
        x ^= x << 17;
        uint64_t v = (x >> (i % 64)) % most[i % 5];
        if (strcmp(d->name, "clock") == 0 && v < 1000000)
            v = 1000000;
        if (strcmp(d->name, "hbm") == 0 && v < 1)
            v = 1;
        memcpy((char *)&t + d->offset, &v, sizeof v);
        memset(&back, 0, sizeof back);
        param_text(d, &t, buf, sizeof buf);
        cr_assert_eq(param_set(&table, d, &back, buf, &err), 0, "%s", err.msg);
        uint64_t got;
        memcpy(&got, (char *)&back + d->offset, sizeof got);
        cr_assert_eq(got, v, "%s %s", d->name, buf);
    }
}

Test(param, markdown_has_one_line_each)
{
    char *text = NULL;
    size_t size = 0;
    FILE *f = open_memstream(&text, &size);

    param_print_md(&table, f);
    fclose(f);
    cr_assert_not_null(strstr(text, "* `toy.rows` 128 PE: reduction lanes [toy]\n* `toy.clock` "));
    cr_assert_not_null(strstr(text, "* `toy.hbm` 16 GiB: capacity | size [toy]\n"));
    cr_assert_not_null(strstr(text, "* `toy.link` must be given, B/s: "));
    cr_assert_not_null(
        strstr(text, "* `toy.overlap` exposed of serial|exposed|shadow: of DMA [toy]\n"));
    free(text);
}

Test(param, a_key_stands_once_among_words)
{
    static const char *const once[] = { "a=1", "ab=1", "b = 1", "a.b=1", "word", "word", "=1" };
    static const char *const twice[] = { "c=3", "a=1", "b =  x y", "c=3", " b= z", "a=2" };
    static const char long_key[] =
        "k23456789012345678901234567890123456789012345678901234567890123456789=1";
    static const char *const long_twice[] = { long_key, long_key };

    cr_expect(param_same_key("a.b=1", " a.b = 2"));
    cr_expect_not(param_same_key("a.b=1", "a.bc=1"));
    cr_expect_not(param_same_key("a.b", "a.b"));
    cr_assert_eq(param_once(NULL, 0, &err), 0);
    cr_assert_eq(param_once(once, sizeof once / sizeof *once, &err), 0, "%s", err.msg);
    /* the first second value on the line is told, with the one before it */
    cr_assert_neq(param_once(twice, 6, &err), 0);
    cr_assert_str_eq(err.msg, "c is given twice: 3 and 3");
    cr_assert_neq(param_once(twice + 1, 5, &err), 0);
    cr_assert_str_eq(err.msg, "b is given twice: x y and z");
    cr_assert_neq(param_once(long_twice, 2, &err), 0);
    cr_assert_str_eq(err.msg, "k234567890123456789012345678901234567890123456789012345678901234"
                              " is given twice: 1 and 1");
}
