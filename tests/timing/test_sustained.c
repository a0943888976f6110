/* The rate of matrix units in a step, and of the same product alone: 16,384 rows through 8 x 8
 * tiles of a TPU v2 core at 700 MHz are 1,048,576 cycles, 1.498 ms; half as fast 2.996 ms.  Beside
 * them come the first tile and what the operation costs, less than 4 %.  All of its
 * multiply-accumulates are useful, so the step strains them. */
#include "base/exact.h"
#include "tests/physics/replay_bench.h"

static double run_product(const char *sustained, const char *strained, bool alone)
{
    static const char text[] = "cyclotron-trace 1\ndtype tensors=bf16 matmul=bf16\n"
                               "tensor %x bf16[16384,1024] input\n"
                               "tensor %w bf16[1024,1024] weight\n"
                               "step {\n  %y bf16[16384,1024] = matmul(%x, %w)\n}\n";
    const char *set[] = { "mxu.issue=1", sustained, strained };
    struct run_request q = { .trace = "t",
                             .text = text,
                             .text_size = sizeof text - 1,
                             .machine = "tpu-v2-1",
                             .set = set,
                             .n_set = 3,
                             .steps = 1,
                             .alone = alone };
    struct run_result r;
    struct err e;

    cr_assert_eq(run_replay(&q, &r, &e), 0, "%s", e.msg);
    double ms = mpq_get_d(r.seconds_per_step) * 1e3;
    run_result_free(&r);
    return ms;
}

Test(sustained, a_step_has_a_share_of_the_rate_and_a_lone_kernel_all_of_it)
{
    double whole = run_product("mxu.sustained=1", "mxu.strained=0.5", false);
    double half = run_product("mxu.sustained=0.5", "mxu.strained=0.5", false);
    double alone = run_product("mxu.sustained=0.5", "mxu.strained=0.5", true);

    cr_expect(whole > 1.498 && whole < 1.498 * 1.04, "%f", whole);
    cr_expect(half > 2.996 && half < 2.996 * 1.04, "%f", half);
    cr_expect(alone > 1.498 && alone < 1.498 * 1.04, "%f", alone);
}

/* Loads of weights take 64 of 16,448 cycles a tile, and the operation has its cost: some 0.97 of
 * the time is useful. */
Test(sustained, a_step_is_slow_where_more_than_a_share_of_the_time_is_useful)
{
    double slow = run_product("mxu.sustained=0.5", "mxu.strained=0.95", false);
    double fast = run_product("mxu.sustained=0.5", "mxu.strained=0.998", false);

    cr_expect(slow > 2.996, "%f", slow);
    cr_expect(fast < 1.498 * 1.04, "%f", fast);
}
