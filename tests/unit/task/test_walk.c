/* Grid steps in order, by additions, against each of them by division; and by hand. */
#include <criterion/criterion.h>

#include "task/task_walk.h"

static uint64_t draw_number(uint64_t *seed, uint64_t below)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (*seed >> 33) % below;
}

static uint64_t divide_up(uint64_t a, uint64_t b)
{
    return (a + b - 1) / b;
}

/* A kernel of at most a few hundred steps. */
static struct task_kernel random_task(uint64_t *seed)
{
    struct task_kernel t = { .grid_steps = 1 + draw_number(seed, 300) };
    uint64_t *total[] = { &t.all.in.bytes, &t.all.in.rows, &t.all.out.bytes, &t.all.out.rows,
                          &t.all.loads,    &t.all.stores,  &t.all.xlu,       &t.all.feed,
                          &t.all.vpu[0],   &t.all.vpu[3],  &t.all.vpu[6],    &t.all.picked };

    for (size_t i = 0; i < sizeof total / sizeof *total; i++)
        *total[i] =
            draw_number(seed, 4) ? draw_number(seed, UINT64_C(1) << draw_number(seed, 31)) : 0;
    t.all.in.row_bytes = 512;
    t.all.out.row_bytes = 1024;
    if (draw_number(seed, 3)) {
        struct task_gemm *g = &t.all.gemm;
        struct task_block *c = &t.block;
        *g = (struct task_gemm){ 1 + draw_number(seed, 5), 1 + draw_number(seed, 3000),
                                 1 + draw_number(seed, 900), 1 + draw_number(seed, 700), 0 };
        uint64_t all = g->b * g->m * g->k * g->n;
        g->useful =
            draw_number(seed, 2) ? all : 1 + draw_number(seed, all < 1000000000 ? all : 1000000000);
        *c = (struct task_block){ divide_up(g->b, 1 + draw_number(seed, 2)),
                                  divide_up(g->m, 1 + draw_number(seed, 5)),
                                  divide_up(g->n, 1 + draw_number(seed, 4)),
                                  divide_up(g->k, 1 + draw_number(seed, 4)), draw_number(seed, 2) };
        t.grid_steps = divide_up(g->b, c->b) * divide_up(g->m, c->m) * divide_up(g->n, c->n) *
                       divide_up(g->k, c->k);
    }
    return t;
}

Test(walk, every_step_is_the_one_that_division_gives)
{
    uint64_t seed = 1;

    for (int i = 0; i < 3000; i++) {
        struct task_kernel t = random_task(&seed);
        struct task_walk w;
        struct task_reads r;
        task_walk_begin(&w, &t);
        task_reads_begin(&r, &t);
        for (uint64_t k = 0; k < t.grid_steps; k++) {
            struct task_grid_step want = task_grid_step(&t, k);
            task_walk_next(&w);
            w.step.in = task_reads_next(&r);
            cr_assert_eq(w.step.in.bytes, want.in.bytes, "task %d step %lu", i, k);
            cr_assert_eq(w.step.in.rows, want.in.rows, "task %d step %lu", i, k);
            cr_assert_eq(w.step.in.row_bytes, want.in.row_bytes);
            cr_assert_eq(w.step.out.bytes, want.out.bytes, "task %d step %lu", i, k);
            cr_assert_eq(w.step.out.rows, want.out.rows, "task %d step %lu", i, k);
            cr_assert_eq(w.step.out.row_bytes, want.out.row_bytes);
            cr_assert_arr_eq(w.step.vpu, want.vpu, sizeof want.vpu, "task %d step %lu", i, k);
            cr_assert_eq(w.step.loads, want.loads);
            cr_assert_eq(w.step.stores, want.stores);
            cr_assert_eq(w.step.xlu, want.xlu);
            cr_assert_eq(w.step.picked, want.picked);
            cr_assert_eq(w.step.feed, want.feed);
            cr_assert_eq(w.step.gemm.b, want.gemm.b, "task %d step %lu", i, k);
            cr_assert_eq(w.step.gemm.m, want.gemm.m, "task %d step %lu", i, k);
            cr_assert_eq(w.step.gemm.n, want.gemm.n, "task %d step %lu", i, k);
            cr_assert_eq(w.step.gemm.k, want.gemm.k, "task %d step %lu", i, k);
            cr_assert_eq(w.step.gemm.useful, want.gemm.useful, "task %d step %lu", i, k);
        }
    }
}

/* [5,7] x [7,3] in blocks of 2, 3 and 4: m of 2, 2, 1; n of 3; k of 4, 3 */
Test(walk, blocks_and_shares_by_hand)
{
    struct task_kernel t = { .grid_steps = 6,
                             .all = { .out.bytes = 10, .gemm = { 1, 5, 7, 3, 35 } },
                             .block = { 1, 2, 3, 4, true } };
    static const uint64_t m[] = { 2, 2, 2, 2, 1, 1 }, k[] = { 4, 3, 4, 3, 4, 3 };
    /* 35 of 105 useful: 8, 6, 8, 6, 4, 3 of 24, 18, 24, 18, 12, 9 */
    static const uint64_t useful[] = { 8, 6, 8, 6, 4, 3 };
    /* 10/6 a step: floor of 1.67, 3.33, 5, 6.67, 8.33, 10 */
    static const uint64_t bytes[] = { 1, 2, 2, 1, 2, 2 };
    struct task_walk w;

    task_walk_begin(&w, &t);
    for (int i = 0; i < 6; i++) {
        task_walk_next(&w);
        cr_expect_eq(w.step.gemm.m, m[i]);
        cr_expect_eq(w.step.gemm.n, 3);
        cr_expect_eq(w.step.gemm.k, k[i]);
        cr_expect_eq(w.step.gemm.useful, useful[i], "step %d: %lu", i, w.step.gemm.useful);
        cr_expect_eq(w.step.out.bytes, bytes[i], "step %d: %lu", i, w.step.out.bytes);
    }
}

Test(walk, totals_near_the_end_of_64_bits_are_dealt_out)
{
    struct task_kernel t = { .grid_steps = 3,
                             .all.out.bytes = UINT64_MAX,
                             .all.in.bytes = UINT64_MAX - 1 };
    struct task_walk w;
    struct task_reads r;
    uint64_t sum = 0, read = 0;

    task_walk_begin(&w, &t);
    task_reads_begin(&r, &t);
    for (int i = 0; i < 3; i++) {
        task_walk_next(&w);
        sum += w.step.out.bytes;
        read += task_reads_next(&r).bytes;
    }
    cr_expect_eq(sum, UINT64_MAX);
    cr_expect_eq(read, UINT64_MAX - 1);
}
