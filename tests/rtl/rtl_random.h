/* rtl_random.h - a small generator of its own, so that a seed means the same on every machine. */
#ifndef TESTS_RTL_RTL_RANDOM_H
#define TESTS_RTL_RTL_RANDOM_H

#include <stdint.h>

/* Vigna's splitmix64 on the state *r. */
static inline uint64_t random_next(uint64_t *r)
{
    uint64_t z = *r += 0x9e3779b97f4a7c15u;

    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

/* 0 to n - 1. */
static inline uint32_t random_below(uint64_t *r, uint32_t n)
{
    return (uint32_t)(random_next(r) % n);
}

/* low to high, both included. */
static inline uint32_t random_from(uint64_t *r, uint32_t low, uint32_t high)
{
    return low + random_below(r, high - low + 1);
}

#endif
