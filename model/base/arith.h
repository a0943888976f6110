/* arith.h - whole numbers: division that rounds up, and multiples. */
#ifndef BASE_ARITH_H
#define BASE_ARITH_H

#include <stdint.h>

/* a / b rounded up; b at least 1, a + b at most 2^64. */
static inline uint64_t arith_ceil_div(uint64_t a, uint64_t b)
{
    return (a + b - 1) / b;
}

/* The least multiple of `granule`, at least 1, that is not below `v`. */
static inline uint64_t arith_round_up(uint64_t v, uint64_t granule)
{
    return arith_ceil_div(v, granule) * granule;
}

#endif
