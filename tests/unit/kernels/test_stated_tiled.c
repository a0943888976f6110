/* Products of compiled programs that are cut anew: which operand is which, and what of them crosses
 * HBM, worked out by hand on the machine of lower_bench.h. */
#include "lower_bench.h"

/* The last task of some lines, on a machine for which all of the program is cut if `anew`. */
static struct task_kernel lower_last(const char *tensors, const char *body, bool anew)
{
    struct bench b = { 0 };
    struct cap c = cap;

    c.retile = anew;
    cr_assert_eq(lower_text(&b, tensors, body, &c, false), 0, "%s", b.err.msg);
    struct task t = b.p.task[b.p.n_tasks - 1];
    take_down(&b);
    cr_assert_eq(t.kind, TASK_KERNEL);
    return t.kernel;
}

/* A fusion has scalars, biases and masks beside the operands of its product, in any order.  What
 * streams here has 2 bytes an element, what stays 4, and everything else 1. */
Test(stated_tiled, operands_are_those_with_the_elements_of_the_product)
{
    static const struct {
        const char *tensors, *line;
    } rows[] = {
        /* a vector times a matrix */
        { "tensor %x bf16[1024] input\ntensor %w f32[1024,1024] weight\ntensor %p u8[] input\n"
          "tensor %q u8[8] input\n",
          "%y f32[1024] = kernel(%p, %w, %x, %q) product=1x1x1024x1024\n" },
        { "tensor %x bf16[1024] input\ntensor %w f32[1024,1024] weight\ntensor %p u8[] input\n"
          "tensor %q u8[8] input\n",
          "%y f32[1024] = kernel(%q, %x, %w, %p) product=1x1x1024x1024\n" },
        /* a number times a row: the scalar beside it has one element, too */
        { "tensor %x bf16[1] input\ntensor %w f32[8] weight\ntensor %p u8[] input\n",
          "%y f32[8] = kernel(%x, %w, %p) product=1x1x1x8\n" },
        /* 64 elements, and a bias of 8 */
        { "tensor %x bf16[8,8] input\ntensor %w f32[8,16] weight\ntensor %p u8[8] input\n",
          "%y f32[8,16] = kernel(%p, %x, %w) product=1x8x8x16\n" },
        /* as many elements each: B stands behind A */
        { "tensor %x bf16[8,8] input\ntensor %w f32[8,8] weight\n",
          "%y f32[8,8] = kernel(%x, %w) product=1x8x8x8\n" },
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct task_kernel k = lower_last(rows[i].tensors, rows[i].line, false);
        cr_expect_eq(k.streamed, 2, "row %zu: %u", i, k.streamed);
        cr_expect_eq(k.stationary, 4, "row %zu: %u", i, k.stationary);
    }
}

/* Operands of 32 and 512 KiB, a result of 4 KiB.  What a program keeps on chip is in HBM for
 * another machine. */
Test(stated_tiled, what_is_on_chip_crosses_hbm_where_the_program_is_for_another_machine)
{
    static const struct {
        const char *x, *y; /* memory spaces */
        bool anew;
        uint64_t in, out;
    } rows[] = {
        { "", "", false, 557056, 4096 },      { "", "", true, 557056, 4096 },
        { "S(1)", "", false, 524288, 4096 },  { "S(1)", "", true, 557056, 4096 },
        { "", "S(1)", false, 557056, 0 },     { "", "S(1)", true, 557056, 4096 },
        { "S(1)", "S(1)", false, 524288, 0 }, { "S(1)", "S(1)", true, 557056, 4096 },
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char body[512];
        snprintf(body, sizeof body,
                 "%%v f32[8,1024]{1,0:T(8,128)%s} = kernel(%%x) grid=1\n"
                 "%%y f32[8,128]{1,0:T(8,128)%s} = kernel(%%v, %%w) product=1x8x1024x128\n",
                 rows[i].x, rows[i].y);
        struct task_kernel k = lower_last("tensor %x f32[8,1024]{1,0:T(8,128)} input\n"
                                          "tensor %w f32[1024,128]{1,0:T(8,128)} weight\n",
                                          body, rows[i].anew);
        cr_expect_eq(k.all.in.bytes + k.resident_in, rows[i].in, "row %zu: %lu", i,
                     k.all.in.bytes + k.resident_in);
        cr_expect_eq(k.all.out.bytes + k.resident_out, rows[i].out, "row %zu: %lu", i,
                     k.all.out.bytes + k.resident_out);
    }
}

/* A kernel needs one of 80 matrices of 256 x 256 bf16 that lie one behind the other, 131,072 bytes
 * as its fetch= says; the other operand, 8 x 256 bf16, is read for either half of the columns, 2 x
 * 4,096 bytes. */
Test(stated_tiled, a_product_with_a_part_of_an_array_reads_the_part)
{
    static const char tensors[] = "tensor %w bf16[80,256,256] weight\n"
                                  "tensor %x bf16[8,256] input\n";
    static const char line[] = "%y f32[8,256] = kernel(%x, %w) product=1x8x256x256 "
                               "fetch=4096+131072 store=8192\n";
    struct task_kernel k = lower_last(tensors, line, false);

    cr_expect_eq(k.all.in.bytes + k.resident_in, 139264, "%lu",
                 (unsigned long)(k.all.in.bytes + k.resident_in));
}

/* Eight groups of 32 channels: 51,380,224 bytes of an image of 256 channels are 117,440,512 with 56
 * positions along 128 lanes.  Two copies bring it there, two take the result back; one group, and
 * XLA's own text, has none. */
Test(stated_tiled, groups_of_our_own_layout_are_copied_to_lie_by_themselves)
{
    static const struct {
        const char *compiler, *product;
        uint32_t tasks;
    } rows[] = { { "cyclotron", "8x100352x288x32", 5 },
                 { "XLA", "8x100352x288x32", 1 },
                 { "cyclotron", "1x100352x2304x256", 1 } };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct bench b = { 0 };
        struct cap c = cap;
        char tensors[400], line[400];
        c.vmem_bytes = 16 << 20;
        snprintf(tensors, sizeof tensors,
                 "program compiler=\"%s\" megacore=0 scheduled=1\n"
                 "tensor %%x bf16[32,56,56,256]{3,2,1,0:T(8,128)(2,1)} input\n"
                 "tensor %%w bf16[3,3,32,256]{3,2,1,0:T(8,128)(2,1)} input\n",
                 rows[i].compiler);
        snprintf(line, sizeof line,
                 "  %%y bf16[32,56,56,256]{3,2,1,0:T(8,128)(2,1)} = kernel(%%x, %%w) form=product "
                 "product=%s taps=9 lanes=knn fetch=51380224+147456 store=51380224\n",
                 rows[i].product);
        cr_assert_eq(lower_text(&b, tensors, line, &c, false), 0, "%s", b.err.msg);
        cr_assert_eq(b.p.n_tasks, rows[i].tasks, "%zu: %u", i, b.p.n_tasks);
        if (rows[i].tasks == 5) {
            cr_expect_eq(total_in(&b.p.task[0]), 51380224);
            cr_expect_eq(total_out(&b.p.task[0]), 117440512);
            cr_expect_eq(total_in(&b.p.task[4]), 117440512);
            cr_expect_eq(total_out(&b.p.task[4]), 51380224);
        }
        take_down(&b);
    }
}

/* Four parts of 8 bits each in s32, of whose 16 products 10 reach 32 bits; s16 has two each, and 7
 * products with s32; 8 bits are one.  Of a result in bf16 they are indices of something. */
Test(stated_tiled, integers_of_more_than_8_bits_are_multiplied_in_parts)
{
    static const struct {
        const char *a, *b, *c;
        uint32_t passes;
    } rows[] = { { "s8", "s8", "s32", 1 },    { "s16", "s16", "s32", 4 },
                 { "s32", "s32", "s32", 10 }, { "s16", "s32", "s32", 7 },
                 { "s32", "s16", "s32", 7 },  { "s8", "u32", "u32", 4 },
                 { "u64", "s64", "s64", 36 }, { "bf16", "bf16", "f32", 1 },
                 { "s32", "s32", "bf16", 1 } };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char tensors[200], line[200];
        snprintf(tensors, sizeof tensors,
                 "tensor %%x %s[256,512] input\ntensor %%w %s[512,128] weight\n", rows[i].a,
                 rows[i].b);
        snprintf(line, sizeof line, "%%y %s[256,128] = kernel(%%x, %%w) product=1x256x512x128\n",
                 rows[i].c);
        struct task_kernel k = lower_last(tensors, line, false);
        cr_expect_eq(1 + k.mode.more_passes, rows[i].passes, "%zu: %u", i, k.mode.more_passes);
    }
}
