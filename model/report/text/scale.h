/* scale.h - the unit of a column of numbers, chosen so that the largest has a digit before the
 * point. */
#ifndef REPORT_TEXT_SCALE_H
#define REPORT_TEXT_SCALE_H

#include <stdio.h>

#include <gmp.h>

struct scale {
    char unit[16]; /* "ms", "GFLOP" */
    mpq_t factor;  /* number in the column = factor * value in the base unit */
};

/* `largest` is in `unit`; seconds go from s down to ns, all else from the unit up to tera. */
void scale_init(struct scale *s, const mpq_t largest, const char *unit);
void scale_init_mpz(struct scale *s, const mpz_t largest, const char *unit);
void scale_clear(struct scale *s);

/* The value in the unit of the column, with three digits after the point, right-aligned. */
void scale_write(const mpq_t q, const struct scale *s, int width, FILE *out);
void scale_write_mpz(const mpz_t z, const struct scale *s, int width, FILE *out);

#endif
