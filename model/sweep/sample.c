#include "sweep/sample.h"

#include <stdlib.h>

#include "base/err.h"
#include "base/memory.h"

#define BITS 32

/* splitmix64 [steele-2014] */
static uint64_t next_random(uint64_t *state)
{
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);

    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

/* A stream of its own for each axis, so that one more axis leaves the others as they are. */
static uint64_t stream_of_axis(uint64_t seed, size_t d)
{
    uint64_t state = seed + UINT64_C(0x632be59bd9b4e019) * (d + 1);

    return next_random(&state);
}

/* 0 .. n - 1; numbers below 2^64 mod n come too often, by n / 2^64 */
static size_t random_below(uint64_t *state, size_t n)
{
    return (size_t)(next_random(state) % n);
}

void sample_lhs(uint32_t *u, size_t n, size_t dims, uint64_t seed)
{
    size_t *order = memory_zeroed(n ? n : 1, sizeof *order);

    for (size_t d = 0; d < dims; d++) {
        uint64_t state = stream_of_axis(seed, d);
        for (size_t i = 0; i < n; i++)
            order[i] = i;
        for (size_t i = n; i > 1; i--) {
            size_t k = random_below(&state, i), t = order[i - 1];
            order[i - 1] = order[k];
            order[k] = t;
        }
        for (size_t i = 0; i < n; i++) {
            /* somewhere in the part of [0, 2^32) that begins at low and ends before high */
            uint64_t low = (((uint64_t)order[i] << BITS) + n - 1) / n;
            uint64_t high = (((uint64_t)(order[i] + 1) << BITS) + n - 1) / n;
            u[i * dims + d] = (uint32_t)(low + random_below(&state, high - low));
        }
    }
    free(order);
}

/* clang-format off */
static const struct direction {
    unsigned degree, polynomial, m[7];
} directions[SOBOL_DIMS - 1] = { /* of dimensions 2, 3, ... [joe-kuo-2008], file new-joe-kuo-6 */
    { 1, 0,  { 1 } },
    { 2, 1,  { 1, 3 } },
    { 3, 1,  { 1, 3, 1 } },
    { 3, 2,  { 1, 1, 1 } },
    { 4, 1,  { 1, 1, 3, 3 } },
    { 4, 4,  { 1, 3, 5, 13 } },
    { 5, 2,  { 1, 1, 5, 5, 17 } },
    { 5, 4,  { 1, 1, 5, 5, 5 } },
    { 5, 7,  { 1, 1, 7, 11, 19 } },
    { 5, 11, { 1, 1, 5, 1, 1 } },
    { 5, 13, { 1, 1, 1, 3, 11 } },
    { 5, 14, { 1, 3, 5, 5, 31 } },
    { 6, 1,  { 1, 3, 3, 9, 7, 49 } },
    { 6, 13, { 1, 1, 1, 15, 21, 21 } },
    { 6, 16, { 1, 3, 1, 13, 27, 49 } },
    { 6, 19, { 1, 1, 1, 15, 7, 5 } },
    { 6, 22, { 1, 3, 1, 15, 13, 25 } },
    { 6, 25, { 1, 1, 5, 5, 19, 61 } },
    { 7, 1,  { 1, 3, 7, 11, 23, 15, 103 } },
    { 7, 4,  { 1, 3, 7, 13, 13, 15, 69 } },
};
/* clang-format on */

/* Direction numbers of dimension d (0, 1, ...): v[k] is the k-th column of its matrix. */
static void direction_numbers(size_t d, uint32_t v[BITS])
{
    if (d == 0) {
        for (unsigned k = 0; k < BITS; k++)
            v[k] = UINT32_C(1) << (BITS - 1 - k);
        return;
    }
    const struct direction *p = &directions[d - 1];
    for (unsigned k = 0; k < p->degree; k++)
        v[k] = p->m[k] << (BITS - 1 - k);
    for (unsigned k = p->degree; k < BITS; k++) {
        v[k] = v[k - p->degree] ^ (v[k - p->degree] >> p->degree);
        for (unsigned j = 1; j < p->degree; j++)
            if ((p->polynomial >> (p->degree - 1 - j)) & 1)
                v[k] ^= v[k - j];
    }
}

void sample_sobol(uint32_t *u, size_t n, size_t dims, uint64_t seed)
{
    BUG_ON(dims > SOBOL_DIMS || n > (size_t)1 << (BITS - 1));
    for (size_t d = 0; d < dims; d++) {
        uint32_t v[BITS], x = seed ? (uint32_t)(stream_of_axis(seed, d) >> BITS) : 0;
        direction_numbers(d, v);
        for (size_t i = 0; i < n; i++) {
            u[i * dims + d] = x;
            x ^= v[__builtin_ctzll(~(uint64_t)i)];
        }
    }
}
