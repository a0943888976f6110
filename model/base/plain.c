/* plain.c - see plain.h. */
#include "base/plain.h"

#include <stdlib.h>
#include <string.h>

locale_t plain_begin(void)
{
    /* "C" is there from the beginning: nothing is allocated, and it cannot fail */
    return uselocale(newlocale(LC_ALL_MASK, "C", (locale_t)0));
}

void plain_end(locale_t before)
{
    uselocale(before);
}

int plain_print_list(FILE *out, const char *fmt, va_list args)
{
    locale_t before = plain_begin();
    int n = vfprintf(out, fmt, args);

    plain_end(before);
    return n;
}

int plain_print(FILE *out, const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    int n = plain_print_list(out, fmt, args);
    va_end(args);
    return n;
}

int plain_text_list(char *buf, size_t size, const char *fmt, va_list args)
{
    locale_t before = plain_begin();
    int n = vsnprintf(buf, size, fmt, args);

    plain_end(before);
    return n;
}

int plain_text(char *buf, size_t size, const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    int n = plain_text_list(buf, size, fmt, args);
    va_end(args);
    return n;
}

size_t plain_digits(char to[PLAIN_DIGITS], uint64_t v)
{
    char last_first[PLAIN_DIGITS];
    size_t n = 0;

    do
        last_first[n++] = (char)('0' + v % 10);
    while (v /= 10);
    for (size_t i = 0; i < n; i++)
        to[i] = last_first[n - 1 - i];
    return n;
}

void plain_whole(FILE *out, uint64_t v)
{
    char digits[PLAIN_DIGITS];
    size_t n = plain_digits(digits, v);

    fwrite(digits, 1, n, out);
}

int plain_change(char *buf, size_t size, double change, int places)
{
    int n = plain_text(buf, size, "%+.*f", places, change);

    if (n > 0 && (size_t)n < size && strspn(buf, "+-0.") == (size_t)n)
        memmove(buf, buf + 1, (size_t)n--);
    return n;
}

double plain_read(const char *text, char **end)
{
    locale_t before = plain_begin();
    double value = strtod(text, end);

    plain_end(before);
    return value;
}

bool plain_same_start(const char *a, const char *b, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (plain_lower(a[i]) != plain_lower(b[i]))
            return false;
        if (a[i] == '\0')
            break;
    }
    return true;
}

bool plain_same(const char *a, const char *b)
{
    return plain_same_start(a, b, (size_t)-1);
}
