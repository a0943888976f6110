/* Slots of instruction words: what matrix and vector work takes of each kind, by hand. */
#include <criterion/criterion.h>

#include "base/units.h"
#include "hw/core/dma.h"
#include "machine/spec/spec.h"
#include "task/bundle.h"

static const struct bundle_params v2 = {
    .scalar = 2, .load = 1, .store = 1, .push = 1, .pop = 1, .issue = PPB_PER_ONE, .row_scalars = 4
};

struct gemm_case {
    struct task_gemm g;
    struct bundle_shape shape;
    uint64_t pushes, pops;
};

static const struct gemm_case gemms[] = {
    /* one tile: 16 registers of 8 rows, 16 of weights; 16 of results */
    { { 1, 128, 128, 128, 0 },
      { 128, 128, 8, false, 4, 4, { 0, 0, false, 0, 0, 0, 0, false }, 0 },
      32,
      16 },
    /* packed rows: 8 registers of 16 rows; weights as above */
    { { 1, 128, 128, 128, 0 },
      { 128, 128, 8, false, 2, 4, { 0, 0, false, 0, 0, 0, 0, false }, 0 },
      24,
      16 },
    /* 20 rows are 3 registers, or 2 packed; 2 x 3 tiles, twice */
    { { 2, 20, 129, 300, 0 },
      { 128, 128, 8, false, 4, 2, { 0, 0, false, 0, 0, 0, 0, false }, 0 },
      12 * (3 + 8),
      12 * 3 },
    { { 2, 20, 129, 300, 0 },
      { 128, 128, 8, false, 1, 1, { 0, 0, false, 0, 0, 0, 0, false }, 0 },
      12 * (1 + 4),
      12 * 3 },
    /* where the array adds up, the two tiles of k are popped once */
    { { 2, 20, 129, 300, 0 },
      { 128, 128, 8, true, 4, 2, { 0, 0, false, 0, 0, 0, 0, false }, 0 },
      12 * (3 + 8),
      6 * 3 },
    /* f32 operands go through it three times */
    { { 2, 20, 129, 300, 0 },
      { 128, 128, 8, false, 2, 2, { 2, 0, false, 0, 0, 0, 0, false }, 0 },
      36 * (2 + 8),
      36 * 3 },
    /* registers of 16 sublanes hold two tiles: half of the first row's */
    { { 1, 128, 128, 128, 0 },
      { 128, 128, 8, false, 4, 4, { 0, 0, false, 0, 0, 0, 0, false }, 2048 },
      16,
      8 },
    /* rows of 256 are two registers side by side */
    /* tiles of 16 rows: two passes, each of a register of rows and one of weights */
    { { 1, 8, 32, 128, 0 },
      { 128, 128, 8, false, 4, 2, { 0, 0, false, 16, 0, 0, 0, false }, 0 },
      2 * (1 + 1),
      2 },
    /* side by side in halves of an array of 256: 16 rows are two registers, weights are 8 x 2 */
    { { 1, 32, 128, 128, 0 },
      { 256, 128, 8, false, 2, 2, { 0, 0, false, 128, 128, 0, 0, true }, 0 },
      2 + 16,
      2 * 2 },
    /* ... turned, at half the cycles: as many registers */
    { { 1, 32, 128, 128, 0 },
      { 256, 128, 8, false, 2, 2, { 0, 0, true, 128, 128, 0, 64, true }, 0 },
      2 + 16,
      2 * 2 },
    /* turned: 256 columns of 128 are as many registers as 128 of 256 */
    { { 1, 8, 128, 256, 0 },
      { 256, 128, 8, false, 2, 2, { 0, 0, true, 128, 0, 0, 128, false }, 0 },
      2 + 16,
      2 },
    { { 1, 128, 256, 256, 0 },
      { 256, 128, 8, false, 2, 2, { 0, 0, false, 0, 0, 0, 0, false }, 0 },
      16 + 32,
      32 },
};

Test(bundle, a_pass_pushes_its_rows_and_weights_and_pops_its_results)
{
    for (size_t i = 0; i < sizeof gemms / sizeof *gemms; i++) {
        struct bundle_need n = { 0 };
        bundle_gemm(&n, &gemms[i].g, &gemms[i].shape);
        cr_expect_eq(n.push, gemms[i].pushes, "case %zu: %lu pushes", i, n.push);
        cr_expect_eq(n.load, gemms[i].pushes, "case %zu: %lu loads", i, n.load);
        cr_expect_eq(n.pop, gemms[i].pops, "case %zu: %lu pops", i, n.pop);
        cr_expect_eq(n.scalar + n.store, 0);
    }
}

Test(bundle, the_scarcest_slot_sets_the_number_of_bundles)
{
    struct bundle_params two = v2;

    cr_expect_eq(bundle_count(&(struct bundle_need){ 7, 0, 0, 0, 0 }, &v2), 4);   /* scalar, 2 */
    cr_expect_eq(bundle_count(&(struct bundle_need){ 7, 5, 3, 2, 1 }, &v2), 5);   /* load */
    cr_expect_eq(bundle_count(&(struct bundle_need){ 7, 5, 6, 2, 1 }, &v2), 6);   /* store */
    cr_expect_eq(bundle_count(&(struct bundle_need){ 7, 5, 6, 9, 1 }, &v2), 9);   /* push */
    cr_expect_eq(bundle_count(&(struct bundle_need){ 7, 5, 6, 9, 11 }, &v2), 11); /* pop */
    two.load = two.store = two.push = two.pop = 2;
    cr_expect_eq(bundle_count(&(struct bundle_need){ 1, 5, 0, 0, 0 }, &two), 3);
    cr_expect_eq(bundle_count(&(struct bundle_need){ 1, 0, 0, 0, 9 }, &two), 5);
    cr_expect_eq(bundle_count(&(struct bundle_need){ 0 }, &v2), 0);
}

Test(bundle, rows_by_index_take_scalars)
{
    struct task_grid_step s = {
        .in = { 4096, 100, 512 }, .out = { 0, 10, 512 }, .loads = 3, .stores = 5, .picked = 20
    };
    struct bundle_need n = { .load = 1 };

    bundle_step(&n, &s, &v2);
    cr_expect_eq(n.scalar, 520); /* 4 a row, also of a table on chip; of streams none */
    cr_expect_eq(n.load, 4);
    cr_expect_eq(n.store, 5);
    cr_expect_eq(bundle_count(&n, &v2), 260);
}

/* 24 registers to push, and 24 to pop: one a bundle on v2 and v3, two a core from v4 on. */
Test(bundle, matrix_units_of_each_machine_take_and_give_so_many_registers)
{
    static const struct {
        const char *machine;
        uint64_t bundles;
    } rows[] = { { "tpu-v2-1", 24 }, { "tpu-v3-1", 24 },  { "tpu-v4-2", 12 }, { "tpu-v5e-1", 12 },
                 { "tpu-v5p-2", 6 }, { "tpu-v6e-1", 12 }, { "tpu-v7-2", 12 } };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct machine_spec *s;
        struct err e;
        cr_assert_eq(spec_load(&s, rows[i].machine, NULL, 0, &e), 0, "%s", e.msg);
        cr_expect_eq(bundle_count(&(struct bundle_need){ .push = 24 }, &s->bundle), rows[i].bundles,
                     "%s: push", rows[i].machine);
        cr_expect_eq(bundle_count(&(struct bundle_need){ .pop = 24 }, &s->bundle), rows[i].bundles,
                     "%s: pop", rows[i].machine);
        spec_free(s);
    }
}

/* Four engines of two transfers each. */
Test(bundle, a_core_of_each_machine_has_eight_transfers_in_flight)
{
    static const char *const machine[] = { "tpu-v2-1", "tpu-v4-2", "tpu-v6e-1", "tpu-v7-2" };

    for (size_t i = 0; i < sizeof machine / sizeof *machine; i++) {
        struct machine_spec *s;
        struct err e;
        cr_assert_eq(spec_load(&s, machine[i], NULL, 0, &e), 0, "%s", e.msg);
        cr_expect_eq(dma_in_flight(&s->dma), 8, "%s", machine[i]);
        spec_free(s);
    }
}

/* A loop that issues in four of five cycles: 10 loads pass in 12.5 cycles, 11 stores in 13.75. Work
 * of matrix units is not such a loop, nor are scalar operations. */
Test(bundle, loops_issue_a_share_of_the_cycles)
{
    struct bundle_params par = v2;
    struct task_grid_step step = { .loads = 10, .stores = 11, .picked = 5 };
    struct bundle_need need = { .push = 7 };

    par.issue = 800000000;
    bundle_step(&need, &step, &par);
    cr_expect_eq(need.load, 13);
    cr_expect_eq(need.store, 14);
    cr_expect_eq(need.push, 7);
    cr_expect_eq(need.scalar, 20);
    cr_expect_eq(bundle_count(&need, &par), 14);
}
