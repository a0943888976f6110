/* quantity.c - see quantity.h.  Numbers stay exact rationals; a format tries the prefixes from
 * large to small. */
#include "base/quantity.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/plain.h"

struct prefix {
    const char *name;
    int power; /* of 10, or of 2 when binary */
    bool binary;
};

/* clang-format off */
/* from large to small: the order in which a format tries them */
static const struct prefix prefixes[] = {
    { "Ti", 40, true }, { "Gi", 30, true }, { "Mi", 20, true }, { "Ki", 10, true },
    { "P", 15, false }, { "T", 12, false }, { "G", 9, false }, { "M", 6, false }, { "k", 3, false },
    { "", 0, false },
    { "m", -3, false }, { "u", -6, false }, { "n", -9, false }, { "p", -12, false }, { "f", -15, false },
};
#define N_PREFIXES (sizeof prefixes / sizeof *prefixes)

/* Physical units, which must be written.  Every other unit is the name of something counted. */
struct physical {
    const char *name, *example;
    bool large, small, binary; /* which prefixes make sense */
};

static const struct physical physicals[] = {
    { "Hz",     "700 MHz",    true,  true,  false },
    { "B",      "16 MiB",     true,  false, true },
    { "B/s",    "62 GB/s",    true,  false, true },
    { "s",      "1.03 us",    true,  true,  false },
    { "W",      "250 W",      true,  true,  false },
    { "J",      "1.2 pJ",     true,  true,  false },
    { "FLOP/s", "46 TFLOP/s", true,  false, false },
    { "MAC/s",  "23 TMAC/s",  true,  false, false },
    { "USD/h",  "4.5 USD/h",  false, false, false },
};
/* clang-format on */

static const struct physical *find_physical(const char *unit)
{
    for (size_t i = 0; i < sizeof physicals / sizeof *physicals; i++)
        if (strcmp(physicals[i].name, unit) == 0)
            return &physicals[i];
    return NULL;
}

static bool is_allowed(const struct physical *u, const struct prefix *p)
{
    if (p->binary)
        return u->binary;
    return p->power == 0 || (p->power > 0 ? u->large : u->small);
}

/* q *= prefix, or q /= prefix */
static void scale_by_prefix(mpq_t q, const struct prefix *p, bool divide)
{
    if (p->power == 0)
        return;
    EXACT_Q(by);

    mpz_ui_pow_ui(mpq_numref(by), p->binary ? 2 : 10,
                  (unsigned long)(p->power < 0 ? -p->power : p->power));
    if (divide == (p->power < 0))
        mpq_mul(q, q, by);
    else
        mpq_div(q, q, by);
}

static bool is_token(const char *token, size_t len, const char *name)
{
    return strlen(name) == len && memcmp(token, name, len) == 0;
}

static int refuse_unit(const char *unit, const struct physical *u, struct err *err)
{
    if (u)
        return err_set(err, ERR_UNIT, "expected a value with unit %s, such as \"%s\"", unit,
                       u->example);
    if (strcmp(unit, "ratio") == 0)
        return err_set(err, ERR_UNIT, "expected a ratio, such as \"0.86\" or \"86 %%\"");
    if (*unit == '\0')
        return err_set(err, ERR_UNIT, "expected a number without a unit, such as \"128\"");
    return err_set(err, ERR_UNIT, "expected a number of %s, such as \"128\"", unit);
}

/* Multiply q by the prefix of the unit in the text, which is the `len` bytes at `token`. */
static int apply_unit(mpq_t q, const char *token, size_t len, const char *unit, struct err *err)
{
    const struct physical *u = find_physical(unit);

    if (u) {
        size_t name = strlen(unit);
        for (size_t i = 0; len >= name && i < N_PREFIXES; i++) {
            if (is_allowed(u, &prefixes[i]) && is_token(token, len - name, prefixes[i].name) &&
                is_token(token + len - name, name, unit)) {
                scale_by_prefix(q, &prefixes[i], false);
                return 0;
            }
        }
        return refuse_unit(unit, u, err);
    }
    if (strcmp(unit, "ratio") == 0) {
        static const struct prefix percent = { "%", -2, false };
        if (is_token(token, len, "%"))
            scale_by_prefix(q, &percent, false);
        else if (len > 0)
            return refuse_unit(unit, NULL, err);
        return 0;
    }
    return len == 0 || is_token(token, len, unit) ? 0 : refuse_unit(unit, NULL, err);
}

int quantity_parse(mpq_t q, const char *text, const char *unit, struct err *err)
{
    EXACT_Q(v);
    int failed;

    const char *token = exact_parse(v, text + strspn(text, " \t"));
    if (!token) {
        failed = err_set(err, ERR_FORMAT, "not a number (digits, a point, an exponent up to 60)");
    } else {
        token += strspn(token, " \t");
        size_t len = strcspn(token, " \t");
        const char *rest = token + len + strspn(token + len, " \t");
        if (len > 0 && !plain_is_letter(*token) && *token != '%')
            failed = err_set(err, ERR_FORMAT, "unexpected \"%.40s\" after the number", token);
        else if (*rest != '\0')
            failed = err_set(err, ERR_FORMAT, "unexpected \"%.40s\" after the value", rest);
        else
            failed = apply_unit(v, token, len, unit, err);
    }
    if (!failed)
        mpq_set(q, v);
    return failed;
}

/* Write q with prefix and unit; v becomes the number as it was written, rounded. */
static void format_with(char *buf, size_t size, mpq_t v, const mpq_t q, const struct prefix *p,
                        const char *unit, unsigned digits)
{
    mpq_set(v, q);
    scale_by_prefix(v, p, true);
    exact_decimal(buf, size, v, digits);
    exact_parse(v, buf); /* a number above 1e60 stays unrounded, which compares with 1 as well */
    size_t len = strlen(buf);
    bool bare = *unit == '\0' || strcmp(unit, "ratio") == 0;
    int n = bare ? 0 : snprintf(buf + len, size - len, " %s%s", p->name, unit);
    BUG_ON(n < 0 || (size_t)n >= size - len);
}

static const struct prefix plain = { "", 0, false };

static bool is_below_one(const mpq_t v)
{
    return mpz_cmpabs(mpq_numref(v), mpq_denref(v)) < 0;
}

char *quantity_format(char *buf, size_t size, const mpq_t q, const char *unit, unsigned digits)
{
    const struct physical *u = find_physical(unit);
    bool binary = strcmp(unit, "B") == 0;
    EXACT_Q(v);

    if (!u || mpq_sgn(q) == 0) {
        format_with(buf, size, v, q, &plain, unit, digits);
        return buf;
    }
    for (size_t i = 0; i < N_PREFIXES; i++) {
        const struct prefix *p = &prefixes[i];
        if (!is_allowed(u, p) || (p->power != 0 && p->binary != binary))
            continue;
        format_with(buf, size, v, q, p, unit, digits);
        if (!is_below_one(v))
            break;
    }
    return buf;
}

/* Keep `number` with the prefix's unit in `buf`, if it is no longer than what is there. */
static void keep_shorter(char *buf, size_t size, const char *number, const struct prefix *p,
                         const char *unit)
{
    char text[2 * EXACT_MOST_DIGITS];
    int n = snprintf(text, sizeof text, "%s %s%s", number, p->name, unit);

    if (n > 0 && (size_t)n <= strlen(buf) && (size_t)n < size)
        strcpy(buf, text);
}

/* q in units of a power of two, where that is at least 1 and a decimal of few digits. */
static void try_binary(char *buf, size_t size, const mpq_t q, const struct prefix *p,
                       const char *unit)
{
    char number[2 * EXACT_MOST_DIGITS];
    EXACT_Q(v);
    EXACT_Q(back);

    mpq_abs(v, q);
    if (mpq_cmp_ui(v, 1UL << p->power, 1) < 0)
        return;
    /* each two that q lacks is a digit behind the point, after a digit before it; then " KiB" */
    size_t twos = mpz_scan1(mpq_numref(v), 0), power = (size_t)p->power;
    if (mpz_cmp_ui(mpq_denref(v), 1) == 0 && twos < power && power - twos + 6 > strlen(buf))
        return;
    mpq_div_2exp(v, q, (mp_bitcnt_t)p->power);
    exact_decimal(number, sizeof number, v, QUANTITY_EXACT_DIGITS);
    exact_parse(back, number);
    if (mpq_equal(v, back))
        keep_shorter(buf, size, number, p, unit);
}

/* Write a number in the shortest way: its digits, and `q`, the number itself. */
static char *write_shortest(char *buf, size_t size, const struct exact_digits *d, const mpq_t q,
                            const char *unit)
{
    const struct physical *u = find_physical(unit);
    char number[2 * EXACT_MOST_DIGITS];
    bool bare = *unit == '\0' || strcmp(unit, "ratio") == 0;

    exact_write_digits(number, sizeof number, d, 0);
    int n = snprintf(buf, size, bare ? "%s" : "%s %s", number, unit);
    BUG_ON(n < 0 || (size_t)n >= size);
    for (size_t i = N_PREFIXES; u && d->n && i-- > 0;) {
        const struct prefix *p = &prefixes[i];
        if (!is_allowed(u, p))
            continue;
        if (p->binary) {
            try_binary(buf, size, q, p, unit);
        } else if (exact_top_digit(d) >= p->power) {
            exact_write_digits(number, sizeof number, d, p->power);
            keep_shorter(buf, size, number, p, unit);
        }
    }
    return buf;
}

char *quantity_exact(char *buf, size_t size, const mpq_t q, const char *unit)
{
    char number[2 * EXACT_MOST_DIGITS];
    struct exact_digits d;
    EXACT_Q(v);

    exact_take_digits(&d, q, QUANTITY_EXACT_DIGITS);
    exact_write_digits(number, sizeof number, &d, 0);
    exact_parse(v, number);
    BUG_ON(!mpq_equal(v, q));
    return write_shortest(buf, size, &d, q, unit);
}

char *quantity_whole(char *buf, size_t size, uint64_t v, unsigned places, const char *unit)
{
    struct exact_digits d;
    EXACT_Q(q);

    exact_digits_of(&d, v, places);
    if (places == 0) /* only whole units have binary prefixes */
        exact_ratio(q, v, 1);
    return write_shortest(buf, size, &d, q, unit);
}
