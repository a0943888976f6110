/* plain.h - numbers and letters as text, whatever the locale of the process is.
 *
 * The functions of C read and write numbers as the locale has it, which belongs to whoever calls
 * the library: 3,324 in place of 3.324 where the decimal point is a comma.  Every number with a
 * point goes through these functions, and scripts/check/locale says which does not.  Letters are
 * those of ASCII: a byte above 127 is none, and I is the capital of i. */
#ifndef BASE_PLAIN_H
#define BASE_PLAIN_H

#include <locale.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* fprintf, snprintf and their kin in the locale "C". */
int plain_print(FILE *out, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
int plain_print_list(FILE *out, const char *fmt, va_list args)
    __attribute__((format(printf, 2, 0)));
int plain_text(char *buf, size_t size, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
int plain_text_list(char *buf, size_t size, const char *fmt, va_list args)
    __attribute__((format(printf, 3, 0)));

/* A change with `places` digits after the point and its sign; none where the digits are zeros:
 * "+1.2", "-0.4", "0.0". */
int plain_change(char *buf, size_t size, double change, int places);

/* v in decimal; without printf, which takes ten times as long.  The text form returns its length:
 * at most PLAIN_DIGITS, and no NUL follows. */
#define PLAIN_DIGITS 20
size_t plain_digits(char to[PLAIN_DIGITS], uint64_t v);
void plain_whole(FILE *out, uint64_t v);

/* strtod in the locale "C". */
double plain_read(const char *text, char **end);

/* Around calls of a library that asks for the locale: this thread, and no other, is in "C" from
 * plain_begin() to plain_end(), which takes what the first has returned. */
locale_t plain_begin(void);
void plain_end(locale_t before);

/* --- letters -------------------------------------------------------------------------------- */

/* 0 to 9. */
static inline bool plain_is_digit(int c)
{
    return c >= '0' && c <= '9';
}
/* The small letter of a capital; any other character is itself. */
static inline char plain_lower(int c)
{
    return (char)(c >= 'A' && c <= 'Z' ? c + ('a' - 'A') : c);
}
/* The capital of a small letter. */
static inline char plain_upper(int c)
{
    return (char)(c >= 'a' && c <= 'z' ? c - ('a' - 'A') : c);
}
/* a to z and A to Z. */
static inline bool plain_is_letter(int c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}
/* A letter or a digit. */
static inline bool plain_is_word(int c)
{
    return plain_is_letter(c) || plain_is_digit(c);
}
/* A blank, tab, newline, carriage return or another of those that isspace() of C takes. */
static inline bool plain_is_blank(int c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}
/* Printable: a blank to ~. */
static inline bool plain_is_shown(int c)
{
    return c >= ' ' && c <= '~';
}

/* Equal but for the case of letters; in their first n bytes. */
bool plain_same(const char *a, const char *b);
bool plain_same_start(const char *a, const char *b, size_t n);

#endif
