/* Lines of the table of measurements that are nearest to a replay. */
#include "run/result/evidence.h"
#include "tests/unit/report/report_sample.h"

static const char table[] = "# a comment\n"
                            "class,machine,workload,parameters,rows,median,worst\n"
                            "\"gan, loop\",tpu-v3-8,gan,batch=8 x=1,2,0.1,-0.1\n"
                            "\"gan, loop\",tpu-v3-8,gan,,5,2.5,-6\n"
                            "fc,tpu-v3-8,fc,,210,2.9,-39.8\n"
                            "products,tpu-v4-2,,,327,4.7,63.2\n"
                            "others,tpu-v4-2,,,465,3.9,52.3\n"
                            "boxes,v100x4,gan,,3,1,2\n"
                            "cards,dgx-1v,gan,,3,1,2\n"
                            "kernels,h100-sxm-80gb,,,9,1,2\n"
                            "chips,b200x1,,,9,1,2\n"
                            "kernels,v100-pcie-32gb,,,9,1,2\n";

static void expect_lines(const char *machine, const char *workload, const char *parameters,
                         bool changed, enum run_cover cover, size_t n, const char *class)
{
    const struct published_file file = { "e.csv", "e", "", table, sizeof table - 1 };
    struct run_result r = { .machine = (char *)machine,
                            .workload = (char *)workload,
                            .parameters = (char *)parameters,
                            .n_changed = changed,
                            .retimed = changed };
    struct err e;

    cr_assert_eq(evidence_find(&r, &file, &e), 0, "%s", e.msg);
    cr_expect_eq(r.evidence.cover, cover, "%s %s: %s", machine, workload,
                 evidence_name(r.evidence.cover));
    cr_expect_eq(r.evidence.n, n, "%s %s: %zu lines", machine, workload, r.evidence.n);
    if (n > 0)
        cr_expect_str_eq(r.evidence.line[0].class, class);
    run_evidence_clear(&r.evidence);
}

Test(evidence, the_nearest_measurements_are_found)
{
    expect_lines("tpu-v3-8", "gan", "batch=8 x=1", false, RUN_COVER_STEP, 1, "gan, loop");
    expect_lines("tpu-v3-8", "gan", "batch=9 x=1", false, RUN_COVER_WORKLOAD, 1, "gan, loop");
    expect_lines("tpu-v3-8", "gan", "", false, RUN_COVER_WORKLOAD, 1, "gan, loop");
    expect_lines("tpu-v3-32", "gan", "batch=8 x=1", false, RUN_COVER_SLICES, 1, "gan, loop");
    expect_lines("tpu-v3-32", "mlpf", "", false, RUN_COVER_OTHERS, 2, "gan, loop");
    expect_lines("tpu-v4-8", "gan", "batch=8 x=1", false, RUN_COVER_KERNELS, 2, "products");
    expect_lines("tpu-v5e-8", "gan", "", false, RUN_COVER_NONE, 0, "");
    expect_lines("tpu-v3-8", "gan", "batch=8 x=1", true, RUN_COVER_NONE, 0, "");
    expect_lines("tpu-v30-8", "gan", "", false, RUN_COVER_NONE, 0, "");
    expect_lines("tpu-v4-512:4x4x16", "gan", "", false, RUN_COVER_KERNELS, 2, "products");
    expect_lines("v100x8", "gan", "", false, RUN_COVER_SLICES, 1, "boxes");
    expect_lines("v100", "gan", "", false, RUN_COVER_NONE, 0, "");
    expect_lines("dgx-1v", "gan", "", false, RUN_COVER_WORKLOAD, 1, "cards");
    expect_lines("my/tpu-v3-8.ini", "gan", "", false, RUN_COVER_NONE, 0, "");
}

Test(evidence, kernels_of_a_chip_are_those_of_its_boxes)
{
    expect_lines("h100x8", "gan", "", false, RUN_COVER_KERNELS, 1, "kernels");
    expect_lines("h100-sxm-80gb", "gan", "", false, RUN_COVER_KERNELS, 1, "kernels");
    expect_lines("h100-pcie-80gb", "gan", "", false, RUN_COVER_KERNELS, 1, "kernels");
    expect_lines("b200-sxm", "gan", "", false, RUN_COVER_KERNELS, 1, "chips");
    expect_lines("v100-sxm2-16gb", "gan", "", false, RUN_COVER_SLICES, 1, "boxes");
    expect_lines("v100x4", "op", "", false, RUN_COVER_KERNELS, 1, "kernels");
    expect_lines("h200-sxm-141gb", "gan", "", false, RUN_COVER_NONE, 0, "");
    expect_lines("h1000x8", "gan", "", false, RUN_COVER_NONE, 0, "");
    expect_lines("gb200x4", "gan", "", false, RUN_COVER_NONE, 0, "");
}

Test(evidence, errors_are_shares_with_their_sign)
{
    const struct published_file file = { "e.csv", "e", "", table, sizeof table - 1 };
    struct run_result r = { .machine = (char *)"tpu-v3-8",
                            .workload = (char *)"gan",
                            .parameters = (char *)"" };
    struct err e;
    mpq_t want;

    cr_assert_eq(evidence_find(&r, &file, &e), 0, "%s", e.msg);
    set_ratio(want, "1/40");
    cr_expect(mpq_equal(r.evidence.line[0].median, want));
    mpq_set_si(want, -3, 50);
    cr_expect(mpq_equal(r.evidence.line[0].worst, want));
    cr_expect_eq(r.evidence.line[0].rows, 5u);
    mpq_clear(want);
    run_evidence_clear(&r.evidence);
}

Test(evidence, a_damaged_table_is_refused)
{
    static const char bad[] = "class,machine,workload,parameters,rows,median,worst\n"
                              "fc,tpu-v3-8,fc,,210,x,1\n";
    const struct published_file file = { "e.csv", "e", "", bad, sizeof bad - 1 };
    struct run_result r = { .machine = (char *)"tpu-v3-8",
                            .workload = (char *)"gan",
                            .parameters = (char *)"" };
    struct err e;

    cr_expect_eq(evidence_find(&r, &file, &e), -1);
    cr_expect_str_eq(e.msg, "e.csv:2: not a row of this table");
    run_evidence_clear(&r.evidence);
}
