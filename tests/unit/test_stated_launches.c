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
