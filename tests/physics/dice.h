/* dice.h - random numbers that are the same on every machine: splitmix64 (Vigna, public domain),
 * whose state is one number, the seed. */
#ifndef TESTS_PHYSICS_DICE_H
#define TESTS_PHYSICS_DICE_H

#include <stdint.h>

static inline uint64_t dice_roll(uint64_t *s)
{
    uint64_t z = *s += UINT64_C(0x9e3779b97f4a7c15);

    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

/* A number below `n`. */
static inline uint32_t dice_below(uint64_t *s, uint32_t n)
{
    return (uint32_t)(dice_roll(s) % n);
}

#endif
