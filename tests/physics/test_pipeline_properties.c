/* Steps cut into stages: the same bytes folded and walked, and what holds of every pipeline. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "cut_step.h"
#include "report/run_report.h"
#include "run/result/result.h"
#include "trace/trace.h"

static void replay_step(struct run_result *r, const char *text, const char *machine, bool exact)
{
    struct run_request q = { .trace = "fc",
                             .text = text,
                             .text_size = strlen(text),
                             .machine = machine,
                             .steps = 2,
                             .exact = exact };
    struct err e;

    cr_assert_eq(run_replay(&q, r, &e), 0, "%s", e.msg);
}

static char *print_json(const struct run_result *r)
{
    char *text;
    size_t size;
    FILE *f = open_memstream(&text, &size);

    report_json(r, f);
    fclose(f);
    return text;
}

Test(pipeline, folded_and_walked_tell_the_same)
{
    static const struct {
        const char *machine, *cores;
        struct pipeline_plan plan;
    } rows[] = {
        { "tpu-v3-8", "cores=1", { 8, 4, 1, PIPELINE_1F1B, 0 } },
        { "tpu-v3-8", "cores=2", { 4, 4, 2, PIPELINE_GPIPE, 0 } },
        { "tpu-v2-8", "cores=4", { 2, 8, 4, PIPELINE_1F1B, 0 } },
        { "tpu-v3-32", "cores=8", { 4, 4, 8, PIPELINE_1F1B, 0 } },
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char *text = cut_step(rows[i].cores, rows[i].plan), *report[2];
        struct run_result r;
        for (int exact = 0; exact < 2; exact++) {
            replay_step(&r, text, rows[i].machine, exact);
            report[exact] = print_json(&r);
            run_result_free(&r);
        }
        cr_expect_str_eq(report[0], report[1], "%s %s", rows[i].machine, rows[i].cores);
        free(report[0]);
        free(report[1]);
        free(text);
    }
}

/* In each stage work and bubble add up to the step; their means are the causes of the step; the
 * largest memory of a stage is that of the step. */
Test(pipeline, stages_account_for_the_step)
{
    char *text = cut_step("cores=2", (struct pipeline_plan){ 4, 8, 2, PIPELINE_1F1B, 0 });
    struct run_result r;
    mpq_t sum, bubble, stages;
    uint64_t most = 0;

    replay_step(&r, text, "tpu-v3-8", false);
    mpq_inits(sum, bubble, stages, NULL);
    cr_assert_eq(r.n_stages, 4);
    for (uint32_t k = 0; k < r.n_stages; k++) {
        mpq_add(sum, r.stage[k].seconds, r.stage[k].bubble);
        cr_expect(mpq_equal(sum, r.seconds_per_step), "stage %u", k);
        mpq_add(bubble, bubble, r.stage[k].bubble);
        most = r.stage[k].peak_bytes > most ? r.stage[k].peak_bytes : most;
    }
    mpq_set_ui(stages, 4, 1);
    mpq_div(bubble, bubble, stages);
    cr_expect(mpq_equal(bubble, amounts_get(&r.cause, CAUSE_BUBBLE)));
    cr_expect_gt(mpq_sgn(bubble), 0);
    cr_expect_eq(most, r.peak_bytes_per_core);
    cr_expect_eq(r.stage[r.peak_stage].peak_bytes, most);
    mpq_clears(sum, bubble, stages, NULL);
    run_result_free(&r);
    free(text);
}

/* Figures of an average core: all stages together do what the trace says, so P times the mean. */
Test(pipeline, work_is_that_of_the_mean_core)
{
    char *text = cut_step("cores=2", (struct pipeline_plan){ 4, 4, 2, PIPELINE_1F1B, 0 });
    struct trace_totals all;
    struct run_result r;
    struct trace *t;
    struct err e;
    mpz_t sum;

    cr_assert_eq(trace_open_memory(&t, "fc", text, strlen(text), false, &e), 0, "%s", e.msg);
    trace_totals_init(&all);
    cr_assert_eq(trace_sum(t, &all, &e), 0, "%s", e.msg);
    replay_step(&r, text, "tpu-v3-8", false);
    mpz_init(sum);
    for (size_t i = 0; i < r.n_ops; i++)
        mpz_addmul_ui(sum, r.ops[i].flops, 4);
    cr_expect_leq(mpz_get_d(sum), mpz_get_d(all.flops));
    cr_expect_geq(mpz_get_d(sum), mpz_get_d(all.flops) - 3.0 * (double)r.n_ops, "rounded down");
    mpz_clear(sum);
    trace_totals_clear(&all);
    trace_close(t);
    run_result_free(&r);
    free(text);
}

static double bubble_share(uint64_t micro, enum pipeline_schedule schedule)
{
    char *text = cut_step("cores=2", (struct pipeline_plan){ 4, micro, 2, schedule, 0 });
    struct run_result r;

    replay_step(&r, text, "tpu-v3-8", false);
    double share = mpq_get_d(amounts_get(&r.cause, CAUSE_BUBBLE)) / mpq_get_d(r.seconds_per_step);
    run_result_free(&r);
    free(text);
    return share;
}

Test(pipeline, more_micro_batches_leave_less_bubble)
{
    for (int s = 0; s < 2; s++) {
        double last = 1;
        for (uint64_t m = 1; m <= 8; m *= 2) {
            double share = bubble_share(m, (enum pipeline_schedule)s);
            cr_expect_lt(share, last, "%lu micro-batches", (unsigned long)m);
            last = share;
        }
    }
}

/* The two cores of a stage are one chip: gradients of weights never cross a link. */
Test(pipeline, a_chip_adds_up_what_its_two_cores_have)
{
    char *text = cut_step("cores=2", (struct pipeline_plan){ 4, 1, 2, PIPELINE_GPIPE, 0 });
    struct run_result r;
    mpz_t sum;

    replay_step(&r, text, "tpu-v3-8", false);
    mpz_init(sum);
    for (size_t i = 0; i < r.n_links; i++)
        mpz_add(sum, sum, r.links[i].bytes);
    /* activations and their gradients of 128 samples of 512 in bf16, from and to three stages on
     * two cores each, one or two links far; and a few biases' gradients of 2 KiB */
    cr_expect_geq(mpz_get_ui(sum), 2 * 2 * 4 * 131072);
    cr_expect_leq(mpz_get_ui(sum), 2 * 2 * 4 * 131072 + 2 * 8 * 2048);
    mpz_clear(sum);
    run_result_free(&r);
    free(text);
}
