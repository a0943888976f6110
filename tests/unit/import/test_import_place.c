/* Values of imported programs: their places, loops, branches, the memory that they take. */
#include "tests/unit/import/import_helper.h"

#define V "f32[1024]{0:T(1024)}" /* 4096 bytes */

Test(import_place, a_donated_argument_is_where_its_result_is)
{
    struct import_totals t;
    char *s = import_text("HloModule m, is_scheduled=true, input_output_alias={ {0}: (0, {}, "
                          "may-alias) }\n"
                          "ENTRY %e (w: f32[1024], g: f32[1024]) -> (f32[1024], f32[1024]) {\n"
                          "  %w = " V " parameter(0), metadata={op_name=\"w\"}\n"
                          "  %g = " V " parameter(1), metadata={op_name=\"g\"}\n"
                          "  %a = " V " add(%w, %g)\n"
                          "  %b = " V " multiply(%a, %g)\n"
                          "  %c = " V " multiply(%b, %b)\n"
                          "  ROOT %t = (" V ", " V ") tuple(%b, %c)\n"
                          "}\n",
                          NULL, &t);

    EXPECT_PART(s, "tensor %w", " state\n");
    EXPECT_PART(s, "tensor %g", " input\n");
    EXPECT_PART(s, "%a " V " = kernel(%w, %g)", "form=vector");
    EXPECT_PART(s, "%b " V " at %w = kernel(%a, %g)", "form=vector");
    EXPECT_PART(s, "return(", "return(%c)");
    cr_expect_eq(t.argument_bytes, 2 * 4096);
    free(s);
}

Test(import_place, bitcasts_and_tuples_are_names)
{
    struct import_totals t;
    char *s = import_text("HloModule m, is_scheduled=true\n"
                          "ENTRY %e (x: f32[1024]) -> f32[1024] {\n"
                          "  %x = " V " parameter(0)\n"
                          "  %a = " V " negate(%x)\n"
                          "  %b = f32[8,128]{1,0:T(8,128)} bitcast(%a)\n"
                          "  %t = (f32[8,128]{1,0:T(8,128)}, " V ") tuple(%b, %x)\n"
                          "  %g = f32[8,128]{1,0:T(8,128)} get-tuple-element(%t), index=0\n"
                          "  ROOT %y = " V " fusion(%g), kind=kLoop, calls=%f\n"
                          "}\n"
                          "%f (p: f32[8,128]) -> f32[1024] {\n"
                          "  %p = f32[8,128]{1,0:T(8,128)} parameter(0)\n"
                          "  %q = " V " bitcast(%p)\n"
                          "  ROOT %r = " V " negate(%q)\n"
                          "}\n",
                          NULL, &t);

    EXPECT_PART(s, "%y", " = kernel(%a) ");
    cr_expect_eq(t.kernels, 2);
    free(s);
}

#define LOOP(attributes, start, limit)                                                             \
    "HloModule m, is_scheduled=true\n"                                                             \
    "%cond (p: (s32[], f32[1024], f32[1024])) -> pred[] {\n"                                       \
    "  %p = (s32[], " V ", " V ") parameter(0)\n"                                                  \
    "  %i = s32[] get-tuple-element(%p), index=0\n"                                                \
    "  %n = s32[] constant(" limit ")\n"                                                           \
    "  ROOT %lt = pred[] compare(%i, %n), direction=LT\n"                                          \
    "}\n"                                                                                          \
    "%body (p: (s32[], f32[1024], f32[1024])) -> (s32[], f32[1024], f32[1024]) {\n"                \
    "  %p = (s32[], " V ", " V ") parameter(0)\n"                                                  \
    "  %i = s32[] get-tuple-element(%p), index=0\n"                                                \
    "  %x = " V " get-tuple-element(%p), index=1\n"                                                \
    "  %k = " V " get-tuple-element(%p), index=2\n"                                                \
    "  %a = " V " add(%x, %k)\n"                                                                   \
    "  %b = " V " multiply(%a, %k)\n"                                                              \
    "  %two = s32[] constant(2)\n"                                                                 \
    "  %j = s32[] add(%i, %two)\n"                                                                 \
    "  ROOT %t = (s32[], " V ", " V ") tuple(%j, %b, %k)\n"                                        \
    "}\n"                                                                                          \
    "ENTRY %e (x: f32[1024], k: f32[1024], n: s32[]) -> f32[1024] {\n"                             \
    "  %x.1 = " V " parameter(0)\n"                                                                \
    "  %k.1 = " V " parameter(1)\n"                                                                \
    "  %n.1 = s32[] parameter(2)\n"                                                                \
    "  %c = " V " copy(%x.1)\n"                                                                    \
    "  %z = s32[] constant(1)\n"                                                                   \
    "  %z.1 = s32[] copy(%z)\n"                                                                    \
    "  %in = (s32[], " V ", " V ") tuple(" start ", %c, %k.1)\n"                                   \
    "  %w = (s32[], " V ", " V ") while(%in), condition=%cond, body=%body" attributes "\n"         \
    "  %r = " V " get-tuple-element(%w), index=1\n"                                                \
    "  ROOT %y = " V " negate(%r)\n"                                                               \
    "}\n"

Test(import_place, a_loop_writes_what_it_carries_where_it_was)
{
    struct import_totals t;
    char *s = import_text(LOOP("", "%z.1", "10"), NULL, &t); /* 1, 3, 5, 7, 9 */

    EXPECT_PART(s, "repeat", "repeat 5 {");
    EXPECT_PART(s, "%a " V " = kernel(%c, %k.1)", "form=vector");
    EXPECT_PART(s, "%b " V " at %c = kernel(%a, %k.1)", "form=vector");
    EXPECT_PART(s, "%y", " = kernel(%c) ");
    cr_expect_eq(t.loops, 1);
    cr_expect_eq(t.guessed_loops, 0);
    /* the body has 2 * 1,024 FLOPs and one for the counter; %y has 1,024 */
    cr_expect_eq(t.flops, 5 * 2049 + 1024);
    cr_expect_eq(t.flops_once, 2049 + 1024);
    free(s);
}

Test(import_place, how_often_a_loop_runs_may_be_said)
{
    struct import_totals t;
    const struct import_loop loop = { "w", 7 };
    struct import_options o = { .n_loops = 1, .loop = &loop };
    char *s = import_text(
        LOOP(", backend_config={\"known_trip_count\":{\"n\":\"16\"}}", "%z", "10"), NULL, &t);

    EXPECT_PART(s, "repeat", "repeat 16 {");
    free(s);
    s = import_text(LOOP("", "%n.1", "10"), NULL, &t); /* begins at an argument */
    EXPECT_PART(s, "repeat", "repeat 1 {");
    EXPECT_PART(s, "%a", " note=\"how often the loop w runs depends on data: 1 taken\"");
    cr_expect_eq(t.guessed_loops, 1);
    free(s);
    s = import_text(LOOP("", "%n.1", "10"), &o, &t);
    EXPECT_PART(s, "repeat", "repeat 7 {");
    cr_expect_eq(t.guessed_loops, 0);
    free(s);
    s = import_text(LOOP("", "%z.1", "1"), NULL, &t); /* 1 < 1 never holds */
    cr_expect_null(strstr(s, "repeat"));
    free(s);
}

Test(import_place, a_loop_may_be_said_to_run_not_once)
{
    struct import_totals t;
    char *s = import_text(
        LOOP(", backend_config={\"known_trip_count\":{\"n\":\"0\"}}", "%n.1", "10"), NULL, &t);

    cr_expect_null(strstr(s, "repeat"));
    cr_expect_eq(t.guessed_loops, 0);
    free(s);
}

/* from -2^62 below 2^62 - 2 by 2^61 - 1: four steps of it are 2^63 - 4, so a fifth begins */
Test(import_place, a_counter_may_span_all_whole_numbers)
{
    struct import_totals t;
    char *s = import_text("HloModule m\n"
                          "%cond (p: (s64[], s64[], f32[8])) -> pred[] {\n"
                          "  %p = (s64[], s64[], f32[8]) parameter(0)\n"
                          "  %i = s64[] get-tuple-element(%p), index=0\n"
                          "  %n = s64[] get-tuple-element(%p), index=1\n"
                          "  %low = s64[] constant(-2305843009213693952)\n"
                          "  %high = s64[] constant(2305843009213693951)\n"
                          "  %i.1 = s64[] add(%i, %low)\n"
                          "  %n.1 = s64[] add(%n, %high)\n"
                          "  ROOT %lt = pred[] compare(%i.1, %n.1), direction=LT\n"
                          "}\n"
                          "%body (p: (s64[], s64[], f32[8])) -> (s64[], s64[], f32[8]) {\n"
                          "  %p = (s64[], s64[], f32[8]) parameter(0)\n"
                          "  %i = s64[] get-tuple-element(%p), index=0\n"
                          "  %n = s64[] get-tuple-element(%p), index=1\n"
                          "  %x = f32[8] get-tuple-element(%p), index=2\n"
                          "  %step = s64[] constant(2305843009213693951)\n"
                          "  %j = s64[] add(%i, %step)\n"
                          "  %y = f32[8] add(%x, %x)\n"
                          "  ROOT %t = (s64[], s64[], f32[8]) tuple(%j, %n, %y)\n"
                          "}\n"
                          "ENTRY %e (x: f32[8]) -> f32[8] {\n"
                          "  %x.1 = f32[8] parameter(0)\n"
                          "  %first = s64[] constant(-2305843009213693952)\n"
                          "  %last = s64[] constant(2305843009213693951)\n"
                          "  %in = (s64[], s64[], f32[8]) tuple(%first, %last, %x.1)\n"
                          "  %w = (s64[], s64[], f32[8]) while(%in), condition=%cond, body=%body\n"
                          "  ROOT %r = f32[8] get-tuple-element(%w), index=2\n"
                          "}\n",
                          NULL, &t);

    EXPECT_PART(s, "repeat", "repeat 5 {");
    free(s);
}

/* no count: the condition tells, 1, 3, 5, 7, 9 */
Test(import_place, a_trip_count_is_a_whole_number)
{
    struct import_totals t;
    char *s = import_text(
        LOOP(", backend_config={\"known_trip_count\":{\"n\":\"-1\"}}", "%z.1", "10"), NULL, &t);

    EXPECT_PART(s, "repeat", "repeat 5 {");
    free(s);
    s = import_text(LOOP(", backend_config={\"known_trip_count\":{\"n\":\"1e308\"}}", "%z.1", "10"),
                    NULL, &t);
    EXPECT_PART(s, "repeat", "repeat 5 {");
    free(s);
}

Test(import_place, names_are_told_apart_where_computations_share_them)
{
    char *s = import_text("HloModule m\n"
                          "%f (p: f32[1024]) -> f32[1024] {\n"
                          "  %p = f32[1024] parameter(0)\n"
                          "  ROOT %a = f32[1024] negate(%p)\n"
                          "}\n"
                          "ENTRY %e (x: f32[1024]) -> f32[1024] {\n"
                          "  %x = f32[1024] parameter(0)\n"
                          "  %a = f32[1024] call(%x), to_apply=%f\n"
                          "  ROOT %b = f32[1024] call(%a), to_apply=%f\n"
                          "}\n",
                          NULL, NULL);

    EXPECT_PART(s, "%a/1", " = kernel(%x) ");
    EXPECT_PART(s, "%a/2", " = kernel(%a/1) ");
    free(s);
}

Test(import_place, the_branch_with_the_most_work_is_taken)
{
    struct import_totals t;
    char *s = import_text("HloModule m\n"
                          "%small (p: f32[4]) -> f32[4] {\n"
                          "  %p = f32[4] parameter(0)\n"
                          "  ROOT %s = f32[4] negate(%p)\n"
                          "}\n"
                          "%large (q: f32[4]) -> f32[4] {\n"
                          "  %q = f32[4] parameter(0)\n"
                          "  %l = f32[4] add(%q, %q)\n"
                          "  ROOT %r = f32[4] multiply(%l, %l)\n"
                          "}\n"
                          "ENTRY %e (i: s32[], x: f32[4]) -> f32[4] {\n"
                          "  %i = s32[] parameter(0)\n"
                          "  %x = f32[4] parameter(1)\n"
                          "  %c = f32[4] conditional(%i, %x, %x), "
                          "branch_computations={%small, %large}\n"
                          "  ROOT %y = f32[4] negate(%c)\n"
                          "}\n",
                          NULL, &t);

    EXPECT_PART(s, "%l", " = kernel(%x, %x) ");
    EXPECT_PART(s, "%l", " note=\"of the branches of c the one with the most work\"");
    EXPECT_PART(s, "%y", " = kernel(%r) ");
    cr_expect_eq(t.conditionals, 1);
    free(s);
}

Test(import_place, pieces_are_parts_of_the_buffer_that_they_become)
{
#define HALF "s8[4096]{0:T(1024)(128)(4,1)S(1)}"
    char *s = import_text(
        "HloModule m, is_scheduled=true\n"
        "ENTRY %e (x: s8[8192]) -> f32[2048] {\n"
        "  %x = s8[8192]{0:T(1024)(128)(4,1)} parameter(0)\n"
        "  %a = ((s8[8192]{0:T(1024)(128)(4,1)}), " HALF ", s32[]{:S(2)}) slice-start(%x), "
        "slice={[0:4096]}\n"
        "  %b = ((s8[8192]{0:T(1024)(128)(4,1)}), " HALF ", s32[]{:S(2)}) slice-start(%x), "
        "slice={[4096:8192]}\n"
        "  %a.1 = " HALF " slice-done(%a)\n"
        "  %b.1 = " HALF " slice-done(%b)\n"
        "  %c = f32[2048]{0:T(1024)S(1)} custom-call(%a.1, %b.1), "
        "custom_call_target=\"ConcatBitcast\"\n"
        "  ROOT %y = f32[2048]{0:T(1024)} negate(%c)\n"
        "}\n",
        NULL, NULL);

    EXPECT_PART(s, "%c f32[2048]{0:T(1024)S(1)} = kernel()", "form=scalar");
    EXPECT_PART(s, "%a:1 " HALF " at %c = copy-start(%x)", "copy-start");
    EXPECT_PART(s, "%b.1 " HALF " at %b:1 = copy-done(%b:1)", "copy-done");
    EXPECT_PART(s, "%y", " = kernel(%c) form=vector fetch=0 store=8192 ");
    free(s);
}

/* The pieces of the next turn come into the buffer that entered the loop. */
Test(import_place, a_loop_hands_on_a_buffer_of_pieces)
{
#define WHOLE "f32[2048]{0:T(1024)S(1)}"
#define BYTES "s8[8192]{0:T(1024)(128)(4,1)}"
    char *s = import_text(
        "HloModule m, is_scheduled=true\n"
        "%cond (p: (s32[], f32[2048], s8[8192])) -> pred[] {\n"
        "  %p = (s32[], " WHOLE ", " BYTES ") parameter(0)\n"
        "  %i = s32[] get-tuple-element(%p), index=0\n"
        "  %n = s32[] constant(4)\n"
        "  ROOT %lt = pred[] compare(%i, %n), direction=LT\n"
        "}\n"
        "%body (p: (s32[], f32[2048], s8[8192])) -> (s32[], f32[2048], s8[8192]) {\n"
        "  %p = (s32[], " WHOLE ", " BYTES ") parameter(0)\n"
        "  %i = s32[] get-tuple-element(%p), index=0\n"
        "  %one = s32[] constant(1)\n"
        "  %j = s32[] add(%i, %one)\n"
        "  %w = " WHOLE " get-tuple-element(%p), index=1\n"
        "  %x = " BYTES " get-tuple-element(%p), index=2\n"
        "  %y = f32[2048]{0:T(1024)} negate(%w)\n"
        "  %a = ((" BYTES "), " HALF ", s32[]{:S(2)}) slice-start(%x), slice={[0:4096]}\n"
        "  %b = ((" BYTES "), " HALF ", s32[]{:S(2)}) slice-start(%x), slice={[4096:8192]}\n"
        "  %a.1 = " HALF " slice-done(%a)\n"
        "  %b.1 = " HALF " slice-done(%b)\n"
        "  %c = " WHOLE " custom-call(%a.1, %b.1), custom_call_target=\"ConcatBitcast\"\n"
        "  ROOT %t = (s32[], " WHOLE ", " BYTES ") tuple(%j, %c, %x)\n"
        "}\n"
        "ENTRY %e (v: f32[2048], x: s8[8192]) -> f32[2048] {\n"
        "  %v = f32[2048]{0:T(1024)} parameter(0)\n"
        "  %x.1 = " BYTES " parameter(1)\n"
        "  %near = " WHOLE " copy(%v)\n"
        "  %zero = s32[] constant(0)\n"
        "  %in = (s32[], " WHOLE ", " BYTES ") tuple(%zero, %near, %x.1)\n"
        "  %loop = (s32[], " WHOLE ", " BYTES ") while(%in), condition=%cond, body=%body\n"
        "  ROOT %g = " WHOLE " get-tuple-element(%loop), index=1\n"
        "}\n",
        NULL, NULL);

    EXPECT_PART(s, "%c " WHOLE, " at %near = kernel() form=scalar ");
    EXPECT_PART(s, "%a:1 " HALF, " at %c = copy-start(%x.1)");
    EXPECT_PART(s, "%y ", " = kernel(%near) ");
    free(s);
}

Test(import_place, roles_follow_the_names_of_arguments_and_their_readers)
{
    const struct import_hint hint = { "q", TRACE_CONSTANT };
    struct import_options o = { .n_hints = 1, .hint = &hint };
#define ARGUMENT(n, name)                                                                          \
    "  %a" #n " = f32[64,64] parameter(" #n "), metadata={op_name=\"" name "\"}\n"
    char *s = import_text(
        "HloModule m, input_output_alias={ {0}: (0, {}), {1}: (1, {}), {2}: (2, {}) }\n"
        "ENTRY %e (a0: f32[64,64], a1: f32[64,64], a2: f32[64,64], a3: f32[64,64], "
        "a4: f32[64,64]) -> (f32[64,64], f32[64,64], f32[64,64]) {\n" ARGUMENT(0, "p[\\'w\\']")
            ARGUMENT(1, "p[\\'b\\']") ARGUMENT(2, "mu[\\'w\\']") ARGUMENT(3, "x") ARGUMENT(
                4, "q") "  %c = bf16[64,64] convert(%a0)\n"
                        "  %d = f32[64,64] dot(%a3, %c), lhs_contracting_dims={1}, "
                        "rhs_contracting_dims={0}\n"
                        "  %s = f32[64,64] add(%d, %a1)\n"
                        "  %u = f32[64,64] add(%a0, %a2)\n"
                        "  %v = f32[64,64] add(%a1, %a4)\n"
                        "  %n = f32[64,64] add(%a2, %s)\n"
                        "  ROOT %t = (f32[64,64], f32[64,64], f32[64,64]) tuple(%u, %v, %n)\n"
                        "}\n",
        &o, NULL);

    EXPECT_PART(s, "tensor %a0", " weight\n");
    EXPECT_PART(s, "tensor %a1", " weight\n"); /* of the same tree */
    EXPECT_PART(s, "tensor %a2", " state\n");
    EXPECT_PART(s, "tensor %a3", " input\n");
    EXPECT_PART(s, "tensor %a4", " constant\n");
    free(s);
}

/* Three trees of one leaf each that a product reads: nothing says that they are no inputs. */
Test(import_place, a_tree_of_one_leaf_is_an_input_though_a_product_reads_it)
{
    char *s = import_text(
        "HloModule m\n"
        "ENTRY %e (a0: f32[64,64], a1: f32[64,64], a2: f32[64,64]) -> f32[64,64] {\n" ARGUMENT(
            0, "x[0]") ARGUMENT(1, "y[0]")
            ARGUMENT(2, "z[0]") "  %c = f32[64,64] dot(%a0, %a1), lhs_contracting_dims={1}, "
                                "rhs_contracting_dims={0}\n"
                                "  ROOT %d = f32[64,64] dot(%c, %a2), lhs_contracting_dims={1}, "
                                "rhs_contracting_dims={0}\n"
                                "}\n",
        NULL, NULL);

    EXPECT_PART(s, "tensor %a0", " input\n");
    EXPECT_PART(s, "tensor %a1", " input\n");
    EXPECT_PART(s, "tensor %a2", " input\n");
    free(s);
}

Test(import_place, samples_that_nobody_stated_are_unknown)
{
    static const char module[] =
        "// cyclotron: {\"workload\": \"tagger\", \"samples\": null, \"epoch\": 50000}\n"
        "HloModule jit_step, is_scheduled=true, num_partitions=8\n"
        "ENTRY %e (x: f32[4]) -> f32[4] {\n"
        "  %x = f32[4]{0:T(128)} parameter(0)\n"
        "  ROOT %y = f32[4]{0:T(128)} negate(%x)\n"
        "}\n";
    struct import_options none = { .samples = 0 }, given = { .samples = 16 };
    char *s = import_text(module, &none, NULL);

    EXPECT_PART(s, "samples", "samples step=unknown cores=8\n");
    EXPECT_PART(s, "workload", "workload \"tagger\"\n");
    free(s);
    s = import_text(module, &given, NULL);
    EXPECT_PART(s, "samples", "samples step=16 epoch=50000 cores=8\n");
    free(s);
}

/* A dump of one device that says nothing of devices runs on the cores of any slice, each by itself;
 * a comment that says 1 means one. */
Test(import_place, a_text_that_names_no_device_is_for_any_number)
{
#define ONE_DEVICE                                                                                 \
    "HloModule m, is_scheduled=true\nENTRY %e (x: f32[4]) -> f32[4] {\n"                           \
    "  %x = f32[4]{0:T(128)} parameter(0)\n  ROOT %y = f32[4]{0:T(128)} negate(%x)\n}\n"
    struct import_options o = { .samples = 0 };
    char *s = import_text(ONE_DEVICE, &o, NULL);

    EXPECT_PART(s, "program", "program compiler=\"XLA\" megacore=0 scheduled=1\n");
    free(s);
    s = import_text("// cyclotron: {\"devices\": 1}\n" ONE_DEVICE, &o, NULL);
    EXPECT_PART(s, "program", "program compiler=\"XLA\" cores=1 megacore=0 scheduled=1\n");
    free(s);
}

Test(import_place, the_header_says_what_the_comment_says)
{
    struct import_options o = { .samples = 0 };
    char *s = import_text(
        "// cyclotron: {\"compiler\": \"jax 0.10.2\", \"topology\": \"v3:2x2\", \"machine\": "
        "\"tpu-v3-8\", \"devices\": 8, \"megacore\": false, \"samples\": 32, \"epoch\": 50000, "
        "\"memory\": {\"argument\": 7, \"temp\": 500, \"peak\": 900}, \"source\": \"step.py:f\"}\n"
        "HloModule jit_step, is_scheduled=true, num_partitions=8\n"
        "ENTRY %e (x: f32[4]) -> f32[4] {\n"
        "  %x = f32[4]{0:T(128)} parameter(0)\n"
        "  ROOT %y = f32[4]{0:T(128)} negate(%x), "
        "metadata={op_name=\"jit(step)/transpose(jvp())/n\"}\n"
        "}\n",
        &o, NULL);

    EXPECT_PART(s, "workload", "workload \"step\"\n");
    EXPECT_PART(s, "samples", "samples step=32 epoch=50000 cores=8\n");
    EXPECT_PART(s, "program",
                "program compiler=\"jax 0.10.2\" machine=\"tpu-v3-8\" "
                "topology=\"v3:2x2\" cores=8 megacore=0 scheduled=1 peak=900 "
                "temporaries=500\n");
    EXPECT_PART(s, "provenance", "HLO module t.hlo, compiled from step.py:f\"\n");
    EXPECT_PART(s, "%y f32[4]{0:T(128)} gradient = kernel(%x)",
                " scope=\"jit(step)/transpose(jvp())/n\"\n");
    free(s);
}

/* Both halves are in VMEM, the 64-bit number that they are is in HBM by its text alone. */
Test(import_place, the_header_names_a_file_without_its_folder)
{
    static const char hlo[] = "HloModule m\n"
                              "ENTRY %e {\n"
                              "  ROOT %x = f32[4] parameter(0)\n"
                              "}\n";
    static const char *const file[] = { "p.hlo", "/p.hlo", "a/b/p.hlo" };
    struct err err;

    for (size_t k = 0; k < sizeof file / sizeof *file; k++) {
        struct hlo_module *m;
        struct memory_text out;
        cr_assert_eq(hlo_parse(&m, file[k], hlo, sizeof hlo - 1, &err), 0, "%s", err.msg);
        memory_text_begin(&out);
        cr_assert_eq(import_hlo(m, NULL, out.out, NULL, &err), 0, "%s", err.msg);
        char *s = memory_text_end(&out);
        EXPECT_PART(s, "provenance", " \"imported from the HLO module p.hlo");
        free(s);
        hlo_free(m);
    }
}

/* Frameworks give such names, whatever is in the module; others say something. */
Test(import_place, a_module_without_a_name_of_its_own_is_called_after_its_file)
{
    static const struct {
        const char *module, *workload;
    } rows[] = {
        { "main", "workload \"t\"\n" },          { "module", "workload \"t\"\n" },
        { "jit_", "workload \"t\"\n" },          { "jit_step", "workload \"t\"\n" },
        { "main.12", "workload \"t\"\n" },       { "mai", "workload \"mai\"\n" },
        { "my_main", "workload \"my_main\"\n" },
    };

    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        char *hlo = memory_format(
            "HloModule %s\nENTRY %%e {\n  ROOT %%x = f32[4] parameter(0)\n}\n", rows[k].module);
        char *s = import_text(hlo, NULL, NULL);
        cr_expect(strstr(s, rows[k].workload), "%s: %s", rows[k].module, s);
        free(s);
        free(hlo);
    }
}

Test(import_place, a_name_may_say_another_memory)
{
    char *s = import_text("HloModule m, is_scheduled=true\n"
                          "ENTRY %e (p: u32[2]) -> u32[20,4] {\n"
                          "  %p = u32[2]{0:T(128)} parameter(0)\n"
                          "  %lo = u32[2]{0:T(128)S(1)} copy(%p)\n"
                          "  %hi = u32[2]{0:T(128)S(1)} copy(%p)\n"
                          "  %key = u64[2]{0:T(128)} custom-call(%lo, %hi), "
                          "custom_call_target=\"X64Combine\"\n"
                          "  ROOT %r = u32[20,4]{0,1:T(4,128)} rng-bit-generator(%key), "
                          "algorithm=rng_default\n"
                          "}\n",
                          NULL, NULL);

    EXPECT_PART(s, "%r ", " = kernel(%lo) form=vector fetch=0 store=2048 ");
    free(s);
}

/* XLA gives rooms in VMEM to operand and result side by side, and finds only later that a kernel
 * may write over its operand: its own peak counts both. */
Test(import_place, a_result_in_vmem_has_a_room_beside_the_operand_that_it_may_overwrite)
{
    static const char *const spaces[] = { "", "S(1)" };
    static const char *const at[] = { "%y f32[64,256]{1,0:T(8,128)} at %a = ",
                                      "%y f32[64,256]{1,0:T(8,128)S(1)} = " };

    for (int i = 0; i < 2; i++) {
        char text[1024];
        snprintf(text, sizeof text,
                 "HloModule m, is_scheduled=true\n"
                 "ENTRY %%e (x: f32[64,256]) -> f32[64,256] {\n"
                 "  %%x = f32[64,256]{1,0:T(8,128)} parameter(0)\n"
                 "  %%a = f32[64,256]{1,0:T(8,128)%s} negate(%%x)\n"
                 "  %%y = f32[64,256]{1,0:T(8,128)%s} negate(%%a), backend_config="
                 "{\"aliasing_operands\":{\"lists\":[{\"indices\":[\"0\",\"1\"]}]}}\n"
                 "  ROOT %%z = f32[64,256]{1,0:T(8,128)} negate(%%y)\n"
                 "}\n",
                 spaces[i], spaces[i]);
        char *s = import_text(text, NULL, NULL);
        cr_expect(strstr(s, at[i]) != NULL, "%s", s);
        free(s);
    }
}

/* S(5) is the memory of the host: a copy that has no start brings all of it. */
Test(import_place, a_kernel_reads_the_memory_of_the_host)
{
    char *s = import_text("HloModule m, is_scheduled=true\nENTRY %e {\n"
                          "  %x = f32[8,128]{1,0:T(8,128)S(5)} parameter(0)\n"
                          "  %y = f32[8,128]{1,0:T(8,128)} copy(%x)\n"
                          "  ROOT %z = f32[8,128]{1,0:T(8,128)S(5)} negate(%y)\n}\n",
                          NULL, NULL);

    EXPECT_PART(s, "%y ", " = kernel(%x) form=copy fetch=4096 store=4096 ");
    EXPECT_PART(s, "%z ", " fetch=4096 store=4096 ");
    free(s);
}
