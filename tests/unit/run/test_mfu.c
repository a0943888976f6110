/* The MFU of a step, against the peak of the dtypes of its products. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/exact.h"
#include "run/result/speed.h"

#define HALF "%c bf16[8192,8192] = matmul(%a, %b)\n"
#define EIGHT "%f bf16[8192,8192] = matmul(%d, %e)\n"

static void replay_products(struct run_result *r, const char *machine, const char *products)
{
    static const char head[] = "cyclotron-trace 1\n"
                               "tensor %a bf16[8192,8192] input\ntensor %b bf16[8192,8192] input\n"
                               "tensor %d f8e4m3fn[8192,8192] input\n"
                               "tensor %e f8e4m3fn[8192,8192] input\nstep {\n";
    char path[] = "/tmp/cyclotron-mfu-XXXXXX";
    FILE *out = fdopen(mkstemp(path), "w");
    struct run_request q = { .trace = path, .machine = machine, .steps = 1 };
    struct err e;

    fprintf(out, "%s%s}\n", head, products);
    fclose(out);
    cr_assert_eq(run_replay(&q, r, &e), 0, "%s", e.msg);
    unlink(path);
}

/* H100: 132 SMs, 2,048 multiply-accumulates in 16 bits a cycle of 1.98 GHz, 4,096 in 8.  Of two
 * products alike, one in 8 bits takes half the time of the other at their peaks, so both have 2 /
 * 1.5 of the peak in 16 bits. */
Test(mfu, the_peak_is_that_of_the_dtypes_of_the_products)
{
    static const struct {
        const char *machine, *products, *dtype;
        double tflops;
    } rows[] = { { "h100x1", HALF, "bf16", 1070.5 },
                 { "h100x1", EIGHT, "8-bit", 2141.0 },
                 { "h100x1", HALF EIGHT, "mixed dtypes", 1427.3 } };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct run_result r;
        EXACT_Q(peak);
        EXACT_Q(share);
        replay_products(&r, rows[i].machine, rows[i].products);
        speed_peak(peak, &r);
        speed_utilization(share, &r);
        cr_expect_float_eq(mpq_get_d(peak) / 1e12, rows[i].tflops, 0.1, "%s: %f", rows[i].dtype,
                           mpq_get_d(peak) / 1e12);
        cr_expect_str_eq(speed_dtype(&r), rows[i].dtype);
        double mfu = mpq_get_d(share);
        cr_expect(mfu > 0.5 && mfu < 0.95, "%s: %f", rows[i].dtype, mfu);
        run_result_free(&r);
    }
}
