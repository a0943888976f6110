/* exact.h - numbers that are multiplied up: FLOPs, bytes, seconds, dollars, as GMP rationals.
 *
 * Nothing rounds until it is printed, and printing rounds once, half to even.  All functions
 * take initialised mpz/mpq; an allocation failure inside GMP aborts (GMP's own rule). */
#ifndef BASE_EXACT_H
#define BASE_EXACT_H

#include <gmp.h>
#include <stddef.h>
#include <stdint.h>

/* Rationals and integers that are initialised where they are declared, and cleared where their
 * block ends, however it is left: EXACT_Q(share);          mpq_t share = 0 EXACT_Z(bytes); mpz_t
 * bytes = 0 Not for arrays, nor for what outlives the block. */
struct exact_q {
    mpq_t q;
};
struct exact_z {
    mpz_t z;
};
struct exact_q exact_q_new(void);
struct exact_z exact_z_new(void);
void exact_q_clear(struct exact_q *q);
void exact_z_clear(struct exact_z *z);
#define EXACT_Q(name)                                                                              \
    struct exact_q name##_scoped __attribute__((cleanup(exact_q_clear))) = exact_q_new();          \
    mpq_ptr name = name##_scoped.q
#define EXACT_Z(name)                                                                              \
    struct exact_z name##_scoped __attribute__((cleanup(exact_z_clear))) = exact_z_new();          \
    mpz_ptr name = name##_scoped.z

/* z = v, q = num / den (den > 0), q in lowest terms. */
void exact_set_u64(mpz_t z, uint64_t v);
void exact_ratio(mpq_t q, uint64_t num, uint64_t den);

/* acc += a * b, all exact. */
void exact_addmul(mpz_t acc, uint64_t a, uint64_t b);

/* Read a decimal such as "-12", "0.86", "2.5e-3" exactly.  Returns the first character after it,
 * or NULL when `text` starts with no number or its exponent is beyond +-60. */
const char *exact_parse(mpq_t q, const char *text);

/* q as an unsigned 64-bit integer: 0, or -1 when it is negative, has a fraction or does not fit. */
int exact_to_u64(const mpq_t q, uint64_t *v);

/* z = q rounded to an integer, half to even. */
void exact_round(mpz_t z, const mpq_t q);

/* Write q with exactly `places` digits after the point, rounded half to even; returns `buf`.
 * `size` must hold it: 64 bytes do for |q| < 1e30 and places <= 30; a bug otherwise. */
char *exact_fixed(char *buf, size_t size, const mpq_t q, unsigned places);

/* Write q as the shortest decimal equal to it, or, where it has none of up to `digits` significant
 * digits, rounded half to even to that many: "3.412", "0.333333", "1.5e-12".  Returns `buf`. */
char *exact_decimal(char *buf, size_t size, const mpq_t q, unsigned digits);

#endif
