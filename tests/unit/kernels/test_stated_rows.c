/* Kernels of compiled programs that go by indices, worked out by hand on the machine of
 * lower_bench.h: registers of 1024 elements, 1 MiB of VMEM. */
#include "stated_line.h"

Test(stated_rows, rows_by_index_go_through_hbm_unless_the_table_fits_on_chip)
{
    /* 1,000 rows of 100 B, padded to 512: 25 registers picked */
    struct task t = lower_line("%y f32[1000,25]{1,0:T(8,128)} = kernel(%x, %w) form=gather "
                               "rows=1000 row-bytes=100 fetch=0+4096",
                               &cap);
    cr_expect_eq(t.kernel.all.in.rows, 1000);
    cr_expect_eq(t.kernel.all.in.row_bytes, 512);
    cr_expect_eq(t.kernel.all.in.bytes, 4096);
    cr_expect_eq(t.kernel.all.vpu[VECTOR_SELECT], 25);
    /* a scatter reads what it adds to */
    t = lower_line("%y f32[1024,1024]{1,0:T(8,128)} = kernel(%w) form=scatter rows=1000 "
                   "row-bytes=4096 row-writes=1 store=0",
                   &cap);
    cr_expect_eq(t.kernel.all.in.rows, 1000);
    cr_expect_eq(t.kernel.all.out.rows, 1000);
    cr_expect_eq(t.kernel.all.out.row_bytes, 4096);
    cr_expect_eq(t.kernel.all.vpu[VECTOR_ADD], 1000);
    /* a table of 4 MiB is brought as a whole into 8 MiB and more, for fewer bytes */
    struct cap c = cap;
    c.vmem_bytes = 8 << 20;
    t = lower_line("%y f32[100000,25]{1,0:T(8,128)} = kernel(%x, %w) form=gather "
                   "rows=100000 row-bytes=100 fetch=0+4096",
                   &c);
    cr_expect_eq(t.kernel.all.in.rows, 0);
    cr_expect_eq(t.kernel.all.in.bytes, 4096);
    cr_expect_eq(t.kernel.resident_in, 4194304);
}

Test(stated_rows, a_kernel_keeps_the_table_that_its_vmem_holds)
{
    struct cap c = cap;

    c.vmem_bytes = 8 << 20;
    /* 1,024 x 1,024 elements in 32 bits: 4 MiB, brought before the first grid step */
    struct task t = lower_line("%y f32[1000,25]{1,0:T(8,128)} = kernel(%x, %w) form=gather "
                               "rows=1000 row-bytes=100 fetch=0+4096 vmem=4194304",
                               &c);
    cr_expect_eq(t.kernel.resident_in, 4194304);
    cr_expect_eq(t.kernel.resident_out, 0);
    cr_expect_eq(t.kernel.all.in.rows, 0);
    cr_expect_eq(t.kernel.all.in.bytes, 4096);
    cr_expect_eq(t.kernel.all.picked, 1000);
    /* one byte less, and each row is an access, also where the table would be fewer bytes */
    t = lower_line("%y f32[100000,25]{1,0:T(8,128)} = kernel(%x, %w) form=gather rows=100000 "
                   "row-bytes=100 fetch=0+4096 vmem=4194303",
                   &c);
    cr_expect_eq(t.kernel.resident_in, 0);
    cr_expect_eq(t.kernel.all.in.rows, 100000);
    cr_expect_eq(t.kernel.all.picked, 0);
    /* a table that a scatter makes is written, one that it changes is read before */
    t = lower_line("%y f32[1024,1024]{1,0:T(8,128)} = kernel(%w) form=scatter rows=1000 "
                   "row-bytes=4096 row-writes=1 fetch=0 store=4194304 vmem=4194304",
                   &c);
    cr_expect_eq(t.kernel.resident_in, 0);
    cr_expect_eq(t.kernel.resident_out, 4194304);
    cr_expect_eq(t.kernel.all.out.bytes, 0);
    cr_expect_eq(t.kernel.all.out.rows + t.kernel.all.in.rows, 0);
    t = lower_line("%y f32[1024,1024]{1,0:T(8,128)} = kernel(%w) form=scatter rows=1000 "
                   "row-bytes=4096 row-writes=1 fetch=0 store=0 vmem=4194304",
                   &c);
    cr_expect_eq(t.kernel.resident_in, 4194304);
    cr_expect_eq(t.kernel.resident_out, 4194304);
    cr_expect_eq(t.kernel.all.picked, 1000);
}

Test(stated_rows, a_packed_table_is_kept_with_its_elements_in_32_bits)
{
    static const char half[] = "tensor %x bf16[1024,1024]{1,0:T(8,128)(2,1)} input\n";
    struct cap c = cap;

    c.vmem_bytes = 8 << 20;
    for (int less = 0; less < 2; less++) {
        struct bench b = { 0 };
        char line[256];
        snprintf(line, sizeof line,
                 "  %%y bf16[512,1024]{1,0:T(8,128)(2,1)} = kernel(%%x) form=gather rows=512 "
                 "row-bytes=2048 fetch=0 vmem=%d\n",
                 4194304 - less);
        cr_assert_eq(lower_text(&b, half, line, &c, false), 0, "%s", b.err.msg);
        cr_expect_eq(b.p.task[0].kernel.resident_in, less ? 0 : 2097152);
        cr_expect_eq(b.p.task[0].kernel.all.in.rows, less ? 512 : 0);
        take_down(&b);
    }
}

Test(stated_rows, rows_on_chip_are_picked_one_by_one)
{
    /* gathered from HBM, added with sorted indices: no row is written by itself */
    struct task t = lower_line("%y f32[1024,1024]{1,0:T(8,128)} = kernel(%x) form=scatter "
                               "rows=1000 row-bytes=4096 fetch=0",
                               &cap);
    cr_expect_eq(t.kernel.all.in.rows, 1000);
    cr_expect_eq(t.kernel.all.out.rows, 0);
    cr_expect_eq(t.kernel.all.picked, 1000);
    /* its table is on chip already */
    t = lower_line("%y f32[1024,1024]{1,0:T(8,128)} = kernel(%x) form=gather rows=700", &cap);
    cr_expect_eq(t.kernel.all.in.rows, 0);
    cr_expect_eq(t.kernel.all.picked, 700);
    /* two indices of 4 B in each of 16 KiB of SMEM, twice: 2,048 rows a grid step */
    struct cap c = cap;
    c.smem_bytes = 16 << 10;
    t = lower_line("%y f32[1024,1024]{1,0:T(8,128)} = kernel(%x) form=gather rows=2048000 fetch=0 "
                   "store=0",
                   &c);
    cr_expect_eq(t.kernel.grid_steps, 1000);
}

#define TURNED                                                                                     \
    " megacore=0 scheduled=1\ntensor %x f32[100000,64]{0,1:T(8,128)} state\n"                      \
    "tensor %i s32[4096]{0:T(1024)} input\n"

static uint32_t count_turned(const char *compiler, const char *line, struct bench *b)
{
    char tensors[400];

    snprintf(tensors, sizeof tensors, "program compiler=\"%s\"%s", compiler, TURNED);
    cr_assert_eq(lower_text(b, tensors, line, &cap, false), 0, "%s", b->err.msg);
    return b->p.n_tasks;
}

/* 100,000 rows of 64 lie in 64 rows of 100,096 and are copied into 100,000 of 128 first; XLA's own
 * text has the copy, where there is one. */
Test(stated_rows, a_table_of_our_own_layout_is_copied_into_rows_of_whole_lanes)
{
    static const char *const gather =
        "  %y f32[4096,64]{0,1:T(8,128)} = kernel(%x, %i) rows=4096 form=gather fetch=0+16384 "
        "store=1048576 row-bytes=256\n  return(%y)\n";
    static const char *const scatter =
        "  %y f32[100000,64]{0,1:T(8,128)} at %x = kernel(%i, %x) rows=4096 form=scatter "
        "fetch=16384+0 store=0 row-bytes=256 row-writes=1\n";
    struct bench b = { 0 };

    cr_assert_eq(count_turned("cyclotron", gather, &b), 3); /* and return */
    cr_expect_eq(total_in(&b.p.task[0]), 64 * 100096 * 4);
    cr_expect_eq(total_out(&b.p.task[0]), 100000 * 128 * 4);
    cr_expect_eq(b.p.task[0].workspace, 100000 * 128 * 4);
    cr_expect_eq(b.p.task[1].kernel.all.in.rows, 4096);
    take_down(&b);
    cr_assert_eq(count_turned("cyclotron", scatter, &b), 3);
    cr_expect_eq(total_in(&b.p.task[2]), 100000 * 128 * 4);
    cr_expect_eq(total_out(&b.p.task[2]), 64 * 100096 * 4);
    take_down(&b);
    cr_expect_eq(count_turned("XLA", gather, &b), 2);
    take_down(&b);
}
