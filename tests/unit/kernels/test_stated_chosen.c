/* Windows of compiled products that state none, worked out by hand on the machine of lower_bench.h:
 * arrays of 128, registers of 1024 elements, 1 MiB of VMEM. */
#include "lower_bench.h"

/* n is 8 parts of 128, each with a window of its own, and 1 MiB of VMEM does not hold A: A comes by
 * 8 times, with what is computed on the way to it, and B, 262,144 bytes a window, once. */
Test(stated_chosen, an_operand_comes_again_with_what_is_computed_on_the_way)
{
    static const char places[] = "tensor %x bf16[1024,512]{1,0:T(8,128)(2,1)} input\n"
                                 "tensor %w bf16[512,2048]{1,0:T(8,128)(2,1)} weight\n";
    static const char line[] =
        "  %y bf16[1024,2048]{1,0:T(8,128)(2,1)} = kernel(%x, %w) product=1x1024x512x2048 "
        "lanes=knn fetch=1048576+2097152 store=4194304 vector=cast:525312 loads=524288 "
        "fetch-a=1048576 fetch-b=2097152 vector-a=cast:524288 loads-a=524288 n-parts=8\n";
    struct bench b = { 0 };
    struct cap c = cap;

    c.array_sums = true; /* no sums of passes are loaded */
    c.xla.window_time = 100;
    c.xla.window_memory = 1 << 20;
    cr_assert_eq(lower_text(&b, places, line, &c, false), 0, "%s", b.err.msg);
    const struct task_kernel *k = &b.p.task[0].kernel;
    cr_expect_eq(k->block.n, 256);
    cr_expect_eq(k->block.k, 512);
    cr_expect_eq(k->all.in.bytes, 8 * 1048576 + 2097152);
    cr_expect_eq(k->all.vpu[VECTOR_CAST], 8 * 512 + 1, "1,024 elements are not on the way to A");
    cr_expect_eq(k->all.loads, 8 * 512);
    cr_expect_eq(b.p.notes.retiled[TASK_RETILED_UNSTATED], 1);
    take_down(&b);
}

/* Heads of attention, 16 of 128 here, are no wider than the lanes: a window has several of them, as
 * n without parts would have. */
Test(stated_chosen, narrow_parts_share_a_window)
{
    static const char places[] = "tensor %x bf16[1024,512]{1,0:T(8,128)(2,1)} input\n"
                                 "tensor %w bf16[512,2048]{1,0:T(8,128)(2,1)} weight\n";
    static const char line[] =
        "  %y bf16[1024,2048]{1,0:T(8,128)(2,1)} = kernel(%x, %w) product=1x1024x512x2048 "
        "lanes=knn fetch=1048576+2097152 store=4194304 fetch-a=1048576 fetch-b=2097152 "
        "n-parts=16\n";
    struct bench b = { 0 };
    struct cap c = cap;

    c.xla.window_time = 100;
    c.xla.window_memory = 1 << 20;
    cr_assert_eq(lower_text(&b, places, line, &c, false), 0, "%s", b.err.msg);
    cr_expect_gt(b.p.task[0].kernel.block.n, 128);
    take_down(&b);
}
