/* Kinds of products on GPUs go by the arithmetic they run in: the same kernel has the same kind. */
#include <criterion/criterion.h>
#include <string.h>

#include "run/result/account.h"
#include "run/result/result.h"

#define PRODUCT(precision)                                                                         \
    "cyclotron-trace 1\nworkload w\nsamples step=1\nframework pytorch\n"                           \
    "tensor %x f32[1024,1024] input\nstep {\n"                                                     \
    "  %y f32[1024,1024] = matmul(%x, %x)" precision "\n}\n"

static void expect_kind(const char *machine, const char *text, const char *kind, bool measured)
{
    struct run_request q = {
        .trace = "w", .text = text, .text_size = strlen(text), .machine = machine, .steps = 1
    };
    struct run_result r;
    struct err e;

    cr_assert_eq(run_replay(&q, &r, &e), 0, "%s", e.msg);
    cr_assert_eq(r.account.n_kinds, 1);
    cr_expect_str_eq(r.account.kind[0].what, kind);
    cr_expect_eq(r.account.kind[0].class, measured ? ACCOUNT_MEASURED : ACCOUNT_MODELS);
    run_result_free(&r);
}

/* PyTorch multiplies f32 in the CUDA cores, unless less is asked for. */
Test(kernel_kind, products_of_the_highest_precision_are_those_in_f32)
{
    expect_kind("h100x1", PRODUCT(""), "matmul f32", true);
    expect_kind("h100x1", PRODUCT(" precision=highest"), "matmul f32", true);
    expect_kind("h100x1", PRODUCT(" precision=high"), "matmul tf32", true);
}

/* A B200 was measured in TF32 alone. */
Test(kernel_kind, what_was_measured_in_tf32_says_nothing_of_f32)
{
    expect_kind("b200x1", PRODUCT(" precision=high"), "matmul tf32", true);
    expect_kind("b200x1", PRODUCT(""), "matmul f32", false);
}

/* A TPU takes six passes for it. */
Test(kernel_kind, products_of_a_tpu_are_of_their_precision)
{
    expect_kind("tpu-v3-1", PRODUCT(" precision=highest"), "matmul f32 highest", false);
}
