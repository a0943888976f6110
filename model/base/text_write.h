/* text_write.h - numbers and names as text reports and CSV files show them.
 *
 * Numbers are exact rationals until they are printed, which rounds once, half to even.  Nothing
 * fails but writing, which the caller sees in ferror(out). */
#ifndef BASE_TEXT_WRITE_H
#define BASE_TEXT_WRITE_H

#include <stdio.h> /* before gmp.h, which declares what takes a FILE only then */

#include <gmp.h>
#include <stdbool.h>
#include <stdint.h>

/* q as the shortest decimal equal to it, or rounded to `digits` significant digits. */
void text_decimal(const mpq_t q, unsigned digits, FILE *out);

/* q * factor with `places` digits after the point, right-aligned in `width` columns. */
void text_fixed(const mpq_t q, const mpq_t factor, unsigned places, int width, FILE *out);

/* 100 * num / den with one digit after the point, right-aligned; "-" when den is zero. */
void text_percent(const mpq_t num, const mpq_t den, int width, FILE *out);

/* 100 * q, in the same form. */
void text_share(const mpq_t q, int width, FILE *out);
/* With a + in front if it is above 0. */
void text_signed_share(const mpq_t q, int width, FILE *out);

/* With four significant digits: a quantity with its unit ("3.412 s"), a bare number, bytes
 * ("16 MiB"). */
void text_quantity(const mpq_t q, const char *unit, FILE *out);
void text_number(const mpq_t q, FILE *out);
void text_bytes(uint64_t bytes, FILE *out);

/* A number and its noun: "1 core", "8 cores". */
void text_count(uint64_t n, const char *noun, FILE *out);

/* `s` padded with blanks or cut to `width` columns, the cut shown by a "~".  Control characters and
 * bytes that are not UTF-8 become "?"; a multi-byte character counts as one column. */
void text_column(const char *s, unsigned width, FILE *out);

/* `s` as a terminal may get it: control characters and bytes that are not UTF-8 become "?". */
void text_shown(const char *s, FILE *out);
/* fprintf() in the same form: names in it end no line. */
void text_shown_format(FILE *out, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* A field of a CSV line (RFC 4180): in quotes where it needs them. */
void text_csv_field(const char *s, FILE *out);

/* Bytes of the UTF-8 character at `s`; 0 if there is none: overlong forms, surrogates and what is
 * beyond U+10FFFF are no characters. */
unsigned text_utf8_length(const char *s);

/* Bytes of the character at `s` if people may see it, of one that is no control character; else 0,
 * and text_control_length() says how many bytes stand for one "?". */
unsigned text_shown_length(const char *s);
unsigned text_control_length(const char *s);

/* Is there a control character, newlines and tabs included? */
bool text_has_control(const char *s);

/* The offset of the first byte of `s` that a terminal must not get: a control character other than
 * a tab (with `lines`, and a newline), or one that is no UTF-8; SIZE_MAX: none.  What comes in a
 * file and is printed again goes through this. */
size_t text_bad_byte(const char *s, bool lines);

#endif
