/* Is a prediction near what a TPU v6e took for the same program?  A stress test of host offload:
 * copies of 5.4 GB to the host's memory and back, element-wise fusions, and sums of pairs of chips.
 * No constant is fitted on it but that devices are numbered along the shorter side. */
#include <criterion/criterion.h>
#include <string.h>

#include "study/profiled/profiled.h"

static void compare_capture(struct profiled *p, const char *module)
{
    const struct profiled_request q = { .run = { .machine = "tpu-v6e-8" },
                                        .profile = "tests/profiles/v6e_host_offload.xplane.pb.zst",
                                        .module = module };
    struct err err;

    cr_assert_eq(profiled_make(p, &q, &err), 0, "%s", err.msg);
}

static void expect_near(const mpq_t got, double seconds, double within, const char *what)
{
    double off = mpq_get_d(got) / seconds - 1;

    cr_expect(off >= -within && off <= within, "%s: %+.1f %%", what, 100 * off);
}

/* A step takes 784.1 ms, its three fusions 8.0 ms each, the four waits for copies 182 to 194. */
Test(beside, copies_to_the_host_and_fusions_beside_a_v6e)
{
    struct profiled p;

    compare_capture(&p, "jit_f");
    expect_near(p.step.predicted, 0.784133, 0.15, "step");
    for (size_t i = 0; i < p.n_kernels; i++) {
        const struct profiled_kernel *k = &p.kernel[i];
        double measured = mpq_get_d(k->measured);
        if (measured > 0.001)
            expect_near(k->predicted, measured, k->waits ? 0.17 : 0.05, k->name);
    }
    profiled_free(&p);
}

/* Each sum takes 121.7 ms: the four pairs of a 2x4 are two links apart. */
Test(beside, sums_of_pairs_that_share_a_link_beside_a_v6e)
{
    struct profiled p;

    compare_capture(&p, "jit__psum");
    expect_near(p.step.predicted, 0.121695, 0.05, "step");
    cr_expect_eq(p.n_only_predicted, 0); /* to wait for the last chip is no kernel */
    cr_expect_gt(mpq_get_d(p.class[PROFILED_IDLE].predicted), 0.01);
    profiled_free(&p);
}
