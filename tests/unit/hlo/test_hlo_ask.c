/* Questions to a module: parts of attributes, sources, windows, labels, groups. */
#include "tests/hlo/hlo_samples.h"
#include "tests/unit/hlo/hlo_helper.h"

Test(hlo_ask, parts_of_attributes)
{
    struct hlo_module *m = parse_hlo(HLO_SAMPLE_COMPILED);
    const struct hlo_instruction *f = find_hlo(m, "fusion.5");
    struct hlo_text config = hlo_attribute(m, f, "backend_config");

    EXPECT_TEXT(hlo_part(hlo_attribute(m, f, "metadata"), "op_name"), "\"jit(step)/sum\"");
    EXPECT_TEXT(hlo_part(hlo_attribute(m, f, "metadata"), "stack_frame_id"), "1");
    EXPECT_TEXT(hlo_part(config, "estimated_cycles"), "\"1709\"");
    EXPECT_TEXT(hlo_part(hlo_part(config, "window_config"), "output_window_bounds"), "[\"1\"]");
    EXPECT_TEXT(hlo_unquoted(hlo_part(hlo_part(config, "window_config"), "note")), "}{");
    cr_expect_null(hlo_part(config, "note").at);
    cr_expect_null(hlo_part(config, "1709").at);
    config = hlo_attribute(m, find_hlo(m, "while.1"), "backend_config");
    EXPECT_TEXT(hlo_part(hlo_part(config, "known_trip_count"), "n"), "\"16\"");
    cr_expect_null(hlo_part((struct hlo_text){ NULL, 0 }, "x").at);
    cr_expect_null(hlo_part((struct hlo_text){ "x=1", 3 }, "x").at);
    EXPECT_TEXT(hlo_part((struct hlo_text){ "{ x = {a, b} , y:2 z=3}", 23 }, "x"), "{a, b}");
    EXPECT_TEXT(hlo_part((struct hlo_text){ "{ x = {a, b} , y:2 z=3}", 23 }, "y"), "2");
    EXPECT_TEXT(hlo_part((struct hlo_text){ "{ x = {a, b} , y:2 z=3}", 23 }, "z"), "3");
    EXPECT_TEXT(hlo_part((struct hlo_text){ "{7, {8}, z=3}", 13 }, "z"), "3");
    hlo_free(m);
}

Test(hlo_ask, numbers)
{
    int64_t n[3] = { 7, 7, 7 };

    cr_expect_eq(hlo_numbers((struct hlo_text){ "{1,-2}", 6 }, n, 3), 2);
    cr_expect(n[0] == 1 && n[1] == -2 && n[2] == 7);
    cr_expect_eq(hlo_numbers((struct hlo_text){ "3x4x5x6", 7 }, n, 3), 4);
    cr_expect(n[0] == 3 && n[1] == 4 && n[2] == 5);
    cr_expect_eq(hlo_numbers((struct hlo_text){ "[0:10:2]", 8 }, n, 3), 3);
    cr_expect(n[0] == 0 && n[1] == 10 && n[2] == 2);
    cr_expect_eq(hlo_numbers((struct hlo_text){ "{}", 2 }, n, 3), 0);
    cr_expect_eq(hlo_numbers((struct hlo_text){ NULL, 0 }, n, 3), 0);
    cr_expect_eq(hlo_numbers((struct hlo_text){ "99999999999999999999", 20 }, n, 1), 1);
    cr_expect_eq(n[0], INT64_MAX);
    cr_expect_eq(hlo_numbers((struct hlo_text){ "9223372036854775807", 19 }, n, 1), 1);
    cr_expect_eq(n[0], INT64_MAX);
    cr_expect_eq(hlo_numbers((struct hlo_text){ "9223372036854775806", 19 }, n, 1), 1);
    cr_expect_eq(n[0], INT64_MAX - 1);
}

Test(hlo_ask, sources)
{
    struct hlo_module *m = parse_hlo(HLO_SAMPLE_COMPILED), *old = parse_hlo(HLO_SAMPLE_OLD);
    struct hlo_text file;
    uint32_t line;

    cr_assert(hlo_source(m, find_hlo(m, "fusion.5"), &file, &line));
    EXPECT_TEXT(file, "src/net.py");
    cr_expect_eq(line, 59);
    cr_assert(hlo_source(m, find_hlo(m, "reduce.1"), &file, &line));
    EXPECT_TEXT(file, "src/loss \\\"x\\\".py");
    cr_expect_eq(line, 7);
    cr_expect_not(hlo_source(m, find_hlo(m, "while.1"), &file, &line));
    cr_assert(hlo_source(old, find_hlo(old, "r"), &file, &line));
    EXPECT_TEXT(file, "dir/x.py");
    cr_expect_eq(line, 68);
    cr_expect_not(hlo_source(old, find_hlo(old, "m"), &file, &line));
    hlo_free(m);
    hlo_free(old);
}

Test(hlo_ask, windows)
{
    struct hlo_module *m = parse_hlo(HLO_SAMPLE_WINDOWS);
    struct hlo_window w;
    struct err err;

    cr_assert_eq(hlo_window(m, find_hlo(m, "c"), &w, &err), 0, "%s", err.msg);
    cr_assert_eq(w.rank, 2);
    cr_expect(w.dim[0].size == 3 && w.dim[0].stride == 2 && w.dim[0].pad_lo == 0 &&
              w.dim[0].pad_hi == 1 && w.dim[0].rhs_dilate == 1 && w.dim[0].reversed);
    cr_expect(w.dim[1].size == 3 && w.dim[1].stride == 1 && w.dim[1].pad_lo == -1 &&
              w.dim[1].pad_hi == 2 && w.dim[1].rhs_dilate == 2 && !w.dim[1].reversed);
    cr_assert_eq(hlo_window(m, find_hlo(m, "d"), &w, &err), 0);
    cr_expect_eq(w.rank, 0);
    cr_assert_eq(hlo_window(m, find_hlo(m, "rw"), &w, &err), 0);
    cr_assert_eq(w.rank, 4);
    cr_expect(w.dim[2].size == 2 && w.dim[2].stride == 2 && w.dim[2].lhs_dilate == 1 &&
              w.dim[2].rhs_dilate == 1 && w.dim[2].pad_hi == 0);
    hlo_free(m);
}

Test(hlo_ask, labels)
{
    struct hlo_module *m = parse_hlo(HLO_SAMPLE_WINDOWS);
    struct hlo_dim_labels d;
    struct err err;

    cr_assert_eq(hlo_dim_labels(m, find_hlo(m, "c"), &d, &err), 0, "%s", err.msg);
    cr_assert_eq(d.rank, 2);
    cr_expect(d.input_batch == 0 && d.input_feature == 3 && d.input[0] == 1 && d.input[1] == 2);
    cr_expect(d.kernel[0] == 0 && d.kernel[1] == 1 && d.kernel_input == 2 && d.kernel_output == 3);
    cr_expect(d.output_batch == 0 && d.output_feature == 3 && d.output[1] == 2);
    cr_assert_eq(hlo_dim_labels(m, find_hlo(m, "d"), &d, &err), 0);
    cr_expect(d.rank == 0 && d.kernel_input == 0 && d.kernel_output == 1);
    cr_assert_eq(hlo_dim_labels(m, find_hlo(m, "q"), &d, &err), 0); /* ?b01f_0?1io->b01?f */
    cr_expect(d.rank == 2 && d.input_batch == 1 && d.input[1] == 3 && d.kernel[1] == 2 &&
              d.kernel_output == 4 && d.output[1] == 2 && d.output_feature == 4);
    cr_expect_eq(hlo_dim_labels(m, find_hlo(m, "rw"), &d, &err), -1);
    cr_expect_str_eq(err.msg,
                     "t:17:3: reduce-window without dim_labels=\n"
                     "  rw = f32[8,28,28,16]{3,2,1,0} reduce-window(c, z), window={size=1x1x2x1"
                     " stride=1x1x2x1}, to_apply=\n  ^");
    hlo_free(m);
}

static void expect_groups(const struct hlo_module *m, const char *name, uint32_t n, uint32_t size,
                          const uint32_t *member)
{
    struct hlo_groups g;
    struct err err;

    cr_assert_eq(hlo_groups(m, find_hlo(m, name), &g, &err), 0, "%s", err.msg);
    cr_assert(g.n_groups == n && g.size == size, "%s: %u groups of %u", name, g.n_groups, g.size);
    for (uint32_t k = 0; k < n * size; k++)
        cr_expect_eq(g.member[k], member[k], "%s: member %u is %u", name, k, g.member[k]);
    free(g.member);
}

Test(hlo_ask, groups)
{
    struct hlo_module *m = parse_hlo(HLO_SAMPLE_WINDOWS);
    struct hlo_groups g;
    struct err err;

    expect_groups(m, "g0", 0, 0, NULL);
    expect_groups(m, "g1", 2, 2, (const uint32_t[]){ 0, 1, 3, 2 });
    expect_groups(m, "g2", 2, 3, (const uint32_t[]){ 0, 1, 2, 3, HLO_NONE, HLO_NONE });
    expect_groups(m, "g3", 2, 4, (const uint32_t[]){ 0, 1, 2, 3, 4, 5, 6, 7 });
    /* 0..7 as four rows of two; transposed: the columns one after the other */
    expect_groups(m, "g4", 2, 4, (const uint32_t[]){ 0, 2, 4, 6, 1, 3, 5, 7 });
    /* device = 2 a + b; a varies in a group */
    expect_groups(m, "g5", 2, 4, (const uint32_t[]){ 0, 2, 4, 6, 1, 3, 5, 7 });
    /* a = 2 x + y; y and b vary in a group */
    expect_groups(m, "g6", 2, 4, (const uint32_t[]){ 0, 1, 2, 3, 4, 5, 6, 7 });
    /* devices in the order 0 2 4 6 1 3 5 7 on the mesh; a group is a row of four */
    expect_groups(m, "g7", 2, 4, (const uint32_t[]){ 0, 2, 4, 6, 1, 3, 5, 7 });
    expect_groups(m, "g8", 2, 2, (const uint32_t[]){ 3, 1, 2, 0 });
    expect_groups(m, "p", 0, 0, NULL);
    cr_assert_eq(hlo_groups(m, find_hlo(m, "g2"), &g, &err), 0);
    cr_expect(g.uneven);
    free(g.member);
    hlo_free(m);
}

/* `groups` follows replica_groups= in an all-gather; `member` are the n groups of `size` ranks. */
static void expect_groups_of(const char *groups, uint32_t n, uint32_t size, const uint32_t *member)
{
    static char text[512];

    snprintf(text, sizeof text,
             "HloModule m\nENTRY e {\n p = f32[] parameter(0)\n"
             " g = f32[] all-gather(p), replica_groups=%s, dimensions={0}\n}\n",
             groups);
    struct hlo_module *m = parse_hlo(text);
    expect_groups(m, "g", n, size, member);
    hlo_free(m);
}

Test(hlo_ask, more_groups)
{
    /* 3-D grid: 12 devices as 2 x 3 x 2, axes in the order 2 0 1 */
    expect_groups_of("[2,6]<=[2,3,2]T(2,0,1)", 2, 6,
                     (const uint32_t[]){ 0, 2, 4, 6, 8, 10, 1, 3, 5, 7, 9, 11 });
    /* axes listed out of order: the last one varies fastest */
    expect_groups_of("mesh['a'=2,'b'=2] {'b','a'}", 1, 4, (const uint32_t[]){ 0, 2, 1, 3 });
    expect_groups_of("mesh[a=2,b=2]{b}", 2, 2, (const uint32_t[]){ 0, 1, 2, 3 });
    expect_groups_of("mesh[a=2,b=2], device_ids=(0,2,1,3) {b}", 2, 2,
                     (const uint32_t[]){ 0, 2, 1, 3 });
    expect_groups_of("mesh['a'=2,'b'=2] {}", 4, 1, (const uint32_t[]){ 0, 1, 2, 3 });
    /* the outer half of an axis: a = 2 x + y, x varies in a group */
    expect_groups_of("mesh['a'=4] {'a':(1)2}", 2, 2, (const uint32_t[]){ 0, 2, 1, 3 });
    /* a = 4 x + 2 y + z: y varies */
    expect_groups_of("mesh['a'=8] {'a':(2)2}", 4, 2, (const uint32_t[]){ 0, 2, 1, 3, 4, 6, 5, 7 });
    /* x and z vary */
    expect_groups_of("mesh['a'=8] {'a':(1)2,'a':(4)2}", 2, 4,
                     (const uint32_t[]){ 0, 1, 4, 5, 2, 3, 6, 7 });
    expect_groups_of("{{5}}", 1, 1, (const uint32_t[]){ 5 });
}

static void expect_no_groups(const char *groups, const char *why)
{
    static char text[512], expected[512];
    struct hlo_groups g;
    struct err err;

    snprintf(
        text, sizeof text,
        "HloModule m\nENTRY e {\n p = f32[] parameter(0)\n g = f32[] f(p), replica_groups=%s\n}\n",
        groups);
    struct hlo_module *m = parse_hlo(text);
    cr_assert_eq(hlo_groups(m, find_hlo(m, "g"), &g, &err), -1, "%s", groups);
    snprintf(expected, sizeof expected, "t:4:2: replica_groups=%s: %s\n", groups, why);
    cr_expect(strncmp(err.msg, expected, strlen(expected)) == 0, "%s", err.msg);
    cr_expect_null(g.member);
    hlo_free(m);
}

Test(hlo_ask, wrong_groups)
{
    expect_no_groups("{{0,1},{2,x}}", "expected groups such as {{0,1},{2,3}}");
    expect_no_groups("{0,1}", "expected groups such as {{0,1},{2,3}}");
    expect_no_groups("{{},{}}", "groups without members");
    expect_no_groups("5", "expected {..}, [..]<=[..] or mesh[..] {..}");
    expect_no_groups("[2,4]", "expected such as [2,4]<=[8]");
    expect_no_groups("[2,4]<=[9]", "the sizes on both sides of <= have different products");
    expect_no_groups("[2,4]<=[4,2]T(0,0)", "T(..) is not an order of the axes");
    expect_no_groups("[2,4]<=[4,2]T(1)", "T(..) is not an order of the axes");
    expect_no_groups("[2,0]<=[0]", "a size is not a number of [1, 4194304]");
    expect_no_groups("[65536,65536]<=[4294967296]", "more than 4194304 devices");
    expect_no_groups("mesh['a'=4] {'b'}", "an axis that the mesh does not have, or twice");
    expect_no_groups("mesh['a'=4] {'a','a'}", "an axis that the mesh does not have, or twice");
    expect_no_groups("mesh['a'=6] {'a':(1)4}", "an axis that the mesh does not have, or twice");
    expect_no_groups("mesh['a'=4]", "expected '{' before the axes of a group");
    expect_no_groups("mesh['a'=2,]", "expected an axis or device_ids=(..)");
    expect_no_groups("mesh['a'=2,'b'=2, device_ids=(0,1,2)] {'a'}",
                     "device_ids is not as long as the mesh is large");
}
