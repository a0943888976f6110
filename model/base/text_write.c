#include "base/text_write.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/exact.h"
#include "base/memory.h"
#include "base/plain.h"
#include "base/quantity.h"

#define DIGITS 4 /* significant ones, of numbers for people */
#define NUMBER_ROOM 256

unsigned text_utf8_length(const char *s)
{
    const unsigned char *u = (const unsigned char *)s;
    unsigned n = u[0] < 0x80 ? 1 : u[0] >= 0xf0 ? 4 : u[0] >= 0xe0 ? 3 : 2;
    unsigned low = 0x80, high = 0xbf;

    if (n == 1)
        return 1;
    if (u[0] < 0xc2 || u[0] > 0xf4)
        return 0;
    if (u[0] == 0xe0)
        low = 0xa0;
    else if (u[0] == 0xed)
        high = 0x9f;
    else if (u[0] == 0xf0)
        low = 0x90;
    else if (u[0] == 0xf4)
        high = 0x8f;
    if (u[1] < low || u[1] > high)
        return 0;
    for (unsigned i = 2; i < n; i++) {
        if (u[i] < 0x80 || u[i] > 0xbf)
            return 0;
    }
    return n;
}

/* Those of ASCII and of Latin-1, which are two bytes. */
static bool is_control(const char *s)
{
    unsigned char c = (unsigned char)*s;

    return c < ' ' || c == 0x7f || (c == 0xc2 && (unsigned char)s[1] < 0xa0);
}

unsigned text_shown_length(const char *s)
{
    return is_control(s) ? 0 : text_utf8_length(s);
}

unsigned text_control_length(const char *s)
{
    unsigned n = text_utf8_length(s);

    return n ? n : 1;
}

bool text_has_control(const char *s)
{
    while (*s && !is_control(s))
        s += text_control_length(s);
    return *s != '\0';
}

size_t text_bad_byte(const char *s, bool lines)
{
    for (const char *at = s; *at;) {
        unsigned n = text_shown_length(at);
        if (n == 0 && *at != '\t' && !(lines && *at == '\n'))
            return (size_t)(at - s);
        at += n ? n : 1;
    }
    return SIZE_MAX;
}

/* Memory for any decimal of q, freed by the caller: GMP numbers grow without limit. */
static char *new_buffer(const mpq_t q, size_t *size)
{
    *size = mpz_sizeinbase(mpq_numref(q), 10) + mpz_sizeinbase(mpq_denref(q), 10) + 64;
    return memory_zeroed(*size, 1);
}

void text_decimal(const mpq_t q, unsigned digits, FILE *out)
{
    size_t size;
    char *buf = new_buffer(q, &size);

    fputs(exact_decimal(buf, size, q, digits), out);
    free(buf);
}

void text_fixed(const mpq_t q, const mpq_t factor, unsigned places, int width, FILE *out)
{
    size_t size;

    EXACT_Q(scaled);
    mpq_mul(scaled, q, factor);
    char *buf = new_buffer(scaled, &size);
    fprintf(out, "%*s", width, exact_fixed(buf, size, scaled, places));
    free(buf);
}

void text_share(const mpq_t q, int width, FILE *out)
{
    EXACT_Q(hundred);
    mpq_set_ui(hundred, 100, 1);
    text_fixed(q, hundred, 1, width, out);
}

void text_signed_share(const mpq_t q, int width, FILE *out)
{
    char number[NUMBER_ROOM], text[NUMBER_ROOM + 1];

    EXACT_Q(hundred);
    mpq_set_ui(hundred, 100, 1);
    mpq_mul(hundred, hundred, q);
    exact_fixed(number, sizeof number, hundred, 1);
    bool none = strspn(number, "-0.") == strlen(number); /* has no sign */
    snprintf(text, sizeof text, "%s%s", !none && mpq_sgn(q) > 0 ? "+" : "", number);
    if (none)
        snprintf(text, sizeof text, "0.0");
    fprintf(out, "%*s", width, text);
}

void text_percent(const mpq_t num, const mpq_t den, int width, FILE *out)
{
    if (mpq_sgn(den) == 0) {
        fprintf(out, "%*s", width, "-");
        return;
    }
    EXACT_Q(ratio);
    mpq_div(ratio, num, den);
    text_share(ratio, width, out);
}

void text_quantity(const mpq_t q, const char *unit, FILE *out)
{
    char buf[NUMBER_ROOM];

    fputs(quantity_format(buf, sizeof buf, q, unit, DIGITS), out);
}

void text_number(const mpq_t q, FILE *out)
{
    text_decimal(q, DIGITS, out);
}

void text_bytes(uint64_t bytes, FILE *out)
{
    EXACT_Q(q);
    exact_ratio(q, bytes, 1);
    text_quantity(q, "B", out);
}

void text_count(uint64_t n, const char *noun, FILE *out)
{
    fprintf(out, "%llu %s%s", (unsigned long long)n, noun, n == 1 ? "" : "s");
}

/* Print a character, or "?" for it; returns its bytes. */
static unsigned show_one(const char *s, FILE *out)
{
    unsigned n = text_shown_length(s);

    if (n > 0)
        fwrite(s, 1, n, out);
    else
        putc('?', out);
    return n > 0 ? n : text_control_length(s);
}

void text_column(const char *s, unsigned width, FILE *out)
{
    unsigned columns = 0, printed = 0;

    for (const char *p = s; *p; columns++)
        p += text_control_length(p);
    bool cut = columns > width;
    unsigned room = cut ? width - 1 : columns;
    for (; printed < room; printed++)
        s += show_one(s, out);
    if (cut)
        putc('~', out);
    else
        fprintf(out, "%*s", (int)(width - columns), "");
}

void text_shown(const char *s, FILE *out)
{
    while (*s)
        s += show_one(s, out);
}

void text_shown_format(FILE *out, const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    char *text = memory_format_list(fmt, args);
    va_end(args);
    text_shown(text, out);
    free(text);
}

/* True for a number with no more than a unit behind it: "-2.5e-3", "+12 us". */
static bool is_quantity(const char *s)
{
    char *end;

    plain_read(s, &end);
    if (end == s || !plain_is_digit(s[1]))
        return false;
    while (*end == ' ' || *end == '%' || plain_is_letter(*end))
        end++;
    return *end == '\0';
}

void text_csv_field(const char *s, FILE *out)
{
    /* a table program would run it as a formula */
    bool formula = *s && s[1] && (strchr("=@", *s) || (strchr("+-", *s) && !is_quantity(s)));

    if (!strpbrk(s, ",\"\r\n")) {
        fprintf(out, "%s%s", formula ? "'" : "", s);
        return;
    }
    putc('"', out);
    if (formula)
        putc('\'', out);
    for (; *s; s++) {
        if (*s == '"')
            putc('"', out);
        putc(*s, out);
    }
    putc('"', out);
}
