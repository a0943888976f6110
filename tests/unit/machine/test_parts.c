/* Products of complex numbers and of f64 in programs that are not compiled, as the kernels that
 * XLA:TPU (jax 0.10.2) makes of the same products. */
#include "machine/spec/spec.h"
#include "tests/unit/kernels/lower_bench.h"

static struct cap cap_of(const char *machine)
{
    struct machine_spec *spec;
    struct cap c;
    struct err err;

    cr_assert_eq(spec_load(&spec, machine, NULL, 0, &err), 0, "%s", err.msg);
    spec_cap(spec, &c);
    spec_free(spec);
    return c;
}

/* A square product of `n`, of so many real ones. */
static void lower_square(struct bench *b, const char *machine, const char *dtype, unsigned parts,
                         unsigned n, const char *more)
{
    struct cap c = cap_of(machine);
    char tensors[200], line[300];

    snprintf(tensors, sizeof tensors, "tensor %%x %s[%u,%u] input\ntensor %%y %s[%u,%u] input\n",
             dtype, n, n, dtype, n, n);
    snprintf(line, sizeof line,
             "  %%z %s[%u,%u] = kernel(%%x, %%y) form=product product=%ux%ux%ux%u%s flops=2\n",
             dtype, n, n, parts, n, n, n, more);
    cr_assert_eq(lower_text(b, tensors, line, &c, false), 0, "%s", b->err.msg);
}

/* Bytes of 16 of the compiled kernels on v5e: four copies of parts; T reads both parts of A and
 * writes 64 MiB, one part of B lies in VMEM; the others read T, a part of A 8 times and the other
 * part of B 4 times. */
Test(parts, a_complex_product_reads_its_parts_as_often_as_the_compiled_one)
{
    static const uint64_t in[] = { 134217728, 67108864 + 536870912 + 268435456,
                                   67108864 + 536870912 + 268435456 };
    struct bench b = { 0 };

    lower_square(&b, "tpu-v5e-1", "c64", 3, 4096, "");
    cr_assert_eq(b.p.n_tasks, 8);
    for (int i = 0; i < 4; i++) { /* the third, a part of B, goes to VMEM */
        cr_expect_eq(total_in(&b.p.task[i]), 67108864, "%d", i);
        cr_expect_eq(total_out(&b.p.task[i]), i == 2 ? 0 : 67108864, "%d", i);
    }
    cr_expect_eq(total_in(&b.p.task[7]), 134217728, "both parts of the result");
    cr_expect_eq(total_out(&b.p.task[7]), 134217728);
    const struct task *t = &b.p.task[4];
    for (int i = 0; i < 3; i++) {
        cr_expect_eq(total_in(&t[i]), in[i], "%d: %lu", i, total_in(&t[i]));
        cr_expect_eq(total_out(&t[i]), 67108864, "%d", i);
        cr_expect_eq(t[i].kernel.all.gemm.useful, UINT64_C(1) << 36, "%d", i);
        cr_expect_eq(t[i].row, 0, "%d", i);
    }
    cr_expect_eq(t[1].kernel.block.m, 1024);
    cr_expect_eq(t[1].kernel.block.k, 512);
    cr_expect_eq(t[1].kernel.block.n, 512);
    cr_expect_eq(t[1].workspace, 67108864);
    take_down(&b);
}

/* Seven parts of 16 MiB: four come, and the result of 32 goes, by copies.  v6e leaves 96 MiB, and
 * so one part of the result goes to HBM. */
Test(parts, parts_that_fit_stay_on_the_chip)
{
    struct bench b = { 0 };

    lower_square(&b, "tpu-v5e-1", "c64", 3, 2048, "");
    cr_assert_eq(b.p.n_tasks, 4 + 3 + 1);
    for (int i = 0; i < 4; i++)
        cr_expect_eq(total_in(&b.p.task[i]), 16777216, "%d", i);
    for (int i = 4; i < 7; i++)
        cr_expect_eq(total_in(&b.p.task[i]) + total_out(&b.p.task[i]), 0, "%d", i);
    cr_expect_eq(total_out(&b.p.task[7]), 33554432);
    take_down(&b);
    lower_square(&b, "tpu-v6e-1", "c64", 3, 2048, "");
    for (int i = 4; i < 7; i++)
        cr_expect_eq(total_in(&b.p.task[i]) + total_out(&b.p.task[i]), i == 6 ? 16777216 : 0, "%d",
                     i);
    take_down(&b);
}

/* 2 (1 + 1 + 8 + 4 + 1) kernels cut the operands, 1 clears the sums, 16 x 4 multiply and add, 2 + 8
 * + 2 end it.  The eight sums of 32 MiB, and T of 4, are on the chip for 1,024. */
Test(parts, a_product_of_f64_is_48_of_bf16_between_sums)
{
    struct bench b = { 0 };
    uint64_t products = 0, useful = 0, sums = 0;

    lower_square(&b, "tpu-v5e-1", "f64", 48, 4096, "");
    cr_assert_eq(b.p.n_tasks, 107);
    for (uint32_t i = 0; i < b.p.n_tasks; i++) {
        products += b.p.task[i].kernel.all.gemm.b;
        useful += b.p.task[i].kernel.all.gemm.useful;
    }
    cr_expect_eq(products, 48);
    cr_expect_eq(useful, 48 * (UINT64_C(1) << 36));
    cr_expect_eq(total_in(&b.p.task[2]), 8 * UINT64_C(16777216));
    cr_expect_eq(total_out(&b.p.task[2]), 4 * UINT64_C(16777216));
    cr_expect_eq(b.p.task[2].kernel.all.vpu[VECTOR_ADD], 60 * 16384);
    take_down(&b);
    lower_square(&b, "tpu-v5e-1", "f64", 48, 1024, "");
    for (uint32_t i = 30; i < b.p.n_tasks; i++)
        sums += total_in(&b.p.task[i]) + total_out(&b.p.task[i]);
    cr_expect_eq(sums, 0);
    take_down(&b);
}

/* Sums of f64 come first, then three products. */
Test(parts, a_product_of_c128_is_three_of_f64)
{
    struct bench b = { 0 };

    lower_square(&b, "tpu-v5e-1", "c128", 144, 1024, "");
    cr_expect_eq(b.p.n_tasks, 1 + 3 * 107);
    cr_expect_eq(b.p.task[0].kernel.all.vpu[VECTOR_ADD], 25 * 6 * 1024);
    take_down(&b);
}

/* Where lanes are stated a compiler has been at it, and 2 is not 3 times anything. */
Test(parts, other_products_stay_one_kernel)
{
    struct bench b = { 0 };

    lower_square(&b, "tpu-v5e-1", "c64", 1, 1024, " lanes=knn");
    cr_expect_eq(b.p.n_tasks, 1);
    take_down(&b);
    lower_square(&b, "tpu-v5e-1", "c64", 2, 1024, "");
    cr_expect_eq(b.p.n_tasks, 1);
    take_down(&b);
}
