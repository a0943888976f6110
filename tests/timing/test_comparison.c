/* The cycles of docs/evidence/comparison.md that are ours, and those of SCALE-Sim, whose rule is in
 * dataflow.h. */
#include <criterion/criterion.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/arith.h"
#include "hw/core/dataflow.h"
#include "hw/core/systolic.h"

enum { SIZE = 128, DEEP = 4096 };

/* Append a number as the document writes it: 65,919. */
static void add_cell(char *row, uint64_t number)
{
    size_t n = strlen(row);

    if (number >= 1000)
        sprintf(row + n, " %llu,%03llu |", (unsigned long long)(number / 1000),
                (unsigned long long)(number % 1000));
    else
        sprintf(row + n, " %llu |", (unsigned long long)number);
}

/* Cycles of a product on an array with a shadow register, one row and one weight row a cycle. */
static uint64_t count_shadow(uint64_t m, uint64_t n, uint64_t k)
{
    static uint64_t fetched[DEEP];
    struct array par = { SIZE, 1, 1, DEEP, ARRAY_SHADOW, 0, 0, 0 };
    struct systolic_run run = { arith_ceil_div(n, SIZE) * arith_ceil_div(k, SIZE), m, 0, 0 };
    struct systolic array;

    systolic_init(&array, &par, fetched);
    return systolic_walk(&array, &run).end;
}

static bool has_row(const char *row)
{
    FILE *f = fopen("docs/evidence/comparison.md", "r");
    char line[512];
    bool found = false;

    cr_assert_not_null(f);
    while (fgets(line, sizeof line, f))
        found = found || strncmp(line, row, strlen(row)) == 0;
    fclose(f);
    return found;
}

Test(comparison, cycles_in_the_document_are_those_of_the_models)
{
    static const struct {
        const char *name;
        uint64_t m, n, k;
    } rows[] = { { "128, 128, 128", 128, 128, 128 },
                 { "1000, 10, 2048", 1000, 10, 2048 },
                 { "1024, 1024, 1024", 1024, 1024, 1024 } };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        uint64_t m = rows[i].m, n = rows[i].n, k = rows[i].k;
        char row[128];
        sprintf(row, "%s |", rows[i].name);
        add_cell(row, m * n * k / (SIZE * SIZE));
        add_cell(row, count_shadow(m, n, k));
        add_cell(row, dataflow_cycles(DATAFLOW_WS, SIZE, SIZE, m, n, k) - 1);
        cr_expect(has_row(row), "docs/evidence/comparison.md has no row %s", row);
    }
}
