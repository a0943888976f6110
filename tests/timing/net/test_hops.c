/* The least time that the hops of a step's collectives take: latencies one after the other. */
#include "base/exact.h"
#include "tests/physics/replay_bench.h"

#define HEAD                                                                                       \
    "cyclotron-trace 1\nsamples step=1\ndtype tensors=f32 matmul=bf16 activations=keep\n"          \
    "tensor %x f32[1048576] input\nstep {\n"

/* us of hops of a step on a machine of 1 us a hop, and 10 us between slices. */
static double hops_us(const char *body, const char *const *set, size_t n)
{
    char text[1024];
    struct run_request q = {
        .trace = "t", .text = text, .machine = "tpu-v2-8", .set = set, .n_set = n, .steps = 2
    };
    struct run_result r;
    struct err e;

    snprintf(text, sizeof text, "%s%s}\n", HEAD, body);
    q.text_size = strlen(text);
    cr_assert_eq(run_replay(&q, &r, &e), 0, "%s", e.msg);
    double us = mpq_get_d(r.hop_seconds) * 1e6;
    run_result_free(&r);
    return us;
}

#define SUM "  all-reduce(%x)\n"

/* A ring of 4 chips: 3 steps to scatter, 3 to gather. */
Test(hops, a_sum_over_a_ring_of_four_takes_six)
{
    static const char *const far[] = { "ici.latency=3 us" };

    cr_expect_float_eq(hops_us(SUM, NULL, 0), 6, 1e-9);
    cr_expect_float_eq(hops_us(SUM, far, 1), 18, 1e-9);
}

Test(hops, of_all_turns_of_a_loop_are_added_up)
{
    cr_expect_float_eq(hops_us("repeat 3 {\n" SUM "}\n" SUM, NULL, 0), 24, 1e-9);
}

Test(hops, between_slices_there_are_two_more)
{
    static const char *const slices[] = { "dcn.slices=2" };

    cr_expect_float_eq(hops_us(SUM, slices, 1), 6 + 2 * 10, 1e-9);
}

Test(hops, a_sum_in_the_background_is_counted_once)
{
    cr_expect_float_eq(
        hops_us("  %h u32[] = all-reduce-start(%x)\n  all-reduce-done(%h)\n", NULL, 0), 6, 1e-9);
}
