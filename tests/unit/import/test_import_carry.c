/* Collectives that the compiler spreads over kernels: a start, kernels that carry it, a done.  No
 * backend_config says so: many texts have none. */
#include "tests/unit/import/import_helper.h"

#define V "f32[2048]{0:T(1024)}"
#define TWICE "f32[4096]{0:T(1024)}"
#define FLAGS "s32[2]{0:S(4)}"
#define GATHER " all-gather(%p0), replica_groups=[8,2]<=[16], dimensions={0}, channel_id=1\n"

/* The source, the destination and the flags pass through `carrier`, whose own work is a product of
 * 64 x 32 by 32 x 128. */
#define BODIES                                                                                     \
    "%begin (p0: f32[2048]) -> (f32[2048], f32[4096], s32[2]) {\n"                                 \
    "  %p0 = " V " parameter(0)\n"                                                                 \
    "  %g = " TWICE GATHER "  ROOT %c = (" V ", " TWICE ", " FLAGS                                 \
    ") custom-call(%g), custom_call_target=\"AsyncCollectiveStart\"\n}\n"                          \
    "%carrier (p0: f32[2048], p1: f32[4096], p2: s32[2], p3: f32[64,32], p4: f32[32,128])"         \
    " -> (f32[64,128], f32[2048], f32[4096], f32[4096], s32[2]) {\n"                               \
    "  %p0 = " V " parameter(0)\n"                                                                 \
    "  %p1 = " TWICE " parameter(1)\n"                                                             \
    "  %p2 = " FLAGS " parameter(2)\n"                                                             \
    "  %p3 = f32[64,32] parameter(3)\n"                                                            \
    "  %p4 = f32[32,128] parameter(4)\n"                                                           \
    "  %g = " TWICE GATHER "  %k = f32[64,128] convolution(%p3, %p4), dim_labels=bf_io->bf\n"      \
    "  ROOT %t = (f32[64,128], " V ", " TWICE ", " TWICE ", " FLAGS                                \
    ") tuple(%k, %p0, %p1, %g, %p2)\n}\n"                                                          \
    "%end (p0: f32[2048], p1: f32[4096], p2: s32[2]) -> f32[4096] {\n"                             \
    "  %p0 = " V " parameter(0)\n"                                                                 \
    "  %p1 = " TWICE " parameter(1)\n"                                                             \
    "  %p2 = " FLAGS " parameter(2)\n"                                                             \
    "  %g = " TWICE GATHER "  ROOT %c = " TWICE                                                    \
    " custom-call(%p0, %p1, %g, %p2), custom_call_target=\"AsyncCollectiveDone\"\n}\n"

#define START                                                                                      \
    "  %s = (" V ", " TWICE ", " FLAGS ") fusion(%a), kind=kCustom, calls=%begin, "                \
    "output_to_operand_aliasing={{0}: (0, {})}\n"                                                  \
    "  %s0 = " V " get-tuple-element(%s), index=0\n"                                               \
    "  %s1 = " TWICE " get-tuple-element(%s), index=1\n"                                           \
    "  %s2 = " FLAGS " get-tuple-element(%s), index=2\n"
#define CARRIER(out, a, b, c)                                                                      \
    "  %" out " = (f32[64,128], " V ", " TWICE ", " TWICE ", " FLAGS ") fusion(" a ", " b ", " c   \
    ", %l, %r), kind=kOutput, calls=%carrier, "                                                    \
    "output_to_operand_aliasing={{1}: (0, {}), {2}: (1, {}), {3}: (1, {}), {4}: (2, {})}\n"        \
    "  %" out "0 = f32[64,128] get-tuple-element(%" out "), index=0\n"                             \
    "  %" out "1 = " V " get-tuple-element(%" out "), index=1\n"                                   \
    "  %" out "2 = " TWICE " get-tuple-element(%" out "), index=2\n"                               \
    "  %" out "4 = " FLAGS " get-tuple-element(%" out "), index=4\n"
#define DONE(a, b, c)                                                                              \
    "  %d = " TWICE " fusion(" a ", " b ", " c "), kind=kCustom, calls=%end, "                     \
    "output_to_operand_aliasing={{}: (1, {})}, metadata={op_name=\"gather\"}\n"
#define ARGUMENTS                                                                                  \
    "  %x = " V " parameter(0)\n"                                                                  \
    "  %l = f32[64,32] parameter(1)\n"                                                             \
    "  %r = f32[32,128] parameter(2)\n"                                                            \
    "  %a = " V " negate(%x)\n"
#define HEAD "HloModule m, is_scheduled=true, num_partitions=16\n"

static void expect_chain(const char *s, const struct import_totals *t, uint64_t products,
                         uint64_t additions)
{
    EXPECT_PART(s, "%s:1 f32[4096]{0:T(1024)} = all-gather-start(%a)",
                " group=2 carried=1 scope=\"gather\"\n");
    EXPECT_PART(s, "%d f32[4096]{0:T(1024)} at %s:1 = all-gather-done(%s:1)", " scope=\"gather\"");
    cr_expect_null(strstr(s, "S(4)"), "flags take no part in anything");
    cr_expect_eq(t->collectives, 1);
    cr_expect_eq(t->unmodelled_instructions, 0);
    /* 2 x 64 x 32 x 128 each; the others negate 2048 elements and 4096 */
    cr_expect_eq(t->flops, products * 524288 + 2048 + 4096 + additions);
}

Test(import_carry, kernels_carry_a_collective)
{
    struct import_totals t;
    char *s = import_text(
        HEAD BODIES "ENTRY %e (x: f32[2048], l: f32[64,32], r: f32[32,128]) -> "
                    "(f32[64,128], f32[64,128], f32[4096]) {\n" ARGUMENTS START CARRIER(
                        "k", "%s0", "%s1", "%s2") CARRIER("m", "%k1", "%k2", "%k4")
                        DONE("%m1", "%m2", "%m4") "  %y = " TWICE " negate(%d)\n"
                                                  "  ROOT %t = (f32[64,128], f32[64,128], " TWICE
                                                  ") tuple(%k0, %m0, %y)\n}\n",
        NULL, &t);

    expect_chain(s, &t, 2, 0);
    EXPECT_PART(s, "%k:0 f32[64,128]", " = kernel(%l, %r) form=product ");
    EXPECT_PART(s, "%m:0 f32[64,128]", " fetch=8192+16384 store=32768 ");
    free(s);
}

/* The loop hands all that belongs to the collective from turn to turn. */
Test(import_carry, a_loop_carries_a_collective)
{
    static const char loop[] =
        "%more (q: (s32[], f32[2048], f32[4096], s32[2], f32[64,32], f32[32,128], f32[64,128]))"
        " -> pred[] {\n"
        "  %q = "
        "(s32[], " V ", " TWICE ", " FLAGS ", f32[64,32], f32[32,128], f32[64,128])"
        " parameter(0)\n"
        "  %i = s32[] get-tuple-element(%q), index=0\n"
        "  %n = s32[] constant(5)\n"
        "  ROOT %c = pred[] compare(%i, %n), direction=LT\n}\n"
        "%turn (q: (s32[], f32[2048], f32[4096], s32[2], f32[64,32], f32[32,128], f32[64,128]))"
        " -> (s32[], f32[2048], f32[4096], s32[2], f32[64,32], f32[32,128], f32[64,128]) {\n"
        "  %q = (s32[], " V ", " TWICE ", " FLAGS ", f32[64,32], f32[32,128], f32[64,128])"
        " parameter(0)\n"
        "  %i = s32[] get-tuple-element(%q), index=0\n"
        "  %q1 = " V " get-tuple-element(%q), index=1\n"
        "  %q2 = " TWICE " get-tuple-element(%q), index=2\n"
        "  %q3 = " FLAGS " get-tuple-element(%q), index=3\n"
        "  %l = f32[64,32] get-tuple-element(%q), index=4\n"
        "  %r = f32[32,128] get-tuple-element(%q), index=5\n" CARRIER(
            "k", "%q1", "%q2", "%q3") "  %one = s32[] constant(1)\n"
                                      "  %j = s32[] add(%i, %one)\n"
                                      "  ROOT %t = (s32[], " V ", " TWICE ", " FLAGS
                                      ", f32[64,32], f32[32,128], f32[64,128])"
                                      " tuple(%j, %k1, %k2, %k4, %l, %r, %k0)\n}\n";
    struct import_totals t;
    char text[16384];

    snprintf(text, sizeof text, "%s%s%s", HEAD BODIES, loop,
             "ENTRY %e (x: f32[2048], l: f32[64,32], r: f32[32,128]) -> (f32[64,128], f32[4096]) "
             "{\n" ARGUMENTS START "  %zero = s32[] constant(0)\n"
             "  %empty = f32[64,128] custom-call(), custom_call_target=\"AllocateBuffer\"\n"
             "  %in = (s32[], " V ", " TWICE ", " FLAGS ", f32[64,32], f32[32,128], f32[64,128])"
             " tuple(%zero, %s0, %s1, %s2, %l, %r, %empty)\n"
             "  %w = (s32[], " V ", " TWICE ", " FLAGS ", f32[64,32], f32[32,128], f32[64,128])"
             " while(%in), condition=%more, body=%turn\n"
             "  %w1 = " V " get-tuple-element(%w), index=1\n"
             "  %w2 = " TWICE " get-tuple-element(%w), index=2\n"
             "  %w3 = " FLAGS " get-tuple-element(%w), index=3\n"
             "  %w6 = f32[64,128] get-tuple-element(%w), index=6\n" DONE(
                 "%w1", "%w2", "%w3") "  %y = " TWICE " negate(%d)\n"
                                      "  ROOT %t = (f32[64,128], " TWICE ") tuple(%w6, %y)\n}\n");
    char *s = import_text(text, NULL, &t);

    cr_expect_not_null(strstr(s, "repeat 5 {\n"));
    expect_chain(s, &t, 5, 5); /* of the counter of the loop */
    EXPECT_PART(s, "%k:0", " at %empty = kernel(%l, %r) form=product ");
    free(s);
}

/* The source has gone to VMEM since the start: the done is known by its destination. */
Test(import_carry, the_source_may_have_been_copied_before_the_done)
{
    struct import_totals t;
    char *s = import_text(
        HEAD BODIES
        "ENTRY %e (x: f32[2048], l: f32[64,32], r: f32[32,128]) -> "
        "(f32[64,128], f32[4096]) {\n" ARGUMENTS START
            CARRIER("k", "%s0", "%s1", "%s2") "  %near = f32[2048]{0:T(1024)S(1)} copy(%k1)\n" DONE(
                "%near", "%k2", "%k4") "  %y = " TWICE " negate(%d)\n"
                                       "  ROOT %t = (f32[64,128], " TWICE ") tuple(%k0, %y)\n}\n",
        NULL, &t);

    expect_chain(s, &t, 1, 0);
    free(s);
}

/* Kernels that carry a sum of 4096 elements, whose result has the shape `to`. */
#define SUMS(opcode, to, more)                                                                     \
    HEAD "%sum (a: f32[], b: f32[]) -> f32[] {\n"                                                  \
         "  %a.1 = f32[] parameter(0)\n"                                                           \
         "  %b.1 = f32[] parameter(1)\n"                                                           \
         "  ROOT %s.1 = f32[] add(%a.1, %b.1)\n}\n"                                                \
         "%begin (p0: f32[4096]) -> (f32[4096], " to ", s32[2]) {\n"                               \
         "  %p0 = f32[4096] parameter(0)\n"                                                        \
         "  %g = " to " " opcode "(%p0), channel_id=1, replica_groups=[8,2]<=[16], "               \
         "use_global_device_ids=true, to_apply=%sum" more "\n"                                     \
         "  ROOT %c = (f32[4096], " to ", s32[2]) custom-call(%g), "                               \
         "custom_call_target=\"AsyncCollectiveStart\"\n}\n"                                        \
         "%carrier (p0: f32[4096], p1: " to ", p2: s32[2], p3: f32[64,32], p4: f32[32,128])"       \
         " -> (f32[64,128], f32[4096], " to ", " to ", s32[2]) {\n"                                \
         "  %p0 = f32[4096] parameter(0)\n"                                                        \
         "  %p1 = " to " parameter(1)\n"                                                           \
         "  %p2 = s32[2] parameter(2)\n"                                                           \
         "  %p3 = f32[64,32] parameter(3)\n"                                                       \
         "  %p4 = f32[32,128] parameter(4)\n"                                                      \
         "  %g = " to " " opcode "(%p0), channel_id=1, replica_groups=[8,2]<=[16], "               \
         "use_global_device_ids=true, to_apply=%sum" more "\n"                                     \
         "  %k = f32[64,128] convolution(%p3, %p4), dim_labels=bf_io->bf\n"                        \
         "  ROOT %t = (f32[64,128], f32[4096], " to ", " to ", s32[2]) "                           \
         "tuple(%k, %p0, %p1, %g, %p2)\n}\n"                                                       \
         "%end (p0: f32[4096], p1: " to ", p2: s32[2]) -> " to " {\n"                              \
         "  %p0 = f32[4096] parameter(0)\n"                                                        \
         "  %p1 = " to " parameter(1)\n"                                                           \
         "  %p2 = s32[2] parameter(2)\n"                                                           \
         "  %g = " to " " opcode "(%p0), channel_id=1, replica_groups=[8,2]<=[16], "               \
         "use_global_device_ids=true, to_apply=%sum" more "\n"                                     \
         "  ROOT %c = " to " custom-call(%p0, %p1, %g, %p2), "                                     \
         "custom_call_target=\"AsyncCollectiveDone\"\n}\n"                                         \
         "ENTRY %e (x: f32[4096], l: f32[64,32], r: f32[32,128]) -> (f32[64,128], " to ") {\n"     \
         "  %x = f32[4096] parameter(0)\n"                                                         \
         "  %l = f32[64,32] parameter(1)\n"                                                        \
         "  %r = f32[32,128] parameter(2)\n"                                                       \
         "  %s = (f32[4096], " to ", s32[2]) fusion(%x), kind=kCustom, calls=%begin, "             \
         "output_to_operand_aliasing={{0}: (0, {})}\n"                                             \
         "  %s0 = f32[4096] get-tuple-element(%s), index=0\n"                                      \
         "  %s1 = " to " get-tuple-element(%s), index=1\n"                                         \
         "  %s2 = s32[2] get-tuple-element(%s), index=2\n"                                         \
         "  %k = (f32[64,128], f32[4096], " to ", " to ", s32[2]) fusion(%s0, %s1, %s2, %l, %r), " \
         "kind=kOutput, calls=%carrier, output_to_operand_aliasing="                               \
         "{{1}: (0, {}), {2}: (1, {}), {3}: (1, {}), {4}: (2, {})}\n"                              \
         "  %k0 = f32[64,128] get-tuple-element(%k), index=0\n"                                    \
         "  %k1 = f32[4096] get-tuple-element(%k), index=1\n"                                      \
         "  %k2 = " to " get-tuple-element(%k), index=2\n"                                         \
         "  %k4 = s32[2] get-tuple-element(%k), index=4\n"                                         \
         "  %d = " to " fusion(%k1, %k2, %k4), kind=kCustom, calls=%end, "                         \
         "output_to_operand_aliasing={{}: (1, {})}\n"                                              \
         "  %y = " to " negate(%d)\n"                                                              \
         "  ROOT %t = (f32[64,128], " to ") tuple(%k0, %y)\n}\n"

Test(import_carry, kernels_carry_a_sum)
{
    struct import_totals t;
    char *s = import_text(SUMS("all-reduce", "f32[4096]", ""), NULL, &t);

    EXPECT_PART(s, "%s:1 f32[4096]", " = all-reduce-start(%x) group=2 carried=1\n");
    EXPECT_PART(s, "%d f32[4096] at %s:1", " = all-reduce-done(%s:1)\n");
    EXPECT_PART(s, "%k:0 f32[64,128]", " = kernel(%l, %r) form=product ");
    cr_expect_eq(t.collectives, 1);
    /* the product 2 x 64 x 32 x 128, the sum and the negation of 4096 */
    cr_expect_eq(t.flops, 524288 + 4096 + 4096);
    free(s);
}

Test(import_carry, kernels_carry_a_sum_that_is_scattered)
{
    struct import_totals t;
    char *s = import_text(SUMS("reduce-scatter", "f32[2048]", ", dimensions={0}"), NULL, &t);

    EXPECT_PART(s, "%s:1 f32[2048]", " = reduce-scatter-start(%x) group=2 carried=1\n");
    EXPECT_PART(s, "%d f32[2048] at %s:1", " = reduce-scatter-done(%s:1)\n");
    EXPECT_PART(s, "%k:0 f32[64,128]", " = kernel(%l, %r) form=product ");
    cr_expect_eq(t.collectives, 1);
    /* the product, the sum of 4096, the negation of 2048 */
    cr_expect_eq(t.flops, 524288 + 4096 + 2048);
    free(s);
}

/* It returns what it sums too, and no destination: nobody else has begun this sum. */
Test(import_carry, a_sum_beside_its_operand_is_begun_and_done_there)
{
    struct import_totals t;
    char *s = import_text(
        HEAD "%sum (a: f32[], b: f32[]) -> f32[] {\n"
             "  %a.1 = f32[] parameter(0)\n"
             "  %b.1 = f32[] parameter(1)\n"
             "  ROOT %s.1 = f32[] add(%a.1, %b.1)\n}\n"
             "%both (p0: f32[4096]) -> (f32[4096], f32[4096]) {\n"
             "  %p0 = f32[4096] parameter(0)\n"
             "  %g = f32[4096] all-reduce(%p0), channel_id=1, replica_groups=[8,2]<=[16], "
             "use_global_device_ids=true, to_apply=%sum\n"
             "  ROOT %t = (f32[4096], f32[4096]) tuple(%p0, %g)\n}\n"
             "ENTRY %e (x: f32[4096]) -> (f32[4096], f32[4096]) {\n"
             "  %x = f32[4096] parameter(0)\n"
             "  ROOT %k = (f32[4096], f32[4096]) fusion(%x), kind=kCustom, calls=%both\n}\n",
        NULL, &t);

    EXPECT_PART(s, "%g:1 f32[4096]", " = all-reduce-start(%x) group=2\n");
    EXPECT_PART(s, "%g f32[4096] at %g:1", " = all-reduce-done(%g:1)\n");
    cr_expect_eq(t.collectives, 1);
    free(s);
}
