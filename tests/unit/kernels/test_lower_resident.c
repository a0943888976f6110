/* Values on chip when a kernel starts, and the room that they leave. */
#include "tests/unit/kernels/lower_bench.h"

/* Bytes in and out of the one kernel of `body`, on tensors of 64 KiB (%a, %b), 768 KiB (%t) and
 * 4 KiB (%i, 1024 indices into %t). */
static void run_traffic(const char *body, uint64_t in, uint64_t out)
{
    struct bench b = { 0 };

    cr_assert_eq(lower_text(&b,
                            "tensor %a f32[128,128] input\ntensor %b f32[128,128] input\n"
                            "tensor %t f32[1536,128] input\ntensor %i s32[1024] input\n",
                            body, &cap, false),
                 0, "%s: %s", body, b.err.msg);
    const struct task *t = &b.p.task[0];
    cr_expect_eq(total_in(t) + t->kernel.all.in.rows * t->kernel.all.in.row_bytes, in, "%s: %lu in",
                 body, total_in(t));
    cr_expect_eq(total_out(t), out, "%s: %lu out", body, total_out(t));
    take_down(&b);
}

Test(lower, what_is_resident_does_not_cross_hbm)
{
    run_traffic("%y f32[128,128] = matmul(%a, %b)\n", 131072, 65536);
    run_traffic("%y f32[128,128] = matmul(%a, %b) resident=lhs\n", 65536, 65536);
    run_traffic("%y f32[128,128] = matmul(%a, %b) resident=rhs+out\n", 65536, 0);
    run_traffic("%y f32[128,128] = matmul(%a, %a) resident=rhs\n", 0, 65536);
    run_traffic("%y f32[128,128] = elementwise(%a, %b) resident=rhs\n", 65536, 65536);
    run_traffic("%y f32[], %z f32[128,128] = reduce(%a) resident=out\n", 65536, 0);
    /* a table beyond half of VMEM is read row by row, 512 B each, unless it is there already */
    run_traffic("%y f32[1024,128] = gather(%t, %i)\n", 4096 + 1024 * 512, 524288);
    run_traffic("%y f32[1024,128] = gather(%t, %i) resident=lhs\n", 4096, 524288);
}

Test(lower, what_one_member_finds_on_chip_all_of_its_kernel_do)
{
    run_traffic("fusion %y {\n%s f32[128,128] = elementwise(%a)\n"
                "%y f32[128,128] = matmul(%s, %a) resident=rhs\n}\n",
                0, 65536);
    run_traffic("fusion %y, %s {\n%s f32[128,128] = elementwise(%a) resident=lhs\n"
                "%y f32[128,128] = matmul(%a, %b) resident=out\n}\n",
                65536, 65536);
    /* and only of that kernel: %a again for the second */
    struct bench b = { 0 };
    cr_assert_eq(lower_text(&b, "tensor %a f32[128,128] input\n",
                            "%y f32[128,128] = elementwise(%a) resident=lhs+out\n"
                            "%z f32[128,128] = elementwise(%a, %y)\n",
                            &cap, false),
                 0);
    cr_expect_eq(total_in(&b.p.task[0]), 0);
    cr_expect_eq(total_in(&b.p.task[1]), 131072);
    take_down(&b);
}

Test(lower, what_is_resident_must_fit_vmem)
{
    struct bench b = { 0 };

    /* 512 KiB + 512 KiB + 4 B is one word too many for 1 MiB */
    const char *fits = "%y f32[256,512] = elementwise(%a) resident=lhs+out\n";
    const char *not = "%y f32[256,512], %z f32[] = elementwise(%a) resident=lhs+out\n";
    cr_expect_eq(lower_text(&b, "tensor %a f32[256,512] input\n", fits, &cap, false), 0);
    take_down(&b);
    cr_expect_eq(lower_text(&b, "tensor %a f32[256,512] input\n", not, &cap, false), -1);
    cr_expect_str_eq(b.err.msg, "t:7: elementwise 'y': what is resident does not fit on chip: "
                                "1048576 B of VMEM");
    cr_expect_eq(b.err.code, ERR_FIT);
    take_down(&b);
}

/* With 640 KiB of common memory a core. */
static struct cap with_cmem(void)
{
    struct cap c = cap;

    c.cmem_bytes = 640 << 10;
    return c;
}

Test(lower, what_is_resident_is_in_common_memory_first_and_streams_from_there)
{
    struct bench b = { 0 };
    struct cap c = with_cmem();

    /* 512 KiB each: one fits there, the other takes half of VMEM */
    cr_assert_eq(lower_text(&b, "tensor %a f32[256,512] input\n",
                            "%y f32[256,512] = elementwise(%a) resident=lhs+out\n", &c, false),
                 0);
    cr_expect_eq(b.p.task[0].kernel.all.feed, 512 << 10);
    cr_expect_eq(total_in(&b.p.task[0]) + total_out(&b.p.task[0]), 0);
    take_down(&b);
    /* without it both are in VMEM, and nothing streams */
    cr_assert_eq(lower_text(&b, "tensor %a f32[256,512] input\n",
                            "%y f32[256,512] = elementwise(%a) resident=lhs+out\n", &cap, false),
                 0);
    cr_expect_eq(b.p.task[0].kernel.all.feed, 0);
    take_down(&b);
    /* 768 KiB fit neither what is left of it nor that beside the other in VMEM, 1 MiB */
    cr_assert_eq(lower_text(&b, "tensor %a f32[384,512] input\n",
                            "%y f32[384,512] = elementwise(%a) resident=lhs+out\n", &c, false),
                 -1);
    cr_expect_str_eq(b.err.msg, "t:7: elementwise 'y': what is resident does not fit on chip: "
                                "1703936 B of VMEM and CMEM");
    take_down(&b);
}

Test(lower, tiles_have_the_vmem_that_residents_leave)
{
    static const struct {
        const char *resident;
        uint64_t steps;
    } cases[] = {
        /* %s, 512 KiB, is read with the others: 2 * 2 * 1.25 MiB / 1 MiB = 5 */
        { "", 5 },
        /* it takes half of VMEM: of 2 * 2 MiB pass 512 KiB at a time */
        { " resident=rhs", 8 },
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct bench b = { 0 };
        struct cap c = cap;
        char body[128];
        c.step_cycles = 100000000; /* as few steps as there can be */
        snprintf(body, sizeof body, "%%y f32[512,512] = elementwise(%%a, %%s)%s\n",
                 cases[i].resident);
        cr_assert_eq(lower_text(&b, "tensor %a f32[512,512] input\ntensor %s f32[256,512] input\n",
                                body, &c, false),
                     0);
        cr_expect_eq(b.p.task[0].kernel.grid_steps, cases[i].steps, "%lu",
                     b.p.task[0].kernel.grid_steps);
        take_down(&b);
    }
}

Test(lower, a_resident_operand_is_multiplied_where_it_is)
{
    struct bench b = { 0 };

    struct cap c = cap;

    /* B, one tile of 64 KiB, is half of VMEM and needs no second place: A and C pass through the
     * other half, 2 * (m * 128 + m * 128) * 4 B: 32 rows */
    c.vmem_bytes = 128 << 10;
    cr_assert_eq(lower_text(&b, "tensor %x f32[4096,128] input\ntensor %w f32[128,128] weight\n",
                            "%y f32[4096,128] = matmul(%x, %w) resident=rhs\n", &c, false),
                 0);
    cr_expect_eq(b.p.task[0].kernel.block.m, 32);
    cr_expect_eq(b.p.task[0].kernel.all.in.bytes + b.p.task[0].kernel.resident_in, 4096 * 128 * 4);
    take_down(&b);
}

Test(lower, residents_leave_room_for_tiles)
{
    struct bench b = { 0 };

    /* 1 MiB - 4 KiB of VMEM; the result streams */
    cr_assert_eq(lower_text(&b, "tensor %a f32[511,512] input\n",
                            "%y f32[511,512] = elementwise(%a) resident=lhs\n", &cap, false),
                 -1);
    cr_expect_str_eq(b.err.msg, "t:7: elementwise 'y': what is resident leaves 2048 B of VMEM for "
                                "tiles, 65536 are needed");
    cr_expect_eq(b.err.code, ERR_FIT);
    take_down(&b);
}
