/* Sharing a GEMM between matrix units, and the cycles one of them streams, by hand. */
#include <criterion/criterion.h>

#include "task/task.h"

Test(task, rows_are_dealt_out_in_granules_and_add_up)
{
    struct task_gemm g = { 1, 20, 256, 128, 20 * 256 * 128 };

    /* 20 rows are 3 granules of 8: one for the first MXU, two for the second */
    struct task_gemm a = task_share(&g, &(struct task_parts){ 1, 2, 1, 1 }, 0, 8, 128);
    struct task_gemm b = task_share(&g, &(struct task_parts){ 1, 2, 1, 1 }, 1, 8, 128);
    cr_assert_eq(a.m, 8);
    cr_assert_eq(b.m, 12);
    cr_assert_eq(a.useful + b.useful, g.useful);
    cr_assert_eq(a.k, 256);
}

Test(task, contraction_tiles_are_dealt_out_whole)
{
    struct task_gemm g = { 1, 64, 300, 8, 64 * 300 * 8 };

    /* 300 = 128 + 128 + 44: one tile and two tiles */
    cr_assert_eq(task_share(&g, &(struct task_parts){ 1, 1, 2, 1 }, 0, 8, 128).k, 128);
    cr_assert_eq(task_share(&g, &(struct task_parts){ 1, 1, 2, 1 }, 1, 8, 128).k, 172);
}

Test(task, a_unit_without_a_part_gets_nothing)
{
    struct task_gemm g = { 1, 64, 128, 8, 64 };

    cr_assert_eq(task_share(&g, &(struct task_parts){ 1, 1, 2, 1 }, 0, 8, 128).b, 0);
    cr_assert_eq(task_share(&g, &(struct task_parts){ 1, 1, 2, 1 }, 1, 8, 128).useful, 64);
}

Test(task, products_of_a_batch_are_dealt_out_one_by_one)
{
    struct task_gemm g = { 5, 8, 8, 8, 5 };

    cr_assert_eq(task_share(&g, &(struct task_parts){ 4, 1, 1, 1 }, 0, 8, 128).b, 1);
    cr_assert_eq(task_share(&g, &(struct task_parts){ 4, 1, 1, 1 }, 3, 8, 128).b, 2);
}

Test(task, a_grid_of_units_takes_parts_of_two_dimensions)
{
    struct task_gemm g = { 1, 20, 300, 256, 20 * 300 * 256 };
    struct task_parts parts = { 1, 2, 1, 2 };
    uint64_t useful = 0;

    /* columns go round first: units 0 and 1 share the first granule of rows, 2 and 3 the rest */
    static const uint64_t m[] = { 8, 8, 12, 12 };
    for (uint32_t i = 0; i < 4; i++) {
        struct task_gemm s = task_share(&g, &parts, i, 8, 128);
        cr_expect_eq(s.m, m[i]);
        cr_expect_eq(s.n, 128);
        cr_expect_eq(s.k, 300);
        useful += s.useful;
    }
    cr_expect_eq(useful, g.useful);
    cr_expect_eq(task_share(&g, &parts, 4, 8, 128).b, 0, "there are only four");
    struct task_gemm most = task_largest(&g, &parts, 8, 128);
    cr_expect_eq(most.m, 16, "two granules, of which the last is not full");
    cr_expect_eq(most.n, 128);
}

struct row {
    struct task_gemm g;
    uint64_t cycles;
};

Test(task, a_pass_is_a_weight_load_and_the_padded_rows)
{
    static const struct array array = { 128, 1, 2, 257, ARRAY_EXPOSED, 2, 0, 0 };
    static const struct array_mode bf16 = { 0 };
    static const struct row rows[] = {
        { { 1, 128, 128, 128, 0 }, 192 },          /* 1 pass: 64 + 128 */
        { { 1, 1, 1, 1, 0 }, 72 },                 /* 64 + 8: a row costs a granule */
        { { 1, 1000, 129, 256, 0 }, 4 * 1064 },    /* 2 x 2 tiles */
        { { 3, 20, 128, 128, 0 }, 3 * 88 },        /* 24 rows each */
        { { 1, 6088192, 2880, 8, 0 }, 140029888 }, /* 23 passes of 6,088,256: 3DGAN D.conv2 */
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        cr_expect_eq(task_stream_cycles(&rows[i].g, 8, &array, &bf16), rows[i].cycles, "row %zu",
                     i);
}

/* Two tiles of 20 rows, 24 with padding. */
Test(task, the_mode_of_a_product_changes_its_passes)
{
    static const struct array array = { 128, 1, 2, 257, ARRAY_EXPOSED, 1, 0, 0 };
    static const struct task_gemm g = { 1, 20, 256, 128, 0 };
    static const struct {
        struct array_mode mode;
        uint64_t cycles;
    } rows[] = {
        { { 0, 0, false, 0, 0, 0, 0, false }, 2 * (64 + 24) },
        { { 5, 0, false, 0, 0, 0, 0, false },
          6 * 2 * (64 + 24) }, /* six passes load their weights each */
        { { 0, 1, false, 0, 0, 0, 0, false },
          2 * (32 + 12) }, /* two rows and four rows of weights a cycle */
        { { 0, 0, true, 0, 0, 0, 0, false }, 2 * (128 + 24) }, /* turned a row at a time */
        { { 0, 1, true, 0, 0, 0, 0, false }, 2 * (64 + 12) },
        { { 0, 7, false, 0, 0, 0, 0, false }, 2 * (8 + 3) },
        { { 0, 0, false, 0, 0, 0, 32, false }, 2 * (16 + 24) }, /* 32 rows of weights a tile */
        { { 0, 0, false, 0, 0, 0, 0, true }, 2 * (64 + 12) },   /* two rows side by side */
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        cr_expect_eq(task_stream_cycles(&g, 8, &array, &rows[i].mode), rows[i].cycles, "row %zu",
                     i);
    struct array fast =
        array_in_mode(&(struct array){ .size = 8, .rows_per_cycle = 1, .weight_rows_per_cycle = 5 },
                      &(struct array_mode){ .more_rows = 1 });
    cr_expect_eq(fast.weight_rows_per_cycle, 8, "no more than there are");
}
