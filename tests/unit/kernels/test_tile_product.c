/* The bytes that a product reads before its first grid step and in each of them, and the work that
 * it takes to cut operands in parts, worked out by hand on the machine of lower_bench.h: 100 B of
 * HBM a cycle, arrays of 128. */
#include "lower_bench.h"

static struct task_kernel lower_matmul(const unsigned mkn[3], const char *precision)
{
    struct bench b = { 0 };
    char tensors[160], body[160];
    unsigned m = mkn[0], k = mkn[1], n = mkn[2];

    snprintf(tensors, sizeof tensors, "tensor %%x f32[%u,%u] input\ntensor %%w f32[%u,%u] weight\n",
             m, k, k, n);
    snprintf(body, sizeof body, "%%y f32[%u,%u] = matmul(%%x, %%w) precision=%s\n", m, n,
             precision);
    cr_assert_eq(lower_text(&b, tensors, body, &cap, false), 0, "%s", b.err.msg);
    struct task_kernel t = b.p.task[0].kernel;
    take_down(&b);
    return t;
}

/* HBM takes longest: two grid steps hide half of what streams, and cost 100 cycles more. */
Test(tile_product, what_has_one_block_for_the_whole_grid_does_not_stream)
{
    static const struct {
        unsigned mkn[3];
        uint64_t steps, in, resident_in, out, resident_out;
    } rows[] = {
        /* one of each: 4, 64 and 4 KiB */
        { { 8, 128, 128 }, 1, 69632, 0, 4096, 0 },
        /* 128 columns at a time; A stays, 4 KiB, and 64 KiB of B pass by twice */
        { { 8, 128, 256 }, 2, 131072, 4096, 8192, 0 },
        /* 8 rows at a time; B stays, 64 KiB, and 4 KiB of A pass by twice */
        { { 16, 128, 128 }, 2, 8192, 65536, 8192, 0 },
        /* half of k at a time; C, 4 KiB, is written at the end */
        { { 8, 256, 128 }, 2, 139264, 0, 0, 4096 },
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct task_kernel k = lower_matmul(rows[i].mkn, "default");
        cr_expect_eq(k.grid_steps, rows[i].steps, "row %zu: %lu steps", i, k.grid_steps);
        cr_expect_eq(k.all.in.bytes, rows[i].in, "row %zu: %lu in", i, k.all.in.bytes);
        cr_expect_eq(k.resident_in, rows[i].resident_in, "row %zu: %lu", i, k.resident_in);
        cr_expect_eq(k.all.out.bytes, rows[i].out, "row %zu: %lu out", i, k.all.out.bytes);
        cr_expect_eq(k.resident_out, rows[i].resident_out, "row %zu: %lu", i, k.resident_out);
    }
}

/* f32 operands in two parts: two casts and a difference an element, 1,024 a register, and three
 * passes that each add up n columns of m rows for each 128 of k. */
Test(tile_product, operands_are_cut_in_parts_each_time_that_they_are_read)
{
    static const struct {
        unsigned mkn[3];
        uint64_t in, casts, adds;
    } rows[] = {
        /* each read once: 32 + 512 registers; 3 * 4 passes over 64 */
        { { 64, 512, 1024 }, 2228224, 1088, 544 + 768 },
        /* A for each of 8 blocks of columns, B for each of 4 of rows: 12 * 1,024 registers; 3 * 8
         * passes over 1,024 */
        { { 1024, 1024, 1024 }, 50331648, 24576, 12288 + 24576 },
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct task_kernel k = lower_matmul(rows[i].mkn, "high");
        cr_expect_eq(k.all.in.bytes + k.resident_in, rows[i].in, "row %zu: %lu", i,
                     k.all.in.bytes + k.resident_in);
        cr_expect_eq(k.all.vpu[VECTOR_CAST], rows[i].casts, "row %zu: %lu", i,
                     k.all.vpu[VECTOR_CAST]);
        cr_expect_eq(k.all.vpu[VECTOR_ADD], rows[i].adds, "row %zu: %lu", i, k.all.vpu[VECTOR_ADD]);
    }
}
