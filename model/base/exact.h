/* exact.h - exact integers and rationals of any size, by GMP: FLOPs, bytes, seconds, dollars.
 *
 * Nothing is rounded before it is printed, and printing rounds once, half to even.  All functions
 * take initialised mpz_t and mpq_t.  If GMP cannot allocate memory, it aborts. */
#ifndef BASE_EXACT_H
#define BASE_EXACT_H

#include <stdio.h> /* before gmp.h, which declares what takes a FILE only then */

#include <gmp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Declare a rational or an integer that is initialised to 0 and cleared at the end of its block,
 * also where `return` or `break` leaves the block:
 *
 *     EXACT_Q(share);
 *     EXACT_Z(bytes);
 *
 * They are not for arrays or for values that outlive the block. */
struct exact_q {
    mpq_t q;
};
struct exact_z {
    mpz_t z;
};
struct exact_q exact_q_new(void); /* these four are for the macros alone */
struct exact_z exact_z_new(void);
void exact_q_clear(struct exact_q *q);
void exact_z_clear(struct exact_z *z);
#define EXACT_Q(name)                                                                              \
    struct exact_q name##_scoped __attribute__((cleanup(exact_q_clear))) = exact_q_new();          \
    mpq_ptr name = name##_scoped.q
#define EXACT_Z(name)                                                                              \
    struct exact_z name##_scoped __attribute__((cleanup(exact_z_clear))) = exact_z_new();          \
    mpz_ptr name = name##_scoped.z

/* z = v; q = num / den in lowest terms, den >= 1. */
void exact_set_u64(mpz_t z, uint64_t v);
void exact_ratio(mpq_t q, uint64_t num, uint64_t den);

/* sum += q.  Where all fits words of 64 bits, three times as fast as mpq_add(). */
void exact_sum(mpq_t sum, const mpq_t q);

/* acc += a * b */
void exact_addmul(mpz_t acc, uint64_t a, uint64_t b);

/* Read a decimal such as "-12", "0.86" or "2.5e-3".  Returns the first character after it, or NULL
 * if `text` does not start with a number or the exponent is outside [-60, 60]. */
const char *exact_parse(mpq_t q, const char *text);

/* *v = q.  Returns 0, or -1 if q is negative, has a fraction or does not fit 64 bits. */
int exact_to_u64(const mpq_t q, uint64_t *v);

/* z = q rounded to an integer, half to even. */
void exact_round(mpz_t z, const mpq_t q);

/* Write q with exactly `places` digits after the point, rounded half to even.  Returns `buf`.  A
 * text of more than `size` bytes is a bug; 64 bytes suffice for |q| < 1e30 and places <= 30. */
char *exact_fixed(char *buf, size_t size, const mpq_t q, unsigned places);

/* The digits of a decimal: 0.text * 10^(n + last), without zeros at either end; n is 0 for 0. */
#define EXACT_MOST_DIGITS 64
struct exact_digits {
    char text[EXACT_MOST_DIGITS + 2];
    size_t n;
    long last; /* the power of ten of the last digit */
    bool negative;
};
/* Those of q, rounded half to even to at most `digits`, 1 to EXACT_MOST_DIGITS. */
void exact_take_digits(struct exact_digits *d, const mpq_t q, unsigned digits);
/* Those of v * 10^-places, all of them. */
void exact_digits_of(struct exact_digits *d, uint64_t v, unsigned places);
/* Write them times 10^-shift, as exact_decimal() does.  Returns `buf`. */
char *exact_write_digits(char *buf, size_t size, const struct exact_digits *d, long shift);
/* The power of ten of the first digit. */
long exact_top_digit(const struct exact_digits *d);

/* Write q as the shortest decimal that equals it: "3.412", "1.5e-12".  If it needs more than
 * `digits` significant digits, round it half to even to so many: "0.333333".  Returns `buf`. */
char *exact_decimal(char *buf, size_t size, const mpq_t q, unsigned digits);

#endif
