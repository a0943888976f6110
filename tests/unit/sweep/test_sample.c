/* Samples: which places in a cube of axes they are. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "sweep/sample.h"

Test(sample, sobol_is_the_published_sequence)
{
    /* of [joe-kuo-2008], three dimensions, in eighths */
    static const unsigned eighths[8][3] = { { 0, 0, 0 }, { 4, 4, 4 }, { 6, 2, 2 }, { 2, 6, 6 },
                                            { 3, 3, 5 }, { 7, 7, 1 }, { 5, 1, 7 }, { 1, 5, 3 } };
    uint32_t u[24];

    sample_sobol(u, 8, 3, 0);
    for (int i = 0; i < 8; i++)
        for (int d = 0; d < 3; d++)
            cr_assert_eq(u[3 * i + d], eighths[i][d] << 29, "point %d, dimension %d", i, d);
}

/* Does each of the n parts of every axis hold exactly one point? */
static void one_in_each_part(const uint32_t *u, size_t n, size_t dims)
{
    for (size_t d = 0; d < dims; d++) {
        bool seen[1024] = { false };
        for (size_t i = 0; i < n; i++) {
            size_t part = (size_t)(((uint64_t)u[i * dims + d] * n) >> 32);
            cr_assert_not(seen[part], "dimension %zu, part %zu", d, part);
            seen[part] = true;
        }
    }
}

Test(sample, every_part_of_an_axis_holds_one_point)
{
    static uint32_t u[1024 * SOBOL_DIMS];

    sample_sobol(u, 1024, SOBOL_DIMS, 0);
    one_in_each_part(u, 1024, SOBOL_DIMS);
    sample_sobol(u, 1024, SOBOL_DIMS, 7);
    one_in_each_part(u, 1024, SOBOL_DIMS);
    sample_lhs(u, 1000, 5, 7);
    one_in_each_part(u, 1000, 5);
    sample_lhs(u, 3, 5, 1);
    one_in_each_part(u, 3, 5);
}

Test(sample, the_seed_decides)
{
    uint32_t a[40], b[40];

    sample_lhs(a, 10, 4, 1);
    sample_lhs(b, 10, 4, 1);
    cr_assert_eq(memcmp(a, b, sizeof a), 0);
    sample_lhs(b, 10, 4, 2);
    cr_assert_neq(memcmp(a, b, sizeof a), 0);
    sample_sobol(a, 10, 4, 1);
    sample_sobol(b, 10, 4, 2);
    cr_assert_neq(memcmp(a, b, sizeof a), 0);
}
