/* Convolutions with a filter for each channel, as work of the vector unit.  Worked by hand: 16
 * images of 8 x 8 and 128 channels are 2 x 64 registers of 1,024 elements in 32 bits, 131,072
 * elements. */
#include "tests/unit/import/import_helper.h"

#define IMAGES "bf16[16,8,8,128]{3,0,2,1:T(8,128)(2,1)}"
#define HALF "bf16[16,4,4,128]{3,0,2,1:T(8,128)(2,1)}"
#define FILTERS "bf16[3,3,1,128]{3,2,1,0:T(4,128)(2,1)}"
#define PROGRAM(scheduled, in, kernel, out, attributes)                                            \
    "HloModule m, is_scheduled=" scheduled "\n"                                                    \
    "ENTRY %e (x: " in ", w: " kernel ") -> " out " {\n"                                           \
    "  %x = " in " parameter(0)\n"                                                                 \
    "  %w = " kernel " parameter(1)\n"                                                             \
    "  ROOT %y = " out " convolution(%x, %w), " attributes "\n"                                    \
    "}\n"
#define SAME "window={size=3x3 pad=1_1x1_1}, dim_labels=b01f_01io->b01f, feature_group_count=128"

Test(import_depthwise, each_tap_of_each_register_loads_multiplies_adds_and_stores)
{
    struct import_totals t;
    char *s = import_text(PROGRAM("true", IMAGES, FILTERS, IMAGES, SAME), NULL, &t);

    /* 9 taps of 131,072 elements are 1,179,648, with 2 operations; the operands are loaded too,
     * 131,072 and 9 x 1,024 in whole tiles, and the result is stored, 65,536 words */
    EXPECT_PART(s, "%y", " = kernel(%x, %w) form=vector ");
    EXPECT_PART(s, "%y", " vector=add:2359296 loads=140288 stores=65536 channel-taps=1179648 ");
    /* 3 * 8 - 2 = 22 pairs of a tap and a position that exists, along either side */
    cr_expect_eq(t.flops, UINT64_C(2) * 22 * 22 * 16 * 128);
    free(s);
}

Test(import_depthwise, a_program_without_a_schedule_has_the_same_work)
{
    char *s = import_text(PROGRAM("false", IMAGES, FILTERS, IMAGES, SAME), NULL, NULL);

    EXPECT_PART(s, "%y", " form=vector ");
    EXPECT_PART(s, "%y", " vector=add:2359296 ");
    free(s);
}

Test(import_depthwise, a_tap_between_strides_meets_a_quarter_of_the_positions)
{
    char *s = import_text(PROGRAM("true", HALF, FILTERS, IMAGES,
                                  "window={size=3x3 pad=2_1x2_1 lhs_dilate=2x2}, "
                                  "dim_labels=b01f_01io->b01f, feature_group_count=128"),
                          NULL, NULL);

    /* 2 * 9 * 131,072 / 4 */
    EXPECT_PART(s, "%y", " vector=add:589824 ");
    free(s);
}

Test(import_depthwise, sums_of_a_filter_gradient_stay_in_registers)
{
    char *s = import_text(PROGRAM("true", IMAGES, IMAGES, FILTERS,
                                  "window={size=8x8 pad=1_1x1_1}, dim_labels=f01b_i01o->01bf, "
                                  "batch_group_count=128"),
                          NULL, NULL);

    /* 9 positions of the filter: a load of each register of the image beside those of operands */
    EXPECT_PART(s, "%y", " vector=add:2359296 loads=1441792 ");
    free(s);
}

Test(import_depthwise, groups_of_several_channels_are_products)
{
    char *s = import_text(PROGRAM("true", IMAGES, "bf16[3,3,2,128]{3,2,1,0:T(4,128)(2,1)}", IMAGES,
                                  "window={size=3x3 pad=1_1x1_1}, dim_labels=b01f_01io->b01f, "
                                  "feature_group_count=64"),
                          NULL, NULL);

    EXPECT_PART(s, "%y", " form=product ");
    free(s);
}
