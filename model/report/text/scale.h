/* scale.h - one unit for a column of numbers: the largest prefix with which the largest number is
 * at least 1. */
#ifndef REPORT_TEXT_SCALE_H
#define REPORT_TEXT_SCALE_H

#include <stdio.h>

#include <gmp.h>

struct scale {
    char unit[16]; /* "ms", "GFLOP" */
    mpq_t factor;  /* number in the column = factor * value in the base unit */
};

/* Choose the prefix for `largest`, a number of `unit`: seconds go from s down to ns, other units
 * from none up to tera. */
void scale_init(struct scale *s, const mpq_t largest, const char *unit);
void scale_init_mpz(struct scale *s, const mpz_t largest, const char *unit);
void scale_clear(struct scale *s);

/* Write a value in the unit of the column, with three digits after the point, right-aligned. */
void scale_write(const mpq_t q, const struct scale *s, int width, FILE *out);
void scale_write_mpz(const mpz_t z, const struct scale *s, int width, FILE *out);

#endif
