/* Steps of two layers on 4 V100 whose gradients are reduced while the backward pass still runs. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "run/result/result.h"

/* us of a step of these operations. */
static double step_us(const char *body, const char *const *set, size_t n)
{
    char path[] = "/tmp/cyclotron-overlap-XXXXXX";
    int fd = mkstemp(path);
    struct run_request q = {
        .trace = path, .machine = "v100x4", .set = set, .n_set = n, .steps = 1
    };
    struct run_result r;
    struct err e;

    dprintf(fd,
            "cyclotron-trace 1\nworkload \"w\"\nsamples step=1\n"
            "dtype tensors=f32 matmul=bf16 activations=keep\n"
            "tensor %%x f32[4096,1024] input\ntensor %%w f32[1024,1024] weight\n"
            "step {\n%s}\n",
            body);
    close(fd);
    cr_assert_eq(run_replay(&q, &r, &e), 0, "%s", e.msg);
    unlink(path);
    double us = mpq_get_d(r.seconds_per_step) * 1e6;
    run_result_free(&r);
    return us;
}

#define LAST "%g2 f32[4194304] gradient = elementwise(%x)\n"
#define PRODUCT "%y f32[4096,1024] = matmul(%x, %w)\n"
#define FIRST "%g1 f32[10] gradient = elementwise(%x)\n"
#define REDUCE "all-reduce(%g1, %g2)\n"

static const char *const in_place[] = { "nccl.overlap=no" };
static const char *const one[] = { "nccl.first_bucket=1 TB", "nccl.bucket=1 TB" };

/* In place 16 MiB take 239 us after the pass, as NCCL reckons them.  In two buckets they begin
 * behind their gradient and end within the product of 0.8 ms; the second bucket of 40 B is left,
 * 10.2 us: the step is 228.8 us shorter.  One bucket for all begins when the pass is over. */
Test(overlap_cycles, a_bucket_hides_behind_the_next_layer)
{
    double off = step_us(LAST PRODUCT FIRST REDUCE, in_place, 1),
           on = step_us(LAST PRODUCT FIRST REDUCE, NULL, 0),
           whole = step_us(LAST PRODUCT FIRST REDUCE, one, 2);

    cr_expect_float_eq(off - on, 228.8, 2, "%g, %g us", off, on);
    cr_expect_float_eq(whole, off, 0.01, "%g, %g us", whole, off);
}

/* The bucket that the last gradient fills has nothing to hide behind. */
Test(overlap_cycles, the_last_bucket_never_hides)
{
    double off = step_us(PRODUCT LAST "all-reduce(%g2)\n", in_place, 1),
           on = step_us(PRODUCT LAST "all-reduce(%g2)\n", NULL, 0);

    cr_expect_float_eq(on, off, 0.01, "%g, %g us", on, off);
}

/* Two gradients of one operation fill two buckets at once, which begin behind it: 8 KiB in all, in
 * place as much as side by side. */
Test(overlap_cycles, gradients_that_one_operation_makes_begin_together)
{
#define BOTH "%g1 f32[1024] gradient, %g2 f32[1024] gradient = reduce(%x, %x) dims=0\n"
#define AFTER "%y f32[4096,1024] = elementwise(%x)\nall-reduce(%g1)\nall-reduce(%g2)\n"
    double off = step_us(BOTH AFTER, in_place, 1), on = step_us(BOTH AFTER, NULL, 0);

    cr_expect_leq(on, off, "%g, %g us", on, off);
}
