/* Fusions that the two cores of a device share: collectives of one, kernels of the other.  No
 * backend_config says so: many texts have none. */
#include "tests/unit/import/import_helper.h"

#define HEAD                                                                                       \
    "HloModule m, is_scheduled=true, num_partitions=16\n"                                          \
    "%sum (a: f32[], b: f32[]) -> f32[] {\n"                                                       \
    "  %a.1 = f32[] parameter(0)\n"                                                                \
    "  %b.1 = f32[] parameter(1)\n"                                                                \
    "  ROOT %s = f32[] add(%a.1, %b.1)\n}\n"
#define GROUPS ", channel_id=1, replica_groups=[8,2]<=[16], use_global_device_ids=true"
#define FAR ", channel_id=2, replica_groups=[2,8]<=[8,2]T(1,0), use_global_device_ids=true"
/* 1024 x 128 over two devices to 512 x 128 */
#define SCATTER                                                                                    \
    "%scatter (q: f32[1024,128]) -> f32[512,128] {\n"                                              \
    "  %q = f32[1024,128] parameter(0)\n"                                                          \
    "  %r = f32[1024,128] all-reduce(%q)" GROUPS ", to_apply=%sum\n"                               \
    "  %zero = s32[] constant(0)\n"                                                                \
    "  ROOT %part = f32[512,128] dynamic-slice(%r, %zero, %zero), "                                \
    "dynamic_slice_sizes={512,128}\n}\n"
/* 64 x 32 by 32 x 128: 524288 FLOP */
#define PRODUCT(name, l, r)                                                                        \
    "  %" name " = f32[64,128] convolution(" l ", " r "), dim_labels=bf_io->bf\n"
#define ENTRY                                                                                      \
    "ENTRY %e (x: f32[1024,128], l: f32[64,32], r: f32[32,128]) -> (f32[512,128], f32[64,128]) "   \
    "{\n"                                                                                          \
    "  %x = f32[1024,128] parameter(0)\n"                                                          \
    "  %l = f32[64,32] parameter(1)\n"                                                             \
    "  %r.1 = f32[32,128] parameter(2)\n"                                                          \
    "  %both = (f32[512,128], f32[64,128]) fusion(%x, %l, %r.1), kind=kCustom, calls=%shared\n"    \
    "  %both0 = f32[512,128] get-tuple-element(%both), index=0\n"                                  \
    "  %both1 = f32[64,128] get-tuple-element(%both), index=1\n"                                   \
    "  %y = f32[64,128] negate(%both1)\n"                                                          \
    "  ROOT %t = (f32[512,128], f32[64,128]) tuple(%both0, %y)\n}\n"
#define PARAMETERS                                                                                 \
    "%shared (p0: f32[1024,128], p1: f32[64,32], p2: f32[32,128]) -> "                             \
    "(f32[512,128], f32[64,128]) {\n"                                                              \
    "  %p0 = f32[1024,128] parameter(0)\n"                                                         \
    "  %p1 = f32[64,32] parameter(1)\n"                                                            \
    "  %p2 = f32[32,128] parameter(2)\n"
#define RETURN "  ROOT %root = (f32[512,128], f32[64,128]) tuple(%f, %k)\n}\n"
#define FUSED "  %f = f32[512,128] fusion(%p0), kind=kCustom, calls=%scatter\n"

static void expect_before(const char *text, const char *first, const char *second)
{
    cr_expect_lt(find_line(text, first), find_line(text, second), "%s, then %s:\n%s", first, second,
                 text);
}

static void expect_shared(const char *s, const struct import_totals *t)
{
    EXPECT_PART(s, "%f:1 f32[512,128]", " = reduce-scatter-start(%x) group=2\n");
    EXPECT_PART(s, "%f f32[512,128] at %f:1 = reduce-scatter-done(%f:1)", "-done");
    EXPECT_PART(s, "%k f32[64,128]", " = kernel(%l, %r.1) form=product ");
    EXPECT_PART(s, "%k f32[64,128]", " split=none "); /* the other core is busy */
    EXPECT_PART(s, "%y f32[64,128]", " = kernel(%k) ");
    expect_before(s, "%f:1 ", "%k ");
    expect_before(s, "%k ", "%f f32");
    cr_expect_eq(t->collectives, 1);
    cr_expect_eq(t->unmodelled_instructions, 0);
    /* the product, a negation of its result, a sum of 1024 x 128 */
    cr_expect_eq(t->flops, 524288 + 8192 + 131072);
}

Test(import_cores, one_core_scatters_sums_while_the_other_multiplies)
{
    struct import_totals t;
    char *s = import_text(HEAD SCATTER PARAMETERS FUSED PRODUCT("k", "%p1", "%p2") RETURN ENTRY,
                          NULL, &t);

    expect_shared(s, &t);
    free(s);
}

Test(import_cores, a_collective_starts_before_kernels_that_stand_before_it)
{
    struct import_totals t;
    char *s = import_text(HEAD SCATTER PARAMETERS PRODUCT("k", "%p1", "%p2") FUSED RETURN ENTRY,
                          NULL, &t);

    expect_shared(s, &t);
    free(s);
}

Test(import_cores, what_a_collective_sends_is_made_before_it_starts)
{
    char *s = import_text(
        HEAD PARAMETERS PRODUCT("k", "%p1", "%p2") "  %n = f32[1024,128] negate(%p0)\n"
                                                   "  %f = f32[512,128] reduce-scatter(%n)" GROUPS
                                                   ", dimensions={0}, to_apply=%sum\n" RETURN ENTRY,
        NULL, NULL);

    EXPECT_PART(s, "%f:1 f32[512,128]", " = reduce-scatter-start(%n) group=2\n");
    expect_before(s, "%n ", "%f:1 ");
    expect_before(s, "%f:1 ", "%k ");
    free(s);
}

/* Each has groups of its own. */
Test(import_cores, two_collectives_of_one_fusion_are_two)
{
    struct import_totals t;
    char *s = import_text(
        HEAD "%shared (p0: f32[64,32], p1: f32[32,128]) -> (f32[128,32], f32[32,1024]) {\n"
             "  %p0 = f32[64,32] parameter(0)\n"
             "  %p1 = f32[32,128] parameter(1)\n"
             "  %g = f32[128,32] all-gather(%p0)" GROUPS ", dimensions={0}\n"
             "  %h = f32[32,1024] all-gather(%p1)" FAR ", dimensions={1}\n"
             "  ROOT %root = (f32[128,32], f32[32,1024]) tuple(%g, %h)\n}\n"
             "ENTRY %e (l: f32[64,32], r: f32[32,128]) -> (f32[128,32], f32[32,1024]) {\n"
             "  %l = f32[64,32] parameter(0)\n"
             "  %r.1 = f32[32,128] parameter(1)\n"
             "  ROOT %both = (f32[128,32], f32[32,1024]) fusion(%l, %r.1), kind=kCustom, "
             "calls=%shared\n}\n",
        NULL, &t);

    EXPECT_PART(s, "%g:1 f32[128,32]", " = all-gather-start(%l) group=2\n");
    EXPECT_PART(s, "%h:1 f32[32,1024]", " = all-gather-start(%r.1) group=8 group-stride=2\n");
    cr_expect_eq(t.collectives, 2);
    free(s);
}

/* Both slices read what the one collective brings: it is a reduce-scatter of two arrays. */
Test(import_cores, parts_of_one_collective_are_one)
{
    struct import_totals t;
    char *s =
        import_text(HEAD "%shared (p0: f32[64], p1: f32[32]) -> (f32[32], f32[16]) {\n"
                         "  %p0 = f32[64] parameter(0)\n"
                         "  %p1 = f32[32] parameter(1)\n"
                         "  %g = (f32[64], f32[32]) all-reduce(%p0, %p1)" GROUPS ", to_apply=%sum\n"
                         "  %g0 = f32[64] get-tuple-element(%g), index=0\n"
                         "  %g1 = f32[32] get-tuple-element(%g), index=1\n"
                         "  %zero = s32[] constant(0)\n"
                         "  %h0 = f32[32] dynamic-slice(%g0, %zero), dynamic_slice_sizes={32}\n"
                         "  %h1 = f32[16] dynamic-slice(%g1, %zero), dynamic_slice_sizes={16}\n"
                         "  ROOT %root = (f32[32], f32[16]) tuple(%h0, %h1)\n}\n"
                         "ENTRY %e (l: f32[64], r: f32[32]) -> (f32[32], f32[16]) {\n"
                         "  %l = f32[64] parameter(0)\n"
                         "  %r.1 = f32[32] parameter(1)\n"
                         "  ROOT %both = (f32[32], f32[16]) fusion(%l, %r.1), kind=kCustom, "
                         "calls=%shared\n}\n",
                    NULL, &t);

    EXPECT_PART(s, "%both:0 f32[32], %both:1 f32[16] = reduce-scatter(%l, %r.1)", " group=2\n");
    cr_expect_eq(t.collectives, 1);
    free(s);
}

/* Names of the second run differ from those of the first. */
Test(import_cores, a_body_may_run_twice)
{
    struct import_totals t;
    char *s = import_text(
        HEAD SCATTER PARAMETERS FUSED PRODUCT("k", "%p1", "%p2") RETURN
        "ENTRY %e (x: f32[1024,128], l: f32[64,32], r: f32[32,128]) -> ((f32[512,128], "
        "f32[64,128]), (f32[512,128], f32[64,128])) {\n"
        "  %x = f32[1024,128] parameter(0)\n"
        "  %l = f32[64,32] parameter(1)\n"
        "  %r.1 = f32[32,128] parameter(2)\n"
        "  %one = (f32[512,128], f32[64,128]) fusion(%x, %l, %r.1), kind=kCustom, calls=%shared\n"
        "  %two = (f32[512,128], f32[64,128]) fusion(%x, %l, %r.1), kind=kCustom, calls=%shared\n"
        "  ROOT %t = ((f32[512,128], f32[64,128]), (f32[512,128], f32[64,128])) tuple(%one, %two)"
        "\n}\n",
        NULL, &t);

    cr_expect_eq(t.collectives, 2);
    cr_expect_eq(t.kernels, 2);
    free(s);
}

/* One argument is gathered in the fusion and multiplied behind it, one is multiplied in it. */
Test(import_cores, arguments_are_known_inside_and_behind_it)
{
    char *s = import_text(
        "HloModule m, is_scheduled=true, num_partitions=16, input_output_alias={ {0}: (0, {}, "
        "may-alias), {1}: (1, {}, may-alias) }\n"
        "%shared (p0: f32[16,128], p1: f32[64,32], p2: f32[32,64]) -> (f32[32,128], f32[64,64]) {\n"
        "  %p0 = f32[16,128] parameter(0)\n"
        "  %p1 = f32[64,32] parameter(1)\n"
        "  %p2 = f32[32,64] parameter(2)\n"
        "  %g = f32[32,128] all-gather(%p0)" GROUPS ", dimensions={0}\n"
        "  %k = f32[64,64] convolution(%p1, %p2), dim_labels=bf_io->bf\n"
        "  ROOT %root = (f32[32,128], f32[64,64]) tuple(%g, %k)\n}\n"
        "ENTRY %e (u: f32[16,128], v: f32[32,64], x: f32[64,32]) -> (f32[16,128], f32[32,64], "
        "f32[64,128], f32[64,64]) {\n"
        "  %u = f32[16,128] parameter(0)\n"
        "  %v = f32[32,64] parameter(1)\n"
        "  %x = f32[64,32] parameter(2)\n"
        "  %both = (f32[32,128], f32[64,64]) fusion(%u, %x, %v), kind=kCustom, calls=%shared\n"
        "  %both0 = f32[32,128] get-tuple-element(%both), index=0\n"
        "  %both1 = f32[64,64] get-tuple-element(%both), index=1\n"
        "  %y = f32[64,128] convolution(%x, %both0), dim_labels=bf_io->bf\n"
        "  ROOT %t = (f32[16,128], f32[32,64], f32[64,128], f32[64,64]) tuple(%u, %v, %y, %both1)"
        "\n}\n",
        NULL, NULL);

    cr_expect_not_null(strstr(s, "tensor %u f32[16,128] weight\n"), "%s", s);
    cr_expect_not_null(strstr(s, "tensor %v f32[32,64] weight\n"), "%s", s);
    free(s);
}

/* A list of operands and results that may share buffers: the second result takes the place of the
 * second operand, not of the first. */
Test(import_cores, each_result_of_a_collective_takes_the_place_of_its_own_operand)
{
    char *s = import_text(
        "HloModule m, is_scheduled=true, num_partitions=4\n"
        "%max (x: f32[], y: f32[]) -> f32[] {\n"
        "  %x = f32[] parameter(0)\n"
        "  %y = f32[] parameter(1)\n"
        "  ROOT %r = f32[] maximum(%x, %y)\n"
        "}\n"
        "ENTRY %e (p: f32[8,128], q: f32[16,128]) -> (f32[8,128], f32[16,128]) {\n"
        "  %p = f32[8,128]{1,0:T(8,128)} parameter(0)\n"
        "  %q = f32[16,128]{1,0:T(8,128)} parameter(1)\n"
        "  %a = f32[8,128]{1,0:T(8,128)} negate(%p)\n"
        "  %b = f32[16,128]{1,0:T(8,128)} negate(%q)\n"
        "  ROOT %two = (f32[8,128]{1,0:T(8,128)}, f32[16,128]{1,0:T(8,128)}) all-reduce(%a, %b), "
        "channel_id=4, replica_groups={{0,1,2,3}}, use_global_device_ids=true, to_apply=%max, "
        "backend_config={\"aliasing_operands\":{\"lists\":[{\"indices\":[\"0\",\"1\",\"2\",\"3\"]}]"
        "}}\n"
        "}\n",
        NULL, NULL);

    EXPECT_PART(s, "%two:0 ", " at %a, %two:1 ");
    EXPECT_PART(s, "%two:0 ", " at %b = all-reduce(%a, %b)");
    free(s);
}
