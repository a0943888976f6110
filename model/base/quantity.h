/* quantity.h - quantities as people write them: "940 MHz", "62 GB/s", "16 MiB", "1.03 us", "128".
 *
 * A quantity is a decimal number, a space, and a prefixed unit.  Prefixes are decimal (k M G T P,
 * m u n p f) and, for B and B/s, binary (Ki Mi Gi Ti).  The unit itself must be the one asked for.
 */
#ifndef BASE_QUANTITY_H
#define BASE_QUANTITY_H

#include "base/err.h"
#include "base/exact.h"

/* Read `text` as a value in `unit` into the exact number q.  `unit` "" or a counted thing (no
 * prefix allowed: "PE", "cycle", "chip") may stand with or without its name; physical units (Hz,
 * B, B/s, s, W, USD/h) are required in the text.  "ratio" takes a plain number or "86 %".
 * Errors: ERR_FORMAT no number, or more text after it; ERR_UNIT unit missing or another one. */
int quantity_parse(mpq_t q, const char *text, const char *unit, struct err *err);

/* Write q of `unit` for people, with the largest decimal prefix (binary for B) that keeps it at
 * least 1 and `digits` significant digits: "3.412 s", "940 MHz", "16 MiB".  Returns `buf`. */
char *quantity_format(char *buf, size_t size, const mpq_t q, const char *unit, unsigned digits);

/* Write q exactly, with the prefix that makes the shortest text at or above 1: "16 MiB", "16 GB",
 * "1.03 us".  q must be a decimal of at most UNIT_EXACT_DIGITS digits; a bug otherwise. */
#define UNIT_EXACT_DIGITS 36
char *quantity_exact(char *buf, size_t size, const mpq_t q, const char *unit);

#endif
