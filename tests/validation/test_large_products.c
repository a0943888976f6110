/* Two measured products of 8,192 cubed on one TPU v6e chip, in the windows that XLA:TPU (libtpu
 * 0.0.42.1) gives them: by itself, which cuts k in 16, and with 64 MiB of VMEM for windows, which
 * cuts it in 4.  1,510.9 us (yangwhale/gpu-tpu-pedia, device time of a trace) and 1,328.8 us
 * (AI-Hypercomputer/tpu-recipes).  xla.resume_cycles is fitted on both: one constant must give two
 * times. */
#include "base/exact.h"
#include "tests/physics/replay_bench.h"

static double run_product(const char *grid, const char *tile, const char *vmem)
{
    char text[1024];
    struct run_request q = {
        .trace = "t", .text = text, .machine = "tpu-v6e-1", .steps = 1, .alone = true
    };
    struct run_result r;
    struct err e;

    snprintf(text, sizeof text,
             "cyclotron-trace 1\ndtype tensors=f32 matmul=bf16 activations=keep\n"
             "program compiler=\"xla\" machine=\"tpu-v6e-1\" topology=\"v6e:1x1\" cores=1 "
             "megacore=0 scheduled=1\n"
             "tensor %%a bf16[8192,8192]{1,0:T(8,128)(2,1)} input\n"
             "tensor %%b bf16[8192,8192]{1,0:T(8,128)(2,1)} input\n"
             "step {\n  %%y bf16[8192,8192]{1,0:T(8,128)(2,1)} = kernel(%%a, %%b) form=product %s "
             "product=1x8192x8192x8192 %s lanes=knn fetch=536870912+805306368 store=134217728 %s "
             "stores=33554432 flops=1099511627776\n}\n",
             grid, tile, vmem);
    q.text_size = strlen(text);
    cr_assert_eq(run_replay(&q, &r, &e), 0, "%s", e.msg);
    double us = mpq_get_d(r.seconds_per_step) * 1e6;
    run_result_free(&r);
    return us;
}

Test(large_products, a_cut_of_k_in_16_and_in_4_takes_what_was_measured)
{
    double sixteen =
        run_product("grid=4x6x16", "tile=1x1368x512x2048 counts=1x6x16x4", "vmem=30818304");
    double four =
        run_product("grid=4x6x4", "tile=1x1368x2048x2048 counts=1x6x4x4", "vmem=56082432");

    cr_expect_float_eq(sixteen, 1510.9, 0.01 * 1510.9, "%.1f", sixteen);
    cr_expect_float_eq(four, 1328.8, 0.01 * 1328.8, "%.1f", four);
}
