/* Large copies: the share of the HBM's peak that public measurements report on TPU v4, v6e and v7,
 * the only figures published for kernels on v6e and v7.  hbm.efficiency of v6e and v7 is that
 * figure, so this says what the rest of a copy costs (grid steps, the first and the last tile), and
 * is no proof of the constant; v4's was fitted on other data. */
#include <criterion/criterion.h>

#include "base/err.h"
#include "machine/spec.h"
#include "run/op.h"

static const struct {
    const char *machine;
    unsigned cores;
    double measured; /* percent of the peak */
} copies[] = { { "tpu-v4-2", 1, 82 }, { "tpu-v6e-1", 1, 83 }, { "tpu-v7-2", 2, 87 } };

Test(copies, reach_the_share_of_the_peak_that_was_measured)
{
    static const char *const arg[] = { "shape=16384x16384", "dtype=f32" };

    for (size_t i = 0; i < sizeof copies / sizeof *copies; i++) {
        struct op_request q = { .kind = "copy", .arg = arg, .n_args = 2 };
        struct machine_spec *m;
        struct run_result r;
        struct err e;

        q.run.machine = copies[i].machine;
        cr_assert_eq(run_op(&q, &r, &e), 0, "%s", e.msg);
        cr_assert_eq(spec_load(&m, copies[i].machine, NULL, 0, &e), 0, "%s", e.msg);
        /* 1 GiB read and written by each core of the chip */
        double rate = copies[i].cores * 2147483648.0 / mpq_get_d(r.seconds_per_step);
        double share = 100 * rate / (double)m->hbm.bandwidth;
        cr_log_info("%-10s %5.1f %% of the peak, %2.0f %% measured", copies[i].machine, share,
                    copies[i].measured);
        cr_expect_float_eq(share, copies[i].measured, 0.05 * copies[i].measured, "%s: %.1f %%",
                           copies[i].machine, share);
        spec_free(m);
        run_result_free(&r);
    }
}
