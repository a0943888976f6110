/* Rows by index: gathers, scatters and updates in place. */
#include <inttypes.h>
#include <stdio.h>

#include "tests/unit/kernels/lower_bench.h"

#include "base/memory.h"

Test(lower, rows_of_a_large_table_are_accesses_of_their_own)
{
    struct bench b = { 0 };

    /* the table is 37 MiB, more than VMEM; rows of 64 B are padded to 512 */
    cr_assert_eq(
        lower_text(&b, "tensor %t f32[600000,16] input\ntensor %i s32[1000] input\n",
                   "%r f32[1000,16] = gather(%t, %i) rows=1000 cols=16 table-rows=600000\n", &cap,
                   false),
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

/* 4 MiB of VMEM keep a table of up to 3 MiB and 1 MiB of windows, with elements in 32 bits: not if
 * the rows are fewer bytes, and half of VMEM beside a product. */
Test(lower, a_table_of_more_than_half_of_vmem_stays_there_for_many_rows)
{
    static const struct {
        const char *table, *rows, *more;
        uint64_t random, picked;
    } cases[] = {
        { "f32[6144,128]", "8192", "", 0, 8192 },
        { "f32[6144,128]", "6145", "", 0, 6145 },
        { "f32[6144,128]", "6144", "", 6144, 0 },
        { "f32[6145,128]", "8192", "", 8192, 0 },
        { "bf16[8193,128]", "16384", "", 16384, 0 },
        { "f32[6144,128]", "8192", "%y f32[8192,128] = matmul(%r, %w)\n", 8192, 0 },
    };
    struct cap c = cap;

    c.vmem_bytes = 4 << 20;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct bench b = { 0 };
        bool narrow = cases[i].table[0] == 'b';
        char *tensors = memory_format("tensor %%t %s input\ntensor %%i s32[%s] input\n"
                                      "tensor %%w f32[128,128] weight\n",
                                      cases[i].table, cases[i].rows);
        char *body = memory_format("fusion %%r {\n%%r %s[%s,128] = gather(%%t, %%i)\n%s}\n",
                                   narrow ? "bf16" : "f32", cases[i].rows, cases[i].more);
        cr_assert_eq(lower_text(&b, tensors, body, &c, false), 0, "%s", b.err.msg);
        const struct task_grid_step *all = &b.p.task[0].kernel.all;
        cr_expect_eq(all->in.rows, cases[i].random, "case %zu: %lu", i, all->in.rows);
        cr_expect_eq(all->picked, cases[i].picked, "case %zu: %lu", i, all->picked);
        free(tensors);
        free(body);
        take_down(&b);
    }
}

/* A row of 200 elements is part of two registers of 128 lanes. */
Test(lower, rows_on_chip_are_picked_register_by_register)
{
    struct bench b = { 0 };

    cr_assert_eq(lower_text(&b, "tensor %t f32[64,200] input\ntensor %i s32[1000] input\n",
                            "%r f32[1000,200] = gather(%t, %i)\n"
                            "%s f32[64,200] = scatter(%r, %i) rows=1000 cols=200 table-rows=64\n",
                            &cap, false),
                 0, "%s", b.err.msg);
    const struct task_grid_step *gather = &b.p.task[0].kernel.all;
    const struct task_grid_step *scatter = &b.p.task[1].kernel.all;
    cr_expect_eq(gather->picked, 1000);
    cr_expect_eq(gather->vpu[VECTOR_SELECT], 2000);
    cr_expect_eq(gather->loads, 2000);
    cr_expect_eq(gather->stores, 2000);
    cr_expect_eq(scatter->picked, 1000);
    cr_expect_eq(scatter->vpu[VECTOR_ADD], 2000);
    cr_expect_eq(scatter->loads, 4000, "of the row and of the table");
    cr_expect_eq(scatter->stores, 2000);
    take_down(&b);
}

Test(lower, two_gathers_of_one_table_in_a_fusion_move_their_rows_only)
{
    struct bench b = { 0 };

    cr_assert_eq(lower_text(&b, "tensor %t f32[600000,16] input\ntensor %i s32[1000] input\n",
                            "fusion %r {\n"
                            "%p f32[1000,16] = gather(%t, %i) rows=1000 cols=16 table-rows=600000\n"
                            "%q f32[1000,16] = gather(%t, %i) rows=1000 cols=16 table-rows=600000\n"
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
                   "%t f32[600000,16] = scatter(%v, %i) rows=1000 cols=16 table-rows=600000\n",
                   &cap, false),
        0);
    const struct task *t = &b.p.task[0];
    cr_assert_eq(t->kernel.all.in.rows, 1000);
    cr_assert_eq(t->kernel.all.out.rows, 1000);
    cr_assert_eq(total_out(t), 600000 * 16 * 4, "the table is cleared first");
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

/* A scatter that writes every row of a table of 8 MiB once makes the table; one that leaves a row
 * out writes the rest of it too. */
Test(lower, rows_that_are_all_written_once_are_the_table)
{
    for (unsigned rows = 16383; rows <= 16384; rows++) {
        struct bench b = { 0 };
        char *tensors =
            memory_format("tensor %%v f32[%u,128] input\ntensor %%i s32[%u] input\n", rows, rows);
        char *body = memory_format(
            "%%t f32[16384,128] = scatter(%%v, %%i) rows=%u cols=128 table-rows=16384 unique=1\n",
            rows);
        cr_assert_eq(lower_text(&b, tensors, body, &cap, false), 0, "%s", b.err.msg);
        cr_expect_eq(b.p.task[0].kernel.all.out.rows, rows);
        cr_expect_eq(b.p.task[0].kernel.all.out.bytes, rows == 16384 ? 0 : 8388608);
        take_down(&b);
        free(tensors);
        free(body);
    }
}

/* A table of 1,000,000 rows of 64 elements lies with its rows along the lanes, 256 MB of f32: rows
 * of 128 lanes take 512 MB, 125,000 registers.  It is copied into those first, and back after a
 * scatter. */
Test(lower, a_table_of_narrow_rows_is_copied_into_whole_lanes)
{
    struct bench b = { 0 };

    cr_assert_eq(lower_text(&b, "tensor %t f32[1000000,64] weight\ntensor %i s32[4096] input\n",
                            "%o f32[4096,64] = gather(%t, %i)\n", &cap, false),
                 0, "%s", b.err.msg);
    cr_assert_eq(b.p.n_tasks, 2);
    const struct task *copy = &b.p.task[0];
    cr_expect_eq(copy->kernel.all.in.bytes, 256000000);
    cr_expect_eq(copy->kernel.all.out.bytes, 512000000);
    cr_expect_eq(copy->kernel.all.xlu, 125000);
    cr_expect_eq(copy->workspace, 512000000);
    cr_expect_eq(b.p.task[1].kernel.all.in.rows, 4096);
    take_down(&b);
    cr_assert_eq(lower_text(&b,
                            "tensor %t f32[1000000,64] weight\ntensor %i s32[4096] input\n"
                            "tensor %v f32[4096,64] input\n",
                            "%u f32[1000000,64] at %t = scatter(%v, %i, %t)\n", &cap, false),
                 0, "%s", b.err.msg);
    cr_assert_eq(b.p.n_tasks, 3);
    const struct task *back = &b.p.task[2];
    cr_expect_eq(back->kernel.all.in.bytes, 512000000);
    cr_expect_eq(back->kernel.all.out.bytes, 256000000);
    const struct task_grid_step *rows = &b.p.task[1].kernel.all;
    cr_expect_eq(rows->in.bytes, 4096 * 4 + 4096 * 64 * 4, "indices and values");
    cr_expect_eq(rows->in.rows, 4096);
    cr_expect_eq(rows->out.rows, 4096);
    cr_expect_eq(rows->out.bytes, 0);
    take_down(&b);
}

/* Tasks of an operation on a table of `rows` x `cols`. */
static uint32_t count_tasks(const char *dtype, uint64_t rows, uint64_t cols, bool adds)
{
    struct bench b = { 0 };
    char tensors[160], body[160];

    snprintf(tensors, sizeof tensors,
             "tensor %%t %s[%" PRIu64 ",%" PRIu64 "] weight\n"
             "tensor %%i s32[64] input\ntensor %%v %s[64,%" PRIu64 "] input\n",
             dtype, rows, cols, dtype, cols);
    if (adds)
        snprintf(body, sizeof body,
                 "%%u %s[%" PRIu64 ",%" PRIu64 "] at %%t = scatter(%%v, %%i, %%t)\n", dtype, rows,
                 cols);
    else
        snprintf(body, sizeof body, "%%o %s[64,%" PRIu64 "] = gather(%%t, %%i)\n", dtype, cols);
    cr_assert_eq(lower_text(&b, tensors, body, &cap, false), 0, "%s", b.err.msg);
    uint32_t tasks = b.p.n_tasks;
    take_down(&b);
    return tasks;
}

/* XLA copies every table with its rows along the lanes, but where whole lanes make it 128 MiB
 * larger and more than twice as large (twice, for a scatter).  bf16 is padded to 8 columns and 128
 * rows: 1,000,000 of them are not twice as large with 64 columns, 1,048,576 are. */
Test(lower, tables_that_whole_lanes_make_too_large_stay_as_they_lie)
{
    static const struct {
        const char *dtype;
        uint64_t rows, cols;
        bool gather, scatter; /* copies */
    } row[] = {
        { "bf16", 524289, 8, true, true },     /* 120 MiB larger */
        { "bf16", 600000, 16, false, false },  /* 128.2 MiB */
        { "bf16", 600000, 32, true, true },    /* 110 MiB */
        { "bf16", 1000000, 56, false, false }, /* 137 MiB, 2.3 times as large */
        { "bf16", 1000000, 57, true, true },   /* 122 MiB: as 64 columns */
        { "bf16", 1000000, 64, true, true },    { "bf16", 1048576, 64, true, false },
        { "bf16", 2000000, 64, true, false },   { "bf16", 1000000, 96, true, true },
        { "bf16", 1000000, 128, false, false }, { "bf16", 1000000, 192, true, true },
        { "f32", 280000, 8, false, false },     { "f32", 280000, 32, true, true },
        { "f32", 500000, 56, false, false },    { "f32", 1000000, 64, true, true },
        { "s8", 1000000, 32, true, true },      { "s8", 4000000, 56, false, false },
    };

    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        cr_expect_eq(count_tasks(row[i].dtype, row[i].rows, row[i].cols, false),
                     row[i].gather ? 2 : 1, "gather %zu", i);
        cr_expect_eq(count_tasks(row[i].dtype, row[i].rows, row[i].cols, true),
                     row[i].scatter ? 3 : 1, "scatter %zu", i);
    }
}

/* A table that the step makes lies as its readers want it. */
Test(lower, a_table_made_in_the_step_is_not_copied)
{
    struct bench b = { 0 };

    cr_assert_eq(lower_text(&b, "tensor %x f32[1000000,64] input\ntensor %i s32[4096] input\n",
                            "%t f32[1000000,64] = elementwise(%x) fn=tanh\n"
                            "%o f32[4096,64] = gather(%t, %i)\n",
                            &cap, false),
                 0, "%s", b.err.msg);
    cr_expect_eq(b.p.n_tasks, 2);
    take_down(&b);
}

/* Rows that are added to a table where it is move nothing else of it, however small it is. */
Test(lower, a_scatter_in_place_moves_its_rows)
{
    struct bench b = { 0 };

    cr_assert_eq(lower_text(&b,
                            "tensor %t f32[10000,128] weight\ntensor %i s32[100] input\n"
                            "tensor %v f32[100,128] input\n",
                            "%u f32[10000,128] at %t = scatter(%v, %i, %t)\n", &cap, false),
                 0, "%s", b.err.msg);
    const struct task_grid_step *all = &b.p.task[0].kernel.all;
    cr_expect_eq(all->in.rows, 100);
    cr_expect_eq(all->out.rows, 100);
    cr_expect_eq(all->in.bytes, 100 * 4 + 100 * 128 * 4);
    cr_expect_eq(all->out.bytes, 0);
    take_down(&b);
}
