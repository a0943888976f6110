/* Axes, samples and plans: which points a sweep has. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "sweep/base_value.h"
#include "sweep/plan_name.h"

static struct err err;

/* --- axes ------------------------------------------------------------------------------------ */

static void expect_values(const char *text, const char *expected)
{
    struct axis a;
    char all[1024] = "";

    cr_assert_eq(axis_parse(&a, text, NULL, &err), 0, "%s: %s", text, err.msg);
    for (size_t i = 0; i < a.n; i++)
        strcat(strcat(all, i ? "|" : ""), a.value[i]);
    cr_assert_str_eq(all, expected);
    axis_free(&a);
}

Test(axis, lists_and_ranges_hold_both_ends)
{
    expect_values("mxu.count=1,2,4", "1|2|4");
    expect_values(" mxu.count = 1 , 2 ", "1|2");
    expect_values("mxu.count=1:4:1", "1|2|3|4");
    expect_values("mxu.count=1:8:*2", "1|2|4|8");
    expect_values("mxu.count=1:4:2", "1|3");
    expect_values("mxu.count=1:3:1,2,8", "1|2|3|8"); /* the second 2 is left out */
    expect_values("mxu.count=1:9:lin3", "1|5|9");
    expect_values("mxu.issue=0.5:1:0.25", "0.5|0.75|1");
    expect_values("xla.layout=logical,compact", "logical|compact");
    expect_values("machine=tpu-v2-8,tpu-v3-8", "tpu-v2-8|tpu-v3-8");
}

Test(axis, the_last_unit_is_that_of_all)
{
    expect_values("hbm.bandwidth=300:900:300 GB/s", "300 GB/s|600 GB/s|900 GB/s");
    expect_values("hbm.bandwidth=300GB/s,0.6 TB/s", "300 GB/s|600 GB/s");
    expect_values("hbm.bandwidth=300,600 GB/s", "300 GB/s|600 GB/s");
    expect_values("vmem.capacity=4:16:*2 MiB", "4 MiB|8 MiB|16 MiB");
    expect_values("core.clock=500 MHz", "500 MHz");
}

Test(axis, logarithmic_ranges_are_even_in_the_ratio)
{
    expect_values("ici.bandwidth=1:1000:log4 GB/s", "1 GB/s|10 GB/s|100 GB/s|1 TB/s");
    /* 10 * 10^(1/2) = 31.6227766... to six digits */
    expect_values("ici.bandwidth=10:100:log3 GB/s", "10 GB/s|31.6228 GB/s|100 GB/s");
    expect_values("mxu.count=1:16:log9",
                  "1|2|3|4|6|8|11|16"); /* 1.41 and 1.99... are both of 1, 2 */
}

static void expect_refusal(const char *text, enum err_code code, const char *message)
{
    struct axis a;

    cr_assert_eq(axis_parse(&a, text, NULL, &err), -1, "%s", text);
    cr_assert_str_eq(err.msg, message);
    cr_assert_eq(err.code, code);
    axis_free(&a);
}

Test(axis, errors_name_the_axis_and_the_value)
{
    expect_refusal("mxu.count", ERR_FORMAT, "expected NAME=VALUES, such as mxu.count=1,2,4");
    expect_refusal("mxu.cout=1", ERR_UNKNOWN,
                   "unknown parameter 'mxu.cout'; did you mean 'mxu.count'?");
    expect_refusal("mxu.count=1,x", ERR_FORMAT, "mxu.count: 'x': not a number");
    expect_refusal("mxu.count=1,,2", ERR_FORMAT, "mxu.count: a value is missing");
    expect_refusal("mxu.count=4:1:1", ERR_RANGE, "mxu.count: 4:1: the range is empty");
    expect_refusal("mxu.count=1:4:0", ERR_RANGE, "mxu.count: 0: expected a step above 0");
    expect_refusal("mxu.count=1:4:*1", ERR_RANGE,
                   "mxu.count: *1: expected a factor above 1, and a range above 0");
    expect_refusal("mxu.count=0:16:log", ERR_RANGE,
                   "mxu.count: a range in the logarithm begins above 0");
    expect_refusal("mxu.count=1:1000000:1", ERR_RANGE, "mxu.count: more than 10000 values");
    expect_refusal("core.clock=500", ERR_UNIT,
                   "core.clock: 500: expected a value with unit Hz, such as \"700 MHz\"");
    expect_refusal("xla.layout=logical,compakt", ERR_FORMAT,
                   "xla.layout: xla.layout = compakt: expected one of logical, compact; nearest is "
                   "\"compact\"");
    expect_refusal("gen.batch=1", ERR_UNKNOWN,
                   "gen.batch: the trace is a file; gen:WORKLOAD in its place has parameters");
    expect_refusal("core.clock=1:2 MHz,3 MHz", ERR_FORMAT,
                   "core.clock: a range for samples stands alone");
}

Test(axis, a_value_outside_the_range_of_the_parameter_is_left_to_the_point)
{
    expect_values("mxu.count=1,99", "1|99");
}

Test(axis, places_on_an_axis_are_its_values)
{
    struct axis a;
    char text[KEY_TEXT];

    cr_assert_eq(axis_parse(&a, "core.clock=500:1000 MHz", NULL, &err), 0);
    axis_at(&a, 0, text, sizeof text);
    cr_assert_str_eq(text, "500 MHz");
    axis_at(&a, UINT32_C(1) << 30, text, sizeof text);
    cr_assert_str_eq(text, "625 MHz");
    axis_free(&a);
    cr_assert_eq(axis_parse(&a, "core.clock=100:10000:log MHz", NULL, &err), 0, "%s", err.msg);
    axis_at(&a, UINT32_C(1) << 31, text, sizeof text);
    cr_assert_str_eq(text, "1 GHz"); /* sqrt(100 * 10000) */
    axis_free(&a);
    cr_assert_eq(axis_parse(&a, "mxu.count=1,2,4", NULL, &err), 0);
    axis_at(&a, UINT32_MAX, text, sizeof text);
    cr_assert_str_eq(text, "4");
    axis_at(&a, UINT32_C(1) << 31, text, sizeof text);
    cr_assert_str_eq(text, "2");
    axis_free(&a);
}

/* --- plans ----------------------------------------------------------------------------------- */

#define PLAN "[sweep]\ntrace = gen:3dgan\nmachine = tpu-v3-8\n"

/* The points of a plan as "1 64; 2 128". */
static void expect_points(const char *text, const char *expected)
{
    struct plan p;
    char all[2048] = "";

    plan_init(&p);
    cr_assert_eq(plan_read_text(&p, "plan", text, &err), 0, "%s", err.msg);
    cr_assert_eq(plan_finish(&p, &err), 0, "%s", err.msg);
    for (size_t i = 0; i < p.n_points; i++)
        for (size_t a = 0; a < p.n_axes; a++)
            strcat(strcat(all, a ? " " : i ? "; " : ""), p.point[i][a]);
    cr_assert_str_eq(all, expected);
    plan_free(&p);
}

Test(plan, a_grid_has_all_combinations_the_last_axis_fastest)
{
    expect_points(PLAN "[axis]\nmxu.count = 1,2\nmxu.size = 64,128\n", "1 64; 1 128; 2 64; 2 128");
    expect_points(PLAN "# nothing varies\n", "");
}

static void expect_name(const char *text, const char *expected)
{
    struct plan p;

    plan_init(&p);
    cr_assert_eq(plan_read_text(&p, "plan", text, &err), 0, "%s", err.msg);
    char *name = plan_name(&p);
    cr_assert_str_eq(name, expected);
    free(name);
    plan_free(&p);
}

Test(plan, its_name_is_made_of_its_words)
{
    expect_name("[sweep]\ntrace = a/3dgan.trace.zst\nmachine = tpu-v3-8\n[axis]\nmxu.count = 1,2\n"
                "hbm.bandwidth = 600,900 GB/s\n",
                "3dgan_tpu-v3-8_mxu.count_hbm.bandwidth");
    expect_name(
        "[sweep]\ntrace = gen:fc batch=64 item=yes\nmachine = my/own.ini\nmachine = tpu-v3-1\n"
        "set = hbm.bandwidth=1 TB/s\nsteps = 2\nsample = lhs:9\nseed = 4\n[axis]\n",
        "fc_batch=64_item=yes_own.ini_tpu-v3-1_hbm.bandwidth=1_TB_s_lhs9-seed4_steps2");
    expect_name("[sweep]\ntrace = t\nmachine = a\nmachine = b\nmachine = c\nmachine = d\n[axis]\n",
                "t_4-machines");
    expect_name("[sweep]\ntrace = t\nmachine = a\nallow = steps=7\nallow = text=5\n[axis]\n",
                "t_a_allow-steps=7_allow-text=5");
    /* 120 characters, the last 8 a checksum */
    struct plan p;
    plan_init(&p);
    for (int i = 0; i < 20; i++)
        cr_assert_eq(plan_add(&p, "set", "hbm.bandwidth=1 TB/s", &err), 0);
    char *name = plan_name(&p);
    cr_assert_eq(strlen(name), 120);
    cr_assert_eq(name[111], '_');
    free(name);
    plan_free(&p);
}

static void expect_baseline(const char *text, bool there, size_t point)
{
    struct plan p;
    size_t at;

    plan_init(&p);
    cr_assert_eq(plan_read_text(&p, "plan", text, &err), 0, "%s", err.msg);
    cr_assert_eq(plan_finish(&p, &err), 0, "%s", err.msg);
    cr_assert_eq(base_value_point(&p, &at), there);
    if (there)
        cr_assert_eq(at, point);
    plan_free(&p);
}

Test(plan, the_baseline_is_the_point_without_a_change)
{
    /* tpu-v3-8 has two arrays of 128 and 900 GB/s */
    expect_baseline(PLAN "[axis]\nmxu.count = 1,2\nmxu.size = 64,128\n", true, 3);
    expect_baseline(PLAN "[axis]\nhbm.bandwidth = 0.6,0.9 TB/s\n", true, 1);
    expect_baseline(PLAN "[axis]\nmxu.count = 1,4\n", false, 0);
    expect_baseline(
        "[sweep]\ntrace = gen:3dgan batch=64\nmachine = tpu-v3-8\nmachine = tpu-v2-8\n"
        "set = mxu.count=1\n[axis]\ngen.batch = 32,64\nshard.data = 8,1\nmxu.count = 2,1\n",
        true, 7);
}

Test(plan, zipped_axes_go_along)
{
    expect_points(PLAN "zip = mxu.size, mxu.count\n[axis]\nmxu.count = 1,2\nmxu.size = 64,128\n",
                  "1 64; 2 128");
    expect_points(
        PLAN "zip = mxu.count, gen.batch\n[axis]\nmxu.count = 1,2\nmxu.size = 64,128\ngen.batch "
             "= 8,16\n",
        "1 64 8; 1 128 8; 2 64 16; 2 128 16");
}

Test(plan, conditions_rule_out)
{
    expect_points(
        PLAN "where = mxu.count * mxu.size <= 128\n[axis]\nmxu.count = 1,2\nmxu.size = 64,128\n",
        "1 64; 1 128; 2 64");
    /* of what the axes leave alone the machine's own value counts: 900 GB/s, 128 images */
    expect_points(PLAN "where = hbm.bandwidth / mxu.count >= 900 GB/s && gen.batch == "
                       "128\n[axis]\nmxu.count = 1,2\n",
                  "1");
    expect_points(PLAN "machine = tpu-v2-8\nwhere = machine != 'tpu-v3-8' || mxu.count == "
                       "1\n[axis]\nmxu.count = 1,2\n",
                  "tpu-v3-8 1; tpu-v2-8 1; tpu-v2-8 2");
}

Test(plan, all_of_several_conditions_hold)
{
    expect_points(
        PLAN "where = mxu.count < 4\nwhere = mxu.count > 1\n[axis]\nmxu.count = 1,2,3,4\n", "2; 3");
}

Test(plan, settings_of_all_points_count_in_conditions)
{
    expect_points(
        PLAN "set = mxu.size=64\nwhere = mxu.count * mxu.size <= 64\n[axis]\nmxu.count = 1,2\n",
        "1");
}

Test(plan, samples_of_lists_take_each_value_equally_often)
{
    struct plan p;
    unsigned twos = 0;

    plan_init(&p);
    cr_assert_eq(plan_read_text(&p, "plan",
                                PLAN "sample = lhs:10\nseed = 3\n[axis]\nmxu.count = 1,2\n"
                                     "core.clock = 500:1000 MHz\n",
                                &err),
                 0);
    cr_assert_eq(plan_finish(&p, &err), 0, "%s", err.msg);
    cr_assert_eq(p.n_points, 10);
    for (size_t i = 0; i < 10; i++)
        twos += strcmp(p.point[i][0], "2") == 0;
    cr_assert_eq(twos, 5);
    plan_free(&p);
}

/* Eight values of each axis in eight points: each once, and those of the zipped axis beside it. */
Test(plan, samples_cut_every_axis_evenly_and_zipped_ones_alike)
{
    struct plan p;
    unsigned seen[2] = { 0 };

    plan_init(&p);
    cr_assert_eq(
        plan_read_text(&p, "plan",
                       PLAN "sample = lhs:8\nseed = 3\nzip = mxu.count,ici.bandwidth\n[axis]\n"
                            "mxu.count = 1:8:1\nmxu.size = 8:64:8\nici.bandwidth = 1:8:1 GB/s\n",
                       &err),
        0, "%s", err.msg);
    cr_assert_eq(plan_finish(&p, &err), 0, "%s", err.msg);
    cr_assert_eq(p.n_points, 8);
    for (size_t i = 0; i < 8; i++) {
        seen[0] |= 1U << atoi(p.point[i][0]);
        seen[1] |= 1U << atoi(p.point[i][1]) / 8;
        cr_expect_eq(atoi(p.point[i][0]), atoi(p.point[i][2]));
    }
    cr_expect_eq(seen[0], 0x1fe);
    cr_expect_eq(seen[1], 0x1fe);
    plan_free(&p);
}

/* The first points of the sequence lie at 0, 1/2, 3/4 and 1/4 of the range. */
Test(plan, samples_of_a_range_are_places_on_it)
{
    expect_points(PLAN "sample = sobol:4\nseed = 0\n[axis]\ncore.clock = 500:1000 MHz\n",
                  "500 MHz; 750 MHz; 875 MHz; 625 MHz");
}

/* There are direction numbers for 21 axes; a zipped axis needs none. */
Test(plan, sobol_has_21_axes)
{
    static const char *const name[] = {
        "mxu.count",     "mxu.size",         "mxu.rows_per_cycle", "mxu.weight_rows_per_cycle",
        "mxu.issue",     "vpu.lanes",        "vpu.sublanes",       "vpu.alus",
        "vpu.add_slots", "vpu.select_slots", "vpu.cast_slots",     "vpu.divide_slots",
        "vpu.exp_slots", "vpu.sine_slots",   "vpu.sublanes_slots", "slice.mesh_x",
        "slice.mesh_y",  "slice.mesh_z",     "bundle.scalar",      "bundle.load",
        "bundle.store",  "bundle.push",
    };

    for (size_t n = 21; n <= 22; n++) {
        struct plan p;
        plan_init(&p);
        cr_assert_eq(plan_read_text(&p, "plan", PLAN "sample = sobol:2\n", &err), 0, "%s", err.msg);
        for (size_t i = 0; i < n; i++) {
            char axis[64];
            snprintf(axis, sizeof axis, "%s=1,2", name[i]);
            cr_assert_eq(plan_add(&p, "axis", axis, &err), 0, "%s", err.msg);
        }
        cr_expect_eq(plan_finish(&p, &err), n == 21 ? 0 : -1, "%s", err.msg);
        plan_free(&p);
    }
    cr_expect_str_eq(err.msg, "sobol: 22 axes; it has numbers for 21: take lhs");
}

Test(plan, its_text_makes_the_same_plan)
{
    struct plan p, again;
    static const char text[] =
        "[sweep]\ntrace = gen:3dgan batch=8\nmachine = tpu-v3-8\nset = mxu.issue=0.9\n"
        "where = mxu.count < 3\nzip = mxu.count,mxu.size\nsample = sobol:4\nseed = 5\n"
        "steps = 2\nallow = operations=1000000\nallow = grid-steps=9223372036854775807\n"
        "\n[axis]\nmxu.count = 1,2,4\nmxu.size = 64:128:32\n";

    plan_init(&p);
    cr_assert_eq(plan_read_text(&p, "plan", text, &err), 0, "%s", err.msg);
    char *printed = plan_text(&p);
    cr_assert_str_eq(printed, text);
    cr_expect_eq(p.allow.trace.operations, 1000000);
    cr_expect_eq(p.allow.grid_steps, UINT64_C(9223372036854775807));
    cr_expect_eq(p.allow.trace.steps, 0); /* the usual limit */
    plan_init(&again);
    cr_assert_eq(plan_read_text(&again, "plan", printed, &err), 0);
    cr_assert_eq(plan_checksum(&p), plan_checksum(&again));
    free(printed);
    plan_free(&p);
    plan_free(&again);
}

/* Nothing is made up of a word that will be refused. */
Test(plan, the_text_of_an_axis_without_values_has_none)
{
    struct plan p;

    plan_init(&p);
    cr_assert_eq(plan_read_text(&p, "plan", "[sweep]\ntrace = t\nmachine = m\n", &err), 0);
    cr_assert_eq(plan_add(&p, "axis", "mxu.count", &err), 0);
    char *text = plan_text(&p);
    cr_expect(strstr(text, "[axis]\nmxu.count = \n") != NULL, "%s", text);
    free(text);
    cr_expect_eq(plan_axes(&p, &err), -1);
    plan_free(&p);
}

static void refuse_plan(const char *text, const char *message)
{
    struct plan p;

    plan_init(&p);
    int rc = plan_read_text(&p, "plan", text, &err);
    if (rc == 0)
        rc = plan_finish(&p, &err);
    cr_assert_eq(rc, -1, "%s", text);
    cr_assert_str_eq(err.msg, message);
    plan_free(&p);
}

Test(plan, errors_say_what_is_wrong)
{
    refuse_plan("[sweep]\nmachin = x\n",
                "plan:2: unknown word 'machin' of a plan; did you mean 'machine'?");
    refuse_plan("trace = x\n", "plan:1: 'trace = x' stands before [sweep] and [axis]");
    refuse_plan("[sweep]\nseed = -1\n",
                "plan:2: seed: '-1': expected a count from 0 to 18446744073709551615");
    refuse_plan("[sweep]\nseed = 1\nsteps = 2\nseed = 3\n", "plan:4: seed is given twice: 1 and 3");
    refuse_plan("[sweep]\nexact = yes\nexact = yes\nexact = no\n",
                "plan:4: exact is given twice: yes and no");
    refuse_plan("[sweep]\nallow = steps=2\nallow = steps=3\n",
                "plan:3: allow: steps is given twice: 2 and 3");
    refuse_plan(PLAN "set = mxu.count = 1\nset = mxu.size=128\nset = mxu.count=2\n",
                "mxu.count is given twice: 1 and 2");
    refuse_plan(PLAN "set = proxy.board=1\nset = proxy.board=2\n",
                "proxy.board is given twice: 1 and 2");
    refuse_plan("[sweep]\ntrace = gen:fc batch=8 batch=16\nmachine = tpu-v3-8\n",
                "gen:fc batch=8 batch=16: batch is given twice: 8 and 16");
    refuse_plan(
        "[sweep]\nallow = stepz=1\n",
        "plan:2: allow: stepz=1: expected steps=N, operations=N, operands=N, lines=N, names=N, "
        "text=N (bytes) or grid-steps=N");
    refuse_plan(
        "[sweep]\nallow = steps\n",
        "plan:2: allow: steps: expected steps=N, operations=N, operands=N, lines=N, names=N, "
        "text=N (bytes) or grid-steps=N");
    refuse_plan("[sweep]\nallow = text=0\n",
                "plan:2: allow: text=0: expected a count from 1 to 2^63 - 1");
    refuse_plan("[swoop]\n", "plan:1: '[swoop]': a plan has [sweep] and [axis]");
    refuse_plan("[sweep]\nsample = random:3\n",
                "plan:2: sample: 'random:3': expected lhs:N or sobol:N, such as lhs:100");
    refuse_plan("[sweep]\nmachine = tpu-v3-8\n", "no trace given: a file, or gen:3dgan");
    refuse_plan("[sweep]\ntrace = gen:3dgam\nmachine = tpu-v3-8\n",
                "gen:3dgam: unknown workload; did you mean '3dgan'?");
    refuse_plan("[sweep]\ntrace = gen:3dgan\nmachine = tpu-v3-9\n",
                "unknown machine 'tpu-v3-9': no slice of tpu-v3 has 9 TensorCores; the nearest are "
                "tpu-v3-8 and tpu-v3-32");
    refuse_plan(
        PLAN "[axis]\nmxu.count = 1:2\n",
        "axis mxu.count: a range without steps needs --sample; write LOW:HIGH:STEP for a grid");
    refuse_plan(PLAN "[axis]\nmxu.count = 1\nmxu.count = 2\n", "axis mxu.count is given twice");
    refuse_plan(PLAN "zip = mxu.count,mxu.size\n[axis]\nmxu.count = 1,2\nmxu.size = 64\n",
                "zip: mxu.count has 2 values, mxu.size has 1");
    refuse_plan(PLAN "zip = mxu.count,mxu.size\n[axis]\nmxu.count = 1,2\n",
                "zip: no axis mxu.size");
    refuse_plan(PLAN "where = mxu.count > 9\n[axis]\nmxu.count = 1,2\n",
                "no point is left: all 2 are ruled out by --where");
    refuse_plan(PLAN "where = mxu.cout > 9\n",
                "where: column 1: unknown name 'mxu.cout'; did you mean "
                "'mxu.count'?");
}

/* printed and read again they would be other names */
Test(plan, names_have_no_blanks_around_them)
{
    struct plan p;

    plan_init(&p);
    cr_expect_eq(plan_add(&p, "trace", " lead.trace", &err), -1);
    cr_expect_str_eq(err.msg, "trace: ' lead.trace': a name that begins or ends with a blank");
    cr_expect_eq(plan_add(&p, "machine", "own.ini ", &err), -1);
    cr_expect_eq(plan_add(&p, "trace", "a b.trace", &err), 0, "%s", err.msg);
    plan_free(&p);
}

/* printed, an axis is a line of its own: these would be a section and comments */
Test(plan, an_axis_is_no_section_and_no_comment)
{
    refuse_plan("[sweep]\naxis = [axis]=1\n",
                "plan:2: axis: '[axis]=1': expected NAME=VALUES, such as mxu.count=1,2,4");
    refuse_plan("[sweep]\naxis = #a=1\n",
                "plan:2: axis: '#a=1': expected NAME=VALUES, such as mxu.count=1,2,4");
    refuse_plan("[sweep]\naxis = ;a=1\n",
                "plan:2: axis: ';a=1': expected NAME=VALUES, such as mxu.count=1,2,4");
}
