/* Kernels of compiled programs as tasks, worked out by hand on the machine of lower_bench.h: arrays
 * of 128, registers of 1024 elements, 1 MiB of VMEM. */
#include "lower_bench.h"

#define PLACES                                                                                     \
    "tensor %x f32[1024,1024]{1,0:T(8,128)} input\ntensor %w f32[1024,1024]{1,0:T(8,128)} "        \
    "weight\n"

/* The first task of one line with the tensors x and w. */
static struct task lower_line(const char *line, const struct cap *c, struct task_notes *notes)
{
    struct bench b = { 0 };
    char body[1024];

    snprintf(body, sizeof body, "  %s\n", line);
    cr_assert_eq(lower_text(&b, PLACES, body, c, false), 0, "%s", b.err.msg);
    struct task t = b.p.task[0];
    if (notes)
        *notes = b.p.notes;
    take_down(&b);
    return t;
}

Test(lower_compiled, a_vector_kernel_has_the_grid_the_bytes_and_the_work_that_it_states)
{
    struct task t = lower_line("%y f32[1024,1024]{1,0:T(8,128)} = kernel(%x, %w) grid=8x4 "
                               "fetch=4194304+8192 held=1 store=4194304 vmem=500000 "
                               "vector=add:2097152+cast:1+exp:1024 xlu=1025 loads=1048576 "
                               "stores=2048",
                               &cap, NULL);
    const struct task_kernel *k = &t.kernel;

    cr_assert_eq(t.kind, TASK_KERNEL);
    cr_expect_eq(k->grid_steps, 32);
    cr_expect_eq(k->all.in.bytes, 4194304);
    cr_expect_eq(k->resident_in, 8192);
    cr_expect_eq(k->all.out.bytes, 4194304);
    cr_expect_eq(k->windows, 500000);
    cr_expect_eq(k->all.vpu[VECTOR_ADD], 2048);
    cr_expect_eq(k->all.vpu[VECTOR_CAST], 1);
    cr_expect_eq(k->all.vpu[VECTOR_EXP], 1);
    cr_expect_eq(k->all.xlu, 2);
    cr_expect_eq(k->all.loads, 1024);
    cr_expect_eq(k->all.stores, 2);
    cr_expect_eq(k->joined, 0);
}

/* 2,049 elements are three registers of 1,024, at each of which the machine says what it takes. */
Test(lower_compiled, a_tap_of_each_channel_takes_what_the_machine_says)
{
    struct cap c = cap;

    c.xla.tap_loads = 5;
    c.xla.tap_stores = 7;
    struct task t = lower_line("%y f32[1024,1024]{1,0:T(8,128)} = kernel(%x, %w) loads=1024 "
                               "stores=2048 channel-taps=2049",
                               &c, NULL);
    cr_expect_eq(t.kernel.all.loads, 1 + 3 * 5);
    cr_expect_eq(t.kernel.all.stores, 2 + 3 * 7);
}

Test(lower_compiled, many_grid_steps_are_joined)
{
    /* 1,537 steps, at most 512: each of 4, the last of one; 3 more cost 100 cycles each */
    struct task t = lower_line("%y f32[8,128]{1,0:T(8,128)} = kernel(%x) grid=1537 fetch=4194304 "
                               "store=4096",
                               &cap, NULL);

    cr_expect_eq(t.kernel.grid_steps, 385);
    cr_expect_eq(t.kernel.joined, 4);
    cr_expect_eq(t.kernel.joined_cycles, 300);
}

/* 2^40 grid steps are 512 of 2^31, each with (2^31 - 1) * 100 cycles of control more; no kernel has
 * more. */
Test(lower_compiled, more_grid_steps_than_can_be_joined_are_refused)
{
    static const char *const lines[] = {
        "grid=1099511627777",
        "grid=4611686018427387903",
        "grid=9223372036854775807",
        "product=1x1099511627777x8x8 tile=1x1x8x8 counts=1x1099511627777x1x1 lanes=knn",
    };
    struct task t =
        lower_line("%y f32[8,128]{1,0:T(8,128)} = kernel(%x) grid=1099511627776", &cap, NULL);

    cr_expect_eq(t.kernel.grid_steps, 512);
    cr_expect_eq(t.kernel.joined, UINT32_C(2147483648));
    cr_expect_eq(t.kernel.joined_cycles, UINT64_C(214748364700));
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        struct bench b = { 0 };
        char body[256];
        snprintf(body, sizeof body, "  %%y f32[8,128]{1,0:T(8,128)} = kernel(%%x, %%w) %s\n",
                 lines[i]);
        cr_expect_eq(lower_text(&b, PLACES, body, &cap, false), -1, "%s", lines[i]);
        cr_expect_str_eq(b.err.msg, "t:8: kernel 'y': more than 2^40 grid steps", "%s", lines[i]);
        take_down(&b);
    }
}

/* A product: what grid steps execute. */
struct product {
    const char *stated;
    struct task_gemm gemm;
    struct task_block block;
    uint32_t depth, columns;
    bool turned;
    uint64_t xlu;
};

static const struct product products[] = {
    /* three tiles of 400 rows execute 1,200; k is whole */
    { "product=1x1024x1024x1024 tile=1x400x1024x512 counts=1x3x1x2 lanes=knn",
      { 1, 1200, 1024, 1024, 1073741824 },
      { 1, 400, 512, 1024, false },
      128,
      0,
      false,
      0 },
    /* nine taps of 16 channels by themselves: tiles of 16 rows; n = 8 fills 8 columns */
    { "product=1x4096x144x8 tile=1x1024x144x8 counts=1x4x1x1 taps=9 lanes=knn",
      { 1, 4096, 144, 8, 4718592 },
      { 1, 1024, 8, 144, false },
      16,
      8,
      false,
      0 },
    /* 192 channels are two passes of 96 rows each */
    { "product=1x4096x1728x128 tile=1x1024x1728x128 counts=1x4x1x1 taps=9 lanes=knn",
      { 1, 4096, 1728, 128, UINT64_C(4096) * 1728 * 128 },
      { 1, 1024, 128, 1728, false },
      96,
      0,
      false,
      0 },
    /* packed: six channels of 96 taps fill 4.5 passes where k is not on lanes; the one window of
     * what streams, 8 rows of six f32 channels, is turned once for the ten of what stays */
    { "product=1x1280x576x8 tile=1x128x576x8 counts=1x10x1x1 taps=96 packed=1 lanes=mnm",
      { 1, 8, 576, 1280, 5898240 },
      { 1, 8, 128, 576, true },
      128,
      0,
      false,
      1 },
    /* ... and eight rows each where it is: tile= has the 128 lanes of each tap */
    { "product=1x1280x576x8 tile=1x128x12288x8 counts=1x10x1x1 taps=96 packed=1 lanes=mkm",
      { 1, 8, 768, 1280, 5898240 },
      { 1, 8, 128, 768, true },
      128,
      0,
      false,
      0 },
    /* A stays and is stored with k on its lanes: 16 of 128 lanes of each of 30 positions hold m */
    { "product=1x480x1280x8 tile=1x3840x128x8 counts=1x1x10x1 taps=10 lanes=kkm",
      { 1, 8, 1280, 480, 4915200 },
      { 1, 8, 480, 128, true },
      128,
      16,
      true,
      0 },
    /* m fills one sublane in eight: 60 rows stream for the 480 of a tile */
    { "product=1x180x1280x16 tile=1x480x128x128 counts=1x3x10x1 taps=10 lanes=kkn",
      { 1, 180, 1280, 16, 3686400 },
      { 1, 60, 16, 128, false },
      128,
      16,
      true,
      0 },
    /* A streams with m on its lanes: its windows, 1024 x 1024 f32 in all, go through the XLU */
    { "product=1x1024x1024x128 tile=1x256x1024x128 counts=1x4x1x1 lanes=mnn",
      { 1, 1024, 1024, 128, 134217728 },
      { 1, 256, 128, 1024, false },
      128,
      0,
      false,
      1024 },
};

Test(lower_compiled, a_product_executes_whole_tiles_as_its_layouts_lie)
{
    for (size_t i = 0; i < sizeof products / sizeof *products; i++) {
        const struct product *p = &products[i];
        char line[512];
        snprintf(line, sizeof line, "%%y f32[8,128]{1,0:T(8,128)} = kernel(%%x, %%w) %s",
                 p->stated);
        struct task t = lower_line(line, &cap, NULL);
        const struct task_kernel *k = &t.kernel;
        cr_expect_eq(k->all.gemm.b, p->gemm.b, "%zu", i);
        cr_expect_eq(k->all.gemm.m, p->gemm.m, "%zu: m %lu", i, k->all.gemm.m);
        cr_expect_eq(k->all.gemm.k, p->gemm.k, "%zu: k %lu", i, k->all.gemm.k);
        cr_expect_eq(k->all.gemm.n, p->gemm.n, "%zu: n %lu", i, k->all.gemm.n);
        cr_expect_eq(k->all.gemm.useful, p->gemm.useful, "%zu: %lu", i, k->all.gemm.useful);
        cr_expect_eq(k->block.m, p->block.m, "%zu: m %lu", i, k->block.m);
        cr_expect_eq(k->block.n, p->block.n, "%zu: n %lu", i, k->block.n);
        cr_expect_eq(k->block.k, p->block.k, "%zu: k %lu", i, k->block.k);
        cr_expect_eq(k->block.m_outer, p->block.m_outer, "%zu", i);
        cr_expect_eq(k->mode.depth, p->depth, "%zu: depth %u", i, k->mode.depth);
        cr_expect_eq(k->mode.columns, p->columns, "%zu: columns %u", i, k->mode.columns);
        cr_expect_eq(k->mode.turned, p->turned, "%zu", i);
        cr_expect_eq(k->all.xlu, p->xlu, "%zu: xlu %lu", i, k->all.xlu);
    }
}

/* hi hi alone; hi lo and lo hi too; hi mi, mi hi, mi mi, hi lo, lo hi too */
Test(lower_compiled, f32_operands_take_a_pass_for_each_product_of_their_parts)
{
    static const struct {
        const char *stated;
        uint32_t more_passes;
    } rows[] = { { "", 0 }, { "precision=high ", 2 }, { "precision=highest ", 5 } };
    static const char *const cuts[] = { "", "tile=1x8x8x8 counts=1x1x1x1 lanes=knn" };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (size_t j = 0; j < sizeof cuts / sizeof *cuts; j++) {
            char line[256];
            snprintf(line, sizeof line,
                     "%%y f32[8,128]{1,0:T(8,128)} = kernel(%%x, %%w) %sproduct=1x8x8x8 %s",
                     rows[i].stated, cuts[j]);
            struct task_kernel k = lower_line(line, &cap, NULL).kernel;
            cr_expect_eq(k.mode.more_passes, rows[i].more_passes, "%s: %u", line,
                         k.mode.more_passes);
            cr_expect_eq(k.all.gemm.useful, 512, "%s", line);
        }
}

/* 288 columns of a turned operand are three passes of 96, not two of 128 and one of 32. */
Test(lower_compiled, passes_of_a_turned_operand_push_each_column_once)
{
    struct task t = lower_line("%y f32[8,128]{1,0:T(8,128)} = kernel(%x, %w) "
                               "product=1x1024x1024x288 tile=1x256x1024x288 counts=1x4x1x1 "
                               "lanes=kkn",
                               &cap, NULL);

    cr_expect_eq(t.kernel.mode.columns, 96, "%u", t.kernel.mode.columns);
    cr_expect_eq(t.kernel.all.gemm.n, 288);
}

/* Arrays of 256 and registers of 128 lanes. */
Test(lower_compiled, tiles_narrower_than_an_array_of_two_registers_take_what_they_fill)
{
    static const struct {
        const char *stated;
        uint32_t columns, height;
        bool twin;
    } rows[] = {
        /* n of 384 is three tiles of 128 x 128, two rows at a time; turned, a push serves both */
        { "product=1x1024x128x384 tile=1x256x128x384 counts=1x4x1x1 lanes=kkn", 128, 64, true },
        { "product=1x1024x128x128 tile=1x256x128x128 counts=1x4x1x1 lanes=knn", 128, 0, true },
        /* of 256 one tile as wide as the array; 256 columns, of which 128 places hold k */
        { "product=1x1024x128x256 tile=1x256x128x256 counts=1x4x1x1 lanes=kkn", 0, 128, false },
        /* 256 rows, of which 128 columns are n */
        { "product=1x1024x1024x128 tile=1x256x1024x128 counts=1x4x1x1 lanes=knn", 128, 128, false },
        /* n on sublanes: A stays, turned, with 1,024 columns of 128 */
        { "product=1x1024x128x5 tile=1x1024x128x8 counts=1x1x1x1 lanes=kkm", 0, 128, false },
        { "product=1x1024x1024x256 tile=1x256x1024x256 counts=1x4x1x1 lanes=kkn", 0, 0, false },
    };
    struct cap c = cap;

    c.mxu.size = 256;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char line[256];
        snprintf(line, sizeof line, "%%y f32[8,128]{1,0:T(8,128)} = kernel(%%x, %%w) %s",
                 rows[i].stated);
        struct array_mode mode = lower_line(line, &c, NULL).kernel.mode;
        cr_expect_eq(mode.columns, rows[i].columns, "%zu: %u", i, mode.columns);
        cr_expect_eq(mode.height, rows[i].height, "%zu: %u", i, mode.height);
        cr_expect_eq(mode.twin, rows[i].twin, "%zu", i);
    }
}

Test(lower_compiled, weights_are_pushed_behind_rows_where_the_machine_says_so)
{
    struct cap c = cap;

    c.xla.push_rows = 1;
    cr_expect_eq(
        lower_line("%y f32[8,128]{1,0:T(8,128)} = kernel(%x, %w) product=1x8x8x8", &c, NULL)
            .kernel.mode.pushed,
        0, "not in one that is cut anew");
    cr_expect_eq(lower_line("%y f32[8,128]{1,0:T(8,128)} = kernel(%x, %w) product=1x8x8x8 "
                            "tile=1x8x8x8 counts=1x1x1x1 lanes=knn",
                            &c, NULL)
                     .kernel.mode.pushed,
                 1);
}

Test(lower_compiled, the_halves_of_a_device_divide_the_loop_that_is_stated)
{
    static const struct {
        const char *split;
        uint64_t steps;
        struct task_block block;
        struct task_parts parts;
        uint64_t in, out;
    } rows[] = {
        /* of three tiles of m one half has two, the other one; two arrays each, which share
         * columns: fewer loads than if they shared rows */
        { "split=m", 2 * 2, { 1, 512, 512, 512, false }, { 1, 2, 1, 2 }, 0, 0 },
        { "split=n", 3 * 1, { 1, 256, 1024, 512, false }, { 1, 1, 1, 4 }, 0, 0 },
        { "split=none", 3 * 2, { 1, 256, 512, 512, false }, { 1, 1, 1, 2 }, 0, 0 },
        /* k has one tile: nothing to divide */
        { "split=k split-bytes=4096", 3 * 2, { 1, 256, 512, 512, false }, { 1, 1, 1, 2 }, 0, 0 },
    };
    struct cap c = cap;

    c.halves = 2;
    c.mxu_count = 4;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char line[512];
        snprintf(line, sizeof line,
                 "%%y f32[8,128]{1,0:T(8,128)} = kernel(%%x, %%w) product=1x768x512x1024 "
                 "tile=1x256x512x512 counts=1x3x1x2 fetch=0+0 store=0 lanes=knn vmem=1000 %s",
                 rows[i].split);
        struct task t = lower_line(line, &c, NULL);
        cr_expect_eq(t.kernel.grid_steps, rows[i].steps, "%zu: %lu", i, t.kernel.grid_steps);
        cr_expect_eq(t.kernel.block.m, rows[i].block.m, "%zu", i);
        cr_expect_eq(t.kernel.block.n, rows[i].block.n, "%zu", i);
        cr_expect_eq(t.kernel.parts.m, rows[i].parts.m, "%zu: %u", i, t.kernel.parts.m);
        cr_expect_eq(t.kernel.parts.n, rows[i].parts.n, "%zu: %u", i, t.kernel.parts.n);
        cr_expect_eq(t.kernel.all.in.bytes, rows[i].in, "%zu", i);
        cr_expect_eq(t.kernel.windows, 2000);
    }
    /* halves of four tiles of k exchange sums */
    struct task t = lower_line("%y f32[8,128]{1,0:T(8,128)} = kernel(%x, %w) "
                               "product=1x256x512x512 tile=1x256x128x512 counts=1x1x4x1 "
                               "fetch=0+0 store=0 lanes=knn split=k split-bytes=4096",
                               &c, NULL);
    cr_expect_eq(t.kernel.grid_steps, 2);
    cr_expect_eq(t.kernel.block.k, 256);
    cr_expect_eq(t.kernel.parts.k, 2);
    cr_expect_eq(t.kernel.all.in.bytes, 4096);
    cr_expect_eq(t.kernel.all.out.bytes, 4096);
    /* 33 steps of a kernel without a product are 17 of both halves */
    cr_expect_eq(
        lower_line("%y f32[8,128]{1,0:T(8,128)} = kernel(%x) grid=33", &c, NULL).kernel.grid_steps,
        17);
}

Test(lower_compiled, values_in_the_common_memory_feed_and_those_in_vmem_cost_nothing)
{
    struct bench b = { 0 };
    struct cap v4 = cap;

    v4.cmem_bytes = 128 << 20;
    cr_assert_eq(
        lower_text(&b, PLACES,
                   "  %a f32[64,128]{1,0:T(8,128)S(3)} = kernel(%x) grid=1 fetch=4096\n"
                   "  %b f32[64,128]{1,0:T(8,128)S(1)} = kernel(%a, %w) grid=1 fetch=0+4096\n"
                   "  %c f32[64,128]{1,0:T(8,128)} = kernel(%a, %b) grid=1 fetch=8192+0\n",
                   &v4, false),
        0, "%s", b.err.msg);
    const struct task *t = b.p.task;
    cr_expect_eq(t[0].kernel.all.in.bytes, 4096);
    cr_expect_eq(t[0].kernel.all.out.bytes, 0);
    cr_expect_eq(t[0].kernel.all.feed, 32768);
    cr_expect_eq(t[1].kernel.all.in.bytes, 4096);
    cr_expect_eq(t[1].kernel.all.feed, 32768);
    cr_expect_eq(t[2].kernel.all.in.bytes, 0);
    cr_expect_eq(t[2].kernel.all.feed, 8192, "as it states");
    cr_expect_eq(t[2].kernel.all.out.bytes, 32768);
    take_down(&b);
}

Test(lower_compiled, a_sort_is_that_of_other_traces)
{
    /* 4 sorts of 1,024 keys: 55 stages of a register each */
    struct task t = lower_line("%y f32[4,1024]{1,0:T(4,128)} = kernel(%x) form=sort rows=4 "
                               "cols=1024 fetch=16384",
                               &cap, NULL);

    cr_expect_eq(t.kernel.all.vpu[VECTOR_ADD], 4 * 55);
    cr_expect_eq(t.kernel.all.vpu[VECTOR_SELECT], 8 * 55);
    cr_expect_eq(t.kernel.all.xlu, 4 * 55);
}

Test(lower_compiled, scalars_and_what_is_returned_are_no_kernels)
{
    struct bench b = { 0 };
    struct cap c = cap;

    c.scalar_cycles = 7;
    cr_assert_eq(lower_text(&b, PLACES, "  %i s32[]{:S(6)} = kernel() form=scalar\n  return(%i)\n",
                            &c, false),
                 0, "%s", b.err.msg);
    cr_expect_eq(b.p.task[0].kind, TASK_SCALAR);
    cr_expect_eq(b.p.task[0].scalar.cycles, 7);
    cr_expect_eq(b.p.task[1].kind, TASK_SCALAR);
    cr_expect_eq(b.p.task[1].scalar.cycles, 0);
    take_down(&b);
}

Test(lower_compiled, a_copy_reads_or_writes_hbm_as_its_ends_lie)
{
    struct bench b = { 0 };

    cr_assert_eq(lower_text(&b, PLACES,
                            "  %d f32[1024,1024]{1,0:T(8,128)S(1)} = copy-start(%x) early=1\n"
                            "  %e f32[1024,1024]{1,0:T(8,128)} = copy-start(%w) bytes=4096\n"
                            "  %y f32[1024,1024]{1,0:T(8,128)S(1)} at %d = copy-done(%d)\n"
                            "  %z f32[1024,1024]{1,0:T(8,128)} at %e = copy-done(%e)\n"
                            "  %f f32[1024,1024]{1,0:T(8,128)} = copy-start(%y)\n"
                            "  %g f32[1024,1024]{1,0:T(8,128)} at %f = copy-done(%f)\n",
                            &cap, false),
                 0, "%s", b.err.msg);
    const struct task *t = b.p.task;
    cr_expect_eq(t[0].kind, TASK_COPY);
    cr_expect_eq(t[0].async, TASK_START);
    cr_expect_eq(t[0].copy.in, 4194304);
    cr_expect_eq(t[0].copy.out, 0);
    cr_expect_eq(t[1].copy.in, 4096);
    cr_expect_eq(t[1].copy.out, 4096);
    cr_expect_eq(t[2].async, TASK_DONE);
    cr_expect_eq(t[2].start, 0);
    cr_expect_eq(t[3].start, 1);
    cr_expect_eq(t[4].copy.in, 0);
    cr_expect_eq(t[4].copy.out, 4194304);
    take_down(&b);
}

Test(lower_compiled, a_copy_to_or_from_the_host_crosses_pcie)
{
    struct bench b = { 0 };

    cr_assert_eq(lower_text(&b, PLACES,
                            "  %d f32[1024,1024]{1,0:T(8,128)S(5)} = copy-start(%x)\n"
                            "  %y f32[1024,1024]{1,0:T(8,128)S(5)} at %d = copy-done(%d)\n"
                            "  %e f32[1024,1024]{1,0:T(8,128)} = copy-start(%y) bytes=4096\n"
                            "  %z f32[1024,1024]{1,0:T(8,128)} at %e = copy-done(%e)\n"
                            "  %f f32[1024,1024]{1,0:T(8,128)S(5)} = copy-start(%y)\n"
                            "  %g f32[1024,1024]{1,0:T(8,128)S(5)} at %f = copy-done(%f)\n"
                            "  %h f32[1024,1024]{1,0:T(8,128)S(1)} = copy-start(%y)\n"
                            "  %i f32[1024,1024]{1,0:T(8,128)S(1)} at %h = copy-done(%h)\n",
                            &cap, false),
                 0, "%s", b.err.msg);
    const struct task_copy out = b.p.task[0].copy, in = b.p.task[2].copy, none = b.p.task[4].copy;
    cr_expect(out.host && out.in == 4194304 && out.out == 0);
    cr_expect(in.host && in.in == 0 && in.out == 4096);
    cr_expect(!none.host && none.in == 0 && none.out == 0); /* it stays in the host's memory */
    const struct task_copy near = b.p.task[6].copy;
    cr_expect(near.host && near.in == 0 && near.out == 4194304, "what goes to VMEM ends in HBM");
    take_down(&b);
}

Test(lower_compiled, kernels_that_do_not_suit_the_machine_are_cut_anew_and_counted)
{
    static const char line[] = "%y f32[1024,1024]{1,0:T(8,128)} = kernel(%x, %w) "
                               "product=1x1024x1024x1024 tile=1x8x1024x128 counts=1x128x1x8 "
                               "fetch=33554432+4194304 store=4194304 lanes=knn";
    struct task_notes n;
    struct cap c = cap;
    char text[512];

    cr_expect_eq(lower_line(line, &c, &n).kernel.block.m, 8);
    cr_expect_eq(n.retiled[TASK_RETILED_ASKED] + n.retiled[TASK_RETILED_ARRAY] +
                     n.retiled[TASK_RETILED_UNSTATED] + n.retiled[TASK_RETILED_VMEM],
                 0);
    c.retile = true;
    struct task t = lower_line(line, &c, &n);
    cr_expect_gt(t.kernel.block.m, 8);
    cr_expect_eq(t.kernel.mode.depth, 0, "as a product of another trace");
    cr_expect_leq(t.kernel.windows, 1 << 20);
    cr_expect_eq(n.retiled[TASK_RETILED_ASKED], 1);
    c.retile = false;
    c.stated_array = 256;
    lower_line(line, &c, &n);
    cr_expect_eq(n.retiled[TASK_RETILED_ARRAY], 1);
    c.stated_array = 64; /* windows for arrays of which this one holds four */
    lower_line(line, &c, &n);
    cr_expect_eq(n.retiled[TASK_RETILED_ARRAY], 0);
    c.stated_array = 128;
    snprintf(text, sizeof text, "%s vmem=1048577", line);
    lower_line(text, &c, &n);
    cr_expect_eq(n.retiled[TASK_RETILED_VMEM], 1);
    lower_line("%y f32[1024,1024]{1,0:T(8,128)} = kernel(%x, %w) product=1x1024x1024x1024", &c, &n);
    cr_expect_eq(n.retiled[TASK_RETILED_UNSTATED], 1);
    /* a gather never states windows */
    lower_line("%y f32[1000,25]{1,0:T(8,128)} = kernel(%x) form=gather rows=1000 row-bytes=100", &c,
               &n);
    cr_expect_eq(n.retiled[TASK_RETILED_UNSTATED], 0);
}

Test(lower_compiled, a_program_for_another_machine_reads_from_hbm_what_it_kept_on_chip)
{
    struct bench b = { 0 };
    struct cap c = cap;

    c.retile = true;
    cr_assert_eq(lower_text(&b, PLACES,
                            "  %d f32[1024,1024]{1,0:T(8,128)S(1)} = copy-start(%x)\n"
                            "  %y f32[1024,1024]{1,0:T(8,128)S(1)} at %d = copy-done(%d)\n"
                            "  %z f32[8,128]{1,0:T(8,128)} = kernel(%y) grid=4 fetch=0\n",
                            &c, false),
                 0, "%s", b.err.msg);
    cr_expect_eq(b.p.task[0].kind, TASK_SCALAR);
    cr_expect_eq(b.p.task[1].kind, TASK_SCALAR);
    cr_expect_eq(b.p.task[2].kernel.all.in.bytes, 4194304);
    take_down(&b);
}
