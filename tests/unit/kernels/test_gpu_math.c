/* Number types of products on GPUs: which unit, how many kernels, and what is refused. */
#include <criterion/criterion.h>
#include <string.h>

#include "machine/spec/spec.h"
#include "study/op/op.h"
#include "task/task.h"

/* Kernels of a product, and the first one whose pipe is asked for. */
struct lowered {
    uint32_t kernels;
    struct task_grid grid[8];
};

static void keep_kernels(void *self, const char *name, const struct task_program *p,
                         const struct cap *cap)
{
    struct lowered *l = self;

    (void)name;
    (void)cap;
    for (uint32_t i = 0; i < p->n_tasks; i++)
        if (p->task[i].kind == TASK_GRID && l->kernels < 8)
            l->grid[l->kernels++] = p->task[i].grid;
}

static int lower_sized(struct lowered *l, const char *machine, const char *dtype, const char *more,
                       const char *set, struct err *err)
{
    const char *arg[] = { "m=4096", "n=4096", "k=4096", dtype, more };
    struct op_request q = {
        .kind = "matmul",
        .arg = arg,
        .n_args = more ? 5 : 4,
        .run = { .machine = machine, .set = &set, .n_set = set != NULL, .steps = 1 }
    };

    *l = (struct lowered){ 0 };
    return op_lower(&q, keep_kernels, l, err);
}

static struct lowered lower_product(const char *machine, const char *dtype, const char *more,
                                    const char *set)
{
    struct lowered l;
    struct err err;

    cr_assert_eq(lower_sized(&l, machine, dtype, more, set, &err), 0, "%s", err.msg);
    return l;
}

static bool in_tensor_cores(const struct lowered *l)
{
    return l->grid[l->kernels - 1].cycles[GRID_TENSOR] > 0;
}

/* PyTorch multiplies f32 as f32 unless it is told otherwise, TensorFlow and JAX in TF32. */
Test(gpu_math, the_framework_decides_on_tf32)
{
    struct lowered eager = lower_product("a100x1", "dtype=f32", NULL, NULL);
    struct lowered graph = lower_product("a100x1", "dtype=f32", NULL, "launch.framework=graph");
    struct lowered xla = lower_product("a100x1", "dtype=f32", NULL, "launch.framework=xla");
    struct lowered told = lower_product("a100x1", "dtype=f32", NULL, "launch.tf32=yes");

    cr_expect_not(in_tensor_cores(&eager));
    cr_expect(in_tensor_cores(&graph));
    cr_expect(in_tensor_cores(&xla));
    cr_expect(in_tensor_cores(&told));
}

Test(gpu_math, a_stated_precision_is_obeyed)
{
    struct lowered high = lower_product("a100x1", "dtype=f32", "precision=high", NULL);
    struct lowered highest =
        lower_product("a100x1", "dtype=f32", "precision=highest", "launch.framework=xla");
    struct lowered never = lower_product("a100x1", "dtype=f32", "precision=high", "launch.tf32=no");

    cr_expect(in_tensor_cores(&high));
    cr_expect_not(in_tensor_cores(&highest));
    cr_expect_not(in_tensor_cores(&never));
}

/* XLA converts both operands to f32 where there is no unit for bf16. */
Test(gpu_math, v100_converts_bf16)
{
    struct lowered bf16 = lower_product("v100x1", "dtype=bf16", NULL, NULL);
    struct lowered f32 = lower_product("v100x1", "dtype=f32", NULL, NULL);

    cr_assert_eq(bf16.kernels, 3);
    cr_expect_eq(bf16.grid[0].in.l2, 4096 * 4096 * 2);
    cr_expect_eq(bf16.grid[0].out.l2, 4096 * 4096 * 4);
    cr_expect_eq(bf16.grid[2].cycles[GRID_FMA], f32.grid[0].cycles[GRID_FMA]);
}

static struct lowered lower_conv(const char *machine, const char *dtype)
{
    const char *arg[] = { "in=8x16x32x32x32", "filter=32x16x3x3x3", dtype };
    struct op_request q = {
        .kind = "conv", .arg = arg, .n_args = 3, .run = { .machine = machine, .steps = 1 }
    };
    struct lowered l = { 0 };
    struct err err;

    cr_assert_eq(op_lower(&q, keep_kernels, &l, &err), 0, "%s", err.msg);
    return l;
}

/* The way of the convolution is chosen by its own cost, whatever comes before it. */
Test(gpu_math, v100_converts_bf16_before_a_convolution)
{
    struct lowered bf16 = lower_conv("v100x1", "dtype=bf16"),
                   f32 = lower_conv("v100x1", "dtype=f32");

    uint64_t cycles = 0;

    cr_assert_eq(bf16.kernels, 2 + f32.kernels);
    for (uint32_t i = 0; i < f32.kernels; i++) {
        cr_expect_eq(bf16.grid[2 + i].cycles[GRID_FMA], f32.grid[i].cycles[GRID_FMA]);
        cycles += f32.grid[i].cycles[GRID_FMA];
    }
    cr_expect_gt(cycles, 0);
}

/* 2 * 4096^3 * 4 FLOP of multiply-accumulates, in f32 or f64. */
Test(gpu_math, a_complex_product_is_four_real_ones)
{
    struct lowered c64 = lower_product("v100x1", "dtype=c64", NULL, NULL);
    struct lowered f32 = lower_product("v100x1", "dtype=f32", NULL, NULL);
    double times = (double)c64.grid[0].cycles[GRID_FMA] / (double)f32.grid[0].cycles[GRID_FMA];

    cr_expect_eq(c64.grid[0].useful, UINT64_C(4) << 36);
    cr_expect(times > 3.9 && times < 4.1, "%g", times);
    cr_expect_gt(lower_product("v100x1", "dtype=c128", NULL, NULL).grid[0].cycles[GRID_F64], 0);
}

/* 19.5 and 67 TFLOP/s of their tensor cores; V100 has 7.8 in units of their own. */
Test(gpu_math, f64_runs_in_the_tensor_cores_that_take_it)
{
    struct lowered v100 = lower_product("v100x1", "dtype=f64", NULL, NULL);
    struct lowered a100 = lower_product("a100x1", "dtype=f64", NULL, NULL);
    struct lowered h100 = lower_product("h100x1", "dtype=f64", NULL, NULL);

    cr_expect_gt(v100.grid[0].cycles[GRID_F64], 0);
    /* 4096^3 / (108 SMs * 64 a cycle) cycles at least, and no more than a quarter above */
    cr_expect_geq(a100.grid[0].cycles[GRID_TENSOR], 9942053);
    cr_expect_leq(a100.grid[0].cycles[GRID_TENSOR], 12427567);
    cr_expect_geq(h100.grid[0].cycles[GRID_TENSOR], 4067203);
    cr_expect_leq(h100.grid[0].cycles[GRID_TENSOR], 5084004);
}

Test(gpu_math, f8e4m3_takes_the_unit_of_f8e4m3fn)
{
    struct lowered fn = lower_product("h100x1", "dtype=f8e4m3fn", NULL, NULL);
    struct lowered plain = lower_product("h100x1", "dtype=f8e4m3", NULL, NULL);

    cr_expect_eq(plain.grid[0].cycles[GRID_TENSOR], fn.grid[0].cycles[GRID_TENSOR]);
}

Test(gpu_math, what_no_unit_multiplies_is_refused)
{
    static const struct {
        const char *machine, *dtype, *message;
    } rows[] = {
        { "a100x1", "dtype=f8e4m3fn",
          "the tensor cores of this GPU have no products of 8-bit floating point (sm.f8 = 0); take "
          "bf16 or f16 operands" },
        { "v100x1", "dtype=f8e5m2", "(sm.f8 = 0)" },
        { "h100x1", "dtype=f8e4m3fnuz",
          "no unit of this GPU multiplies such operands; 8-bit floating point is f8e4m3fn and "
          "f8e5m2" },
        { "h100x1", "dtype=f4e2m1fn", "no unit of this GPU multiplies such operands" },
        { "h100x1", "dtype=s4",
          "no kernel of the libraries multiplies integers of less than 8 bits; those of 8 bits are "
          "s8 and u8" },
        { "a100x1", "dtype=u2", "no kernel of the libraries" },
        { "h100x1", "dtype=fp8",
          "dtype = 'fp8': unknown dtype; 8-bit floating point is f8e4m3fn or f8e5m2" },
        { "h100x1", "dtype=float8",
          "dtype = 'float8': unknown dtype; 8-bit floating point is f8e4m3fn or f8e5m2" },
        { "h100x1", "dtype=flot32", "unknown dtype; did you mean" },
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct lowered l;
        struct err err;
        cr_assert_neq(lower_sized(&l, rows[i].machine, rows[i].dtype, NULL, NULL, &err), 0, "%s",
                      rows[i].dtype);
        cr_expect(strstr(err.msg, rows[i].message), "%s", err.msg);
    }
}
