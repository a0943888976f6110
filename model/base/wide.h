/* wide.h - unsigned 128-bit integers, for a product of two 64-bit numbers that is then divided.
 * base/exact.h has numbers of any size. */
#ifndef BASE_WIDE_H
#define BASE_WIDE_H

#include <stdbool.h>
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

/* A divisor that many products are divided by: the compiler calls a division of 128 bits, which
 * takes several times as long as these multiplications. [moller-2011] */
struct wide_divisor {
    uint64_t d,
        inverse; /* shifted so that the top bit of d is set; floor((2^128 - 1) / d) - 2^64 */
    uint32_t shift;
};

/* A constant divisor of 64 - shift bits. */
#define WIDE_DIVISOR(d, shift)                                                                     \
    {                                                                                              \
        (uint64_t)(d) << (shift), (uint64_t)(~(u128)0 / ((uint64_t)(d) << (shift))), (shift)       \
    }

/* d >= 1. */
static inline struct wide_divisor wide_divisor(uint64_t d)
{
    uint32_t shift = (uint32_t)__builtin_clzll(d);

    d <<= shift;
    return (struct wide_divisor){ d, (uint64_t)(~(u128)0 / d), shift };
}

/* True if a / d rounded down fits 64 bits. */
static inline bool wide_fits(u128 a, const struct wide_divisor *by)
{
    return (uint64_t)(a >> 64) < by->d >> by->shift;
}

/* a / d rounded down; the quotient fits 64 bits. */
static inline uint64_t wide_divide(u128 a, const struct wide_divisor *by)
{
    a <<= by->shift;
    u128 q = (a >> 64) * by->inverse + a;
    uint64_t quotient = (uint64_t)(q >> 64) + 1, rest = (uint64_t)a - quotient * by->d;
    uint64_t over = rest > (uint64_t)q; /* half of the time: a branch would be guessed wrong */

    quotient -= over;
    rest += by->d & -over;
    return quotient + (rest >= by->d);
}

#endif
