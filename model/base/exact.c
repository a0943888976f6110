/* exact.c - see exact.h.  Decimals are scaled by powers of ten and then rounded as integers. */
#include "base/exact.h"

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/err.h"
#include "base/wide.h"

#define EXPONENT_MAX 60
#define MOST_IN_WORD 19 /* decimal digits that always fit 64 bits */

struct exact_q exact_q_new(void)
{
    struct exact_q q;

    mpq_init(q.q);
    return q;
}

struct exact_z exact_z_new(void)
{
    struct exact_z z;

    mpz_init(z.z);
    return z;
}

void exact_q_clear(struct exact_q *q)
{
    mpq_clear(q->q);
}

void exact_z_clear(struct exact_z *z)
{
    mpz_clear(z->z);
}

void exact_set_u64(mpz_t z, uint64_t v)
{
    if (v <= ULONG_MAX)
        mpz_set_ui(z, (unsigned long)v);
    else
        mpz_import(z, 1, -1, sizeof v, 0, 0, &v);
}

void exact_ratio(mpq_t q, uint64_t num, uint64_t den)
{
    BUG_ON(den == 0);
    exact_set_u64(mpq_numref(q), num);
    exact_set_u64(mpq_denref(q), den);
    mpq_canonicalize(q);
}

/* The greatest common divisor of two words, both above 0. */
static uint64_t divide_out(uint64_t a, uint64_t b)
{
    int shared = __builtin_ctzll(a | b);

    for (a >>= __builtin_ctzll(a); b; b -= a) {
        b >>= __builtin_ctzll(b);
        uint64_t least = a < b ? a : b;
        b = a < b ? b : a;
        a = least;
    }
    return a << shared;
}

static uint64_t common_divisor(uint64_t a, uint64_t b)
{
    uint64_t least = a < b ? a : b, most = a < b ? b : a;

    return least == 1 || most % least == 0 ? least : divide_out(least, most);
}

/* q as two words.  Returns false if it is not above 0 or has a longer one. */
static bool take_words(const mpq_t q, uint64_t *num, uint64_t *den)
{
    if (GMP_NUMB_BITS != 64 || mpq_sgn(q) <= 0 || mpz_size(mpq_numref(q)) > 1 ||
        mpz_size(mpq_denref(q)) > 1)
        return false;
    *num = mpz_getlimbn(mpq_numref(q), 0);
    *den = mpz_getlimbn(mpq_denref(q), 0);
    return true;
}

/* a/b + c/d in lowest terms: only what b and d share can divide the sum (Knuth, TAOCP 4.5.1). */
static bool sum_words(mpq_t sum, const mpq_t q)
{
    uint64_t a, b, c, d;

    if (!take_words(sum, &a, &b) || !take_words(q, &c, &d))
        return false;
    uint64_t shared = common_divisor(b, d);
    if (__builtin_mul_overflow(a, d / shared, &a) || __builtin_mul_overflow(c, b / shared, &c) ||
        __builtin_add_overflow(a, c, &a) || __builtin_mul_overflow(b / shared, d, &b))
        return false;
    shared = common_divisor(a, shared);
    exact_set_u64(mpq_numref(sum), a / shared);
    exact_set_u64(mpq_denref(sum), b / shared);
    return true;
}

void exact_sum(mpq_t sum, const mpq_t q)
{
    if (mpq_sgn(q) == 0)
        return;
    if (mpq_sgn(sum) == 0)
        mpq_set(sum, q);
    else if (!sum_words(sum, q))
        mpq_add(sum, sum, q);
}

void exact_addmul(mpz_t acc, uint64_t a, uint64_t b)
{
    EXACT_Z(x);
    EXACT_Z(y);

    exact_set_u64(x, a);
    exact_set_u64(y, b);
    mpz_addmul(acc, x, y);
}

/* q *= 10^power, q in lowest terms if power is 0 */
static void scale_by_ten(mpq_t q, long power)
{
    if (power == 0)
        return;
    EXACT_Z(p);

    mpz_ui_pow_ui(p, 10, (unsigned long)(power < 0 ? -power : power));
    if (power < 0)
        mpz_mul(mpq_denref(q), mpq_denref(q), p);
    else
        mpz_mul(mpq_numref(q), mpq_numref(q), p);
    mpq_canonicalize(q);
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* The exponent that starts with the "e" at `s`; 0 if there is none.  Sets *end behind it. */
static long parse_exponent(const char *s, const char **end)
{
    bool negative = s[0] != '\0' && s[1] == '-';
    const char *d = s + 1;
    long e = 0;

    *end = s;
    if (*s != 'e' && *s != 'E')
        return 0;
    if (*d == '+' || *d == '-')
        d++;
    if (!is_digit(*d))
        return 0; /* "2 eggs": the letter belongs to what follows */
    for (; is_digit(*d); d++)
        if (e <= EXPONENT_MAX)
            e = 10 * e + (*d - '0');
    *end = d;
    return negative ? -e : e;
}

/* z = the `whole` digits at `s` and the `fraction` digits behind the point after them. */
static void read_digits(mpz_t z, const char *s, size_t whole, size_t fraction)
{
    size_t n = whole + fraction;
    uint64_t v = 0;

    if (n <= MOST_IN_WORD) {
        for (size_t i = 0; i < n; i++)
            v = 10 * v + (uint64_t)(s[i < whole ? i : i + 1] - '0');
        exact_set_u64(z, v);
        return;
    }
    void *(*alloc)(size_t);
    void (*release)(void *, size_t);
    mp_get_memory_functions(&alloc, NULL, &release);
    char *digits = alloc(n + 1);
    memcpy(digits, s, whole);
    if (fraction > 0)
        memcpy(digits + whole, s + whole + 1, fraction);
    digits[n] = '\0';
    BUG_ON(mpz_set_str(z, digits, 10) != 0);
    release(digits, n + 1);
}

const char *exact_parse(mpq_t q, const char *text)
{
    const char *s = text + (*text == '-' || *text == '+');
    size_t whole = strspn(s, "0123456789"), fraction = 0;
    const char *end = s + whole;

    if (*end == '.') {
        fraction = strspn(end + 1, "0123456789");
        end += 1 + fraction;
    }
    if (whole + fraction == 0)
        return NULL;

    const char *after;
    long exponent = parse_exponent(end, &after);
    if (exponent > EXPONENT_MAX || exponent < -EXPONENT_MAX)
        return NULL;

    read_digits(mpq_numref(q), s, whole, fraction);
    mpz_set_ui(mpq_denref(q), 1);
    scale_by_ten(q, exponent - (long)fraction);
    if (*text == '-')
        mpq_neg(q, q);
    return after;
}

static bool is_word(const mpz_t z)
{
    return mpz_sizeinbase(z, 2) <= 64;
}

/* |z|, which is a word. */
static uint64_t word_of(const mpz_t z)
{
    uint64_t v = 0; /* mpz_export writes nothing for zero */

    mpz_export(&v, NULL, -1, sizeof v, 0, 0, z);
    return v;
}

int exact_to_u64(const mpq_t q, uint64_t *v)
{
    if (mpq_sgn(q) < 0 || mpz_cmp_ui(mpq_denref(q), 1) != 0 || !is_word(mpq_numref(q)))
        return -1;
    *v = word_of(mpq_numref(q));
    return 0;
}

void exact_round(mpz_t z, const mpq_t q)
{
    EXACT_Z(rest);

    mpz_fdiv_qr(z, rest, mpq_numref(q), mpq_denref(q));
    mpz_mul_2exp(rest, rest, 1);
    int half = mpz_cmp(rest, mpq_denref(q));
    if (half > 0 || (half == 0 && mpz_odd_p(z)))
        mpz_add_ui(z, z, 1);
}

/* Write z with a point before its last `places` digits, and a sign if `negative`. */
static void write_plain(char *buf, size_t size, bool negative, const mpz_t z, size_t places)
{
    size_t most = mpz_sizeinbase(z, 10);

    BUG_ON(size < negative + (most > places ? most : places + 1) + 2); /* the point and the end */
    char *digits = buf + negative;
    if (negative)
        *buf = '-';
    mpz_get_str(digits, 10, z);
    size_t len = strlen(digits);
    if (len < places + 1) { /* 0.05 needs its zeros */
        size_t pad = places + 1 - len;
        memmove(digits + pad, digits, len + 1);
        memset(digits, '0', pad);
        len += pad;
    }
    if (places > 0) {
        memmove(digits + len - places + 1, digits + len - places, places + 1);
        digits[len - places] = '.';
    }
}

char *exact_fixed(char *buf, size_t size, const mpq_t q, unsigned places)
{
    EXACT_Q(scaled);
    EXACT_Z(z);

    mpq_abs(scaled, q);
    scale_by_ten(scaled, (long)places);
    exact_round(z, scaled);
    write_plain(buf, size, mpq_sgn(q) < 0 && mpz_sgn(z) != 0, z, places);
    return buf;
}

/* The power of ten of the leading digit of q > 0. */
static long magnitude_of(const mpq_t q)
{
    long e = (long)mpz_sizeinbase(mpq_numref(q), 10) - (long)mpz_sizeinbase(mpq_denref(q), 10) - 2;
    EXACT_Q(scaled);

    /* the estimate is at most 3 too small and never too large */
    mpq_set(scaled, q);
    scale_by_ten(scaled, -e);
    while (mpq_cmp_ui(scaled, 10, 1) >= 0) {
        scale_by_ten(scaled, -1);
        e++;
    }
    return e;
}

/* Append the decimal digits of v, `places` of them, or without zeros in front if it is 0. */
static void append_digits(struct exact_digits *d, uint64_t v, unsigned places)
{
    char text[20];
    size_t n = 0;

    for (; v || n < places; v /= 10)
        text[n++] = (char)('0' + v % 10);
    while (n > 0)
        if (n-- && (d->n > 0 || text[n] != '0'))
            d->text[d->n++] = text[n];
}

/* Drop the digits behind the first `digits`, half to even; `more`: the number goes on behind them.
 */
static void drop_digits(struct exact_digits *d, unsigned digits, bool more)
{
    if (d->n <= digits)
        return;
    char next = d->text[digits];
    for (size_t i = digits + 1; i < d->n && !more; i++)
        more = d->text[i] != '0';
    bool up = next > '5' || (next == '5' && (more || (d->text[digits - 1] - '0') % 2 == 1));
    d->last += (long)(d->n - digits);
    d->n = digits;
    while (up && d->n > 0 && d->text[d->n - 1] == '9') {
        d->n--;
        d->last++;
    }
    if (up && d->n == 0)
        d->text[d->n++] = '1';
    else if (up)
        d->text[d->n - 1]++;
}

#define CHUNK_DIGITS 18 /* 10^18 times a number of 64 bits fits 128 */
#define CHUNK UINT64_C(1000000000000000000)
#define SMALL_DIGITS (EXACT_MOST_DIGITS - 2 * CHUNK_DIGITS)

/* The digits of num / den > 0, by long division. */
static void divide_digits(struct exact_digits *d, uint64_t num, uint64_t den, unsigned digits)
{
    uint64_t rest = num % den;

    append_digits(d, num / den, 0);
    while (rest && d->n <= digits) {
        u128 scaled = wide_mul(rest, CHUNK);
        append_digits(d, (uint64_t)(scaled / den), CHUNK_DIGITS);
        rest = (uint64_t)(scaled % den);
        d->last -= CHUNK_DIGITS;
    }
    drop_digits(d, digits, rest != 0);
    while (d->text[d->n - 1] == '0') {
        d->n--;
        d->last++;
    }
    d->text[d->n] = '\0';
}

void exact_take_digits(struct exact_digits *d, const mpq_t q, unsigned digits)
{
    BUG_ON(digits == 0 || digits > EXACT_MOST_DIGITS);
    *d = (struct exact_digits){ .negative = mpq_sgn(q) < 0 };
    if (mpq_sgn(q) == 0)
        return;
    if (digits <= SMALL_DIGITS && is_word(mpq_numref(q)) && is_word(mpq_denref(q))) {
        divide_digits(d, word_of(mpq_numref(q)), word_of(mpq_denref(q)), digits);
        return;
    }
    EXACT_Q(scaled);
    EXACT_Z(z);
    mpq_abs(scaled, q);
    /* |q| is about z * 10^last */
    d->last = magnitude_of(scaled) - (long)digits + 1;
    scale_by_ten(scaled, -d->last);
    exact_round(z, scaled);
    mpz_get_str(d->text, 10, z);
    d->n = strlen(d->text);
    while (d->text[d->n - 1] == '0') {
        d->text[--d->n] = '\0';
        d->last++;
    }
}

void exact_digits_of(struct exact_digits *d, uint64_t v, unsigned places)
{
    *d = (struct exact_digits){ .last = -(long)places };
    if (v == 0)
        return;
    for (; v % 10 == 0; v /= 10)
        d->last++;
    for (uint64_t left = v; left; left /= 10)
        d->n++;
    for (size_t i = d->n; i-- > 0; v /= 10)
        d->text[i] = (char)('0' + v % 10);
}

/* Write the digits with a point before the last `places` of them, `zeros` zeros behind. */
static void write_pointed(char *buf, const struct exact_digits *d, size_t zeros, size_t places)
{
    size_t pad = d->n + zeros < places + 1 ? places + 1 - d->n - zeros : 0;
    size_t whole = pad + d->n + zeros - places;

    for (size_t i = 0; i < pad + d->n + zeros; i++) {
        if (i == whole)
            *buf++ = '.';
        *buf++ = i < pad || i >= pad + d->n ? '0' : d->text[i - pad];
    }
    *buf = '\0';
}

char *exact_write_digits(char *buf, size_t size, const struct exact_digits *d, long shift)
{
    long last = d->last - shift, top = last + (long)d->n - 1;
    char *at = buf;

    if (d->n == 0)
        return strcpy(buf, "0");
    BUG_ON(size < d->n + 32);
    if (d->negative)
        *at++ = '-';
    if (top >= -6 && top <= 20) { /* up to 21 digits read better than an exponent */
        write_pointed(at, d, last > 0 ? (size_t)last : 0, last < 0 ? (size_t)-last : 0);
    } else {
        write_pointed(at, d, 0, d->n - 1);
        size_t len = strlen(at);
        snprintf(at + len, size - len - d->negative, "e%ld", top);
    }
    return buf;
}

long exact_top_digit(const struct exact_digits *d)
{
    return d->last + (long)d->n - 1;
}

char *exact_decimal(char *buf, size_t size, const mpq_t q, unsigned digits)
{
    struct exact_digits d;
    char text[EXACT_MOST_DIGITS + 33];

    BUG_ON(size < 2);
    exact_take_digits(&d, q, digits);
    exact_write_digits(text, sizeof text, &d, 0);
    BUG_ON(strlen(text) >= size);
    return strcpy(buf, text);
}
