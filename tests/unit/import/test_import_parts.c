/* Complex numbers and f64, computed part by part: what XLA:TPU (jax 0.10.2) writes out. */
#include "tests/unit/import/import_helper.h"

#define ARRAY "c64[256,256]{1,0:T(8,128)}"
#define REAL "f32[256,256]{1,0:T(8,128)}"
#define ENTRY(body)                                                                                \
    "HloModule m, is_scheduled=true\nENTRY e {\n  x = " ARRAY " parameter(0)\n  y = " ARRAY        \
    " parameter(1)\n" body "}\n"

/* 65,536 elements; a part of them is as many 32-bit elements in registers */
Test(import_parts, each_part_is_computed_by_itself)
{
    static const struct {
        const char *hlo, *vector, *flops;
    } rows[] = {
        { ENTRY("  ROOT z = " ARRAY " add(x, y)\n"), " vector=add:131072 ", " flops=131072\n" },
        { ENTRY("  ROOT z = " ARRAY " multiply(x, y)\n"), " vector=add:393216 ",
          " flops=393216\n" },
        { ENTRY("  ROOT z = " ARRAY " divide(x, y)\n"),
          " vector=add:1572864+select:589824+divide:131072 ", " flops=2293760\n" },
        { ENTRY("  ROOT z = " ARRAY " exponential(x)\n"),
          " vector=add:589824+select:196608+exp:131072+sine:131072 ", " flops=786432\n" },
        { ENTRY("  ROOT z = " REAL " abs(x)\n"), " vector=add:524288+select:65536+divide:131072 ",
          " flops=655360\n" },
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char *s = import_text(rows[i].hlo, NULL, NULL);
        EXPECT_PART(s, "%z", rows[i].vector);
        EXPECT_PART(s, "%z", rows[i].flops);
        free(s);
    }
}

Test(import_parts, parts_are_names)
{
    char *s = import_text(ENTRY("  ROOT z = " REAL " real(x)\n"), NULL, NULL);

    EXPECT_NO_PART(s, "%z", "vector=");
    EXPECT_NO_PART(s, "%z", "flops=");
    free(s);
}

/* Three real products: 3 x 2 x 256^3 FLOPs. */
Test(import_parts, a_product_is_three_real_ones)
{
    char *s = import_text(ENTRY("  ROOT z = " ARRAY " dot(x, y), lhs_contracting_dims={1}, "
                                "rhs_contracting_dims={0}\n"),
                          NULL, NULL);

    EXPECT_PART(s, "%z", " product=3x256x256x256 ");
    EXPECT_PART(s, "%z", " flops=100663296\n");
    free(s);
}

Test(import_parts, its_precision_is_that_of_its_parts)
{
    char *s = import_text(ENTRY("  ROOT z = " ARRAY " dot(x, y), lhs_contracting_dims={1}, "
                                "rhs_contracting_dims={0}, operand_precision={highest,highest}\n"),
                          NULL, NULL);

    EXPECT_PART(s, "%z", " precision=highest");
    free(s);
}

/* A GPU's library multiplies each part by each: 4 x 2 x 256^3 FLOPs. */
Test(import_parts, on_a_gpu_each_part_meets_each_part)
{
    static const char *const type[2] = { "c64", "c128" }, *const part[2] = { "f32", "f64" };

    for (int i = 0; i < 2; i++) {
        char hlo[1024];
        snprintf(hlo, sizeof hlo,
                 "HloModule m, is_scheduled=true\nENTRY e {\n"
                 "  x = %s[256,256]{1,0} parameter(0)\n  y = %s[256,256]{1,0} parameter(1)\n"
                 "  ROOT z = (%s[256,256]{1,0}, s8[1024]{0}) custom-call(x, y), "
                 "custom_call_target=\"__cublas$gemm\", backend_config={\"gemm_backend_config\":{"
                 "\"dot_dimension_numbers\":{\"lhs_contracting_dimensions\":[\"1\"],"
                 "\"rhs_contracting_dimensions\":[\"0\"]}}}\n}\n",
                 type[i], type[i], type[i]);
        char *s = import_text(hlo, NULL, NULL), operands[32];
        snprintf(operands, sizeof operands, " operands=%s", part[i]);
        EXPECT_PART(s, "%z", " product=1x256x512x512 ");
        EXPECT_PART(s, "%z", operands);
        EXPECT_PART(s, "%z", " flops=134217728\n");
        free(s);
    }
}

/* 65,536 numbers of two f32; the product has 48 of parts in bf16: 48 x 2 x 256^3 FLOPs. */
Test(import_parts, f64_is_two_f32_on_a_tpu_alone)
{
#define DOUBLES(op)                                                                                \
    "HloModule m, is_scheduled=true\nENTRY e {\n  x = f64[256,256]{1,0:T(8,128)} parameter(0)\n"   \
    "  ROOT z = f64[256,256]{1,0:T(8,128)} " op "\n}\n"
    static const struct {
        const char *hlo, *vector, *flops;
    } rows[] = {
        { DOUBLES("add(x, x)"), " vector=add:1638400 ", " flops=1638400\n" },
        { DOUBLES("multiply(x, x)"), " vector=add:5439488 ", " flops=5439488\n" },
        { DOUBLES("tanh(x)"), " vector=add:50462720 ", " flops=50462720\n" },
        { DOUBLES("dot(x, x), lhs_contracting_dims={1}, rhs_contracting_dims={0}"),
          " product=48x256x256x256 ", " flops=1610612736\n" },
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char *s = import_text(rows[i].hlo, NULL, NULL);
        EXPECT_PART(s, "%z", rows[i].vector);
        EXPECT_PART(s, "%z", rows[i].flops);
        free(s);
    }
    char *s = import_text("HloModule m, is_scheduled=true, "
                          "frontend_attributes={fingerprint_before_lhs=\"1\"}\nENTRY e {\n"
                          "  x = f64[256,256]{1,0} parameter(0)\n"
                          "  ROOT z = f64[256,256]{1,0} add(x, x)\n}\n",
                          NULL, NULL);
    EXPECT_PART(s, "%z", " flops=65536\n");
    free(s);
}

/* 1,024 points are 128 x 8: 3 x 2 x 2^20 x 136 FLOPs, of which XLA counts 868,457,344 with the
 * factors between both; 256 points are one matrix.  XLA:TPU multiplies them in f32 precision. */
Test(import_parts, a_fourier_transform_is_products)
{
    char *s = import_text("HloModule m, is_scheduled=true\nENTRY e {\n"
                          "  x = c64[1024,1024]{1,0:T(8,128)} parameter(0)\n"
                          "  y = c64[64,256]{1,0:T(8,128)} parameter(1)\n"
                          "  z = c64[1024,1024]{1,0:T(8,128)} fft(x), fft_type=FFT, "
                          "fft_length={1024}\n"
                          "  w = c64[64,256]{1,0:T(8,128)} fft(y), fft_type=FFT, fft_length={256}\n"
                          "  ROOT t = (c64[1024,1024]{1,0:T(8,128)}, c64[64,256]{1,0:T(8,128)}) "
                          "tuple(z, w)\n}\n",
                          NULL, NULL);

    EXPECT_PART(s, "%z", " precision=highest form=product product=3x16384x128x128 ");
    EXPECT_PART(s, "%z", " flops=855638016\n");
    EXPECT_PART(s, "%w", " product=3x64x256x256 ");
    free(s);
    /* to 2,048 real numbers, of as many points; in three dimensions, each with products of its own
     */
    s = import_text("HloModule m, is_scheduled=true\nENTRY e {\n"
                    "  x = c64[2048,1025]{1,0:T(8,128)} parameter(0)\n"
                    "  y = c64[4,64,64,64]{3,2,1,0:T(8,128)} parameter(1)\n"
                    "  v = c64[4096,1000]{1,0:T(8,128)} parameter(2)\n"
                    "  u = c64[4096,1000]{1,0:T(8,128)} fft(v), fft_type=FFT, fft_length={1000}\n"
                    "  z = f32[2048,2048]{1,0:T(8,128)} fft(x), fft_type=IRFFT, fft_length={2048}\n"
                    "  w = c64[4,64,64,64]{3,2,1,0:T(8,128)} fft(y), fft_type=FFT, "
                    "fft_length={64,64,64}\n"
                    "  ROOT t = (f32[2048,2048]{1,0:T(8,128)}, c64[4,64,64,64]{3,2,1,0:T(8,128)}) "
                    "tuple(z, w)\n}\n",
                    NULL, NULL);
    EXPECT_PART(s, "%z", " product=3x65536x128x128 ");  /* 2 of 32,768 rows */
    EXPECT_PART(s, "%w", " product=3x49152x64x64 ");    /* 3 of 16,384 */
    EXPECT_PART(s, "%u", " product=3x4096x1000x1000 "); /* no multiple of 128 */
    free(s);
    s = import_text("HloModule m, is_scheduled=true, "
                    "frontend_attributes={fingerprint_before_lhs=\"1\"}\nENTRY e {\n"
                    "  x = f32[64,2048]{1,0} parameter(0)\n"
                    "  ROOT z = c64[64,1025]{1,0} fft(x), fft_type=RFFT, fft_length={2048}\n}\n",
                    NULL, NULL);
    EXPECT_PART(s, "%z", " flops=3608000"); /* 64 x 1,025 points, 5 for each of 11 steps */
    free(s);
}

/* 2^39 - 1 points: 2^32 registers squared are no 64 bits, and the product no 63. */
Test(import_parts, a_fourier_transform_of_any_length_is_written)
{
    static const char hlo[] = "HloModule m, is_scheduled=true\nENTRY e {\n"
                              "  x = c64[64,256]{1,0:T(8,128)} parameter(0)\n"
                              "  ROOT z = c64[64,256]{1,0:T(8,128)} fft(x), fft_type=FFT, "
                              "fft_length={549755813887}\n}\n";
    struct hlo_module *m;
    struct memory_text out;
    struct err err;

    cr_assert_eq(hlo_parse(&m, "t.hlo", hlo, sizeof hlo - 1, &err), 0, "%s", err.msg);
    memory_text_begin(&out);
    cr_assert_eq(import_hlo(m, NULL, out.out, NULL, &err), 0, "%s", err.msg);
    char *text = memory_text_end(&out);
    hlo_free(m);
    EXPECT_PART(text, "%z", " product=3x1x549755813887x549755813887 ");
    free(text);
}
