/* wide.h - unsigned 128-bit integers, for a product of two 64-bit numbers that is then divided.
 * base/exact.h has numbers of any size. */
#ifndef BASE_WIDE_H
#define BASE_WIDE_H

#include <stdint.h>

/* C11 has no such type; gcc and clang do. */
__extension__ typedef unsigned __int128 u128;
__extension__ typedef __int128 i128;

/* a * b; it always fits. */
static inline u128 wide_mul(uint64_t a, uint64_t b)
{
    return (u128)a * b;
}

/* a * b / c rounded down; c >= 1, and the quotient fits 64 bits. */
static inline uint64_t wide_mul_div(uint64_t a, uint64_t b, uint64_t c)
{
    return (uint64_t)(wide_mul(a, b) / c);
}

/* a * b / c rounded up; c >= 1, and the quotient fits 64 bits. */
static inline uint64_t wide_mul_div_up(uint64_t a, uint64_t b, uint64_t c)
{
    return (uint64_t)((wide_mul(a, b) + c - 1) / c);
}

#endif
