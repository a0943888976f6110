/* Shapes, layouts and the bytes of padded arrays.  The figures for TPU layouts are those that XLA
 * (jax 0.10.2) reports as sizes of arguments; the others are worked out by hand. */
#include "tests/hlo/hlo_samples.h"
#include "tests/unit/hlo/hlo_helper.h"

static struct hlo_module *parse_shape(const char *shape)
{
    static char text[4096]; /* the module keeps slices of it */

    snprintf(text, sizeof text, "HloModule m\nENTRY e {\n a = %s parameter(0)\n}\n", shape);
    return parse_hlo(text);
}

static const struct {
    const char *shape;
    uint64_t bytes, elements;
} sizes[] = {
    { "f32[17,200]{1,0:T(8,128)}", 24576, 3400 },
    { "bf16[33,65]{1,0:T(8,128)(2,1)}", 10240, 2145 },
    { "f32[3,3,1,200]{3,2,1,0:T(1,128)}", 9216, 1800 },
    { "f32[3,3,1,200]{3,1,2,0:T(4,128)}", 12288, 1800 },
    { "s8[5000]{0:T(1024)(128)(4,1)}", 5120, 5000 },
    { "pred[]{:T(512)}", 512, 1 },
    { "s4[5000]{0:T(1024)(128)(8,1)E(4)}", 2560, 5000 },
    { "s4[5000]{0:T(1024)(128)(4,1)}", 5120, 5000 },
    { "f32[3,5]{1,0:T(2,2)}", 96, 15 },
    { "f32[3,5]{0,1:T(2,2)}", 96, 15 },
    { "f32[9,1]{0,1:T(1,128)}", 512, 9 },
    { "f32[]", 4, 1 },
    { "f32[2,3]", 24, 6 },
    { "s4[3]", 3, 3 },
    { "s4[3]{0:E(4)}", 2, 3 },
    { "c128[2]{0}", 32, 2 },
    { "pred[7]{0}", 7, 7 },
    { "token[]", 0, 0 },
    { "f32[0,8]{1,0:T(8,128)}", 0, 0 },
    { "f32[8,0]", 0, 0 },
    { "(f32[17,200]{1,0:T(8,128)}, (bf16[33,65]{1,0:T(8,128)(2,1)}, token[]), ())", 34816, 5545 },
    { "b(f32[8]{0:T(128)})", 512, 8 },
    { "f32[<=8,4]", 128, 32 },
    { "f32[?,4]", UINT64_MAX, UINT64_MAX },
    { "f32[?<=8,4]", 128, 32 },
    { "u8[9223372036854775807]", 9223372036854775807ull, 9223372036854775807ull },
    { "u16[9223372036854775807]", UINT64_MAX, 9223372036854775807ull },
    { "u8[4294967296,4294967296]", UINT64_MAX, UINT64_MAX },
    { "u8[4294967296,4294967296,0]", 0, 0 },
    { "u8[9223372036854775807]{0:T(128)}", UINT64_MAX, 9223372036854775807ull },
    { "(u8[9223372036854775807], u8[1])", UINT64_MAX, UINT64_MAX },
    { "bf16[4,6,8]{2,1,0:T(*,8,128)(2,1)}", 6144, 192 },
    { "bf16[4,7,8]{2,1,0:T(*,8,128)(2,1)}", 8192, 224 },
};

Test(hlo_shape, bytes_and_elements)
{
    for (unsigned k = 0; k < sizeof sizes / sizeof *sizes; k++) {
        struct hlo_module *m = parse_shape(sizes[k].shape);
        const struct hlo_shape *s = find_hlo(m, "a")->shape;
        cr_expect_eq(hlo_bytes(s), sizes[k].bytes, "%s: %llu bytes", sizes[k].shape,
                     (unsigned long long)hlo_bytes(s));
        cr_expect_eq(hlo_elements(s), sizes[k].elements, "%s: %llu elements", sizes[k].shape,
                     (unsigned long long)hlo_elements(s));
        hlo_free(m);
    }
}

Test(hlo_shape, layout)
{
    struct hlo_module *m = parse_shape("bf16[33,65]{0,1:T(8,128)(2,1)S(3)E(16)}");
    const struct hlo_shape *s = find_hlo(m, "a")->shape;

    cr_expect_eq(s->dtype, HLO_BF16);
    cr_assert_eq(s->rank, 2);
    cr_expect_eq(s->dim[0], 33);
    cr_expect_eq(s->dim[1], 65);
    cr_expect_not(s->dynamic);
    cr_assert(s->layout.given);
    cr_expect_eq(s->layout.minor_first[0], 0);
    cr_expect_eq(s->layout.minor_first[1], 1);
    cr_assert_eq(s->layout.n_tiles, 2);
    cr_expect_eq(s->layout.tile[0].rank, 2);
    cr_expect_eq(s->layout.tile[0].dim[1], 128);
    cr_expect_eq(s->layout.tile[1].dim[0], 2);
    cr_expect_eq(s->layout.space, 3);
    cr_expect_eq(s->layout.bits, 16);
    hlo_free(m);
}

Test(hlo_shape, odd_ones)
{
    struct hlo_module *m = parse_hlo(HLO_SAMPLE_SHAPES);

    const struct hlo_shape *s = find_hlo(m, "a")->shape;
    cr_expect(s->dynamic);
    cr_expect_eq(s->dim[0], 8);
    cr_expect_eq(s->dim[1], UINT64_MAX);
    cr_expect_eq(hlo_bytes(find_hlo(m, "b")->shape), 12288);
    cr_expect_eq(find_hlo(m, "d")->shape->layout.n_tiles, 0);
    cr_expect_eq(find_hlo(m, "f")->shape->layout.space, 5);
    s = find_hlo(m, "g")->shape;
    cr_assert_eq(s->n_parts, 2);
    cr_assert_eq(s->part[0].n_parts, 2);
    cr_expect_eq(s->part[0].part[0].dim[0], 2);
    cr_expect_eq(s->part[0].part[1].n_parts, 0);
    cr_expect_eq(s->part[1].part[1].dtype, HLO_OPAQUE);
    s = find_hlo(m, "h")->shape;
    cr_expect_eq(s->dtype, HLO_BUFFER);
    cr_expect_eq(s->part[0].dim[1], 128);
    cr_expect_eq(find_hlo(m, "t")->shape->n_parts, 0);
    hlo_free(m);
}

Test(hlo_shape, one_text_is_one_shape)
{
    struct hlo_module *m = parse_hlo(HLO_SAMPLE_COMPILED);

    cr_expect_eq(find_hlo(m, "get.1")->shape, find_hlo(m, "a.1")->shape);
    cr_expect_eq(find_hlo(m, "while.1")->shape, find_hlo(m, "tuple.1")->shape);
    cr_expect_neq(find_hlo(m, "copy-done.1")->shape, find_hlo(m, "b.1")->shape);
    hlo_free(m);
}

Test(hlo_shape, every_dtype)
{
    for (unsigned d = 0; d < HLO_N_DTYPES; d++) {
        char text[64];
        if (d == HLO_TUPLE || d == HLO_BUFFER)
            continue;
        snprintf(text, sizeof text, "%s[]", hlo_dtype_name[d]);
        struct hlo_module *m = parse_shape(text);
        cr_expect_eq(find_hlo(m, "a")->shape->dtype, d, "%s", text);
        hlo_free(m);
    }
}
