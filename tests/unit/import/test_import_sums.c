/* Sums of kernels without a product, as their windows state them. */
#include "tests/unit/import/import_helper.h"

#define ADD                                                                                        \
    "%add (p: f32[], q: f32[]) -> f32[] {\n"                                                       \
    "  %p = f32[] parameter(0)\n"                                                                  \
    "  %q = f32[] parameter(1)\n"                                                                  \
    "  ROOT %s = f32[] add(%p, %q)\n"                                                              \
    "}\n"
#define CONFIG(windows, loops, more)                                                               \
    ", backend_config={\"window_config\":{\"kernel_window_bounds\":[],"                            \
    "\"output_window_bounds\":[" windows "],\"input_window_bounds\":[],"                           \
    "\"estimated_cycles\":\"900\",\"iteration_bounds\":[" loops "]}" more "}"
/* A sum of `in` over its last dimension, of 1404. */
#define SUM(in, out, config)                                                                       \
    "HloModule m, is_scheduled=true\n" ADD "ENTRY %e (x: " in ") -> " out " {\n"                   \
    "  %x = " in " parameter(0)\n"                                                                 \
    "  %z = bf16[]{:T(256)} constant(0)\n"                                                         \
    "  ROOT %y = " out " reduce(%x, %z), dimensions={2}, to_apply=%add" config "\n"                \
    "}\n"
#define OUT "bf16[16,128]{1,0:T(8,128)(2,1)}"

static void expect_line(const char *program, const char *part)
{
    char *s = import_text(program, NULL, NULL);

    EXPECT_PART(s, "%y", part);
    free(s);
}

Test(import_sums, windows_along_the_sum_are_a_chain_and_the_others_registers)
{
    /* major: 702 of 1404 in each of 2 loops, 2 groups of 8 rows; 1404 x 2 tiles of bf16, a load
     * each, and 128 words of the 0 that they are added to */
    expect_line(SUM("bf16[16,128,1404]{1,0,2:T(8,128)(2,1)}", OUT,
                    CONFIG("\"702\",\"2\",\"1\"", "\"2\",\"1\",\"1\"", "")),
                " loads=2875520 stores=1024 chain=702 sums=2 sum-steps=2 ");
    /* sublanes: 1404 are 176 groups of 8 */
    expect_line(SUM("bf16[16,128,1404]{1,2,0:T(8,128)(2,1)}", OUT,
                    CONFIG("\"4\",\"88\",\"1\"", "\"4\",\"2\",\"1\"", "")),
                " loads=2883712 stores=1024 chain=88 sums=4 sum-steps=2 ");
    /* lanes: 1404 are 11 groups of 128 */
    expect_line(SUM("bf16[16,128,1404]{2,1,0:T(8,128)(2,1)}", OUT,
                    CONFIG("\"1\",\"16\",\"11\"", "\"16\",\"1\",\"1\"", "")),
                " loads=2883712 stores=1024 chain=11 sums=16 sum-steps=1 ");
    /* tiles of 2 rows are as many loads as tiles of 8, and a store each */
    expect_line(SUM("bf16[2,128,1404]{1,0,2:T(2,128)(2,1)}", "bf16[2,128]{1,0:T(2,128)(2,1)}",
                    CONFIG("\"1404\",\"1\",\"1\"", "\"1\",\"1\",\"1\"", "")),
                " loads=1437824 stores=1024 chain=1404 sums=1 sum-steps=1 ");
}

Test(import_sums, halves_of_a_device_exchange_bytes)
{
    expect_line(SUM("bf16[16,128,1404]{1,0,2:T(8,128)(2,1)}", OUT,
                    CONFIG("\"702\",\"2\",\"1\"", "\"2\",\"1\",\"1\"",
                           ",\"megacore_config\":{\"megacore_split_dim\":\"0\","
                           "\"megacore_allreduce_bytes\":\"8192\"}")),
                " split=m split-bytes=8192 ");
}

Test(import_sums, without_windows_nothing_is_said)
{
    char *s = import_text(SUM("bf16[16,128,1404]{1,0,2:T(8,128)(2,1)}", OUT, ""), NULL, NULL);

    EXPECT_NO_PART(s, "%y", "chain=");
    EXPECT_NO_PART(s, "%y", "sums=");
    free(s);
    /* windows of another rank are those of another array */
    s = import_text(SUM("bf16[16,128,1404]{1,0,2:T(8,128)(2,1)}", OUT,
                        CONFIG("\"2\",\"1\"", "\"1\",\"1\"", "")),
                    NULL, NULL);
    EXPECT_NO_PART(s, "%y", "chain=");
    free(s);
}

/* A broadcast of `in`, whose dimensions become those of `dims`. */
#define SPREAD(in, dims, out)                                                                      \
    "HloModule m, is_scheduled=true\n"                                                             \
    "ENTRY %e (x: " in ") -> " out " {\n"                                                          \
    "  %x = " in " parameter(0)\n"                                                                 \
    "  ROOT %y = " out " broadcast(%x), dimensions={" dims "}\n"                                   \
    "}\n"
#define CHANGE(in, out)                                                                            \
    "HloModule m, is_scheduled=true\n"                                                             \
    "ENTRY %e (x: " in ") -> " out " {\n"                                                          \
    "  %x = " in " parameter(0)\n"                                                                 \
    "  ROOT %y = " out " reshape(%x)\n"                                                            \
    "}\n"

Test(import_sums, lanes_that_become_sublanes_are_spread)
{
    /* 7 x 375 elements: 47 registers of 8 for each of 7 */
    expect_line(
        SPREAD("bf16[7,375]{1,0:T(8,128)(2,1)}", "0,2", "bf16[7,123,375]{1,2,0:T(8,128)(2,1)}"),
        " spread=329");
    expect_line(SPREAD("f32[17]{0:T(128)}", "0", "f32[17,200]{1,0:T(8,128)}"), " spread=3\n");
    /* lanes that stay lanes, or go to the major dimension, are not */
    char *s =
        import_text(SPREAD("f32[200]{0:T(256)}", "1", "f32[17,200]{1,0:T(8,128)}"), NULL, NULL);
    EXPECT_NO_PART(s, "%y", "spread=");
    free(s);
    s = import_text(SPREAD("f32[17]{0:T(128)}", "0", "f32[17,40,200]{2,1,0:T(8,128)}"), NULL, NULL);
    EXPECT_NO_PART(s, "%y", "spread=");
    free(s);
}

Test(import_sums, a_change_of_shape_moves_rows_of_lanes)
{
    /* 12 x 256 x 3 rows of 128 in, 12 x 764 out; 12 x 512 of 45, and 12 x 180 */
    expect_line(
        CHANGE("bf16[12,256,382]{2,1,0:T(8,128)(2,1)}", "bf16[12,97792]{1,0:T(8,128)(2,1)}"),
        " lane-rows=9216");
    expect_line(CHANGE("bf16[12,512,45]{2,1,0:T(8,128)(2,1)}", "bf16[12,23040]{1,0:T(8,128)(2,1)}"),
                " lane-rows=6144");
    /* an array of one dimension has no rows to move them to */
    char *s = import_text(
        CHANGE("bf16[8,100]{1,0:T(8,128)(2,1)}", "bf16[800]{0:T(1024)(128)(2,1)}"), NULL, NULL);
    EXPECT_NO_PART(s, "%y", "lane-rows=");
    free(s);
}

/* The compiler makes a sum of it all the same: 8 tiles of 128, each into a register of its own. */
Test(import_sums, a_sum_of_one_element_takes_the_way_of_sums)
{
    expect_line("HloModule m, is_scheduled=true\n" ADD
                "ENTRY %e (x: bf16[1,1,900]) -> bf16[900] {\n"
                "  %x = bf16[1,1,900]{2,1,0:T(2,128)(2,1)} parameter(0)\n"
                "  %z = bf16[]{:T(256)} constant(0)\n"
                "  ROOT %y = bf16[900]{0:T(1024)(128)(2,1)} reduce(%x, %z), "
                "dimensions={0,1}, to_apply=%add" CONFIG(
                    "\"1\",\"1\",\"4\"", "\"1\",\"1\",\"2\"",
                    ",\"megacore_config\":{\"megacore_split_dim\":\"2\","
                    "\"megacore_allreduce_bytes\":\"4096\"}") "\n}\n",
                " split=m split-bytes=4096 ");
    expect_line("HloModule m, is_scheduled=true\n" ADD
                "ENTRY %e (x: bf16[1,1,900]) -> bf16[900] {\n"
                "  %x = bf16[1,1,900]{2,1,0:T(2,128)(2,1)} parameter(0)\n"
                "  %z = bf16[]{:T(256)} constant(0)\n"
                "  ROOT %y = bf16[900]{0:T(1024)(128)(2,1)} reduce(%x, %z), "
                "dimensions={0,1}, to_apply=%add" CONFIG("\"1\",\"1\",\"8\"", "\"1\",\"1\",\"1\"",
                                                         "") "\n}\n",
                " chain=1 sums=8 sum-steps=1 ");
}

Test(import_sums, element_wise_kernels_load_tiles_and_copies_what_they_move)
{
    /* 13 x 200 in tiles of 8 x 128: 4, for each of two operands; of bf16 they have half the bytes
     */
    expect_line("HloModule m, is_scheduled=true\n"
                "ENTRY %e (x: bf16[13,200]) -> bf16[13,200] {\n"
                "  %x = bf16[13,200]{1,0:T(8,128)(2,1)} parameter(0)\n"
                "  ROOT %y = bf16[13,200]{1,0:T(8,128)(2,1)} add(%x, %x)\n"
                "}\n",
                " loads=8192 stores=2048");
    expect_line("HloModule m, is_scheduled=true\n"
                "ENTRY %e (x: bf16[13,200]) -> bf16[13,200] {\n"
                "  %x = bf16[13,200]{1,0:T(8,128)(2,1)} parameter(0)\n"
                "  ROOT %y = bf16[13,200]{0,1:T(8,128)(2,1)} copy(%x)\n"
                "}\n",
                " loads=2048 stores=");
}

/* A copy of `in` as `out`, in windows. */
#define MOVE(in, out, config)                                                                      \
    "HloModule m, is_scheduled=true\n"                                                             \
    "ENTRY %e (x: " in ") -> " out " {\n"                                                          \
    "  %x = " in " parameter(0)\n"                                                                 \
    "  ROOT %y = " out " copy(%x)" config "\n"                                                     \
    "}\n"

Test(import_sums, tiles_of_few_rows_take_a_register_each)
{
    /* 66 x 8 tiles of 2 x 128 elements of 16 bits: a quarter of them otherwise */
    expect_line(
        MOVE("bf16[2,1024,66]{1,0,2:T(2,128)(2,1)}", "bf16[2,1024,66]{1,0,2:T(2,128)(2,1)}", ""),
        " loads=540672 stores=540672");
    /* two tiles of 8 rows share one: 2 x 8 x 66 tiles */
    expect_line(
        MOVE("bf16[16,1024,66]{1,0,2:T(8,128)(2,1)}", "bf16[16,1024,66]{1,0,2:T(8,128)(2,1)}", ""),
        " loads=540672 stores=540672");
    /* of a part as many as it has: 33 x 8 */
    expect_line("HloModule m, is_scheduled=true\n"
                "ENTRY %e (x: bf16[2,1024,66]) -> bf16[2,1024,33] {\n"
                "  %x = bf16[2,1024,66]{1,0,2:T(2,128)(2,1)} parameter(0)\n"
                "  ROOT %y = bf16[2,1024,33]{1,0,2:T(2,128)(2,1)} slice(%x), slice={[0:2], "
                "[0:1024], [0:33]}\n"
                "}\n",
                " loads=270336 stores=270336");
}

Test(import_sums, rows_of_tiles_of_one_row_are_stored_each_by_itself)
{
    /* 155 x 4 rows of 128, of whole windows */
    expect_line(MOVE("f32[1,512,155]{1,2,0:T(8,128)}", "f32[1,512,155]{1,0,2:T(1,128)}",
                     CONFIG("\"155\",\"1\",\"4\"", "\"1\",\"1\",\"1\"", "")),
                " row-stores=620");
    /* windows of 80 begin with a tile of the operand, those of 78 within one */
    expect_line(MOVE("f32[1,512,155]{1,2,0:T(8,128)}", "f32[1,512,155]{1,0,2:T(1,128)}",
                     CONFIG("\"80\",\"1\",\"4\"", "\"2\",\"1\",\"1\"", "")),
                " row-stores=620");
    expect_line(MOVE("f32[1,512,155]{1,2,0:T(8,128)}", "f32[1,512,155]{1,0,2:T(1,128)}",
                     CONFIG("\"78\",\"1\",\"4\"", "\"2\",\"1\",\"1\"", "")),
                " row-stores=1240");
    char *s = import_text(
        MOVE("f32[1,512,155]{1,2,0:T(8,128)}", "f32[1,512,155]{1,0,2:T(2,128)}", ""), NULL, NULL);
    EXPECT_NO_PART(s, "%y", "row-stores=");
    free(s);
}

/* Two arrays `in`, each padded to `out`, and the larger of both. */
#define JOIN(in, out, before, behind)                                                              \
    "HloModule m, is_scheduled=true\n"                                                             \
    "%f (p: " in ", q: " in ") -> " out " {\n"                                                     \
    "  %p = " in " parameter(0)\n"                                                                 \
    "  %q = " in " parameter(1)\n"                                                                 \
    "  %c = f32[]{:T(128)} constant(-inf)\n"                                                       \
    "  %u = " out " pad(%p, %c), padding=" behind "\n"                                             \
    "  %v = " out " pad(%q, %c), padding=" before "\n"                                             \
    "  ROOT %m = " out " maximum(%u, %v)\n"                                                        \
    "}\n"                                                                                          \
    "ENTRY %e (x: " in ", z: " in ") -> " out " {\n"                                               \
    "  %x = " in " parameter(0)\n"                                                                 \
    "  %z = " in " parameter(1)\n"                                                                 \
    "  ROOT %y = " out " fusion(%x, %z), kind=kLoop, calls=%f\n"                                   \
    "}\n"

Test(import_sums, arrays_beside_each_other_along_a_major_dimension_are_copied)
{
    char *s = import_text(JOIN("f32[16,1024,11]{1,0,2:T(8,128)}", "f32[16,1024,22]{1,0,2:T(8,128)}",
                               "0_0x0_0x11_0", "0_0x0_0x0_11"),
                          NULL, NULL);

    EXPECT_PART(s, "%y", " form=copy ");
    EXPECT_PART(s, "%y", " loads=360448 stores=360448");
    EXPECT_NO_PART(s, "%y", "vector=");
    free(s);
    /* along lanes and sublanes elements take other places in their registers */
    s = import_text(JOIN("f32[16,1024,11]{2,1,0:T(8,128)}", "f32[16,1024,22]{2,1,0:T(8,128)}",
                         "0_0x0_0x11_0", "0_0x0_0x0_11"),
                    NULL, NULL);
    EXPECT_PART(s, "%y", " form=vector ");
    EXPECT_PART(s, "%y", " vector=add:");
    free(s);
}
