/* Rows by index: gathers, scatters and updates in place. */
#include "tests/unit/lower_bench.h"

Test(lower, rows_of_a_large_table_are_accesses_of_their_own)
{
    struct bench b = { 0 };

    /* the table is 1 MiB, more than half of VMEM; rows of 64 B are padded to 512 */
    cr_assert_eq(lower_text(&b, "tensor %t f32[16384,16] input\ntensor %i s32[1000] input\n",
                            "%r f32[1000,16] = gather(%t, %i) rows=1000 cols=16 table-rows=16384\n",
                            &cap, false),
                 0);
    const struct task *t = &b.p.task[0];
    cr_assert_eq(sum_of_steps(t).in.rows, 1000);
    cr_assert_eq(t->kernel.all.in.row_bytes, 512);
    cr_assert_eq(total_in(t), 1000 * 4);
    take_down(&b);
}

Test(lower, rows_of_a_small_table_are_picked_on_chip)
{
    struct bench b = { 0 };

    cr_assert_eq(lower_text(&b, "tensor %t f32[1024,16] input\ntensor %i s32[1000] input\n",
                            "%r f32[1000,16] = gather(%t, %i) rows=1000 cols=16 table-rows=1024\n",
                            &cap, false),
                 0);
    const struct task *t = &b.p.task[0];
    cr_assert_eq(t->kernel.all.in.rows, 0);
    cr_assert_eq(total_in(t), 1024 * 16 * 4 + 4000);
    take_down(&b);
}

Test(lower, two_gathers_of_one_table_in_a_fusion_move_their_rows_only)
{
    struct bench b = { 0 };

    cr_assert_eq(lower_text(&b, "tensor %t f32[16384,16] input\ntensor %i s32[1000] input\n",
                            "fusion %r {\n"
                            "%p f32[1000,16] = gather(%t, %i) rows=1000 cols=16 table-rows=16384\n"
                            "%q f32[1000,16] = gather(%t, %i) rows=1000 cols=16 table-rows=16384\n"
                            "%r f32[1000,16] = elementwise(%p, %q) flops=16000\n}\n",
                            &cap, false),
                 0);
    const struct task *t = &b.p.task[0];
    cr_assert_eq(t->kernel.all.in.rows, 2000);
    cr_assert_eq(total_in(t), 4000, "the indices once");
    cr_assert_eq(total_out(t), 64000);
    take_down(&b);
}

Test(lower, unsorted_scatter_adds_read_and_write_each_row)
{
    struct bench b = { 0 };

    cr_assert_eq(
        lower_text(&b, "tensor %v f32[1000,16] input\ntensor %i s32[1000] input\n",
                   "%t f32[16384,16] = scatter(%v, %i) rows=1000 cols=16 table-rows=16384\n", &cap,
                   false),
        0);
    const struct task *t = &b.p.task[0];
    cr_assert_eq(t->kernel.all.in.rows, 1000);
    cr_assert_eq(t->kernel.all.out.rows, 1000);
    cr_assert_eq(total_out(t), 1 << 20, "the table is cleared first");
    take_down(&b);
}

Test(lower, indices_of_a_grid_step_fit_scalar_memory_twice)
{
    static const struct {
        uint64_t smem, steps;
    } cases[] = {
        { 1 << 20, 20 }, /* 2 * (5,120,000 B of rows in and out + 40,000 B) / 1 MiB of VMEM: 19.6 */
        { 2048, 40 },    /* 2 * 40,000 B / 2 KiB: 39.1 */
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct bench b = { 0 };
        struct cap c = cap;
        c.smem_bytes = cases[i].smem;
        c.step_cycles = 1000000;
        cr_assert_eq(lower_text(&b, "tensor %t f32[16384,128] input\ntensor %i s32[10000] input\n",
                                "%r f32[10000,128] = gather(%t, %i)\n", &c, false),
                     0);
        cr_expect_eq(b.p.task[0].kernel.grid_steps, cases[i].steps, "%lu",
                     b.p.task[0].kernel.grid_steps);
        take_down(&b);
    }
}

Test(lower, an_update_is_in_place_where_nobody_needs_what_was_there)
{
    static const char dead[] = "%a f32[64,256] = rng()\n"
                               "%b f32[64,256] = dynamic-update-slice(%a, %u)\n";
    static const char read[] = "%a f32[64,256] = rng()\n"
                               "%b f32[64,256] = dynamic-update-slice(%a, %u)\n"
                               "%c f32[64,256] = elementwise(%a)\n";
    struct bench b = { 0 };

    cr_assert_eq(lower_text(&b, "tensor %u f32[2,256] input\n", dead, &cap, false), 0);
    cr_expect_eq(total_in(&b.p.task[1]), 2 * 256 * 4);
    cr_expect_eq(total_out(&b.p.task[1]), 2 * 256 * 4);
    take_down(&b);
    cr_assert_eq(lower_text(&b, "tensor %u f32[2,256] input\n", read, &cap, false), 0);
    cr_expect_eq(total_in(&b.p.task[1]), (64 + 2) * 256 * 4);
    cr_expect_eq(total_out(&b.p.task[1]), 64 * 256 * 4);
    take_down(&b);
}
