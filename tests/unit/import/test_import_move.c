/* Copies in the background, collectives and transfers to the host in imported programs. */
#include "tests/unit/import/import_helper.h"

/* An infeed has one result for each array that it brings; one that brings a token alone has none.
 */
Test(import_move, an_infeed_brings_arrays)
{
    char *s = import_text("HloModule m\n"
                          "ENTRY %e {\n"
                          "  %p = f32[8] parameter(0)\n"
                          "  %k = token[] after-all()\n"
                          "  %i = ((f32[8], f32[16]), token[]) infeed(%k)\n"
                          "  %d = (f32[8], f32[16]) get-tuple-element(%i), index=0\n"
                          "  %x = f32[8] get-tuple-element(%d), index=0\n"
                          "  %j = (f32[16], token[]) infeed(%k)\n"
                          "  %n = ((), token[]) infeed(%k)\n"
                          "  %o = token[] outfeed(%x, %k), outfeed_shape=f32[8]\n"
                          "  ROOT %r = f32[8] add(%p, %x)\n"
                          "}\n",
                          NULL, NULL);

    EXPECT_PART(s, "%i:0 f32[8]", ", %i:1 f32[16]");
    EXPECT_PART(s, "%i:0", " = infeed()\n");
    EXPECT_PART(s, "%j:0 f32[16]", " = infeed()\n");
    const char *last = strstr(strstr(s, "%j:0"), "\n") + 1;
    cr_expect_eq(strncmp(last, "  outfeed(%i:0)\n", 16), 0, "%s", s);
    free(s);
}

#define V "f32[2048]{0:T(1024)}"
#define NEAR "f32[2048]{0:T(1024)S(1)}"

Test(import_move, copies_run_between_their_start_and_their_done)
{
    struct import_totals t;
    char *s = import_text("HloModule m, is_scheduled=true\n"
                          "ENTRY %e (x: f32[2048]) -> f32[2048] {\n"
                          "  %x = " V " parameter(0)\n"
                          "  %s = (" NEAR ", " V ", u32[]{:S(2)}) copy-start(%x), "
                          "cross_program_prefetch_index=0\n"
                          "  %n = " V " negate(%x)\n"
                          "  %d = " NEAR " copy-done(%s)\n"
                          "  ROOT %y = " V " add(%n, %d)\n"
                          "}\n",
                          NULL, &t);

    EXPECT_PART(s, "%s:0 " NEAR, " = copy-start(%x) early=1\n");
    EXPECT_PART(s, "%d " NEAR, " at %s:0 = copy-done(%s:0)\n");
    EXPECT_PART(s, "%y", " = kernel(%n, %d) form=vector fetch=8192+0 store=8192 ");
    cr_expect_eq(t.copies, 1);
    free(s);
}

#define SUM                                                                                        \
    "%add (p: f32[], q: f32[]) -> f32[] {\n"                                                       \
    "  %p = f32[] parameter(0)\n"                                                                  \
    "  %q = f32[] parameter(1)\n"                                                                  \
    "  ROOT %s = f32[] add(%p, %q)\n"                                                              \
    "}\n"
#define PROGRAM(body, result)                                                                      \
    "HloModule m, is_scheduled=true, num_partitions=16\n" SUM                                      \
    "ENTRY %e (x: f32[2048], z: f32[2048]) -> " result " {\n"                                      \
    "  %x = " V " parameter(0)\n"                                                                  \
    "  %z = " V " parameter(1)\n"                                                                  \
    "  %a = " V " negate(%x)\n"                                                                    \
    "  %b = " V " negate(%z)\n" body "}\n"

Test(import_move, groups_have_a_size_and_a_distance)
{
    struct import_totals t;
    char *s = import_text(
        PROGRAM("  %r = (" V ", " V ") all-reduce(%a, %b), replica_groups=[4,4]<=[4,4]T(1,0), "
                "use_global_device_ids=true, channel_id=1, to_apply=%add, backend_config={"
                "\"aliasing_operands\":{\"lists\":[{\"indices\":[\"0\",\"2\"]},{\"indices\":[\"1\","
                "\"3\"]}]}}\n"
                "  %c = " V " get-tuple-element(%r), index=1\n"
                "  %all = " V " all-reduce(%c), replica_groups={}, channel_id=2, "
                "to_apply=%add\n"
                "  %g = f32[4096]{0:T(1024)} all-gather(%all), replica_groups=[8,2]<=[16], "
                "dimensions={0}\n"
                "  ROOT %y = f32[1024]{0:T(1024)} reduce-scatter(%g), "
                "replica_groups={{0,1,4,5},{2,3,6,7},{8,9,12,13},{10,11,14,15}}, dimensions={0}, "
                "to_apply=%add\n",
                "f32[1024]"),
        NULL, &t);

    /* members 0 4 8 12, then 1 5 9 13 */
    EXPECT_PART(s, "%r:0 " V " at %a, %r:1 " V " at %b",
                " = all-reduce(%a, %b) group=4 group-stride=4\n");
    EXPECT_PART(s, "%all " V, " = all-reduce(%r:1)\n");
    EXPECT_PART(s, "%g", " = all-gather(%all) group=2\n");
    EXPECT_PART(s, "%y",
                " = reduce-scatter(%g) members=\"0 1 4 5, 2 3 6 7, 8 9 12 13, 10 11 14 15\"\n");
    cr_expect_eq(t.collectives, 4);
    free(s);
}

Test(import_move, permutes_have_a_shift)
{
    char *s = import_text(
        PROGRAM("  %s = (" V ", " V ", u32[]{:S(2)}, u32[]{:S(2)}) collective-permute-start(%a), "
                "channel_id=1, source_target_pairs={{0,4},{4,8},{8,12},{12,0},{1,5},{5,9},{9,13},"
                "{13,1}}\n"
                "  %n = " V " negate(%b)\n"
                "  %d = " V " collective-permute-done(%s)\n"
                "  ROOT %y = " V " collective-permute(%d), channel_id=2, "
                "source_target_pairs={{1,0},{2,1},{3,2}}\n",
                "f32[2048]"),
        NULL, NULL);

    EXPECT_PART(s, "%s:1 " V, " = collective-permute-start(%a) group=4 group-stride=4\n");
    EXPECT_PART(s, "%d " V " at %s:1", " = collective-permute-done(%s:1)\n");
    EXPECT_PART(s, "%y", " = collective-permute(%d) group=4 shift=3\n");
    free(s);
}

Test(import_move, a_collective_of_a_fusion_or_of_another_thread_is_one)
{
    char *s = import_text(
        "HloModule m, is_scheduled=true, num_partitions=4\n" SUM
        "%scatter (p: f32[4096]) -> f32[1024] {\n"
        "  %p = f32[4096]{0:T(1024)} parameter(0)\n"
        "  %r = f32[4096]{0:T(1024)} all-reduce(%p), replica_groups={{0,1,2,3}}, channel_id=1, "
        "to_apply=%add\n"
        "  %z = s32[] constant(0)\n"
        "  ROOT %d = f32[1024]{0:T(1024)} dynamic-slice(%r, %z), dynamic_slice_sizes={1024}\n"
        "}\n"
        "%gather (p: f32[1024]) -> f32[4096] {\n"
        "  %p = f32[1024]{0:T(1024)} parameter(0)\n"
        "  ROOT %g = f32[4096]{0:T(1024)} all-gather(%p), replica_groups={{0,1,2,3}}, "
        "channel_id=2, dimensions={0}\n"
        "}, execution_thread=\"sparsecore\"\n"
        "%negate (p: f32[4096]) -> f32[4096] {\n"
        "  %p = f32[4096]{0:T(1024)} parameter(0)\n"
        "  ROOT %n = f32[4096]{0:T(1024)} negate(%p)\n"
        "}, execution_thread=\"sparsecore\"\n"
        "ENTRY %e (x: f32[4096]) -> f32[4096] {\n"
        "  %x = f32[4096]{0:T(1024)} parameter(0)\n"
        "  %s = f32[1024]{0:T(1024)} fusion(%x), kind=kCustom, calls=%scatter\n"
        "  %c = ((f32[1024]{0:T(1024)}), f32[4096]{0:T(1024)}) call-start(%s), "
        "async_execution_thread=\"sparsecore\", to_apply=%gather\n"
        "  %d = f32[4096]{0:T(1024)} call-done(%c)\n"
        "  %k = ((f32[4096]{0:T(1024)}), f32[4096]{0:T(1024)}) call-start(%d), "
        "async_execution_thread=\"sparsecore\", to_apply=%negate\n"
        "  ROOT %y = f32[4096]{0:T(1024)} call-done(%k)\n"
        "}\n",
        NULL, NULL);

    EXPECT_PART(s, "%s", " = reduce-scatter(%x)\n");
    EXPECT_PART(s, "%c:1", " = all-gather-start(%s)\n");
    EXPECT_PART(s, "%d", " at %c:1 = all-gather-done(%c:1)\n");
    EXPECT_PART(s, "%k:1",
                " = kernel-start(%d) form=vector unit=sparsecore fetch=16384 "
                "store=16384 vector=add:4096 ");
    EXPECT_PART(s, "%y", " at %k:1 = kernel-done(%k:1)\n");
    free(s);
}

Test(import_move, transfers_to_and_from_the_host)
{
    char *s = import_text(
        PROGRAM("  %t = token[] after-all()\n"
                "  %s = (" V ", u32[], token[]) send(%a, %t), channel_id=1, is_host_transfer=true\n"
                "  %sd = token[] send-done(%s), channel_id=1, is_host_transfer=true\n"
                "  %r = (" V ", u32[], token[]) recv(%t), channel_id=2, is_host_transfer=true\n"
                "  %rd = (" V ", token[]) recv-done(%r), channel_id=2, is_host_transfer=true\n"
                "  ROOT %y = " V " get-tuple-element(%rd), index=0\n",
                "f32[2048]"),
        NULL, NULL);

    EXPECT_PART(s, "%s:1 u32[]", " = outfeed-start(%a)\n");
    EXPECT_PART(s, "outfeed-done", "outfeed-done(%s:1)\n");
    EXPECT_PART(s, "%r:0 u32[]", " = infeed-start() payload=8192\n");
    EXPECT_PART(s, "%rd:0 " V, " = infeed-done(%r:0)\n");
    EXPECT_PART(s, "return", "return(%rd:0)\n");
    free(s);
}

Test(import_move, a_start_without_a_done_of_its_own_is_done_at_once)
{
    char *s = import_text("HloModule m, is_scheduled=true\n"
                          "ENTRY %e (x: f32[2048]) -> (" NEAR ", " V ", u32[]{:S(2)}) {\n"
                          "  %x = " V " parameter(0)\n"
                          "  ROOT %s = (" NEAR ", " V ", u32[]{:S(2)}) copy-start(%x)\n"
                          "}\n",
                          NULL, NULL);

    EXPECT_PART(s, "%s:0 " NEAR, " = kernel(%x) form=copy fetch=8192 store=0 ");
    free(s);
}

#define STACK "f32[32,2048]{1,0:T(8,128)}"
#define HOST "f32[32,2048]{1,0:T(8,128)S(5)}"
#define ROW "f32[1,2048]{1,0:T(1,128)}"
#define ARGUMENTS                                                                                  \
    "  %h = " HOST " parameter(0)\n"                                                               \
    "  %x = " ROW " parameter(1)\n"                                                                \
    "  %k = s32[] parameter(2)\n"                                                                  \
    "  %z = s32[] constant(0)\n"                                                                   \
    "  %a = " ROW " negate(%x)\n"

/* 8192 of 262,144 bytes go to the host, and the stack there is the one that was there. */
Test(import_move, an_update_in_the_background_brings_its_part)
{
    struct import_totals t;
    char *s = import_text(
        "HloModule m, is_scheduled=true\n"
        "ENTRY %e (h: f32[32,2048], x: f32[1,2048], k: s32[]) -> f32[32,2048] {\n" ARGUMENTS
        "  %s = ((" HOST ", " ROW ", s32[], s32[]), " HOST
        ", u32[]{:S(2)}) dynamic-update-slice-start(%h, %a, %k, %z)\n"
        "  ROOT %d = " HOST " dynamic-update-slice-done(%s)\n"
        "}\n",
        NULL, &t);

    EXPECT_PART(s, "%s:4 " HOST, " at %h = copy-start(%a) bytes=8192\n");
    EXPECT_PART(s, "%d " HOST, " at %s:4 = copy-done(%s:4)\n");
    cr_expect_eq(t.copies, 1);
    free(s);
}

/* A program that was dumped before code is generated: its move stands in a computation of its own.
 */
#define WRAPPED                                                                                    \
    "%take (p: f32[32,2048], i: s32[]) -> f32[1,2048] {\n"                                         \
    "  %p = " HOST " parameter(0)\n"                                                               \
    "  %i = s32[] parameter(1)\n"                                                                  \
    "  %o = s32[] constant(0)\n"                                                                   \
    "  ROOT %y = " ROW " dynamic-slice(%p, %i, %o), dynamic_slice_sizes={1,2048}\n"                \
    "}\n"                                                                                          \
    "%put (u: f32[1,2048], p: f32[32,2048], i: s32[]) -> f32[32,2048] {\n"                         \
    "  %u = " ROW " parameter(0)\n"                                                                \
    "  %p = " HOST " parameter(1)\n"                                                               \
    "  %i = s32[] parameter(2)\n"                                                                  \
    "  %o = s32[] constant(0)\n"                                                                   \
    "  ROOT %y = " HOST " dynamic-update-slice(%p, %u, %i, %o)\n"                                  \
    "}\n"

Test(import_move, a_move_in_a_computation_of_its_own_is_a_dma)
{
    struct import_totals t;
    char *s = import_text(
        "HloModule m, is_scheduled=true\n" WRAPPED
        "ENTRY %e (h: f32[32,2048], x: f32[1,2048], k: s32[]) -> f32[32,2048] {\n" ARGUMENTS
        "  %s = ((" HOST ", s32[]), " ROW ", s32[]{:S(2)}) async-start(%h, %k), calls=%take\n"
        "  %r = " ROW " async-done(%s)\n"
        "  %b = " ROW " add(%a, %r)\n"
        "  %t = ((" ROW ", " HOST ", s32[]), " HOST
        ", s32[]{:S(2)}) async-start(%b, %h, %k), calls=%put\n"
        "  ROOT %d = " HOST " async-done(%t)\n"
        "}\n",
        NULL, &t);

    EXPECT_PART(s, "%s:2 " ROW, " = copy-start(%h)\n");
    EXPECT_PART(s, "%r " ROW, " at %s:2 = copy-done(%s:2)\n");
    EXPECT_PART(s, "%t:3 " HOST, " at %h = copy-start(%b) bytes=8192\n");
    cr_expect_eq(t.copies, 2);
    free(s);
}

Test(import_move, what_a_sparsecore_moves_is_no_dma)
{
    char *s = import_text("HloModule m, is_scheduled=true\n"
                          "%take (p: f32[32,2048]) -> f32[1,2048] {\n"
                          "  %p = " STACK " parameter(0)\n"
                          "  ROOT %y = " ROW " slice(%p), slice={[0:1],[0:2048]}\n"
                          "}, execution_thread=\"sparsecore\"\n"
                          "ENTRY %e (x: f32[32,2048]) -> f32[1,2048] {\n"
                          "  %x = " STACK " parameter(0)\n"
                          "  %s = ((" STACK "), " ROW ", s32[]{:S(8)}) async-start(%x), "
                          "async_execution_thread=\"sparsecore\", calls=%take\n"
                          "  ROOT %d = " ROW " async-done(%s)\n"
                          "}\n",
                          NULL, NULL);

    EXPECT_PART(s, "%s:1 " ROW, " = kernel-start(%x) form=copy unit=sparsecore ");
    free(s);
}

/* Rows of the first operand go out, 8 KiB of them; the second is where they may arrive. */
Test(import_move, a_ragged_exchange_sends_what_there_is_to_send)
{
    char *s = import_text("HloModule m, is_scheduled=true, num_partitions=4\n"
                          "ENTRY %e (x: f32[16,128], o: f32[64,128], i: s32[4]) -> f32[64,128] {\n"
                          "  %x = f32[16,128]{1,0:T(8,128)} parameter(0)\n"
                          "  %o = f32[64,128]{1,0:T(8,128)} parameter(1)\n"
                          "  %i = s32[4]{0:T(128)} parameter(2)\n"
                          "  ROOT %y = f32[64,128]{1,0:T(8,128)} ragged-all-to-all(%x, %o, %i, %i, "
                          "%i, %i), channel_id=1, replica_groups={{0,1,2,3}}\n"
                          "}\n",
                          NULL, NULL);

    EXPECT_PART(s, "%y f32[16,128]",
                " at %o = all-to-all(%x) basis=sizes note=\"sizes depend on data: ");
    free(s);
}

#define STATE "(s32[], f32[4096]{0:T(1024)S(1)}, f32[4096]{0:T(1024)})"

/* The pieces lie in %c, which the loop keeps where %b is: a buffer inside one that has its line. */
Test(import_move, a_buffer_of_pieces_may_stand_in_another)
{
    char *s =
        import_text("HloModule m, is_scheduled=true\n"
                    "%more (q: (s32[], f32[4096], f32[4096])) -> pred[] {\n"
                    "  %q = " STATE " parameter(0)\n"
                    "  %i = s32[] get-tuple-element(%q), index=0\n"
                    "  %n = s32[] constant(5)\n"
                    "  ROOT %l = pred[] compare(%i, %n), direction=LT\n"
                    "}\n"
                    "%turn (q: (s32[], f32[4096], f32[4096])) -> (s32[], f32[4096], f32[4096]) {\n"
                    "  %q = " STATE " parameter(0)\n"
                    "  %i = s32[] get-tuple-element(%q), index=0\n"
                    "  %x = f32[4096]{0:T(1024)} get-tuple-element(%q), index=2\n"
                    "  %s = ((f32[4096]{0:T(1024)}), " NEAR ", s32[]{:S(2)}) slice-start(%x), "
                    "slice={[0:2048]}\n"
                    "  %t = ((f32[4096]{0:T(1024)}), " NEAR ", s32[]{:S(2)}) slice-start(%x), "
                    "slice={[2048:4096]}\n"
                    "  %p = " NEAR " slice-done(%s)\n"
                    "  %r = " NEAR " slice-done(%t)\n"
                    "  %c = f32[4096]{0:T(1024)S(1)} custom-call(%p, %r), "
                    "custom_call_target=\"ConcatBitcast\"\n"
                    "  %one = s32[] constant(1)\n"
                    "  %j = s32[] add(%i, %one)\n"
                    "  ROOT %u = " STATE " tuple(%j, %c, %x)\n"
                    "}\n"
                    "ENTRY %e (x: f32[4096]) -> f32[4096] {\n"
                    "  %x = f32[4096]{0:T(1024)} parameter(0)\n"
                    "  %b = f32[4096]{0:T(1024)S(1)} negate(%x)\n"
                    "  %zero = s32[] constant(0)\n"
                    "  %in = " STATE " tuple(%zero, %b, %x)\n"
                    "  %w = " STATE " while(%in), condition=%more, body=%turn\n"
                    "  %d = f32[4096]{0:T(1024)S(1)} get-tuple-element(%w), index=1\n"
                    "  ROOT %y = f32[4096]{0:T(1024)} negate(%d)\n"
                    "}\n",
                    NULL, NULL);
    const char *buffer = strstr(s, "%c f32[4096]{0:T(1024)S(1)} at %b = "),
               *piece = strstr(s, "%s:1 " NEAR " at %c = copy-start(%x)");

    cr_expect(buffer && piece && buffer < piece, "%s", s);
    free(s);
}
