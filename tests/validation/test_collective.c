/* Published figures of collectives and of what they join [scaling-book], within 15 %. */
#include <criterion/criterion.h>

#include "run/op.h"
#include "run/result.h"

static double seconds(const char *kind, const char *const *arg, size_t n_args,
                      const char *const *set, size_t n_set)
{
    struct op_request q = { .kind = kind,
                            .arg = arg,
                            .n_args = n_args,
                            .run = { .machine = "tpu-v2-8", .set = set, .n_set = n_set } };
    struct run_result r;
    struct err e;

    cr_assert_eq(run_op(&q, &r, &e), 0, "%s", e.msg);
    double s = mpq_get_d(r.seconds_per_step);
    run_result_free(&r);
    return s;
}

/* bf16[8,1024,8192] is 134 MB; half of it goes over one link, with nothing else on it: 1.13 ms. */
Test(collective, a_reduce_scatter_of_134_megabytes_over_one_hop)
{
    const char *arg[] = { "bytes=134217728" };
    const char *set[] = { "slice.cores=2", "slice.cores_per_chip=1", "slice.mesh_x=2",
                          "slice.mesh_y=1" };
    double s = seconds("reduce-scatter", arg, 1, set, 4);

    cr_log_info("reduce-scatter of 134 MB: %.3f ms, %+.1f %%", 1e3 * s, 100 * (s / 1.13e-3 - 1));
    cr_expect_float_eq(s, 1.13e-3, 0.15 * 1.13e-3, "%g", s);
}

/* bf16[32,1024,8192] x [8192,32768] on 8 cores, 4-way data and 2-way model parallel: each
 * multiplies [8 * 1024, 8192] by [8192, 16384]; 96 ms. */
Test(collective, a_product_cut_four_by_two)
{
    const char *arg[] = { "m=8192", "k=8192", "n=16384" };
    double s = seconds("matmul", arg, 3, NULL, 0);

    cr_log_info("the product: %.2f ms, %+.1f %%", 1e3 * s, 100 * (s / 96e-3 - 1));
    cr_expect_float_eq(s, 96e-3, 0.15 * 96e-3, "%g", s);
}
