/* arith.h - unsigned 64-bit integers: division that rounds up, rounding up to a multiple,
 * logarithms. base/wide.h has products of more than 64 bits. */
#ifndef BASE_ARITH_H
#define BASE_ARITH_H

#include <stdint.h>

/* a / b rounded up; b >= 1, a + b <= 2^64. */
static inline uint64_t arith_ceil_div(uint64_t a, uint64_t b)
{
    return (a + b - 1) / b;
}

/* The smallest multiple of `granule` that is at least `v`; granule >= 1. */
static inline uint64_t arith_round_up(uint64_t v, uint64_t granule)
{
    return arith_ceil_div(v, granule) * granule;
}

/* The least n, up to 63, with 2^n >= v. */
static inline uint32_t arith_ceil_log2(uint64_t v)
{
    uint32_t n = 0;

    while (n < 63 && (UINT64_C(1) << n) < v)
        n++;
    return n;
}

#endif
