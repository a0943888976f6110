/* quantity.h - quantities with units as text: "940 MHz", "62 GB/s", "16 MiB", "1.03 us", "128".
 *
 * A quantity is a decimal number, blanks, and a unit with a prefix.  Prefixes are decimal (k M G T
 * P m u n p f) and, for B and B/s, binary (Ki Mi Gi Ti). */
#ifndef BASE_QUANTITY_H
#define BASE_QUANTITY_H

#include "base/err.h"
#include "base/exact.h"

/* Read `text` as a value in `unit` into the exact number q.  A physical unit (Hz, B, B/s, s, W, J,
 * FLOP/s, MAC/s, USD/h) must stand in the text.  The name of something that is counted ("PE",
 * "cycle", "chip") may be left out and takes no prefix.  "ratio" takes a plain number or "86 %"; ""
 * takes a plain number.  Errors: ERR_FORMAT no number, or more text after it; ERR_UNIT a missing or
 * another unit. */
int quantity_parse(mpq_t q, const char *text, const char *unit, struct err *err);

/* Write q, in `unit`, rounded to `digits` significant digits, with the largest decimal prefix
 * (binary for B) that leaves a number of at least 1: "3.412 s", "940 MHz", "16 MiB".  Returns
 * `buf`. */
char *quantity_format(char *buf, size_t size, const mpq_t q, const char *unit, unsigned digits);

/* Write q exactly, with the prefix of the shortest text whose number is at least 1: "16 MiB",
 * "16 GB", "1.03 us".  A q that is no decimal of at most QUANTITY_EXACT_DIGITS digits is a bug. */
#define QUANTITY_EXACT_DIGITS 36
char *quantity_exact(char *buf, size_t size, const mpq_t q, const char *unit);
/* Write v * 10^-places exactly, as quantity_exact() does, without a division.  A unit with binary
 * prefixes, "B", has no places: its numbers are whole. */
char *quantity_whole(char *buf, size_t size, uint64_t v, unsigned places, const char *unit);

#endif
