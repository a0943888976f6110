/* Identical layers: their label, and a report in which they are one row. */
#include "run/job/layer_group.h"
#include "tests/unit/report/report_sample.h"

static void expect_label(const char *expected, const char *const *names, size_t n)
{
    char *label = layer_group_label(names, n);

    cr_assert_str_eq(label, expected);
    free(label);
}

Test(layer_group, numbers_that_differ_become_stars)
{
    expect_label("l*.attn.qkv.fwd",
                 (const char *[]){ "l0.attn.qkv.fwd", "l1.attn.qkv.fwd", "l11.attn.qkv.fwd" }, 3);
    /* a number that all have stays, also beside a longer one that starts alike */
    expect_label("s2.b*.conv1", (const char *[]){ "s2.b1.conv1", "s2.b10.conv1" }, 2);
    expect_label("bwd_cg_*/cg_*.x", (const char *[]){ "bwd_cg_0/cg_0.x", "bwd_cg_2/cg_2.x" }, 2);
    expect_label("a1.b*", (const char *[]){ "a1.b1", "a1.b2" }, 2);
    expect_label("a*", (const char *[]){ "a1", "a12" }, 2);
    expect_label("a*", (const char *[]){ "a12", "a1" }, 2);
    expect_label("conv3", (const char *[]){ "conv3" }, 1);
    expect_label("", (const char *[]){ "" }, 1);
}

/* 3 ms at 1/8 of the peak and 1 ms without products are 4 ms at 3/32; copy,1 stays alone. */
Test(layer_group, a_group_is_one_row_with_the_advice_of_its_longest_layer)
{
    struct sample s;
    fill_result(&s);
    char *text, *seldom[] = { (char *)"seldom" }, *often[] = { (char *)"often" };
    size_t size;
    FILE *out = open_memstream(&text, &size);
    struct run_row ops[3] = { s.ops[0], s.ops[1] };
    set_row(&ops[2], "fc10", "matmul", "1/1000", CAUSE_HBM, "0");
    ops[1].group = ops[2].group = (char *)"a.rather.long.name.of.fc*";
    ops[1].advice = often;
    ops[2].advice = seldom;
    ops[1].n_advice = ops[2].n_advice = 1;
    mpq_set_ui(ops[1].slots.capacity, 600, 1);
    mpq_set_ui(ops[2].slots.capacity, 400, 1);
    run_slots_add(&s.r.slots, &ops[1].slots);
    run_slots_add(&s.r.slots, &ops[2].slots);
    s.r.ops = ops;
    s.r.n_ops = 3;

    cr_assert(out);
    report_text(&s.r, out);
    fclose(out);
    char *at = strstr(text, "slowest");
    cr_assert(at);
    expect_same(
        at, "slowest 2 of 2, per core           kind    runs    ms/step     %  bound by     TFLOP"
            "    HBM MB mxu %\n"
            "  a.rather.long.name.of.fc* x2     matmul     2      4.000 100.0  mxu     36893488.147"
            "     5.000   9.4\n"
            "  copy,1                           copy       1      1.000  25.0  hbm          0.000"
            "     2.500     -\n"
            "\n"
            "all matrix units, % of their slots waste useful  zeros  pad m  pad n  pad k   load"
            "  drain   wait\n"
            "  step                             100.0    0.0    0.0    0.0    0.0    0.0    0.0"
            "    0.0    0.0\n"
            "  a.rather.long.name.of.fc* x2     100.0    0.0    0.0    0.0    0.0    0.0    0.0"
            "    0.0    0.0\n"
            "    often\n");
    free(text);
    s.ops[1] = ops[1]; /* its numbers grew in the copy */
    clear_row(&ops[2]);
    clear_result(&s);
}

/* The count is never cut: 32 columns hold 29 of the name. */
Test(layer_group, a_long_name_keeps_its_count)
{
    struct sample s;
    fill_result(&s);
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    struct run_row ops[2] = { s.ops[1] };
    set_row(&ops[1], "fc2", "matmul", "1/1000", CAUSE_HBM, "0");
    ops[0].group = ops[1].group = (char *)"encoder.layer*.attention.output.dense.fwd";
    s.r.ops = ops;
    s.r.n_ops = 2;

    cr_assert(out);
    report_text(&s.r, out);
    fclose(out);
    cr_assert(strstr(text, "\n  encoder.layer*.attention.out~ x2 matmul "), "%s", text);
    free(text);
    clear_row(&ops[1]);
    clear_result(&s);
}

static void replay_text(struct run_result *r, const char *text)
{
    struct run_request q = {
        .trace = "t", .text = text, .text_size = strlen(text), .machine = "tpu-v3-1", .steps = 1
    };
    struct err e;

    cr_assert_eq(run_replay(&q, r, &e), 0, "%s", e.msg);
}

Test(layer_group, the_first_row_of_a_step_is_in_a_group_too)
{
    struct run_result r;

    replay_text(&r, "cyclotron-trace 1\ntensor %a0 f32[64,64] input\nstep {\n"
                    "%a1 f32[64,64] = elementwise(%a0)\n%a2 f32[64,64] = elementwise(%a1)\n}\n");
    cr_assert_eq(r.n_ops, 2);
    for (size_t i = 0; i < 2; i++) {
        cr_assert_not_null(r.ops[i].group, "%zu", i);
        cr_expect_str_eq(r.ops[i].group, "a*");
    }
    run_result_free(&r);
}

/* Two products of one size in two scopes: each has the rate and the bound of its product. */
Test(layer_group, sums_of_scopes_have_rates_and_bounds)
{
    struct run_result r;

    replay_text(&r, "cyclotron-trace 1\ntensor %x bf16[4096,4096] input\nstep {\n"
                    "%a bf16[4096,4096] = matmul(%x, %x) scope=\"one/a\"\n"
                    "%b bf16[4096,4096] = matmul(%x, %x) scope=\"two/b\"\n}\n");
    cr_assert_eq(r.n_scopes, 2);
    for (size_t i = 0; i < 2; i++) {
        cr_expect_eq(r.scopes[i].bound_by, CAUSE_MXU);
        cr_expect(mpq_cmp_ui(r.scopes[i].mxu, 1, 2) > 0 && mpq_cmp_ui(r.scopes[i].mxu, 1, 1) <= 0);
    }
    run_result_free(&r);
}

/* Scopes that are alike but for numbers are a group, the first of them too. */
Test(layer_group, scopes_with_numbers_are_a_group)
{
    struct run_result r;

    replay_text(&r, "cyclotron-trace 1\ntensor %x bf16[64,64] input\nstep {\n"
                    "%a bf16[64,64] = elementwise(%x) scope=\"l1/a\"\n"
                    "%b bf16[64,64] = elementwise(%a) scope=\"l2/a\"\n}\n");
    cr_assert_eq(r.n_scopes, 2);
    for (size_t i = 0; i < 2; i++) {
        cr_assert_not_null(r.scopes[i].group, "%s", r.scopes[i].name);
        cr_expect_str_eq(r.scopes[i].group, r.scopes[0].group);
    }
    run_result_free(&r);
}
