/* Kernels of imported XLA:GPU programs: slices in loops, graphs, tiles, sums, rows. */
#include "import_helper.h"

#define HEAD "HloModule m, is_scheduled=true\n"

/* A stack of 12 arrays of 64 x 128 f32, of which one, of 32,768 B, is written or read in the
 * background: as a fusion, as what newer programs print for it, and wrapped. */
#define STACK "f32[12,64,128]{2,1,0}"
#define ONE "f32[64,128]{1,0}"
#define UPDATE                                                                                     \
    "%update (p: f32[12,64,128], i: s32[], u: f32[64,128]) -> f32[12,64,128] {\n"                  \
    "  %p = " STACK " parameter(0)\n"                                                              \
    "  %i = s32[] parameter(1)\n"                                                                  \
    "  %u = " ONE " parameter(2)\n"                                                                \
    "  %b = f32[1,64,128]{2,1,0} bitcast(%u)\n"                                                    \
    "  %z = s32[] constant(0)\n"                                                                   \
    "  ROOT %d = " STACK " dynamic-update-slice(%p, %b, %i, %z, %z)\n}\n"
#define TAKE                                                                                       \
    "%take (p: f32[12,64,128], i: s32[]) -> f32[1,64,128] {\n"                                     \
    "  %p = " STACK " parameter(0)\n"                                                              \
    "  %i = s32[] parameter(1)\n"                                                                  \
    "  %z = s32[] constant(0)\n"                                                                   \
    "  ROOT %d = f32[1,64,128]{2,1,0} dynamic-slice(%p, %i, %z, %z), "                             \
    "dynamic_slice_sizes={1,64,128}\n}\n"
#define WRAPPED                                                                                    \
    "%wrapped (p: f32[12,64,128], i: s32[], u: f32[64,128]) -> f32[12,64,128] {\n"                 \
    "  %p = " STACK " parameter(0)\n"                                                              \
    "  %i = s32[] parameter(1)\n"                                                                  \
    "  %u = " ONE " parameter(2)\n"                                                                \
    "  ROOT %f = " STACK " fusion(%p, %i, %u), kind=kLoop, calls=%update\n}\n"
#define FILL                                                                                       \
    "%fill () -> f32[12,64,128] {\n"                                                               \
    "  %z = f32[] constant(0)\n"                                                                   \
    "  ROOT %b = " STACK " broadcast(%z), dimensions={}\n}\n"
#define SLICES(start)                                                                              \
    HEAD FILL UPDATE TAKE WRAPPED                                                                  \
        "ENTRY %e (x: f32[12,64,128], u: f32[64,128], i: s32[]) -> f32[1,64,128] {\n"              \
        "  %x = " STACK " parameter(0)\n"                                                          \
        "  %u = " ONE " parameter(1)\n"                                                            \
        "  %i = s32[] parameter(2)\n"                                                              \
        "  %w = " STACK " fusion(), kind=kInput, calls=%fill\n"                                    \
        "  %s = ((" STACK ", s32[], " ONE "), " STACK ", u32[]) " start "\n"                       \
        "  %n = " ONE " negate(%u)\n"                                                              \
        "  %d = " STACK " fusion-done(%s)\n"                                                       \
        "  %t = ((" STACK ", s32[]), f32[1,64,128]{2,1,0}, u32[]) fusion-start(%d, %i), "          \
        "kind=kLoop, calls=%take\n"                                                                \
        "  ROOT %r = f32[1,64,128]{2,1,0} fusion-done(%t)\n}\n"

Test(import_kernels, a_slice_in_the_background_moves_the_slice_alone)
{
    static const char *const starts[] = {
        SLICES("fusion-start(%w, %i, %u), kind=kLoop, calls=%update"),
        SLICES("async-start(%w, %i, %u), calls=%wrapped"),
    };

    for (size_t k = 0; k < sizeof starts / sizeof *starts; k++) {
        struct import_totals t;
        char *s = import_text(starts[k], NULL, &t);
        EXPECT_PART(s, "%s:3", " at %w = kernel(%w, %i, %u) form=copy fetch=0+4+32768 store=32768");
        EXPECT_PART(s, "%t:2", " = kernel(%s:3, %i) form=copy fetch=32768+4 store=32768 ");
        free(s);
    }
}

#define ADD                                                                                        \
    "%add (p: f32[], q: f32[]) -> f32[] {\n"                                                       \
    "  %p = f32[] parameter(0)\n"                                                                  \
    "  %q = f32[] parameter(1)\n"                                                                  \
    "  ROOT %s = f32[] add(%p, %q)\n}\n"
#define NEGATE(to, from) "  %" to " = f32[64]{0} negate(%" from ")\n"
#define CONV                                                                                       \
    "  %c = (f16[2,3,3,16], u8[0]) custom-call(%x, %w), window={size=3x3 stride=2x2}, "            \
    "dim_labels=b01f_o01i->b01f, custom_call_target=\"__cudnn$convForward\"\n"

/* Five kernels or more in a row are a graph; four behind a convolution are launched one by one. */
Test(import_kernels, kernels_in_a_row_are_one_graph)
{
    struct import_totals t;
    char *s = import_text(
        HEAD "ENTRY %e (p: f32[64], x: f16[2,8,8,4], w: f16[16,3,3,4]) -> f32[64] {\n"
             "  %p = f32[64]{0} parameter(0)\n"
             "  %x = f16[2,8,8,4] parameter(1)\n"
             "  %w = f16[16,3,3,4] parameter(2)\n" NEGATE("a", "p") NEGATE("b", "a")
                 NEGATE("d", "b") NEGATE("f", "d") NEGATE("g", "f") CONV NEGATE("h", "g")
                     NEGATE("i", "h") NEGATE("j", "i") "  ROOT %k = f32[64]{0} negate(%j)\n}\n",
        NULL, &t);

    EXPECT_NO_PART(s, "%a ", "node=1");
    EXPECT_PART(s, "%b ", " node=1");
    EXPECT_PART(s, "%g ", " node=1");
    EXPECT_NO_PART(s, "%c:0", "node=1");
    EXPECT_NO_PART(s, "%h ", "node=1");
    EXPECT_NO_PART(s, "%k ", "node=1");
    free(s);
}

/* Where the compiler prints its graphs, there are no others. */
Test(import_kernels, a_command_buffer_is_one_graph)
{
    struct import_totals t;
    char *s = import_text(
        "HloModule m, is_scheduled=true, frontend_attributes={fingerprint_before_lhs=\"1a2b\"}\n"
        "%command_buffer (p: f32[64]) -> f32[64] {\n"
        "  %p = f32[64]{0} parameter(0)\n" NEGATE(
            "a", "p") "  ROOT %b = f32[64]{0} negate(%a)\n}\n"
                      "ENTRY %e (x: f32[64]) -> f32[64] {\n"
                      "  %x = f32[64]{0} parameter(0)\n"
                      "  %c = f32[64]{0} call(%x), to_apply=%command_buffer\n" NEGATE("d", "c")
                          NEGATE("f", "d") NEGATE("g", "f") NEGATE("h", "g")
                              NEGATE("i", "h") "  ROOT %j = f32[64]{0} negate(%i)\n}\n",
        NULL, &t);

    EXPECT_NO_PART(s, "%a ", "node=1");
    EXPECT_PART(s, "%b ", " node=1");
    EXPECT_NO_PART(s, "%d ", "node=1");
    EXPECT_NO_PART(s, "%j ", "node=1");
    free(s);
}

#define TILED(sizes, more)                                                                         \
    "fusion(%x, %y), kind=kCustom, calls=%dot, backend_config={\"fusion_backend_config\":{"        \
    "\"kind\":\"__triton_nested_gemm_fusion\",\"block_level_fusion_config\":{\"num_warps\":"       \
    "\"8\",\"output_tiles\":[{\"sizes\":[" sizes "]}],\"num_stages\":4}}}" more
#define DOT(root)                                                                                  \
    HEAD "%dot (x: bf16[4096,1024], y: bf16[30522,1024]) -> bf16[4096,30522] {\n"                  \
         "  %x = bf16[4096,1024]{1,0} parameter(0)\n"                                              \
         "  %y = bf16[30522,1024]{1,0} parameter(1)\n"                                             \
         "  ROOT %d = bf16[4096,30522]{1,0} dot(%x, %y), lhs_contracting_dims={1}, "               \
         "rhs_contracting_dims={1}, backend_config={\"sizes\":[\"64\"]}\n}\n"                      \
         "ENTRY %e (x: bf16[4096,1024], y: bf16[30522,1024]) -> bf16[4096,30522] {\n"              \
         "  %x = bf16[4096,1024]{1,0} parameter(0)\n"                                              \
         "  %y = bf16[30522,1024]{1,0} parameter(1)\n"                                             \
         "  ROOT %r = bf16[4096,30522]{1,0} " root "\n}\n"

/* 32 tiles of 128 rows, 120 of 256 columns, 16 of 64 of k. */
Test(import_kernels, a_product_has_the_tile_that_was_tuned)
{
    struct import_totals t;
    char *s = import_text(DOT(TILED("\"128\",\"256\"", "")), NULL, &t);

    EXPECT_PART(s, "%r ", " product=1x4096x1024x30522 tile=1x128x64x256 counts=1x32x16x120 ");
    EXPECT_PART(s, "%r ", " warps=8 stages=4 operands=bf16 ");
    free(s);
    /* the older form, of another fusion */
    s = import_text(DOT("fusion(%x, %y), kind=kCustom, calls=%dot, backend_config={"
                        "\"fusion_backend_config\":{\"kind\":\"__triton_gemm\","
                        "\"triton_gemm_config\":{\"block_m\":\"64\",\"block_n\":\"128\","
                        "\"block_k\":\"32\",\"num_stages\":\"3\",\"num_warps\":\"4\"}}}"),
                    NULL, &t);
    EXPECT_PART(s, "%r ", " warps=4 stages=3 ");
    free(s);
}

/* A sum of 196 rows of 64 numbers, 8 times; of 64 numbers side by side. */
Test(import_kernels, sums_across_rows_say_how_long_they_are)
{
    struct import_totals t;
    char *s = import_text(
        HEAD ADD "%columns (x: f32[8,196,64]) -> f32[8,64] {\n"
                 "  %x = f32[8,196,64]{2,1,0} parameter(0)\n"
                 "  %z = f32[] constant(0)\n"
                 "  ROOT %s = f32[8,64]{1,0} reduce(%x, %z), dimensions={1}, to_apply=%add\n}\n"
                 "%rows (x: f32[8,196,64]) -> f32[8,196] {\n"
                 "  %x = f32[8,196,64]{2,1,0} parameter(0)\n"
                 "  %z = f32[] constant(0)\n"
                 "  ROOT %s = f32[8,196]{1,0} reduce(%x, %z), dimensions={2}, to_apply=%add\n}\n"
                 "ENTRY %e (x: f32[8,196,64]) -> (f32[8,64], f32[8,196]) {\n"
                 "  %x = f32[8,196,64]{2,1,0} parameter(0)\n"
                 "  %c = f32[8,64]{1,0} fusion(%x), kind=kInput, calls=%columns\n"
                 "  %r = f32[8,196]{1,0} fusion(%x), kind=kInput, calls=%rows\n"
                 "  ROOT %t = (f32[8,64], f32[8,196]) tuple(%c, %r)\n}\n",
        NULL, &t);

    EXPECT_PART(s, "%c ", " chain=196 sums=512 pattern=columns ");
    EXPECT_PART(s, "%r ", " pattern=reduction ");
    free(s);
}

/* 351 slices of 8192 x 1 x 1 elements of 27 x 27 rows: each element lies by itself. */
Test(import_kernels, elements_that_lie_apart_are_rows_of_their_own)
{
    struct import_totals t;
    char *s = import_text(
        "HloModule m, is_scheduled=true, frontend_attributes={fingerprint_before_lhs=\"1a2b\"}\n"
        "ENTRY %e (x: f32[8192,27,27], i: s32[351,2]) -> f32[351,8192] {\n"
        "  %x = f32[8192,27,27]{2,1,0} parameter(0)\n"
        "  %i = s32[351,2]{1,0} parameter(1)\n"
        "  %turned = f32[8192,27,27]{0,2,1} copy(%x)\n"
        "  %apart = f32[351,8192]{1,0} gather(%x, %i), offset_dims={1}, "
        "collapsed_slice_dims={1,2}, "
        "start_index_map={1,2}, index_vector_dim=1, slice_sizes={8192,1,1}\n"
        "  %beside = f32[351,8192]{1,0} gather(%turned, %i), offset_dims={1}, "
        "collapsed_slice_dims={1,2}, start_index_map={1,2}, index_vector_dim=1, "
        "slice_sizes={8192,1,1}\n"
        "  ROOT %y = f32[351,8192]{1,0} add(%apart, %beside)\n}\n",
        NULL, &t);

    EXPECT_PART(s, "%apart", " rows=2875392 form=gather ");
    EXPECT_PART(s, "%apart", " row-bytes=4");
    EXPECT_PART(s, "%beside", " rows=351 form=gather ");
    EXPECT_PART(s, "%beside", " row-bytes=32768");
    free(s);
}
