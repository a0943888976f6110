/* Integers of kernels by hand: values on both sides of each rule, as MLIR's arith dialect has them.
 */
#include <criterion/criterion.h>
#include <string.h>

#include "import/mosaic/mosaic.h"

static void expect_value(const char *name, int64_t a, int64_t b, int64_t value)
{
    struct mlir_text t = { name, (uint32_t)strlen(name) };
    int64_t got = 99;

    cr_expect(mosaic_code_compute(mosaic_code_of(t), a, b, &got), "%s of %ld and %ld", name,
              (long)a, (long)b);
    cr_expect_eq(got, value, "%s of %ld and %ld is %ld", name, (long)a, (long)b, (long)got);
}

Test(mosaic_code, values)
{
    expect_value("arith.addi", 7, 3, 10);
    expect_value("arith.addi", INT64_MAX, 1, INT64_MIN);
    expect_value("arith.subi", 7, 3, 4);
    expect_value("arith.subi", 3, 7, -4);
    expect_value("arith.muli", -7, 3, -21);
    expect_value("arith.divsi", 7, 2, 3);
    expect_value("arith.divsi", -7, 2, -3);
    expect_value("arith.divsi", INT64_MIN, 1, INT64_MIN);
    expect_value("arith.divui", 9, 3, 3);
    expect_value("arith.remsi", 7, 4, 3);
    expect_value("arith.remsi", -7, 4, -3);
    expect_value("arith.remui", 9, 5, 4);
    expect_value("arith.andi", 12, 10, 8);
    expect_value("arith.ori", 12, 10, 14);
    expect_value("arith.xori", 12, 10, 6);
    expect_value("arith.maxsi", -1, -2, -1);
    expect_value("arith.maxui", 1, 2, 2);
    expect_value("arith.minsi", -1, -2, -2);
    expect_value("arith.minui", 1, 2, 1);
    expect_value("arith.shli", 3, 2, 12);
    expect_value("arith.shli", 1, 63, INT64_MIN);
    expect_value("arith.shrsi", -8, 2, -2);
    expect_value("arith.shrui", 8, 2, 2);
}

Test(mosaic_code, quotients_are_rounded_down_or_up)
{
    static const struct {
        int64_t a, b, down, up;
    } cases[] = {
        { 6, 3, 2, 2 },   { 7, 3, 2, 3 },    { -7, 3, -3, -2 }, { 7, -3, -3, -2 },
        { -7, -3, 2, 3 }, { -6, 3, -2, -2 }, { 0, 3, 0, 0 },    { 0, -3, 0, 0 },
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        expect_value("arith.floordivsi", cases[i].a, cases[i].b, cases[i].down);
        expect_value("arith.ceildivsi", cases[i].a, cases[i].b, cases[i].up);
    }
    expect_value("arith.ceildivui", 7, 2, 4);
}

Test(mosaic_code, what_has_no_value_gives_none)
{
    int64_t out;

    cr_expect_not(mosaic_code_compute(MOSAIC_OP_DIV, 1, 0, &out));
    cr_expect_not(mosaic_code_compute(MOSAIC_OP_REM, 1, 0, &out));
    cr_expect_not(mosaic_code_compute(MOSAIC_OP_DIV, INT64_MIN, -1, &out));
    cr_expect_not(mosaic_code_compute(MOSAIC_OP_DIV_FLOOR, INT64_MIN, -1, &out));
    cr_expect_not(mosaic_code_compute(MOSAIC_OP_DIV_CEIL, 1, 0, &out));
    cr_expect(mosaic_code_compute(MOSAIC_OP_DIV, INT64_MIN + 1, -1, &out) && out == INT64_MAX);
    cr_expect_not(mosaic_code_compute(MOSAIC_OP_SHIFT_LEFT, 1, 64, &out));
    cr_expect_not(mosaic_code_compute(MOSAIC_OP_SHIFT_RIGHT, 1, -1, &out));
    cr_expect_not(mosaic_code_compute(MOSAIC_OP_PRODUCT, 1, 1, &out));
}

/* eq, ne, slt, sle, sgt, sge, ult, ule, ugt, uge of 1 and 2, 2 and 2, 2 and 1, -1 and 1 */
Test(mosaic_code, comparisons)
{
    static const struct {
        int64_t a, b;
        const char *is;
    } cases[] = {
        { 1, 2, "0111001100" },
        { 2, 2, "1001010101" },
        { 2, 1, "0100110011" },
        { -1, 1, "0111000011" },
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (int64_t p = 0; p < 10; p++)
            cr_expect_eq(mosaic_code_compare(p, cases[i].a, cases[i].b), cases[i].is[p] == '1',
                         "predicate %ld of %ld and %ld", (long)p, (long)cases[i].a,
                         (long)cases[i].b);
}
