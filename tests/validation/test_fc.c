/* One profiled step of a fully connected network on a TPU v2-8, by hand; all of them are rows of
 * `cyclotron validate` (check_bars.c). */
#include <criterion/criterion.h>
#include <string.h>

#include "study/validate/validate_case.h"
#include "traces/gen.h"

/* 8 layers of 2048 at batch 512, 35,521,512 parameters.  The update moves 40 B of each at 258 GB/s,
 * 5.507 ms; the all-reduce takes 18 tensors 6.2 us each and 4 B of each at 49 GB/s, 3.011 ms;
 * measured are 5.49 and 2.98 ms. */
Test(fc, the_update_streams_forty_bytes_a_parameter_and_the_all_reduce_goes_tensor_by_tensor)
{
    struct validate_request q = { .generate = gen_write };
    struct validate_case run = { .machine = "tpu-v2-8",
                                 .workload = "fc",
                                 .parameters =
                                     "layers=8 width=2048 input=2000 output=1000 batch=512 loop=0 "
                                     "xla.combine_all_reduce=no",
                                 .device = true };
    struct run_result r;
    struct err e;
    double update = 0, sum = 0;

    cr_assert_eq(validate_case_run(&run, &q, &r, &e), 0, "%s", e.msg);
    for (size_t i = 0; i < r.n_ops; i++) {
        const struct run_row *op = &r.ops[i];
        if (strcmp(op->kind, "optimizer") == 0)
            update += mpq_get_d(op->seconds);
        else if (strcmp(op->kind, "all-reduce") == 0)
            sum += mpq_get_d(op->seconds);
    }
    cr_expect_float_eq(update, 5.507e-3, 0.05 * 5.507e-3, "%g", update);
    cr_expect_float_eq(sum, 3.011e-3, 0.05 * 3.011e-3, "%g", sum);
    run_result_free(&r);
}
