/* The formulas at the head of each family of kernels, with numbers put in: one TPU v3 core,
 * registers of 1,024 elements in 8 sublanes of 128 lanes. */
#include <criterion/criterion.h>
#include <string.h>

#include "base/err.h"
#include "study/op/op.h"

#define MAX_ARGS 5

struct family {
    const char *kind;
    const char *arg[MAX_ARGS];
    uint64_t in, out, xlu; /* bytes, registers */
    uint64_t vpu[N_VECTOR_OPS];
};

#define MIB UINT64_C(1048576)

static const struct family families[] = {
    /* elementwise.c: 2^20 elements are 1,024 registers */
    { "add", { "shape=1024x1024", "dtype=f32" }, 8 * MIB, 4 * MIB, 0, { [VECTOR_ADD] = 1024 } },
    { "tanh", { "shape=1024x1024", "dtype=f32" }, 4 * MIB, 4 * MIB, 0, { [VECTOR_EXP] = 1024 } },
    /* two operands of 16 bits are widened, and pairs of registers narrowed */
    { "divide",
      { "shape=1024x1024", "dtype=bf16" },
      4 * MIB,
      2 * MIB,
      0,
      { [VECTOR_EXP] = 1024, [VECTOR_CAST] = 2048, [VECTOR_PACK] = 512 } },
    /* a window of 4 over 2^18 results of 8 * 64 * 32 * 16: 2^20 operations */
    { "pool",
      { "shape=8x64x64x32", "window=2x2,stride=2x2", "dtype=f32" },
      4 * MIB,
      1 * MIB,
      0,
      { [VECTOR_ADD] = 1024 } },
    /* optimizer.c: 12, 20, 20 and 28 bytes a weight; 2, 4, 8 and 12 operations, one a root */
    { "sgd", { "shape=1024x1024", "dtype=f32" }, 8 * MIB, 4 * MIB, 0, { [VECTOR_ADD] = 2048 } },
    { "momentum",
      { "shape=1024x1024", "dtype=f32" },
      12 * MIB,
      8 * MIB,
      0,
      { [VECTOR_ADD] = 4096 } },
    { "rmsprop",
      { "shape=1024x1024", "dtype=f32" },
      12 * MIB,
      8 * MIB,
      0,
      { [VECTOR_ADD] = 7168, [VECTOR_DIVIDE] = 1024 } },
    { "adam",
      { "shape=1024x1024", "dtype=f32" },
      16 * MIB,
      12 * MIB,
      0,
      { [VECTOR_ADD] = 11264, [VECTOR_DIVIDE] = 1024 } },
    /* reduce.c: over the lanes 2,048 results / 8; over the sublanes 512 / 128; over neither none */
    { "reduce", { "shape=2048x512", "dims=1", "dtype=f32" }, 4 * MIB, 8192, 256, { 1024 } },
    { "reduce",
      { "shape=2048x512", "dims=0", "dtype=f32" },
      4 * MIB,
      2048,
      0,
      { [VECTOR_ADD] = 1024, [VECTOR_SUBLANES] = 4 } },
    { "reduce", { "shape=4x256x1024", "dims=0", "dtype=f32" }, 4 * MIB, MIB, 0, { 1024 } },
    /* copy.c: registers of the result; four for one, so that 256 of the operand are replicated */
    { "transpose",
      { "shape=1024x1024", "perm=1,0", "dtype=f32" },
      4 * MIB,
      4 * MIB,
      0,
      { [VECTOR_SELECT] = 1024 } },
    { "slice",
      { "shape=1024x1024", "to=256x1024", "dtype=f32" },
      MIB,
      MIB,
      0,
      { [VECTOR_SELECT] = 256 } },
    { "upsample",
      { "shape=512x512", "to=1024x1024", "dtype=f32" },
      MIB,
      4 * MIB,
      256,
      { [VECTOR_SELECT] = 1024 } },
    /* sort.c: 2^10 keys, 10 * 11 / 2 stages, a register of each of 64 rows */
    { "sort",
      { "shape=64x1024", "dtype=f32" },
      MIB / 4,
      MIB / 4,
      55 * 64,
      { [VECTOR_ADD] = 55 * 64, [VECTOR_SELECT] = 2 * 55 * 64 } },
    /* update.c: of 1,024 rows the 4 that are written over */
    { "dynamic-update-slice",
      { "shape=1024x1024", "with=4x1024", "dtype=f32" },
      16384,
      16384,
      0,
      { [VECTOR_SELECT] = 4 } },
    /* rows.c: 4,096 rows of 256 B out of a table of 128, which is on chip: each row is
     * picked by itself; indices of 4 B */
    { "gather",
      { "rows=4096", "cols=64", "table=128", "dtype=f32" },
      128 * 256 + 4096 * 4,
      MIB,
      0,
      { [VECTOR_SELECT] = 4096 } },
};

static void keep_program(void *self, const char *name, const struct task_program *p,
                         const struct cap *cap)
{
    (void)name;
    (void)cap;
    *(struct task *)self = p->task[0];
}

Test(family, asks_for_what_its_head_says)
{
    for (size_t i = 0; i < sizeof families / sizeof *families; i++) {
        const struct family *f = &families[i];
        struct op_request q = { .kind = f->kind, .arg = f->arg };
        struct task t;
        struct err e;
        while (q.n_args < MAX_ARGS && f->arg[q.n_args])
            q.n_args++;
        q.run.machine = "tpu-v3-1";
        cr_assert_eq(op_lower(&q, keep_program, &t, &e), 0, "%s", e.msg);
        cr_expect_eq(t.kernel.all.in.bytes, f->in, "%s: %lu in", f->kind, t.kernel.all.in.bytes);
        cr_expect_eq(t.kernel.all.out.bytes, f->out, "%s: %lu out", f->kind,
                     t.kernel.all.out.bytes);
        cr_expect_eq(t.kernel.all.xlu, f->xlu, "%s: %lu on the XLU", f->kind, t.kernel.all.xlu);
        for (int v = 0; v < N_VECTOR_OPS; v++)
            cr_expect_eq(t.kernel.all.vpu[v], f->vpu[v], "row %zu, %s: %lu of class %d", i, f->kind,
                         t.kernel.all.vpu[v], v);
    }
}
