/* Matrix products of imported programs: dimensions, windows, traffic, FLOPs.  Worked by hand from
 * the rules in model/import/hlo/kernel/import_window.c. */
#include "tests/unit/import/import_helper.h"

/* A fusion with one convolution; the window bounds are those of kernel, output, input, loops. */
#define FUSION(in, kernel, out, attributes, config)                                                \
    "HloModule m, is_scheduled=true\n"                                                             \
    "%f (a: " in ", b: " kernel ") -> " out " {\n"                                                 \
    "  %a = " in " parameter(0)\n"                                                                 \
    "  %b = " kernel " parameter(1)\n"                                                             \
    "  ROOT %c = " out " convolution(%a, %b), " attributes "\n"                                    \
    "}\n"                                                                                          \
    "ENTRY %e (x: " in ", w: " kernel ") -> " out " {\n"                                           \
    "  %x = " in " parameter(0)\n"                                                                 \
    "  %w = " kernel " parameter(1)\n"                                                             \
    "  ROOT %y = " out " fusion(%x, %w), kind=kOutput, calls=%f, backend_config={" config "}\n"    \
    "}\n"
#define WINDOWS(kernel, out, in, loops)                                                            \
    "\"window_config\":{\"kernel_window_bounds\":[" kernel "],\"output_window_bounds\":[" out      \
    "],\"input_window_bounds\":[" in                                                               \
    "],\"estimated_cycles\":\"1000\",\"iteration_bounds\":[" loops                                 \
    "]},\"used_scoped_memory_configs\":[{\"memory_space\":\"1\",\"offset\":\"0\",\"size\":"        \
    "\"4096\""                                                                                     \
    "}]"
#define MATRIX "bf16[1024,1024]{1,0:T(8,128)(2,1)}"

Test(import_product, windows_of_a_matrix_product_become_a_tile_and_counts)
{
    struct import_totals t;
    /* kernel 128 groups of 8 x 4 of 128 = k 1024, n 512; output 43 x 8 = m 344; loops n, m, k */
    char *s = import_text(
        FUSION(MATRIX, MATRIX, MATRIX, "dim_labels=bf_io->bf",
               WINDOWS("\"128\",\"4\"", "\"43\",\"4\"", "\"43\",\"8\"", "\"2\",\"3\",\"1\"")),
        NULL, &t);

    EXPECT_PART(s, "%y",
                " = kernel(%x, %w) form=product grid=2x3x1 product=1x1024x1024x1024 "
                "tile=1x344x1024x512 counts=1x3x1x2 lanes=knn ");
    /* A is read again for each of the 2 windows of n; B once: 1024 * 1024 * 2 = 2,097,152 */
    EXPECT_PART(s, "%y", " fetch=4194304+2097152 store=2097152 vmem=4096 ");
    EXPECT_PART(s, "%y", " estimate=1000 flops=2147483648\n");
    cr_expect_eq(t.flops, 2147483648);
    cr_expect_eq(t.bytes, 4194304 + 2097152 + 2097152);
    cr_expect_eq(t.argument_bytes, 2 * 2097152);
    free(s);
}

/* Without windows lowering cuts the product, so it is told what is on the way to each operand: a
 * cast of A in 1,048,576 elements, which are 524,288 of 4 bytes before it; two positions of n. */
Test(import_product, without_windows_the_way_to_each_operand_is_stated)
{
    static const char text[] =
        "HloModule m, is_scheduled=true\n"
        "%f (a: bf16[1,1024,1024], b: bf16[2,1024,512]) -> bf16[2,1024,512] {\n"
        "  %a = bf16[1,1024,1024]{2,1,0:T(8,128)(2,1)} parameter(0)\n"
        "  %n = bf16[1,1024,1024]{2,1,0:T(8,128)(2,1)} negate(%a)\n"
        "  %b = bf16[2,1024,512]{2,1,0:T(8,128)(2,1)} parameter(1)\n"
        "  ROOT %c = bf16[2,1024,512]{2,1,0:T(8,128)(2,1)} convolution(%n, %b), window={size=2 "
        "pad=1_1 rhs_reversal=1}, dim_labels=0bf_0io->0bf\n"
        "}\n"
        "ENTRY %e (x: bf16[1,1024,1024], w: bf16[2,1024,512]) -> bf16[2,1024,512] {\n"
        "  %x = bf16[1,1024,1024]{2,1,0:T(8,128)(2,1)} parameter(0)\n"
        "  %w = bf16[2,1024,512]{2,1,0:T(8,128)(2,1)} parameter(1)\n"
        "  ROOT %y = bf16[2,1024,512]{2,1,0:T(8,128)(2,1)} fusion(%x, %w), kind=kOutput, "
        "calls=%f\n"
        "}\n";
    struct import_totals t;
    char *s = import_text(text, NULL, &t);

    EXPECT_PART(s, "%y", " fetch-a=2097152 fetch-b=2097152 vector-a=");
    EXPECT_PART(s, "%y", " loads-a=524288 n-parts=2 ");
    free(s);
}

#define WIDE "f32[1024,1024]{1,0:T(8,128)}"

#define PRECISE(shape, precision) FUSION(shape, shape, shape, "dim_labels=bf_io->bf" precision, "")

Test(import_product, the_precision_of_f32_operands_is_stated)
{
    static const struct {
        const char *module, *part, *work;
    } rows[] = {
        { PRECISE(WIDE, ""), " = kernel(%x, %w) form=product ", " fetch=4194304+4194304 " },
        /* 2 operands of 1024 x 1024: a cast for each part, a difference between two */
        { PRECISE(WIDE, ", operand_precision={high,high}"), " precision=high form=product ",
          " vector=add:2097152+cast:4194304 " },
        { PRECISE(WIDE, ", operand_precision={highest,highest}"),
          " precision=highest form=product ", " vector=add:4194304+cast:6291456 " },
        /* bf16 has one part */
        { PRECISE(MATRIX, ", operand_precision={highest,highest}"),
          " = kernel(%x, %w) form=product ", " fetch=2097152+2097152 " },
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct import_totals t;
        char *s = import_text(rows[i].module, NULL, &t);
        EXPECT_PART(s, "%y", rows[i].part);
        EXPECT_PART(s, "%y", rows[i].work);
        cr_expect_eq(t.flops, 2147483648, "further parts are no useful work");
        free(s);
    }
}

Test(import_product, an_operand_whose_window_never_moves_is_held)
{
    /* loops n, m, k = 1, 4, 1: B stays */
    char *s = import_text(
        FUSION(MATRIX, MATRIX, MATRIX, "dim_labels=bf_io->bf",
               WINDOWS("\"128\",\"8\"", "\"32\",\"8\"", "\"32\",\"8\"", "\"1\",\"4\",\"1\"")),
        NULL, NULL);

    EXPECT_PART(s, "%y", " tile=1x256x1024x1024 counts=1x4x1x1 ");
    EXPECT_PART(s, "%y", " fetch=2097152+2097152 held=1 ");
    free(s);
}

#define IMAGE "bf16[8,56,56,128]{3,0,2,1:T(8,128)(2,1)}"
#define FILTER_2 "bf16[2,2,128,128]{3,2,1,0:T(8,128)(2,1)}"
#define FILTER "bf16[3,3,128,128]{3,2,1,0:T(8,128)(2,1)}"

Test(import_product, a_convolution_brings_its_halo_and_counts_positions_that_exist)
{
    struct import_totals t;
    char *s = import_text(
        FUSION(
            IMAGE, FILTER, IMAGE, "window={size=3x3 pad=1_1x1_1}, dim_labels=b01f_01io->b01f",
            WINDOWS("\"3\",\"3\",\"16\",\"1\"", "\"14\",\"28\",\"1\",\"1\"",
                    "\"16\",\"30\",\"1\",\"1\"",
                    "\"1\",\"1\",\"4\",\"2\",\"1\",\"1\",\"1\"") ",\"megacore_config\":{"
                                                                 "\"megacore_split_dim\":\"2\"}"),
        NULL, &t);

    /* m = 8 * 56 * 56, k = 9 * 128; a window has 14 x 28 positions of 8 images */
    EXPECT_PART(s, "%y",
                " product=1x25088x1152x128 tile=1x3136x1152x128 counts=1x8x1x1 taps=9 "
                "lanes=knn split=m ");
    /* rows 15 + 16 + 16 + 15 = 62, columns 29 + 29 = 58; 62 * 58 * 8 * 128 * 2 bytes */
    EXPECT_PART(s, "%y", " fetch=7364608+294912 held=1 store=6422528 ");
    /* taps that meet a position: 3 * 56 - 2 = 166 along either side */
    cr_expect_eq(t.flops, UINT64_C(2) * 166 * 166 * 8 * 128 * 128);
    free(s);
}

Test(import_product,
     a_dimension_that_lies_on_lanes_once_and_on_sublanes_once_has_the_smaller_window)
{
    /* 16 channels are m: on sublanes of A (2 groups of 8), on lanes of C (1 group of 128) */
    char *s = import_text(
        FUSION("bf16[16,512]{1,0:T(8,128)(2,1)}", "bf16[512,8]{0,1:T(8,128)(2,1)}",
               "f32[16,8]{0,1:T(8,128)}", "dim_labels=bf_io->bf",
               WINDOWS("\"1\",\"4\"", "\"1\",\"1\"", "\"2\",\"4\"", "\"1\",\"1\",\"1\"")),
        NULL, NULL);

    EXPECT_PART(s, "%y", " tile=1x16x512x8 counts=1x1x1x1 lanes=kkm ");
    free(s);
}

Test(import_product, taps_share_passes_where_features_are_in_sublanes)
{
#define LANES "f32[128,16,8]{0,2,1:T(8,128)}"
#define TAPS "window={size=3 pad=1_1}, dim_labels=b0f_0io->b0f"
#define LOOPS                                                                                      \
    WINDOWS("\"3\",\"1\",\"1\"", "\"16\",\"1\",\"1\"", "\"16\",\"1\",\"1\"",                       \
            "\"1\",\"1\",\"1\",\"1\",\"1\"")
    char *apart =
        import_text(FUSION(LANES, "f32[3,8,8]{2,1,0:T(8,128)}", LANES, TAPS, LOOPS), NULL, NULL);
    char *packed = import_text(
        FUSION(LANES, "f32[3,8,8]{2,1,0:T(8,128)}", LANES, TAPS,
               LOOPS ",\"convolution_algorithm_config\":{\"emitter\":\"EmitInputBatchInLanes\"}"),
        NULL, NULL);

    EXPECT_PART(apart, "%y", " taps=3 lanes=mnm ");
    EXPECT_PART(packed, "%y", " taps=3 packed=1 lanes=mnm ");
    free(apart);
    free(packed);
}

#define SUMMED(emitter)                                                                            \
    FUSION("bf16[16,8,8,64]{3,0,2,1:T(8,128)(2,1)}", "bf16[16,8,8,128]{3,0,2,1:T(8,128)(2,1)}",    \
           "bf16[3,3,64,128]{3,2,1,0:T(8,128)(2,1)}",                                              \
           "window={size=8x8 pad=1_1x1_1}, dim_labels=f01b_i01o->01bf",                            \
           WINDOWS("\"4\",\"8\",\"2\",\"1\"", "\"3\",\"3\",\"8\",\"1\"",                           \
                   "\"6\",\"10\",\"2\",\"1\"",                                                     \
                   "\"1\",\"1\",\"1\",\"1\",\"2\",\"1\",\"1\"") ",\"convolution_algorithm_"        \
                                                                "config\":{\"emitter\":\"" emitter \
                                                                "\"}")

Test(import_product, taps_of_a_filter_gradient_of_few_images_share_passes)
{
    char *s = import_text(SUMMED("EmitAllInputFeatureInSublanesOutputBatchInSublanesXposeReuse"),
                          NULL, NULL);
    char *other = import_text(SUMMED("EmitAllBatchInSublanes"), NULL, NULL);

    /* 9 positions of 64 channels; 64 taps of 16 images, 32 of them in a window; the 64 rows of
     * each position stream for weights of its own */
    EXPECT_PART(s, "%y",
                " product=1x576x1024x128 tile=1x576x512x128 counts=1x1x2x1 taps=64 packed=1 "
                "position-rows=64 lanes=mnn ");
    EXPECT_PART(other, "%y", " counts=1x1x2x1 taps=64 lanes=mnn ");
    free(s);
    free(other);
}

Test(import_product, each_position_between_strides_has_weights_of_its_own)
{
    char *s = import_text(
        FUSION("bf16[16,4,4,128]{3,0,2,1:T(8,128)(2,1)}", FILTER_2,
               "bf16[16,8,8,128]{3,0,2,1:T(8,128)(2,1)}",
               "window={size=2x2 pad=1_1x1_1 lhs_dilate=2x2}, "
               "dim_labels=b01f_01io->b01f",
               WINDOWS("\"2\",\"2\",\"16\",\"1\"", "\"8\",\"8\",\"2\",\"1\"",
                       "\"4\",\"4\",\"2\",\"1\"", "\"1\",\"1\",\"1\",\"1\",\"1\",\"1\",\"1\"")),
        NULL, NULL);

    /* a tap meets 4 x 4 of 8 x 8 positions, each of 16 images */
    EXPECT_PART(s, "%y",
                " product=1x256x512x128 tile=1x256x512x128 counts=1x1x1x1 taps=4 "
                "position-rows=16 lanes=knn ");
    free(s);
}

/* Windows of 4 of 8 rows: positions -1 to 3 and 3 to 7 of the dilated rows, on which rows 0 and 1,
 * 2 and 3 of the input lie.  Each is read once: 16 * 4 * 4 * 128 bf16. */
Test(import_product, windows_between_strides_read_the_rows_that_they_meet)
{
    char *s = import_text(
        FUSION("bf16[16,4,4,128]{3,0,2,1:T(8,128)(2,1)}", FILTER_2,
               "bf16[16,8,8,128]{3,0,2,1:T(8,128)(2,1)}",
               "window={size=2x2 pad=1_1x1_1 lhs_dilate=2x2}, "
               "dim_labels=b01f_01io->b01f",
               WINDOWS("\"2\",\"2\",\"16\",\"1\"", "\"4\",\"8\",\"2\",\"1\"",
                       "\"2\",\"4\",\"2\",\"1\"", "\"1\",\"1\",\"2\",\"1\",\"1\",\"1\",\"1\"")),
        NULL, NULL);

    EXPECT_PART(s, "%y", " fetch=65536+");
    free(s);
}

/* A product inside is worked out for what the windows of the other one read, once where they read
 * it once or leave some of it out: every second row of 8, in windows of a row. */
Test(import_product, a_product_inside_is_whole_though_rows_of_it_are_left_out)
{
    char *s = import_text(
        "HloModule m, is_scheduled=true\n"
        "%f (a: bf16[16,8,8,64], b: bf16[1,1,64,128], c: bf16[1,1,128,128]) -> bf16[16,4,8,128] {\n"
        "  %a = bf16[16,8,8,64]{3,0,2,1:T(8,128)(2,1)} parameter(0)\n"
        "  %b = bf16[1,1,64,128]{3,2,1,0:T(8,128)(2,1)} parameter(1)\n"
        "  %c = bf16[1,1,128,128]{3,2,1,0:T(8,128)(2,1)} parameter(2)\n"
        "  %d = bf16[16,8,8,128]{3,0,2,1:T(8,128)(2,1)} convolution(%a, %b), window={size=1x1}, "
        "dim_labels=b01f_01io->b01f\n"
        "  ROOT %g = bf16[16,4,8,128]{3,0,2,1:T(8,128)(2,1)} convolution(%d, %c), window={size=1x1 "
        "pad=0_-1x0_0 stride=2x1}, dim_labels=b01f_01io->b01f\n"
        "}\n"
        "ENTRY %e (x: bf16[16,8,8,64], v: bf16[1,1,64,128], w: bf16[1,1,128,128]) -> "
        "bf16[16,4,8,128] {\n"
        "  %x = bf16[16,8,8,64]{3,0,2,1:T(8,128)(2,1)} parameter(0)\n"
        "  %v = bf16[1,1,64,128]{3,2,1,0:T(8,128)(2,1)} parameter(1)\n"
        "  %w = bf16[1,1,128,128]{3,2,1,0:T(8,128)(2,1)} parameter(2)\n"
        "  ROOT %y = bf16[16,4,8,128]{3,0,2,1:T(8,128)(2,1)} fusion(%x, %v, %w), kind=kOutput, "
        "calls=%f, backend_config={" WINDOWS("\"1\",\"1\",\"16\",\"1\"", "\"1\",\"8\",\"2\",\"1\"",
                                             "\"1\",\"8\",\"2\",\"1\"",
                                             "\"1\",\"1\",\"4\",\"1\",\"1\",\"1\",\"1\"") "}\n"
                                                                                          "}\n",
        NULL, NULL);

    EXPECT_PART(s, "kernel() name=\"y.inside\"", " product=1x1024x64x128 flops=16777216 ");
    EXPECT_PART(s, "%y", " product=1x512x128x128 ");
    free(s);
}

Test(import_product, spatial_dimensions_stand_for_those_of_an_einsum)
{
    /* 16 batches: stride 15 over an input that is dilated by 16 */
    char *s = import_text(
        FUSION("bf16[256,16,64]{2,0,1:T(8,128)(2,1)}", "bf16[16,64,128]{2,1,0:T(8,128)(2,1)}",
               "bf16[256,16,128]{2,0,1:T(8,128)(2,1)}",
               "window={size=16 stride=15 lhs_dilate=16}, dim_labels=b0f_0io->b0f",
               WINDOWS("\"1\",\"8\",\"1\"", "\"1\",\"32\",\"1\"", "\"1\",\"32\",\"1\"",
                       "\"16\",\"1\",\"1\",\"1\",\"1\"")),
        NULL, NULL);

    EXPECT_PART(s, "%y", " product=16x256x64x128 tile=1x256x64x128 counts=16x1x1x1 ");
    EXPECT_PART(s, "%y", " flops=67108864\n"); /* 2 * 16 * 256 * 64 * 128 */
    free(s);
    /* 4 heads that the kernel alone has belong to n */
    s = import_text(FUSION("bf16[256,1,64]{2,0,1:T(8,128)(2,1)}",
                           "bf16[4,64,128]{2,1,0:T(8,128)(2,1)}",
                           "bf16[256,4,128]{2,0,1:T(8,128)(2,1)}",
                           "window={size=4 pad=3_3 rhs_reversal=1}, dim_labels=b0f_0io->b0f",
                           WINDOWS("\"1\",\"8\",\"1\"", "\"1\",\"32\",\"1\"", "\"1\",\"32\",\"1\"",
                                   "\"1\",\"4\",\"1\",\"1\",\"1\"")),
                    NULL, NULL);
    EXPECT_PART(s, "%y", " product=1x256x64x512 tile=1x256x64x128 counts=1x1x1x4 ");
    /* A stays while n advances */
    EXPECT_PART(s, "%y", " held=0 ");
    EXPECT_PART(s, "%y", " flops=16777216\n"); /* 2 * 256 * 64 * 4 * 128 */
    free(s);
}

Test(import_product, holes_of_a_dilated_input_are_not_multiplied)
{
    struct import_totals t;
    /* 4 x 4 inputs dilated to 7 x 7, 2 x 2 taps, 8 x 8 outputs: a tap meets every second output */
    char *s =
        import_text("HloModule m\n"
                    "ENTRY %e (x: f32[2,4,4,8], w: f32[2,2,8,16]) -> f32[2,8,8,16] {\n"
                    "  %x = f32[2,4,4,8] parameter(0)\n"
                    "  %w = f32[2,2,8,16] parameter(1)\n"
                    "  ROOT %y = f32[2,8,8,16] convolution(%x, %w), window={size=2x2 pad=1_1x1_1 "
                    "lhs_dilate=2x2}, dim_labels=b01f_01io->b01f\n"
                    "}\n",
                    NULL, &t);

    EXPECT_PART(s, "%y", " product=1x32x32x16 taps=4 "); /* 2 * 4 * 4 rows for each of 4 taps */
    cr_expect_eq(t.flops, UINT64_C(2) * 8 * 8 * 2 * 8 * 16);
    free(s);
}

Test(import_product, groups_of_features_are_products_beside_each_other)
{
    struct import_totals t;
    char *s = import_text(
        "HloModule m\n"
        "ENTRY %e (x: f32[2,5,12], w: f32[1,3,8]) -> f32[2,5,8] {\n"
        "  %x = f32[2,5,12] parameter(0)\n"
        "  %w = f32[1,3,8] parameter(1)\n"
        "  ROOT %y = f32[2,5,8] convolution(%x, %w), window={size=1}, dim_labels=b0f_0io->b0f, "
        "feature_group_count=4\n"
        "}\n",
        NULL, &t);

    EXPECT_PART(s, "%y", " product=4x10x3x2 ");
    cr_expect_eq(t.flops, 2 * 4 * 10 * 3 * 2);
    free(s);
}

Test(import_product, dots_of_modules_that_are_not_compiled)
{
    char *s =
        import_text("HloModule m\n"
                    "ENTRY %e (x: f32[6,10,20], w: f32[6,30,20]) -> f32[6,10,30] {\n"
                    "  %x = f32[6,10,20] parameter(0)\n"
                    "  %w = f32[6,30,20] parameter(1)\n"
                    "  ROOT %y = f32[6,10,30] dot(%x, %w), lhs_batch_dims={0}, rhs_batch_dims={0}, "
                    "lhs_contracting_dims={2}, rhs_contracting_dims={2}\n"
                    "}\n",
                    NULL, NULL);

    EXPECT_PART(s, "%y", " form=product product=6x10x20x30 ");
    EXPECT_PART(s, "%y", " flops=72000\n");
    EXPECT_PART(s, "provenance", "not compiled");
    free(s);
}

Test(import_product, calls_of_the_libraries_of_gpus)
{
    struct import_totals t;
    char *s = import_text(
        "HloModule m, is_scheduled=true\n"
        "ENTRY %e (x: f32[2,4,8,8], w: f32[16,4,3,3], d: f32[2,16,6,6]) -> f32[16,4,3,3] {\n"
        "  %x = f32[2,4,8,8] parameter(0)\n"
        "  %w = f32[16,4,3,3] parameter(1)\n"
        "  %d = f32[2,16,6,6] parameter(2)\n"
        "  %fwd = (f32[2,16,6,6], u8[0]) custom-call(%x, %w), window={size=3x3}, "
        "dim_labels=bf01_oi01->bf01, custom_call_target=\"__cudnn$convForward\"\n"
        "  %dx = (f32[2,4,8,8], u8[0]) custom-call(%d, %w), window={size=3x3}, "
        "dim_labels=bf01_oi01->bf01, custom_call_target=\"__cudnn$convBackwardInput\"\n"
        "  %dw = (f32[16,4,3,3], u8[64]) custom-call(%x, %d), window={size=3x3}, "
        "dim_labels=bf01_oi01->bf01, custom_call_target=\"__cudnn$convBackwardFilter\"\n"
        "  %a = f32[16,36] bitcast(%w)\n"
        "  %g = (f32[16,16], s8[64]) custom-call(%a, %a), custom_call_target=\"__cublas$gemm\", "
        "backend_config={\"gemm_backend_config\":{\"dot_dimension_numbers\":{"
        "\"lhs_contracting_dimensions\":[\"1\"],\"rhs_contracting_dimensions\":[\"1\"],"
        "\"lhs_batch_dimensions\":[],\"rhs_batch_dimensions\":[]}}}\n"
        "  ROOT %r = f32[16,4,3,3] get-tuple-element(%dw), index=0\n"
        "}\n",
        NULL, &t);

    EXPECT_PART(s, "%fwd:0", " product=1x72x36x16 taps=9 ");
    EXPECT_PART(s, "%dx:0", " product=1x128x144x4 taps=9 ");
    EXPECT_PART(s, "%dw:0", " product=1x36x72x16 ");
    EXPECT_PART(s, "%g:0", " product=1x16x36x16 ");
    /* three times the forward product: 2 * 72 * 36 * 16; and 2 * 16 * 36 * 16 */
    cr_expect_eq(t.flops, 3 * 82944 + 18432);
    free(s);
}

Test(import_product, a_product_inside_of_another_stands_before_it)
{
    char *s = import_text("HloModule m\n"
                          "%f (a: f32[64,32], b: f32[32,48], c: f32[48,16]) -> f32[64,16] {\n"
                          "  %a = f32[64,32] parameter(0)\n"
                          "  %b = f32[32,48] parameter(1)\n"
                          "  %c = f32[48,16] parameter(2)\n"
                          "  %ab = f32[64,48] convolution(%a, %b), dim_labels=bf_io->bf\n"
                          "  ROOT %abc = f32[64,16] convolution(%ab, %c), dim_labels=bf_io->bf\n"
                          "}\n"
                          "ENTRY %e (x: f32[64,32], y: f32[32,48], z: f32[48,16]) -> f32[64,16] {\n"
                          "  %x = f32[64,32] parameter(0)\n"
                          "  %y = f32[32,48] parameter(1)\n"
                          "  %z = f32[48,16] parameter(2)\n"
                          "  ROOT %r = f32[64,16] fusion(%x, %y, %z), kind=kOutput, calls=%f\n"
                          "}\n",
                          NULL, NULL);

    EXPECT_PART(s, "kernel() name=\"r.inside\"", " product=1x64x32x48 flops=196608 ");
    EXPECT_PART(s, "%r", " product=1x64x48x16 ");
    EXPECT_PART(s, "%r", " flops=98304\n");
    free(s);
}

/* XLA:TPU hides what comes between two products behind neither; what comes before and after them
 * stays with the own one, and so do casts between them. */
Test(import_product, work_between_two_products_stands_before_the_second)
{
    static const char *const middle[] = { "tanh", "negate", "convert" };
    char *s;

    for (size_t i = 0; i < sizeof middle / sizeof *middle; i++) {
        char text[2048];
        snprintf(text, sizeof text,
                 "HloModule m, is_scheduled=true\n"
                 "%%f (a: f32[64,128], b: f32[128,128], c: f32[128,128]) -> f32[64,128] {\n"
                 "  %%a = f32[64,128]{1,0:T(8,128)} parameter(0)\n"
                 "  %%b = f32[128,128]{1,0:T(8,128)} parameter(1)\n"
                 "  %%c = f32[128,128]{1,0:T(8,128)} parameter(2)\n"
                 "  %%na = f32[64,128]{1,0:T(8,128)} negate(%%a)\n"
                 "  %%ab = f32[64,128]{1,0:T(8,128)} convolution(%%na, %%b), dim_labels=bf_io->bf\n"
                 "  %%t = f32[64,128]{1,0:T(8,128)} %s(%%ab)\n"
                 "  %%abc = f32[64,128]{1,0:T(8,128)} convolution(%%t, %%c), dim_labels=bf_io->bf\n"
                 "  ROOT %%n = f32[64,128]{1,0:T(8,128)} negate(%%abc)\n"
                 "}\n"
                 "ENTRY %%e (x: f32[64,128], y: f32[128,128]) -> f32[64,128] {\n"
                 "  %%x = f32[64,128]{1,0:T(8,128)} parameter(0)\n"
                 "  %%y = f32[128,128]{1,0:T(8,128)} parameter(1)\n"
                 "  ROOT %%r = f32[64,128]{1,0:T(8,128)} fusion(%%x, %%y, %%y), kind=kOutput, "
                 "calls=%%f\n}\n",
                 middle[i]);
        s = import_text(text, NULL, NULL);
        if (i == 2) {
            EXPECT_NO_PART(s, "kernel()", "between");
            EXPECT_PART(s, "%r", " vector=add:16384+cast:8192 ");
        } else {
            EXPECT_PART(s, "kernel() name=\"r.between\"",
                        i ? " form=vector vector=add:8192 " : " form=vector vector=exp:8192 ");
            EXPECT_PART(s, "%r", " vector=add:16384 ");
        }
        free(s);
    }
}
