/* The error to expect of a replay, and the measurements that it rests on. */
#include "run/result/expected.h"
#include "tests/unit/report/report_sample.h"

#include "base/memory.h"

/* gan on v100: 15 cases, more than enough; flow: 1 there and 2 on a100, so wider groups count. */
static const char table[] = "kind,way,of,generation,workload,cases,error\n"
                            "GPU,by hand,steps,v100,gan,15,27.6\n"
                            "GPU,by hand,steps,v100,flow,1,62.5\n"
                            "GPU,by hand,steps,a100,flow,2,24.5\n"
                            "GPU,by hand,steps,,gan,15,27.6\n"
                            "GPU,by hand,steps,,flow,3,62.5\n"
                            "TPU,compiled,steps,tpu-v4,gpt,12,18\n"
                            "TPU,compiled,steps,,gpt,12,18\n"
                            "TPU,by hand,steps,tpu-v2,fc,210,7.3\n"
                            "TPU,by hand,steps,,fc,210,7.3\n"
                            "GPU,recorded,steps,h100,recordings,8,43.7\n"
                            "GPU,recorded,steps,,recordings,8,43.7\n"
                            "TPU,by hand,kernels,tpu-v4,products,327,7.1\n"
                            "TPU,by hand,pairs,tpu-v6e,gan,1,30\n"
                            "TPU,by hand,pairs,tpu-v6e,flow,1,12\n"
                            "TPU,by hand,pairs,,gan,1,30\n"
                            "TPU,by hand,pairs,,flow,1,12\n";

/* A step of 100 s of which `unknown` are of this class. */
static void expect_unknown(enum account_class class, unsigned unknown, const char *percent,
                           const char *words)
{
    const struct published_file file = { "e.csv", "e", "", table, sizeof table - 1 };
    struct run_result r = { .chip = "TPU",
                            .machine = (char *)"tpu-v4-8",
                            .workload = (char *)"gpt",
                            .expected.way = RUN_WAY_COMPILED };
    char text[EXPECTED_TEXT];
    struct memory_text t;
    struct err e;

    account_init(&r.account);
    mpq_set_ui(r.account.seconds[ACCOUNT_MODELS], 100 - unknown, 1);
    mpq_set_ui(r.account.seconds[class], unknown, 1);
    cr_assert_eq(expected_find(&r, &file, &e), 0, "%s", e.msg);
    memory_text_begin(&t);
    expected_write(&r, t.out);
    char *said = memory_text_end(&t);
    cr_expect_str_eq(expected_percent(&r.expected, text), percent, "%u: %s", unknown, text);
    cr_expect_str_eq(said, words, "%u: %s", unknown, said);
    free(said);
    account_clear(&r.account);
}

static void expect_error(const char *kind, const char *machine, const char *workload,
                         enum run_way way, const char *percent, const char *words)
{
    const struct published_file file = { "e.csv", "e", "", table, sizeof table - 1 };
    struct run_result r = {
        .chip = kind, .machine = (char *)machine, .workload = (char *)workload, .expected.way = way
    };
    char text[EXPECTED_TEXT];
    struct memory_text t;
    struct err e;

    account_init(&r.account);
    cr_assert_eq(expected_find(&r, &file, &e), 0, "%s", e.msg);
    memory_text_begin(&t);
    expected_write(&r, t.out);
    char *said = memory_text_end(&t);
    cr_expect_str_eq(expected_percent(&r.expected, text), percent, "%s %s: %s", machine, workload,
                     text);
    cr_expect_str_eq(said, words, "%s %s: %s", machine, workload, said);
    free(said);
    account_clear(&r.account);
}

Test(expected, an_error_has_a_decimal_below_ten_percent)
{
    static const struct {
        uint32_t permille;
        const char *percent;
    } rows[] = { { 0, "0.0 %" },  { 7, "0.7 %" },  { 99, "9.9 %" },  { 100, "10 %" },
                 { 101, "11 %" }, { 110, "11 %" }, { 1000, "100 %" } };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct run_expected e = { .cases = 1, .permille = rows[i].permille };
        char text[EXPECTED_TEXT];
        cr_expect_str_eq(expected_percent(&e, text), rows[i].percent, "%s", text);
    }
}

Test(expected, many_cases_of_the_step_itself_count_alone)
{
    expect_error("GPU", "v100x4", "gan", RUN_WAY_HAND, "28 %", "15 steps of gan on v100, by hand");
    expect_error("TPU", "tpu-v2-8", "fc", RUN_WAY_HAND, "7.3 %",
                 "210 steps of fc on tpu-v2, by hand");
    expect_error("TPU", "tpu-v4-8", "gpt", RUN_WAY_COMPILED, "18 %",
                 "12 steps of gpt on tpu-v4, compiled");
}

Test(expected, few_cases_count_beside_wider_groups_and_the_largest_error_is_said)
{
    expect_error("GPU", "v100x1", "flow", RUN_WAY_HAND, "63 %", "16 steps on v100, by hand");
    expect_error("GPU", "a100x1", "flow", RUN_WAY_HAND, "63 %", "18 steps on GPUs, by hand");
    expect_error("GPU", "h100x8", "other", RUN_WAY_HAND, "63 %", "18 steps on GPUs, by hand");
    expect_error("TPU", "tpu-v5e-4", "gpt", RUN_WAY_COMPILED, "18 %",
                 "12 steps of gpt on TPUs, compiled");
}

/* 1.30 x 1.18 = 1.534; 1.12 x 1.18 = 1.3216, rounded up to thousandths, and to percent. */
Test(expected, a_step_by_hand_that_nobody_measured_has_the_difference_to_its_program_as_well)
{
    expect_error("TPU", "tpu-v6e-4", "gan", RUN_WAY_HAND, "54 %",
                 "12 steps on TPUs, compiled; 1 by hand beside its program");
    expect_error("TPU", "tpu-v6e-4", "flow", RUN_WAY_HAND, "33 %",
                 "12 steps on TPUs, compiled; 1 by hand beside its program");
    expect_error("TPU", "tpu-v6e-4", "new", RUN_WAY_HAND, "54 %",
                 "12 steps on TPUs, compiled; 2 by hand beside their programs");
    expect_error("TPU", "tpu-v7-8", "new", RUN_WAY_HAND, "54 %",
                 "12 steps on TPUs, compiled; 2 by hand beside their programs");
}

Test(expected, what_nobody_measured_has_no_error)
{
    expect_error("GPU", "v100x4", "gan", RUN_WAY_COMPILED, "not known",
                 "no step compiled was measured on its like");
    expect_error("CPU", "xeon-6148", "gan", RUN_WAY_HAND, "not known",
                 "no step stated by hand was measured on its like");
    expect_error("TPU", "tpu-v4-8", "gan", RUN_WAY_RECORDED, "not known",
                 "no step recorded was measured on its like");
    expect_error("GPU", "h100x8", "net", RUN_WAY_COMPILED, "not known",
                 "no step compiled was measured on its like but what constants were fitted on: 12 "
                 "steps on h100, -15 to +6 %");
    expect_error("GPU", "h200x8", "net", RUN_WAY_COMPILED, "not known",
                 "no step compiled was measured on its like");
    expect_error("GPU", "h100x1", "net", RUN_WAY_CHAKRA, "not known",
                 "no step by Chakra was measured on its like");
    expect_error("TPU", "mine/tpu-v2-8.ini", "fc", RUN_WAY_HAND, "not known",
                 "no step stated by hand was measured on a machine of one's own");
}

/* They say how far steps like it were off, not how far one will be that nothing was fitted on. */
Test(expected, steps_that_constants_were_fitted_on_are_those_of_the_generation)
{
    static const char text[] = "kind,way,generation,steps,least,most\n"
                               "GPU,compiled,h100,7,-9,4\n";
    static const char bad[] = "kind,way,generation,steps,least,most\nGPU,compiled,h100,7,-9\n";
    const struct published_file file = { "f.csv", "f", "", text, sizeof text - 1 };
    const struct published_file damaged = { "f.csv", "f", "", bad, sizeof bad - 1 };
    struct expected_key key = { "GPU", "h100x8", "gan", RUN_WAY_COMPILED, false };
    struct run_fitted f;
    struct err e;

    cr_assert_eq(expected_find_fitted(&f, &key, &file, &e), 0, "%s", e.msg);
    cr_expect(f.steps == 7 && f.least == -9 && f.most == 4);
    key.way = RUN_WAY_HAND;
    cr_assert_eq(expected_find_fitted(&f, &key, &file, &e), 0, "%s", e.msg);
    cr_expect_eq(f.steps, 0u);
    cr_expect_eq(expected_find_fitted(&f, &key, &damaged, &e), -1);
}

/* 5 % may go without a word. */
Test(expected, a_step_of_which_too_much_is_not_known_has_no_error)
{
    expect_unknown(ACCOUNT_BOUNDS, 100, "not known", "100.0 % of the step is not known");
    expect_unknown(ACCOUNT_DATA, 6, "not known", "6.0 % of the step is not known");
    expect_unknown(ACCOUNT_BOUNDS, 5, "18 %", "12 steps of gpt on tpu-v4, compiled");
    expect_unknown(ACCOUNT_RETILED, 50, "18 %", "12 steps of gpt on tpu-v4, compiled");
}

/* Whatever their files are called. */
Test(expected, a_recorded_step_is_held_against_all_of_them)
{
    expect_error("GPU", "h100x1", "step", RUN_WAY_RECORDED, "44 %", "8 steps on h100, recorded");
    expect_error("GPU", "a100x4", "gan", RUN_WAY_RECORDED, "44 %", "8 steps on GPUs, recorded");
    expect_error("CPU", "xeon-6148", "step", RUN_WAY_RECORDED, "not known",
                 "no step recorded was measured on its like");
}

Test(expected, a_kernel_is_held_against_kernels_of_its_sort)
{
    static const struct {
        const char *words, *sort;
    } rows[] = {
        { "matmul", "products" },         { "products of GPUs, v100 f32 batches", "products" },
        { "conv-wgrad", "convolutions" }, { "convert", "others" },
        { "all-reduce", "collectives" },  { "reduce-scatter", "collectives" },
        { "reduce", "reductions" },       { "batch-norm", "reductions" },
        { "softmax", "reductions" },      { "copy", "others" }
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        cr_expect_str_eq(expected_sort(rows[i].words), rows[i].sort, "%s: %s", rows[i].words,
                         expected_sort(rows[i].words));
}

Test(expected, a_damaged_table_is_refused)
{
    static const char *const lines[] = { "TPU,by hand,steps,tpu-v2,fc,210,x",
                                         "TPU,by hand,steps,tpu-v2,fc,0,1",
                                         "TPU,by foot,steps,tpu-v2,fc,2,1",
                                         "TPU,by hand,walks,tpu-v2,fc,2,1",
                                         "TPU,by hand,steps,tpu-v2,fc,2" };
    struct expected_line *line;
    struct err e;
    size_t n;

    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        char *text = memory_format("kind,way,of,generation,workload,cases,error\n%s\n", lines[i]);
        const struct published_file file = { "e.csv", "e", "", text, strlen(text) };
        cr_expect_eq(expected_read(&line, &n, &file, &e), -1, "%s", lines[i]);
        cr_expect_str_eq(e.msg, "e.csv:2: not a row of this table");
        free(text);
    }
}
