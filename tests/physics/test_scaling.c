/* One step on slices of several sizes: parts add up, and a size with a machine is that machine. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "study/scaling.h"

#define TINY "traces/tiny/tiny.trace"

static void expect_sums(const struct scaling_size *s)
{
    mpq_t sum;

    mpq_init(sum);
    for (int p = 0; p < SCALING_N_PARTS; p++) {
        mpq_add(sum, sum, s->part[p]);
        cr_expect_geq(mpq_sgn(s->part[p]), 0);
    }
    cr_expect(mpq_equal(sum, s->result.seconds_per_step), "the parts are the step");
    mpq_set(sum, s->efficiency);
    for (int p = 0; p < SCALING_N_PARTS; p++)
        mpq_add(sum, sum, s->loss[p]);
    cr_expect_eq(mpq_cmp_ui(sum, 1, 1), 0, "what is lost and what is left are all");
    mpq_clear(sum);
}

Test(scaling, parts_add_up_and_sizes_are_machines)
{
    static const uint64_t size[] = { 8, 32, 128, 2048 };
    struct run_request q = { .trace = TINY, .machine = "tpu-v3-8", .steps = 1 };
    struct run_request r = { .trace = TINY, .machine = "tpu-v3-32", .steps = 1 };
    struct scaling_size s[4];
    struct run_result of_32;
    struct err e;

    cr_assert_eq(scaling_run(&q, size, 4, false, s, &e), 0, "%s", e.msg);
    for (int i = 0; i < 4; i++)
        expect_sums(&s[i]);
    cr_expect_str_eq(s[1].machine, "tpu-v3-32");
    cr_expect_str_eq(s[2].machine, "tpu-v3-128");
    cr_expect_str_eq(s[3].machine, "tpu-v3-2048");
    cr_expect_eq(s[2].result.chips, 64);
    cr_expect_eq(mpq_cmp_ui(s[0].speedup, 1, 1), 0);
    cr_assert_eq(run_replay(&r, &of_32, &e), 0);
    cr_expect(mpq_equal(s[1].result.seconds_per_step, of_32.seconds_per_step));
    /* rings of 6 and 30 hops a sum, tori of 28 and 124 */
    for (int i = 1; i < 4; i++)
        cr_expect_gt(mpq_cmp(s[i].part[SCALING_NET_LATENCY], s[0].part[SCALING_NET_LATENCY]), 0);
    run_result_free(&of_32);
    scaling_free(s, 4);
}

Test(scaling, part_of_a_chip_is_refused)
{
    static const uint64_t size[] = { 8, 9 };
    struct run_request q = { .trace = TINY, .machine = "tpu-v3-8", .steps = 1 };
    struct scaling_size s[2];
    struct err e;

    cr_expect_eq(scaling_run(&q, size, 2, false, s, &e), -1);
    cr_expect_str_eq(e.msg, "--scale 9: not a number of whole chips of tpu-v3-8");
}

Test(scaling, beyond_a_slice_by_slices_if_asked)
{
    static const uint64_t size[] = { 8, 32 };
    struct run_request q = { .trace = TINY, .machine = "tpu-v3-8", .steps = 1 };
    const char *set[] = { "dcn.slices=4" };
    struct scaling_size s[2];
    struct run_result four;
    struct err e;

    cr_assert_eq(scaling_run(&q, size, 2, true, s, &e), 0, "%s", e.msg);
    cr_expect_eq(s[0].result.slices, 1);
    cr_expect_eq(s[1].result.slices, 4);
    cr_expect_eq(s[1].result.cores, 32);
    expect_sums(&s[1]);
    q.set = set;
    q.n_set = 1;
    cr_assert_eq(run_replay(&q, &four, &e), 0);
    cr_expect(mpq_equal(s[1].result.seconds_per_step, four.seconds_per_step));
    /* 6 steps of 10 us between slices and 6 hops of 1 us within, each tensor: of 66 us 60 */
    cr_expect_gt(mpq_cmp_ui(s[1].part[SCALING_NET_LATENCY], 60, 1000000), 0);
    run_result_free(&four);
    scaling_free(s, 2);
}

Test(scaling, cubes_where_the_machine_is_a_torus_of_three_dimensions)
{
    static const uint64_t size[] = { 8, 128 };
    struct run_request q = { .trace = TINY, .machine = "tpu-v4-8", .steps = 1 };
    struct scaling_size s[2];
    struct err e;

    /* 128 TensorCores are 64 chips, 4 x 4 x 4: closed, 9 hops each way by three colours */
    cr_assert_eq(scaling_run(&q, size, 2, false, s, &e), 0, "%s", e.msg);
    cr_expect_eq(s[1].result.cores, 64);
    cr_expect_eq(s[1].result.chips, 64);
    scaling_free(s, 2);
}

/* TINY with another data set. */
static char *with_epoch(const char *epoch)
{
    struct memory_text text;
    char line[4096];
    FILE *in = fopen(TINY, "r");

    cr_assert(in);
    memory_text_begin(&text);
    while (fgets(line, sizeof line, in))
        if (strncmp(line, "samples ", 8) == 0)
            fprintf(text.out, "samples step=8 epoch=%s\n", epoch);
        else
            fputs(line, text.out);
    fclose(in);
    return memory_text_end(&text);
}

Test(scaling, a_global_batch_beyond_the_data_set_is_a_loss_of_the_batch)
{
    static const uint64_t size[] = { 8, 128 };
    char *text = with_epoch("256");
    struct run_request q = {
        .trace = TINY, .text = text, .text_size = strlen(text), .machine = "tpu-v3-8", .steps = 1
    };
    struct scaling_size s[2];
    struct err e;
    mpq_t of_cores, batch;

    /* 8 cores take 64 samples, 128 cores 1,024 of which 256 are in the data set: a quarter */
    cr_assert_eq(scaling_run(&q, size, 2, false, s, &e), 0, "%s", e.msg);
    mpq_inits(of_cores, batch, NULL);
    mpq_set_ui(of_cores, 16, 1);
    mpq_div(of_cores, s[1].speedup, of_cores);
    cr_expect(mpq_equal(s[1].efficiency, of_cores));
    mpq_div(batch, s[0].result.seconds_per_step, s[1].result.seconds_per_step);
    mpq_set_ui(of_cores, 3, 4);
    mpq_mul(batch, batch, of_cores);
    cr_expect(mpq_equal(s[1].loss[SCALING_BATCH], batch));
    expect_sums(&s[1]);
    mpq_clears(of_cores, batch, NULL);
    scaling_free(s, 2);
    free(text);
}
