/* sample.h - points spread over a cube: Latin hypercubes and Sobol sequences.
 *
 * u[i * dims + d] / 2^32 is coordinate d of point i, in [0, 1).  The same seed gives the same
 * points on every machine: all arithmetic is on integers. */
#ifndef SWEEP_SAMPLE_H
#define SWEEP_SAMPLE_H

#include <stddef.h>
#include <stdint.h>

/* n points of which each n-th part of each axis holds exactly one [mckay-1979].
 * O(n * dims). */
void sample_lhs(uint32_t *u, size_t n, size_t dims, uint64_t seed);

/* The first n points of the Sobol sequence, in the order of Gray codes, with the direction numbers
 * of [joe-kuo-2008]; seed 0: as published, else shifted bit by bit by a random number for each
 * axis.  n a power of two spreads most evenly.  dims <= SOBOL_DIMS, n <= 2^31. */
#define SOBOL_DIMS 21
void sample_sobol(uint32_t *u, size_t n, size_t dims, uint64_t seed);

#endif
