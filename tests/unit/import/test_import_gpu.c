/* Programs of XLA:GPU as traces: calls of its libraries, how kernels pass through memory, sorts,
 * and what is refused. */
#include "import_helper.h"

#define HEAD "HloModule m, is_scheduled=true\n"
#define CUBLAS(lhs, rhs, precision)                                                                \
    "custom_call_target=\"__cublas$lt$matmul\", backend_config={\"operation_queue_id\":\"0\","     \
    "\"gemm_backend_config\":{\"dot_dimension_numbers\":{\"lhs_contracting_dimensions\":[\"" lhs   \
    "\"],\"rhs_contracting_dimensions\":[\"" rhs                                                   \
    "\"],\"lhs_batch_dimensions\":[],\"rhs_batch_dimensions\":[]},\"precision_config\":{"          \
    "\"operand_precision\":[\"" precision "\",\"" precision "\"]}}}"

static void expect_refused(const char *hlo, const char *why)
{
    struct hlo_module *m;
    struct memory_text out;
    struct err err;

    cr_assert_eq(hlo_parse(&m, "t.hlo", hlo, strlen(hlo), &err), 0, "%s", err.msg);
    memory_text_begin(&out);
    cr_assert_neq(import_hlo(m, NULL, out.out, NULL, &err), 0);
    cr_expect(strstr(err.msg, why), "no '%s' in '%s'", why, err.msg);
    free(memory_text_end(&out));
    hlo_free(m);
}

#define ADDITION                                                                                   \
    "ENTRY %e (x: f32[64,128]) -> f32[64,128] {\n"                                                 \
    "  %x = f32[64,128]{1,0" TILE "} parameter(0)\n"                                               \
    "  ROOT %r = f32[64,128]{1,0" TILE "} add(%x, %x)\n}\n"

/* no library, no kInput, no backend_config: the line of the module, or arrays without tiles */
Test(import_gpu, a_program_of_loops_alone_is_told_by_the_line_of_its_module)
{
#define TILE ""
    struct import_totals t;
    char *s = import_text("HloModule m, is_scheduled=true, "
                          "frontend_attributes={fingerprint_before_lhs=\"1a2b\"}\n" ADDITION,
                          NULL, &t);
    cr_expect(strstr(s, " scheduled=1 gpu=1\n"), "%s", s);
    cr_expect_not(strstr(s, "taken for that of TPUs"));
    free(s);
    s = import_text(HEAD ADDITION, NULL, &t);
    cr_expect(strstr(s, " scheduled=1\n"), "%s", s);
    cr_expect(strstr(s, "; its text does not say which compiler wrote it: taken for that of TPUs"),
              "%s", s);
    free(s);
#undef TILE
#define TILE ":T(8,128)"
    s = import_text(HEAD ADDITION, NULL, &t);
    cr_expect_not(strstr(s, "taken for that of TPUs"), "%s", s);
    free(s);
#undef TILE
}

/* Images of 2 x 8 x 8 x 4 in the order of channels last, filters of 3 x 3 with steps of 2. */
Test(import_gpu, a_convolution_states_its_arrays_whatever_their_layout)
{
    struct import_totals t;
    char *s = import_text(
        HEAD
        "ENTRY %e (x: f16[2,8,8,4], w: f16[16,3,3,4], d: f16[2,3,3,16]) -> f16[2,3,3,16] {\n"
        "  %x = f16[2,8,8,4] parameter(0)\n"
        "  %w = f16[16,3,3,4] parameter(1)\n"
        "  %d = f16[2,3,3,16] parameter(2)\n"
        "  %fwd = (f16[2,3,3,16], u8[4096]) custom-call(%x, %w), window={size=3x3 stride=2x2}, "
        "dim_labels=b01f_o01i->b01f, custom_call_target=\"__cudnn$convForward\"\n"
        "  %dx = (f16[2,8,8,4], u8[0]) custom-call(%d, %w), window={size=3x3 stride=2x2}, "
        "dim_labels=b01f_o01i->b01f, custom_call_target=\"__cudnn$convBackwardInput\"\n"
        "  %dw = (f16[16,3,3,4], u8[0]) custom-call(%x, %d), window={size=3x3 stride=2x2}, "
        "dim_labels=b01f_o01i->b01f, custom_call_target=\"__cudnn$convBackwardFilter\"\n"
        "  ROOT %r = f16[2,3,3,16] get-tuple-element(%fwd), index=0\n"
        "}\n",
        NULL, &t);

    EXPECT_PART(s, "%fwd:0",
                " operands=f16 conv=forward image=2x4x8x8 filter=16x4x3x3 result=2x16x3x3 "
                "strides=2x2 ");
    EXPECT_PART(s, "%dx:0",
                " conv=dgrad image=2x4x8x8 filter=16x4x3x3 result=2x16x3x3 strides=2x2 ");
    EXPECT_PART(s, "%dw:0",
                " conv=wgrad image=2x4x8x8 filter=16x4x3x3 result=2x16x3x3 strides=2x2 ");
    /* the memory that cuDNN works in is no result: 2 * 3 * 3 * 16 * 2 B are */
    EXPECT_PART(s, "%fwd:0", " fetch=1024+1152 store=576+0 ");
    EXPECT_PART(s, "program", " scheduled=1 gpu=1");
    /* three times 2 * (2 * 3 * 3) * (3 * 3 * 4) * 16 */
    cr_expect_eq(t.flops, 3 * 20736);
    free(s);
}

/* The dimension of channels is the minor one by the order of the labels, or by the layout. */
Test(import_gpu, a_convolution_says_where_channels_come_first)
{
    static const struct {
        const char *layout, *labels;
        bool first;
    } rows[] = { { "{3,2,1,0}", "bf01_oi01->bf01", true },
                 { "{1,3,2,0}", "bf01_oi01->bf01", false },
                 { "", "bf01_oi01->bf01", true },
                 { "{3,2,1,0}", "b01f_oi01->b01f", false } };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[640];
        struct import_totals t;
        snprintf(text, sizeof text,
                 HEAD "ENTRY %%e (x: f32[1,4,4,4], w: f32[4,4,1,1]) -> f32[1,4,4,4] {\n"
                      "  %%x = f32[1,4,4,4]%s parameter(0)\n"
                      "  %%w = f32[4,4,1,1] parameter(1)\n"
                      "  %%c = (f32[1,4,4,4]%s, u8[0]) custom-call(%%x, %%w), window={size=1x1}, "
                      "dim_labels=%s, custom_call_target=\"__cudnn$convForward\"\n"
                      "  ROOT %%r = f32[1,4,4,4] get-tuple-element(%%c), index=0\n}\n",
                 rows[i].layout, rows[i].layout, rows[i].labels);
        char *s = import_text(text, NULL, &t);
        cr_expect_eq(strstr(s, " channels-first=1") != NULL, rows[i].first, "row %zu: %s", i, s);
        free(s);
    }
}

Test(import_gpu, a_bias_is_an_addition_to_each_result)
{
    struct import_totals t;
    char *s = import_text(
        HEAD "ENTRY %e (x: f32[1,1,4,4], w: f32[2,1,1,1], b: f32[2]) -> f32[1,2,4,4] {\n"
             "  %x = f32[1,1,4,4] parameter(0)\n"
             "  %w = f32[2,1,1,1] parameter(1)\n"
             "  %b = f32[2] parameter(2)\n"
             "  %c = (f32[1,2,4,4], u8[0]) custom-call(%x, %w, %b), window={size=1x1}, "
             "dim_labels=bf01_oi01->bf01, "
             "custom_call_target=\"__cudnn$convBiasActivationForward\"\n"
             "  ROOT %r = f32[1,2,4,4] get-tuple-element(%c), index=0\n"
             "}\n",
        NULL, &t);

    EXPECT_PART(s, "%c:0", " fetch=64+8+8 store=128 vector=add:32 ");
    cr_expect_eq(t.flops, 2 * 32 + 32);
    free(s);
}

Test(import_gpu, a_product_says_along_which_dimensions_its_arrays_lie)
{
    char *s = import_text(
        HEAD "ENTRY %e (a: f32[8,32], b: f32[32,16], c: f32[16,32]) -> f32[8,16] {\n"
             "  %a = f32[8,32]{1,0} parameter(0)\n"
             "  %b = f32[32,16]{1,0} parameter(1)\n"
             "  %c = f32[16,32]{1,0} parameter(2)\n"
             "  %x = (f32[8,16]{1,0}, s8[4194304]{0}) custom-call(%a, %b), " CUBLAS(
                 "1", "0",
                 "DEFAULT") "\n"
                            "  %y = (f32[8,16]{0,1}, s8[64]{0}) custom-call(%a, %c), " CUBLAS(
                                "1", "1",
                                "HIGHEST") "\n"
                                           "  %z = (f32[32,16]{1,0}, s8[64]{0}) custom-call(%b, "
                                           "%b), " CUBLAS("0", "0",
                                                          "HIGH") "\n"
                                                                  "  ROOT %r = f32[8,16] "
                                                                  "get-tuple-element(%x), index=0\n"
                                                                  "}\n",
        NULL, NULL);

    EXPECT_PART(s, "%x:0", " product=1x8x32x16 lanes=knn ");
    EXPECT_NO_PART(s, "%x:0", "precision=");
    EXPECT_PART(s, "%x:0", " store=512+0 ");
    EXPECT_PART(s, "%y:0", " precision=highest ");
    EXPECT_PART(s, "%y:0", " product=1x8x32x16 lanes=kkm ");
    EXPECT_PART(s, "%z:0", " precision=high ");
    EXPECT_PART(s, "%z:0", " product=1x16x32x16 lanes=mnn ");
    free(s);
}

/* The first dimension of all three is none of m, k and n. */
Test(import_gpu, a_product_of_many_matrices_lies_along_those_of_one)
{
#define MANY                                                                                       \
    "custom_call_target=\"__cublas$lt$matmul\", backend_config={\"operation_queue_id\":\"0\","     \
    "\"gemm_backend_config\":{\"dot_dimension_numbers\":{\"lhs_contracting_dimensions\":[\"2\"],"  \
    "\"rhs_contracting_dimensions\":[\"1\"],\"lhs_batch_dimensions\":[\"0\"],"                     \
    "\"rhs_batch_dimensions\":[\"0\"]},\"precision_config\":{\"operand_precision\":[\"DEFAULT\","  \
    "\"DEFAULT\"]}}}\n"
    char *s = import_text(HEAD "ENTRY %e (a: f32[4,8,32], b: f32[4,32,16]) -> f32[4,8,16] {\n"
                               "  %a = f32[4,8,32]{2,1,0} parameter(0)\n"
                               "  %b = f32[4,32,16]{2,1,0} parameter(1)\n"
                               "  %x = (f32[4,8,16]{2,1,0}, s8[64]{0}) custom-call(%a, %b), " MANY
                               "  %y = (f32[4,8,16]{1,2,0}, s8[64]{0}) custom-call(%a, %b), " MANY
                               "  ROOT %r = f32[4,8,16]{2,1,0} get-tuple-element(%x), index=0\n"
                               "}\n",
                          NULL, NULL);

    EXPECT_PART(s, "%x:0", " product=4x8x32x16 lanes=knn ");
    EXPECT_PART(s, "%y:0", " product=4x8x32x16 lanes=knm ");
    free(s);
}

#define FUSION "backend_config={\"operation_queue_id\":\"0\"}"
#define SUM                                                                                        \
    "%sum (a: f32[], b: f32[]) -> f32[] {\n"                                                       \
    "  %a = f32[] parameter(0)\n"                                                                  \
    "  %b = f32[] parameter(1)\n"                                                                  \
    "  ROOT %c = f32[] add(%a, %b)\n"                                                              \
    "}\n"

Test(import_gpu, kernels_are_classed_by_how_they_pass_through_memory)
{
    struct import_totals t;
    char *s = import_text(
        HEAD SUM "%rows (p: f32[64,100]) -> f32[64] {\n"
                 "  %p = f32[64,100] parameter(0)\n"
                 "  %z = f32[] constant(0)\n"
                 "  %e = f32[64,100] exponential(%p)\n"
                 "  ROOT %r = f32[64] reduce(%e, %z), dimensions={1}, to_apply=%sum\n"
                 "}\n"
                 "%turn (p: f32[64,100]) -> f32[100,64] {\n"
                 "  %p = f32[64,100] parameter(0)\n"
                 "  ROOT %r = f32[100,64] transpose(%p), dimensions={1,0}\n"
                 "}\n"
                 "%edge (p: f32[64,100]) -> f32[64,104] {\n"
                 "  %p = f32[64,100] parameter(0)\n"
                 "  %z = f32[] constant(0)\n"
                 "  ROOT %r = f32[64,104] pad(%p, %z), padding=0_0x2_2\n"
                 "}\n"
                 "ENTRY %e (x: f32[64,100]) -> f32[64] {\n"
                 "  %x = f32[64,100] parameter(0)\n"
                 "  %whole = f32[64] fusion(%x), kind=kInput, calls=%rows, " FUSION "\n"
                 "  %loop = f32[64] fusion(%x), kind=kLoop, calls=%rows, " FUSION "\n"
                 "  %turned = f32[100,64] fusion(%x), kind=kInput, calls=%turn, " FUSION "\n"
                 "  %padded = f32[64,104] fusion(%x), kind=kLoop, calls=%edge, " FUSION "\n"
                 "  ROOT %r = f32[64] add(%whole, %loop)\n"
                 "}\n",
        NULL, &t);

    EXPECT_PART(s, "%whole", " pattern=reduction ");
    /* elements, not registers of a TPU: 6,400 exponentials and additions */
    EXPECT_PART(s, "%whole", " fetch=25600 store=256 vector=add:6400+exp:6400 ");
    EXPECT_NO_PART(s, "%loop", "pattern=");
    EXPECT_PART(s, "%turned", " pattern=transposed");
    EXPECT_PART(s, "%padded", " pattern=strided");
    EXPECT_NO_PART(s, "%r ", "xlu=");
    free(s);
}

/* A tile is 4,096 keys; 65,536 keys take 15 kernels, as the compiler makes of them. */
Test(import_gpu, a_sort_takes_a_kernel_for_each_distance_beyond_a_tile)
{
    char *s =
        import_text(HEAD "%less (a: f32[], b: f32[]) -> pred[] {\n"
                         "  %a = f32[] parameter(0)\n"
                         "  %b = f32[] parameter(1)\n"
                         "  ROOT %c = pred[] compare(%a, %b), direction=LT\n"
                         "}\n"
                         "%body (p: f32[65536]) -> f32[65536] {\n"
                         "  %p = f32[65536] parameter(0)\n"
                         "  ROOT %s = f32[65536] sort(%p), dimensions={0}, to_apply=%less\n"
                         "}\n"
                         "ENTRY %e (x: f32[4096], y: f32[65536], z: u16[1048576]) -> f32[4096] {\n"
                         "  %x = f32[4096] parameter(0)\n"
                         "  %y = f32[65536] parameter(1)\n"
                         "  %z = u16[1048576] parameter(2)\n"
                         "  %long = f32[65536] fusion(%y), kind=kCustom, calls=%body, " FUSION "\n"
                         "  %radix = (u16[1048576], u8[1000]) custom-call(%z), "
                         "custom_call_target=\"__cub$DeviceRadixSort\"\n"
                         "  ROOT %short = f32[4096] sort(%x), dimensions={0}, to_apply=%less\n"
                         "}\n",
                    NULL, NULL);

    EXPECT_NO_PART(s, "%short", "rounds=");
    EXPECT_PART(s, "%long", " rows=1 cols=65536 form=sort ");
    EXPECT_PART(s, "%long", " rounds=15 ");
    EXPECT_PART(s, "%radix:0", " rows=1 cols=1048576 form=sort fetch=2097152 store=2097152+0 ");
    EXPECT_PART(s, "%radix:0", " rounds=2"); /* 16 bits */
    free(s);
}

/* 50 rows of 64 are taken from a table of 1000, which may be converted or computed, and added to
 * another one, whose rows are 256 bytes. */
Test(import_gpu, a_scatter_reads_the_table_of_the_gather_that_is_fused_in)
{
    static const struct {
        const char *type, *table, *fetch;
    } rows[] = {
        { "f32", "f32[1000,64] bitcast(%q)", " fetch=0+12800+0+200 " },
        { "bf16", "bf16[1000,64] convert(%q)", " fetch=0+12800+0+200 " },
        { "f32", "f32[1000,64] exponential(%q)", " fetch=0+12800+0+200 " },
        { "f32", "f32[1000,64] add(%q, %w)", " fetch=0+12800+4+200 " },
        { "f32", "f32[1000,64] multiply(%w, %w)", " fetch=0+0+4+200 " }, /* of a scalar */
    };

    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        char *hlo = memory_format(
            "%s%s%s%s%s%s%s",
            HEAD SUM "%both (p: f32[1000,64], q: f32[1000,64], v: f32[], i: s32[50,1]) -> "
                     "f32[1000,64] {\n"
                     "  %p = f32[1000,64] parameter(0)\n"
                     "  %q = f32[1000,64] parameter(1)\n"
                     "  %v = f32[] parameter(2)\n"
                     "  %i = s32[50,1] parameter(3)\n"
                     "  %w = f32[1000,64] broadcast(%v), dimensions={}\n"
                     "  %t = ",
            rows[k].table, "\n  %g = ", rows[k].type,
            "[50,64] gather(%t, %i), offset_dims={1}, collapsed_slice_dims={0}, "
            "start_index_map={0}, index_vector_dim=1, slice_sizes={1,64}\n"
            "  ROOT %s = f32[1000,64] scatter(%p, %i, %g), update_window_dims={1}, "
            "inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, index_vector_dim=1, "
            "to_apply=%sum\n"
            "}\n",
            "ENTRY %e (x: f32[1000,64], y: f32[1000,64], v: f32[], i: s32[50,1]) -> f32[1000,64] "
            "{\n"
            "  %x = f32[1000,64] parameter(0)\n"
            "  %y = f32[1000,64] parameter(1)\n"
            "  %v = f32[] parameter(2)\n"
            "  %i = s32[50,1] parameter(3)\n",
            "  ROOT %r = f32[1000,64] fusion(%x, %y, %v, %i), kind=kInput, calls=%both, " FUSION
            "\n}\n");
        char *s = import_text(hlo, NULL, NULL);
        EXPECT_PART(s, "%r ", " rows=50 form=scatter ");
        EXPECT_PART(s, "%r ", rows[k].fetch);
        EXPECT_PART(s, "%r ", " store=0 row-bytes=256 row-writes=1 ");
        free(s);
        free(hlo);
    }
}

/* A row of each array that the table is made of is taken for each of 50 indices, in its own type;
 * the table is computed where it is taken: 50 x 64 times. */
Test(import_gpu, a_gather_takes_rows_of_all_that_its_table_is_computed_from)
{
    static const struct {
        const char *table, *expected;
    } rows[] = {
        { "multiply(%p, %p)", " rows=50 form=gather fetch=0+0+200 " },
        { "multiply(%p, %q)", " rows=100 form=gather fetch=0+0+200 " },
        { "exponential(%q)", " vector=exp:3200" },
    };

    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        char *hlo = memory_format(
            "%s%s%s",
            HEAD "%take (p: f32[1000,64], q: f32[1000,64], i: s32[50,1]) -> f32[50,64] {\n"
                 "  %p = f32[1000,64] parameter(0)\n"
                 "  %q = f32[1000,64] parameter(1)\n"
                 "  %i = s32[50,1] parameter(2)\n"
                 "  %t = f32[1000,64] ",
            rows[k].table,
            "\n  ROOT %g = f32[50,64] gather(%t, %i), offset_dims={1}, collapsed_slice_dims={0}, "
            "start_index_map={0}, index_vector_dim=1, slice_sizes={1,64}\n"
            "}\n"
            "ENTRY %e (x: f32[1000,64], y: f32[1000,64], i: s32[50,1]) -> f32[50,64] {\n"
            "  %x = f32[1000,64] parameter(0)\n"
            "  %y = f32[1000,64] parameter(1)\n"
            "  %i = s32[50,1] parameter(2)\n"
            "  ROOT %r = f32[50,64] fusion(%x, %y, %i), kind=kLoop, calls=%take, " FUSION "\n"
            "}\n");
        char *s = import_text(hlo, NULL, NULL);
        EXPECT_PART(s, "%r ", rows[k].expected);
        free(s);
        free(hlo);
    }
}

Test(import_gpu, updates_are_in_place)
{
    char *s = import_text(
        HEAD "%put (p: f32[100,64], q: f32[1,64], i: s32[]) -> f32[100,64] {\n"
             "  %p = f32[100,64] parameter(0)\n"
             "  %q = f32[1,64] parameter(1)\n"
             "  %i = s32[] parameter(2)\n"
             "  %z = s32[] constant(0)\n"
             "  ROOT %u = f32[100,64] dynamic-update-slice(%p, %q, %i, %z)\n"
             "}\n"
             "ENTRY %e (x: f32[100,64], y: f32[1,64], i: s32[]) -> f32[100,64] {\n"
             "  %x = f32[100,64] parameter(0)\n"
             "  %y = f32[1,64] parameter(1)\n"
             "  %i = s32[] parameter(2)\n"
             "  %c = f32[100,64] copy(%x)\n"
             "  ROOT %u = f32[100,64] fusion(%c, %y, %i), kind=kLoop, calls=%put, " FUSION "\n"
             "}\n",
        NULL, NULL);

    EXPECT_PART(s, "%c ", " fetch=25600 store=25600"); /* a copy in the same layout is contiguous */
    EXPECT_NO_PART(s, "%c ", "pattern=");
    EXPECT_PART(s, "%u ", "%u f32[100,64] at %c = ");
    EXPECT_PART(s, "%u ", " fetch=0+256+4 store=256 ");
    free(s);
}

/* XLA:GPU sorts in place, alone or in a fusion, where nobody reads the keys later.  It does not
 * overwrite an argument of the program that is not donated. */
Test(import_gpu, sorts_and_solutions_are_in_place)
{
    char *s = import_text(
        HEAD "%less (a: f32[], b: f32[]) -> pred[] {\n"
             "  %a = f32[] parameter(0)\n"
             "  %b = f32[] parameter(1)\n"
             "  ROOT %c = pred[] compare(%a, %b), direction=LT\n"
             "}\n"
             "%less2 (a: f32[], b: f32[], i: s32[], j: s32[]) -> pred[] {\n"
             "  %a = f32[] parameter(0)\n"
             "  %b = f32[] parameter(1)\n"
             "  %i = s32[] parameter(2)\n"
             "  %j = s32[] parameter(3)\n"
             "  ROOT %c = pred[] compare(%a, %b), direction=LT\n"
             "}\n"
             "%pairs (p: f32[64,64]) -> (f32[64,64], s32[64,64]) {\n"
             "  %p = f32[64,64] parameter(0)\n"
             "  %i = s32[64,64] iota(), iota_dimension=1\n"
             "  ROOT %s = (f32[64,64], s32[64,64]) sort(%p, %i), dimensions={1}, to_apply=%less2\n"
             "}\n"
             "ENTRY %e (x: f32[64,64], y: f32[64,64]) -> f32[64,64] {\n"
             "  %x = f32[64,64] parameter(0)\n"
             "  %y = f32[64,64] parameter(1)\n"
             "  %first = f32[64,64] sort(%x), dimensions={1}, to_apply=%less\n"
             "  %kept = f32[64,64] sort(%first), dimensions={1}, to_apply=%less\n"
             "  %a = f32[64,64] add(%first, %kept)\n"
             "  %both = (f32[64,64], s32[64,64]) fusion(%a), kind=kCustom, calls=%pairs\n"
             "  %k = f32[64,64] get-tuple-element(%both), index=0\n"
             "  %solved = (f32[64,64], s8[0]) custom-call(%y, %k), "
             "custom_call_target=\"__cublas$triangularSolve\", " FUSION "\n"
             "  ROOT %r = f32[64,64] get-tuple-element(%solved), index=0\n"
             "}\n",
        NULL, NULL);

    EXPECT_PART(s, "%first ", "%first f32[64,64] = ");
    EXPECT_PART(s, "%kept ", "%kept f32[64,64] = ");
    EXPECT_PART(s, "%both:0 ", "%both:0 f32[64,64] at %a, %both:1 s32[64,64] = ");
    EXPECT_PART(s, "%solved:0 ", "%solved:0 f32[64,64] at %both:0");
    free(s);
}

Test(import_gpu, a_start_without_a_unit_of_its_own_runs_where_it_stands)
{
    char *s = import_text(
        HEAD "%work (p: f32[64]) -> f32[64] {\n"
             "  %p = f32[64] parameter(0)\n"
             "  ROOT %n = f32[64] negate(%p)\n"
             "}\n"
             "ENTRY %e (x: f32[64]) -> f32[64] {\n"
             "  %x = f32[64] parameter(0)\n"
             "  %s = ((f32[64]), f32[64], s32[]) async-start(%x), calls=%work, " FUSION "\n"
             "  %m = f32[64] add(%x, %x)\n"
             "  %d = f32[64] async-done(%s)\n"
             "  ROOT %r = f32[64] add(%d, %m)\n"
             "}\n",
        NULL, NULL);

    cr_expect_null(strstr(s, "kernel-start"));
    cr_expect_null(strstr(s, "sparsecore"));
    EXPECT_PART(s, "%s", " vector=add:64 ");
    free(s);
}

Test(import_gpu, what_is_missing_or_wrong_is_named)
{
    expect_refused(HEAD "ENTRY %e (a: f32[8,8]) -> f32[8,8] {\n"
                        "  %a = f32[8,8] parameter(0)\n"
                        "  ROOT %x = f32[8,8] custom-call(%a, %a), "
                        "custom_call_target=\"__cublas$gemm\"\n"
                        "}\n",
                   "t.hlo:4:8: a matrix product of cuBLAS without dot_dimension_numbers");
    expect_refused(HEAD
                   "ENTRY %e (a: f32[8,8]) -> f32[8,8] {\n"
                   "  %a = f32[8,8] parameter(0)\n"
                   "  ROOT %x = f32[8,8] custom-call(%a, %a), " CUBLAS("2", "0", "DEFAULT") "\n"
                                                                                            "}\n",
                   "lhs_contracting_dimensions of a matrix product of cuBLAS whose operand has 2");
    expect_refused(HEAD "ENTRY %e (a: f32[2,4,8,8], w: f32[4,4,3,3]) -> f32[2,4,6,6] {\n"
                        "  %a = f32[2,4,8,8] parameter(0)\n"
                        "  %w = f32[4,4,3,3] parameter(1)\n"
                        "  ROOT %x = f32[2,4,6,6] custom-call(%a, %w), window={size=3x3}, "
                        "custom_call_target=\"__cudnn$convForward\"\n"
                        "}\n",
                   "a convolution of cuDNN without dim_labels");
    expect_refused(HEAD "ENTRY %e (a: f32[2,4,8,8], w: f32[4,3,3,3]) -> f32[2,4,6,6] {\n"
                        "  %a = f32[2,4,8,8] parameter(0)\n"
                        "  %w = f32[4,3,3,3] parameter(1)\n"
                        "  ROOT %x = f32[2,4,6,6] custom-call(%a, %w), window={size=3x3}, "
                        "dim_labels=bf01_oi01->bf01, "
                        "custom_call_target=\"__cudnn$convForward\"\n"
                        "}\n",
                   "a convolution of cuDNN of 4 channels whose filter has 3");
}

Test(import_gpu, a_call_that_nobody_knows_is_memory_traffic)
{
    struct import_totals t;
    char *s = import_text(HEAD "ENTRY %e (a: f32[64]) -> f32[64] {\n"
                               "  %a = f32[64] parameter(0)\n"
                               "  %x = f32[64] custom-call(%a), "
                               "custom_call_target=\"__cudnn$fmhaSoftmax\"\n"
                               "  ROOT %y = f32[64] custom-call(%x), "
                               "custom_call_target=\"cusolver_getrf_ffi\"\n"
                               "}\n",
                          NULL, &t);

    EXPECT_PART(s, "%x ", " form=custom fetch=256 store=256 ");
    EXPECT_PART(s, "%x ", " note=\"not modelled: ");
    cr_expect_eq(t.unmodelled_instructions, 1);
    EXPECT_PART(s, "%y ", " flops=2730\n"); /* 2/3 of 64 * 64 */
    free(s);
}

/* Texts that JAX prints of programs compiled for a CPU have parts for threads and kernels of its
 * libraries. */
Test(import_cpu, programs_of_a_cpu_are_refused)
{
    static const char *const lines[] = {
        "%y = f32[8,128]{1,0} fusion(%x), kind=kLoop, calls=%f, "
        "backend_config={\"outer_dimension_partitions\":[\"2\"]}",
        "%y = f32[8,128]{1,0} fusion(%x), kind=kCustom, calls=%f, "
        "backend_config={\"fusion_config\":{\"kind\":\"__ynn_fusion\"}}",
        "%y = f32[8,128]{1,0} custom-call(%x), custom_call_target=\"__onednn$matmul\"",
    };
    char hlo[1000];

    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
        for (int scheduled = 0; scheduled < 2; scheduled++) {
            struct hlo_module *m;
            struct err err;
            snprintf(hlo, sizeof hlo,
                     "HloModule t%s\n"
                     "%%f (a: f32[8,128]) -> f32[8,128] {\n"
                     "  %%a = f32[8,128]{1,0} parameter(0)\n"
                     "  ROOT %%n = f32[8,128]{1,0} negate(%%a)\n"
                     "}\n"
                     "ENTRY %%main (x: f32[8,128]) -> f32[8,128] {\n"
                     "  %%x = f32[8,128]{1,0} parameter(0)\n"
                     "  ROOT %s\n"
                     "}\n",
                     scheduled ? ", is_scheduled=true" : "", lines[i]);
            cr_assert_eq(hlo_parse(&m, "t.hlo", hlo, strlen(hlo), &err), 0, "%s", err.msg);
            struct memory_text out;
            memory_text_begin(&out);
            int rc = import_hlo(m, NULL, out.out, NULL, &err);
            free(memory_text_end(&out));
            cr_expect_eq(rc, scheduled ? -1 : 0, "%s", lines[i]);
            if (rc != 0)
                cr_expect(strstr(err.msg, "t.hlo:8:8: the program was compiled for a CPU"), "%s",
                          err.msg);
            hlo_free(m);
        }
}
