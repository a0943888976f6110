/* amounts.h - exact amounts by number, most of which are 0: seconds by cause, slots by use.
 *
 * An amount that is 0 takes no storage, so a list of N of them costs what its other ones cost: a
 * result has such lists for each of some hundred thousand operations.  A list begins as all zeros,
 * `{ 0 }`, and owns what it holds. */
#ifndef BASE_AMOUNTS_H
#define BASE_AMOUNTS_H

#include <gmp.h>
#include <stdint.h>

#define AMOUNTS_MOST 64 /* numbers are less */

struct amounts {
    uint64_t made; /* bits of the numbers that have storage */
    mpq_t *amount; /* of each bit, lowest first */
};

/* The amount of number `i`, which stays until one is made by amounts_at(). */
mpq_srcptr amounts_get(const struct amounts *p, unsigned i);
/* A pointer through which amount `i` can be changed.  An amount without storage gets some, as 0,
 * and the others may move. */
mpq_ptr amounts_at(struct amounts *p, unsigned i);
/* The amounts that have storage, lowest number first: *i begins at -1 and becomes the number of the
 * amount returned.  NULL: there are no more.
 *
 *     for (int i = -1; (q = amounts_next(p, &i));) */
mpq_ptr amounts_next(const struct amounts *p, int *i);

/* sum += p, number by number; q += all amounts of p. */
void amounts_add(struct amounts *sum, const struct amounts *p);
void amounts_sum(mpq_ptr q, const struct amounts *p);
/* The lowest number, of those in the bits `among`, with the largest amount; among != 0. */
unsigned amounts_largest(const struct amounts *p, uint64_t among);
/* Free what it holds; it is all zeros then. */
void amounts_clear(struct amounts *p);

#endif
