/* Work of the vector unit in imported kernels, in 32-bit elements of whole registers of 8 x 128,
 * and what kernels without a product read and write. */
#include "tests/unit/import/import_helper.h"

/* A fusion %f of f32[17,200] (24 x 256 = 6144 elements in registers, 24,576 bytes) and f32[200]. */
#define ARRAY "f32[17,200]{1,0:T(8,128)}"
#define ROW "f32[200]{0:T(256)}"
#define COLUMN "f32[17]{0:T(128)}"
#define ADD                                                                                        \
    "%add (p: f32[], q: f32[]) -> f32[] {\n"                                                       \
    "  %p = f32[] parameter(0)\n"                                                                  \
    "  %q = f32[] parameter(1)\n"                                                                  \
    "  ROOT %s = f32[] add(%p, %q)\n"                                                              \
    "}\n"
#define FUSION(more, body, result)                                                                 \
    "HloModule m, is_scheduled=true\n" ADD more "%f (a: " ARRAY ", b: " ROW ") -> " result " {\n"  \
    "  %a = " ARRAY " parameter(0)\n"                                                              \
    "  %b = " ROW " parameter(1)\n" body "}\n"                                                     \
    "ENTRY %e (x: " ARRAY ", r: " ROW ") -> " result " {\n"                                        \
    "  %x = " ARRAY " parameter(0)\n"                                                              \
    "  %r = " ROW " parameter(1)\n"                                                                \
    "  ROOT %y = " result " fusion(%x, %r), kind=kLoop, calls=%f\n"                                \
    "}\n"

Test(import_vector, each_operation_counts_once_on_its_own_registers)
{
    struct import_totals t;
    /* %d has two readers; the broadcast and the constant are free, and its 200 reciprocals are made
     * once, which %d multiplies with */
    char *s =
        import_text(FUSION("",
                           "  %w = " ARRAY " broadcast(%b), dimensions={1}\n"
                           "  %d = " ARRAY " divide(%a, %w)\n"
                           "  %e1 = " ARRAY " exponential(%d)\n"
                           "  %z = f32[] constant(0)\n"
                           "  %zs = " ARRAY " broadcast(%z), dimensions={}\n"
                           "  %c = pred[17,200]{1,0:T(8,128)(4,1)} compare(%d, %zs), direction=GT\n"
                           "  ROOT %s1 = " ARRAY " select(%c, %e1, %zs)\n",
                           ARRAY),
                    NULL, &t);

    EXPECT_PART(s, "%y",
                " form=vector fetch=24576+1024 store=24576 "
                "vector=add:12288+select:6144+divide:1024+exp:6144 loads=6400 stores=6144 ");
    /* divide, compare and select of 3,400 elements; the exponential is no FLOP */
    EXPECT_PART(s, "%y", " flops=10200\n");
    cr_expect_eq(t.transcendentals, 3400);
    free(s);
}

Test(import_vector, sums_go_along_lanes_sublanes_or_neither)
{
    char *s = import_text(FUSION("",
                                 "  %z = f32[] constant(0)\n"
                                 "  ROOT %s1 = " COLUMN " reduce(%a, %z), dimensions={1}, "
                                 "to_apply=%add\n",
                                 COLUMN),
                          NULL, NULL);

    /* 17 sums along lanes: 3 registers of 8; %b is not read */
    EXPECT_PART(s, "%y",
                " fetch=24576+0 store=512 vector=add:6144 xlu=3072 loads=6144 stores=128 ");
    EXPECT_PART(s, "%y", " flops=3383\n"); /* 3,400 - 17 */
    free(s);
    s = import_text(FUSION("",
                           "  %z = f32[] constant(0)\n"
                           "  ROOT %s1 = " ROW " reduce(%a, %z), dimensions={0}, to_apply=%add\n",
                           ROW),
                    NULL, NULL);
    /* 200 sums along sublanes: 2 registers of 128 */
    EXPECT_PART(s, "%y", " vector=add:6144+sublanes:2048 loads=6144 ");
    EXPECT_NO_PART(s, "%y", "xlu");
    free(s);
}

/* One column is no sum: 64 numbers stay where they are. */
Test(import_vector, a_sum_of_one_element_takes_no_lanes_together)
{
    char *s =
        import_text("HloModule m, is_scheduled=true\n" ADD "ENTRY %e (x: f32[64,1]) -> f32[64] {\n"
                    "  %x = f32[64,1]{1,0:T(8,128)} parameter(0)\n"
                    "  %z = f32[] constant(0)\n"
                    "  ROOT %y = f32[64]{0:T(128)} reduce(%x, %z), dimensions={1}, "
                    "to_apply=%add\n"
                    "}\n",
                    NULL, NULL);

    EXPECT_PART(s, "%y", " vector=add:");
    EXPECT_NO_PART(s, "%y", "xlu=");
    free(s);
}

Test(import_vector, nested_fusions_are_written_out)
{
    char *s = import_text(FUSION("%g (u: " ARRAY ") -> " ARRAY " {\n"
                                 "  %u = " ARRAY " parameter(0)\n"
                                 "  ROOT %v = " ARRAY " add(%u, %u)\n"
                                 "}\n",
                                 "  %i = " ARRAY " fusion(%a), kind=kLoop, calls=%g\n"
                                 "  ROOT %j = " ARRAY " fusion(%i), kind=kLoop, calls=%g\n",
                                 ARRAY),
                          NULL, NULL);

    EXPECT_PART(s, "%y", " vector=add:12288 ");
    EXPECT_PART(s, "%y", " flops=6800\n");
    free(s);
}

Test(import_vector, casts_are_where_the_program_converts)
{
    char *s = import_text(FUSION("",
                                 "  %h = bf16[17,200]{1,0:T(8,128)(2,1)} convert(%a)\n"
                                 "  %k = " ARRAY " convert(%h)\n"
                                 "  ROOT %n = " ARRAY " negate(%k)\n",
                                 ARRAY),
                          NULL, NULL);

    /* packed where two 16-bit elements share a place: 32 rows of 256, half as many registers */
    EXPECT_PART(s, "%y", " vector=add:6144+cast:6144+pack:4096 ");
    free(s);
}

#define BF16_ADD                                                                                   \
    "HloModule m, is_scheduled=true\n"                                                             \
    "ENTRY %e (x: bf16[32,128]) -> bf16[32,128] {\n"                                               \
    "  %x = bf16[32,128]{1,0:T(8,128)(2,1)} parameter(0)\n"                                        \
    "  ROOT %y = bf16[32,128]{1,0:T(8,128)(2,1)} add(%x, %x)\n"                                    \
    "}\n"

Test(import_vector, what_is_the_same_in_many_registers_is_computed_once)
{
    char *s = import_text(FUSION("",
                                 "  %w = " ARRAY " broadcast(%b), dimensions={1}\n"
                                 "  %t = " ARRAY " tanh(%w)\n"
                                 "  ROOT %m = " ARRAY " multiply(%a, %t)\n",
                                 ARRAY),
                          NULL, NULL);

    EXPECT_PART(s, "%y", " vector=add:6144+exp:1024 "); /* 200 of 3,400 */
    free(s);
}

/* XLA of v4 adds in 32 bits: an operand is unpacked once, whoever reads it, and between functions
 * nothing is packed. */
Test(import_vector, arrays_of_16_bits_are_cast_at_the_ends_of_functions)
{
    struct import_options o = { .machine = "tpu-v4-8" };
    char *s = import_text("HloModule m, is_scheduled=true\n"
                          "%f (a: bf16[32,128], b: bf16[32,128]) -> bf16[32,128] {\n"
                          "  %a = bf16[32,128]{1,0:T(8,128)(2,1)} parameter(0)\n"
                          "  %b = bf16[32,128]{1,0:T(8,128)(2,1)} parameter(1)\n"
                          "  %p = bf16[32,128]{1,0:T(8,128)(2,1)} multiply(%a, %b)\n"
                          "  %q = bf16[32,128]{1,0:T(8,128)(2,1)} divide(%p, %a)\n"
                          "  ROOT %r = bf16[32,128]{1,0:T(8,128)(2,1)} add(%q, %a)\n"
                          "}\n"
                          "ENTRY %e (x: bf16[32,128], y: bf16[32,128]) -> bf16[32,128] {\n"
                          "  %x = bf16[32,128]{1,0:T(8,128)(2,1)} parameter(0)\n"
                          "  %y = bf16[32,128]{1,0:T(8,128)(2,1)} parameter(1)\n"
                          "  ROOT %z = bf16[32,128]{1,0:T(8,128)(2,1)} fusion(%x, %y), kind=kLoop, "
                          "calls=%f\n}\n",
                          &o, NULL);

    /* a division of 16 bits is a reciprocal and a product, as short as an exponential */
    EXPECT_PART(s, "%z", " vector=add:8192+cast:8192+exp:4096+pack:2048 ");
    free(s);
}

/* Without a machine in the text it is that of the replay. */
Test(import_vector, a_program_without_a_machine_computes_in_32_bits_if_that_is_asked)
{
    struct import_options o = { .wide16 = true };
    char *s = import_text(BF16_ADD, &o, NULL);

    EXPECT_PART(s, "%y", " vector=add:4096+cast:8192+pack:2048 ");
    free(s);
}

Test(import_vector, bf16_takes_half_the_registers_where_the_unit_computes_in_it)
{
    struct import_options o = { .machine = "tpu-v7-8" };
    char *s = import_text(BF16_ADD, &o, NULL);

    EXPECT_PART(s, "%y", " vector=add:2048 ");
    free(s);
    o.machine = "tpu-v6e-4"; /* two operands and the result are cast */
    s = import_text(BF16_ADD, &o, NULL);
    EXPECT_PART(s, "%y", " vector=add:4096+cast:8192+pack:2048 ");
    free(s);
}

Test(import_vector, copies_that_move_lanes_go_through_the_permute_unit)
{
    char *s = import_text("HloModule m, is_scheduled=true\n"
                          "ENTRY %e (x: f32[64,256]) -> f32[64,256] {\n"
                          "  %x = f32[64,256]{1,0:T(8,128)} parameter(0)\n"
                          "  %same = f32[64,256]{1,0:T(8,128)} copy(%x)\n"
                          "  ROOT %other = f32[64,256]{0,1:T(8,128)} copy(%same)\n"
                          "}\n",
                          NULL, NULL);

    EXPECT_PART(s, "%same", " form=copy fetch=65536 store=65536 loads=16384 stores=16384\n");
    /* 64 lie on lanes of which 128 are moved: 256 x 128 elements */
    EXPECT_PART(s, "%other", " form=copy fetch=65536 store=131072 xlu=32768 ");
    free(s);
}

Test(import_vector, slices_are_all_that_is_read)
{
    char *s = import_text(
        "HloModule m, is_scheduled=true\n"
        "%f (a: f32[64,256], i: s32[]) -> f32[8,256] {\n"
        "  %a = f32[64,256]{1,0:T(8,128)} parameter(0)\n"
        "  %i = s32[] parameter(1)\n"
        "  %z = s32[] constant(0)\n"
        "  %d = f32[8,256]{1,0:T(8,128)} dynamic-slice(%a, %i, %z), dynamic_slice_sizes={8,256}\n"
        "  ROOT %n = f32[8,256]{1,0:T(8,128)} negate(%d)\n"
        "}\n"
        "ENTRY %e (x: f32[64,256], i: s32[]) -> f32[8,256] {\n"
        "  %x = f32[64,256]{1,0:T(8,128)} parameter(0)\n"
        "  %i = s32[]{:T(128)} parameter(1)\n"
        "  ROOT %y = f32[8,256]{1,0:T(8,128)} fusion(%x, %i), kind=kLoop, calls=%f\n"
        "}\n",
        NULL, NULL);

    EXPECT_PART(s, "%y", " fetch=8192+512 store=8192 vector=add:2048 ");
    free(s);
}

Test(import_vector, the_size_of_an_array_is_known_without_it)
{
    /* in a fusion and alone; a size that is set is another name of the array */
    char *s = import_text(FUSION("",
                                 "  %n = s32[] get-dimension-size(%a), dimensions={0}\n"
                                 "  %m = f32[] convert(%n)\n"
                                 "  %ms = " ROW " broadcast(%m), dimensions={}\n"
                                 "  ROOT %o = " ROW " multiply(%b, %ms)\n",
                                 ROW),
                          NULL, NULL);
    EXPECT_PART(s, "%y", " fetch=0+1024 store=1024 ");
    free(s);
    s = import_text("HloModule m, is_scheduled=true\nENTRY %e (x: " ARRAY ", k: s32[]) -> s32[] {\n"
                    "  %x = " ARRAY " parameter(0)\n  %k = s32[] parameter(1)\n"
                    "  %d = f32[<=17,200]{1,0:T(8,128)} set-dimension-size(%x, %k), "
                    "dimensions={0}\n"
                    "  ROOT %y = s32[] get-dimension-size(%d), dimensions={0}\n}\n",
                    NULL, NULL);
    EXPECT_PART(s, "%y", " = kernel(%x) form=copy fetch=0 ");
    free(s);
}

Test(import_vector, an_update_in_place_touches_the_update)
{
    char *s = import_text(
        "HloModule m, is_scheduled=true\n"
        "ENTRY %e (x: f32[64,256], u: f32[8,256], i: s32[]) -> f32[64,256] {\n"
        "  %x = f32[64,256]{1,0:T(8,128)} parameter(0)\n"
        "  %u = f32[8,256]{1,0:T(8,128)} parameter(1)\n"
        "  %i = s32[]{:T(128)} parameter(2)\n"
        "  ROOT %y = f32[64,256]{1,0:T(8,128)} dynamic-update-slice(%x, %u, %i, %i), "
        "backend_config={\"aliasing_operands\":{\"lists\":[{\"indices\":[\"0\",\"4\"]}]}}\n"
        "}\n",
        NULL, NULL);

    EXPECT_PART(s, "%y f32[64,256]{1,0:T(8,128)} at %x", " fetch=0+8192+512+512 store=8192 ");
    free(s);
}

Test(import_vector, rows_by_index_and_sorts)
{
    char *s = import_text(
        "HloModule m, is_scheduled=true\n" ADD
        "%g (t: f32[1000,256], i: s32[300]) -> f32[300,256] {\n"
        "  %t = f32[1000,256]{1,0:T(8,128)} parameter(0)\n"
        "  %i = s32[300]{0:T(512)} parameter(1)\n"
        "  ROOT %r = f32[300,256]{1,0:T(8,128)} gather(%t, %i), offset_dims={1}, "
        "collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=1, slice_sizes={1,256}\n"
        "}\n"
        "%s (i: s32[300], v: f32[300,256]) -> f32[1000,256] {\n"
        "  %i = s32[300]{0:T(512)} parameter(0)\n"
        "  %v = f32[300,256]{1,0:T(8,128)} parameter(1)\n"
        "  %z = f32[] constant(0)\n"
        "  %t = f32[1000,256]{1,0:T(8,128)} broadcast(%z), dimensions={}\n"
        "  ROOT %r = f32[1000,256]{1,0:T(8,128)} scatter(%t, %i, %v), update_window_dims={1}, "
        "inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, index_vector_dim=1, "
        "to_apply=%add\n"
        "}\n"
        "ENTRY %e (x: f32[1000,256], i: s32[300]) -> f32[1000,256] {\n"
        "  %x = f32[1000,256]{1,0:T(8,128)} parameter(0)\n"
        "  %i = s32[300]{0:T(512)} parameter(1)\n"
        "  %k = s32[300]{0:T(512)} sort(%i), dimensions={0}, to_apply=%add\n"
        "  %rows = f32[300,256]{1,0:T(8,128)} fusion(%x, %k), kind=kCustom, calls=%g\n"
        "  %chip = f32[1000,256]{1,0:T(8,128)S(1)} copy(%x)\n"
        "  %near = f32[300,256]{1,0:T(8,128)S(1)} fusion(%chip, %k), kind=kCustom, calls=%g2\n"
        "  ROOT %y = f32[1000,256]{1,0:T(8,128)} fusion(%k, %rows), kind=kCustom, calls=%s\n"
        "}\n"
        "%g2 (t: f32[1000,256], i: s32[300]) -> f32[300,256] {\n"
        "  %t = f32[1000,256]{1,0:T(8,128)S(1)} parameter(0)\n"
        "  %i = s32[300]{0:T(512)} parameter(1)\n"
        "  ROOT %r = f32[300,256]{1,0:T(8,128)S(1)} gather(%t, %i), offset_dims={1}, "
        "collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=1, slice_sizes={1,256}\n"
        "}\n",
        NULL, NULL);

    EXPECT_PART(s, "%k", " rows=1 cols=300 form=sort ");
    EXPECT_PART(s, "%rows", " rows=300 form=gather fetch=0+2048 store=311296 row-bytes=1024 ");
    EXPECT_PART(s, "%near", " rows=300 form=gather fetch=0+2048 store=0 ");
    EXPECT_NO_PART(s, "%near", "row-bytes"); /* the table is in VMEM */
    /* the table is filled with zeros, then rows are added to it */
    EXPECT_PART(s, "%y",
                " rows=300 form=scatter fetch=2048+311296 store=1024000 row-bytes=1024 "
                "row-writes=1 ");
    free(s);
}

#define GATHER                                                                                     \
    "offset_dims={1}, collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=1, "         \
    "slice_sizes={1,256}\n"
#define SCATTER                                                                                    \
    "update_window_dims={1}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, "         \
    "index_vector_dim=1, to_apply=%add"

Test(import_vector, a_scatter_with_sorted_indices_goes_through_its_table_in_order)
{
    char *s = import_text(
        "HloModule m, is_scheduled=true\n" ADD
        "%s (t: f32[1000,256], i: s32[300], v: f32[500,256], o: s32[300]) -> f32[1000,256] {\n"
        "  %t = f32[1000,256]{1,0:T(8,128)} parameter(0)\n"
        "  %i = s32[300]{0:T(512)} parameter(1)\n"
        "  %v = f32[500,256]{1,0:T(8,128)} parameter(2)\n"
        "  %o = s32[300]{0:T(512)} parameter(3)\n"
        "  %u = f32[300,256]{1,0:T(8,128)} gather(%v, %o), " GATHER
        "  ROOT %r = f32[1000,256]{1,0:T(8,128)} scatter(%t, %i, %u), " SCATTER
        ", indices_are_sorted=true\n"
        "}\n"
        "ENTRY %e (x: f32[1000,256], i: s32[300], v: f32[500,256]) -> f32[1000,256] {\n"
        "  %x = f32[1000,256]{1,0:T(8,128)} parameter(0)\n"
        "  %i = s32[300]{0:T(512)} parameter(1)\n"
        "  %v = f32[500,256]{1,0:T(8,128)} parameter(2)\n"
        "  ROOT %y = f32[1000,256]{1,0:T(8,128)} fusion(%x, %i, %v, %i), kind=kCustom, calls=%s, "
        "backend_config={\"aliasing_operands\":{\"lists\":[{\"indices\":[\"0\",\"4\"]}]}}\n"
        "}\n",
        NULL, NULL);

    /* 300 rows of 1 KiB each way, and gathered ones; each row is two registers: 2 x 300 x 1,024
     * elements added, twice as many loaded, and 512 indices twice */
    EXPECT_PART(s, "%y f32[1000,256]{1,0:T(8,128)} at %x",
                " rows=300 form=scatter fetch=307200+2048+0+2048 store=307200 row-bytes=1024 "
                "vector=add:614400 loads=1229824 stores=614400 ");
    free(s);
}

/* A gather from 1,000 x 256 elements in a kernel with so much VMEM. */
#define PICKS(vmem)                                                                                \
    "HloModule m, is_scheduled=true\n"                                                             \
    "%g (t: f32[1000,256], i: s32[300]) -> f32[300,256] {\n"                                       \
    "  %t = f32[1000,256]{1,0:T(8,128)} parameter(0)\n"                                            \
    "  %i = s32[300]{0:T(512)} parameter(1)\n"                                                     \
    "  %c = s32[]{:T(128)} constant(3)\n"                                                          \
    "  %b = s32[300,1]{1,0:T(8,128)} broadcast(%c), dimensions={}\n"                               \
    "  %n = s32[300,1]{1,0:T(8,128)} reshape(%i)\n"                                                \
    "  %a = s32[300,1]{1,0:T(8,128)} add(%n, %b)\n"                                                \
    "  ROOT %r = f32[300,256]{1,0:T(8,128)} gather(%t, %a), " GATHER "}\n"                         \
    "ENTRY %e (x: f32[1000,256], i: s32[300]) -> f32[300,256] {\n"                                 \
    "  %x = f32[1000,256]{1,0:T(8,128)} parameter(0)\n"                                            \
    "  %i = s32[300]{0:T(512)} parameter(1)\n"                                                     \
    "  ROOT %y = f32[300,256]{1,0:T(8,128)} fusion(%x, %i), kind=kCustom, calls=%g, "              \
    "backend_config={\"used_scoped_memory_configs\":[{\"memory_space\":\"1\","                     \
    "\"offset\":\"0\",\"size\":\"" vmem "\"}]}\n"                                                  \
    "}\n"

Test(import_vector, rows_of_a_table_that_stays_in_vmem_are_moved_one_by_one)
{
    /* a row is two registers, the result 304 x 256 elements */
    char *s = import_text(PICKS("1024000"), NULL, NULL);
    EXPECT_PART(s, "%y", " row-bytes=1024 vmem=1024000 loads=614912 stores=692224 ");
    free(s);
    s = import_text(PICKS("1023999"), NULL, NULL);
    EXPECT_PART(s, "%y", " row-bytes=1024 vmem=1023999 loads=512 stores=77824 ");
    EXPECT_NO_PART(s, "%y", "vector="); /* the scalar unit works on indices */
    EXPECT_NO_PART(s, "%y", "xlu=");
    free(s);
}

Test(import_vector, windows_slide_over_each_element)
{
    char *s =
        import_text("HloModule m, is_scheduled=true\n" ADD
                    "ENTRY %e (x: f32[8,8,16,128]) -> f32[4,4,16,128] {\n"
                    "  %x = f32[8,8,16,128]{3,2,1,0:T(8,128)} parameter(0)\n"
                    "  %z = f32[]{:T(128)} constant(0)\n"
                    "  ROOT %y = f32[4,4,16,128]{3,2,1,0:T(8,128)} reduce-window(%x, %z), "
                    "window={size=3x3x1x1 stride=2x2x1x1 pad=0_1x0_1x0_0x0_0}, to_apply=%add\n"
                    "}\n",
                    NULL, NULL);

    /* 9 taps on 4 * 4 * 16 * 128 = 32,768 elements; 8 additions each */
    EXPECT_PART(s, "%y", " form=reduce-window fetch=524288 store=131072 vector=add:294912 ");
    EXPECT_PART(s, "%y", " flops=262144\n");
    free(s);
}

Test(import_vector, scalars_are_the_scalar_cores)
{
    char *s = import_text("HloModule m, is_scheduled=true\n"
                          "ENTRY %e (x: s32[]) -> s32[] {\n"
                          "  %x = s32[]{:T(128)S(6)} parameter(0)\n"
                          "  %one = s32[] constant(1)\n"
                          "  ROOT %y = s32[]{:T(128)S(6)} add(%x, %one)\n"
                          "}\n",
                          NULL, NULL);

    EXPECT_PART(s, "%y", " = kernel(%x) form=scalar fetch=0 store=0 ");
    EXPECT_NO_PART(s, "%y", "vector=");
    free(s);
    /* so is an array of one element that has no windows */
    s = import_text("HloModule m, is_scheduled=true\n"
                    "ENTRY %e (x: bf16[1,1]) -> bf16[1,1] {\n"
                    "  %x = bf16[1,1]{1,0:T(2,128)(2,1)} parameter(0)\n"
                    "  ROOT %y = bf16[1,1]{1,0:T(2,128)(2,1)} copy(%x)\n"
                    "}\n",
                    NULL, NULL);
    EXPECT_PART(s, "%y", " form=scalar fetch=512 store=512 ");
    free(s);
    s = import_text("HloModule m, is_scheduled=true\n"
                    "ENTRY %e (x: bf16[2,1]) -> bf16[2,1] {\n"
                    "  %x = bf16[2,1]{1,0:T(2,128)(2,1)} parameter(0)\n"
                    "  ROOT %y = bf16[2,1]{1,0:T(2,128)(2,1)} copy(%x)\n"
                    "}\n",
                    NULL, NULL);
    EXPECT_PART(s, "%y", " form=copy ");
    free(s);
}

Test(import_vector, kernels_by_hand)
{
    struct import_totals t;
    /* base64 of: func.func @main() attributes {iteration_bounds = array<i64: 3, 2>} { %1 = math.exp
     * %0 : vector<8x128xf32> %2 = tpu.matmul %a, %b, %c : vector<8x128xf32>, vector<128x256xf32>,
     * vector<8x256xf32> -> vector<8x256xf32> } on a line each */
    char *s = import_text(
        "HloModule m, is_scheduled=true\n"
        "ENTRY %e (x: f32[48,128]) -> f32[48,256] {\n"
        "  %x = f32[48,128]{1,0:T(8,128)} parameter(0)\n"
        "  %t = f32[48,256]{1,0:T(8,128)} custom-call(%x), custom_call_target=\"tpu_custom_call\", "
        "backend_config={\"custom_call_config\":{\"body\":"
        "\"ZnVuYy5mdW5jIEBtYWluKCkgYXR0cmlidXRlcyB7aXRlcmF0aW9uX2JvdW5kcyA9IGFycmF5PGk2NDogMywgMj59"
        "IHsKICAlMSA9IG1hdGguZXhwICUwIDogdmVjdG9yPDh4MTI4eGYzMj4KICAlMiA9IHRwdS5tYXRtdWwgJWEsICVi"
        "LCAlYyA6IHZlY3Rvcjw4eDEyOHhmMzI+LCB2ZWN0b3I8MTI4eDI1NnhmMzI+LCB2ZWN0b3I8OHgyNTZ4ZjMyPiAt"
        "PiB2ZWN0b3I8OHgyNTZ4ZjMyPgp9Cg==\"}}\n"
        "  %u = f32[48,256]{1,0:T(8,128)} custom-call(%t), custom_call_target=\"tpu_custom_call\", "
        "backend_config={\"custom_call_config\":{\"body\":\"TUzvUg==\",\"cost_estimate\":{"
        "\"flops\":"
        "\"3276800\",\"transcendentals\":\"500\",\"bytes_accessed\":\"98304\"}}}\n"
        "  ROOT %y = f32[48,256]{1,0:T(8,128)} custom-call(%u), custom_call_target=\"Mystery\"\n"
        "}\n",
        NULL, &t);

    EXPECT_PART(s, "%t",
                " form=product grid=6 product=6x8x128x256 tile=1x8x128x256 counts=6x1x1x1 ");
    /* 6 grid steps: three operations on a register for exp, 1 + 32 registers packed in pairs */
    EXPECT_PART(s, "%t", " vector=add:119808 ");
    EXPECT_PART(s, "%t", " flops=3145728 basis=hand\n"); /* 6 * 2 * 8 * 128 * 256 */
    /* 3,276,800 / (2 * 128 * 128) = 100 rows */
    EXPECT_PART(s, "%u", " form=product product=1x100x128x128 ");
    EXPECT_PART(s, "%y", " form=custom fetch=49152 store=49152 ");
    EXPECT_PART(s, "%y", " basis=unread note=\"not modelled");
    cr_expect_eq(t.unmodelled_instructions, 1);
    cr_expect_eq(t.unmodelled_bytes, 2 * 49152);
    free(s);
}
