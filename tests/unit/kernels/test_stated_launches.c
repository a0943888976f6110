/* Un-compiled operations as the kernels that the compiler makes of them: chains of launches, top-k.
 */
#include "stated_line.h"

/* 16 of 1,024 keys, beyond what the compiler has a kernel for: whole rows, turned three times. */
Test(stated_launches, the_largest_of_rows_are_sorted_as_the_machine_does)
{
    struct cap c = cap;

    c.top_k.pieces = 128;
    struct task t = lower_line("%y f32[4,16]{1,0:T(4,128)} = kernel(%x) form=top-k rows=4 "
                               "cols=1024 fetch=16384",
                               &c);
    cr_expect_eq(t.kernel.all.vpu[VECTOR_ADD], 4 * 55);
    cr_expect_eq(t.kernel.all.xlu, 4 * 55 + 3 * 4);
}

/* Two more, each 1,000 - 2 * 100 and 50 cycles and a grid step of 100: a share of each of four. */
Test(stated_launches, kernels_that_follow_the_first_have_their_fixed_cost)
{
    struct cap c = cap;

    c.op_cycles = 1000;
    c.dma_cycles = 100;
    c.gap_cycles = 50;
    struct task t =
        lower_line("%y f32[1024,1024]{1,0:T(8,128)} = kernel(%x) grid=4 launches=3", &c);
    cr_expect_eq(t.kernel.joined_cycles, 2 * (1000 - 2 * 100 + 50 + 100) / 4);
    t = lower_line("%y f32[1024,1024]{1,0:T(8,128)} = kernel(%x, %w) product=1x8x128x128 "
                   "launches=3 fetch=0+0 store=0",
                   &c);
    cr_expect_eq(t.kernel.grid_steps * t.kernel.joined_cycles, 1900,
                 "also where the machine cuts it");
}

/* 4 MiB that a kernel reads from the memory of the host cross PCIe before it, 2 that it leaves
 * there behind it. */
Test(stated_launches, what_a_kernel_has_in_the_memory_of_the_host_crosses_pcie)
{
    struct bench b = { 0 };

    cr_assert_eq(lower_text(&b, "tensor %x f32[1024,1024]{1,0:T(8,128)S(5)} input\n",
                            "  %y f32[512,1024]{1,0:T(8,128)S(5)} = kernel(%x) form=copy "
                            "fetch=4194304 store=2097152\n",
                            &cap, false),
                 0, "%s", b.err.msg);
    cr_assert_eq(b.p.n_tasks, 5);
    cr_expect(b.p.task[0].kind == TASK_COPY && b.p.task[0].copy.host);
    cr_expect_eq(b.p.task[0].copy.out, 4194304);
    cr_expect_eq(b.p.task[1].async, TASK_DONE);
    cr_expect_eq(b.p.task[2].kind, TASK_KERNEL);
    cr_expect_eq(b.p.task[3].copy.in, 2097152);
    cr_expect_eq(b.p.task[4].start, 3);
    take_down(&b);
}
