/* Operations of several kernels, rows by index in three ways, updates in place: bytes and costs
 * worked out by hand on one TPU v3 core: 16 MiB of VMEM, accesses of 512 B, 969 cycles an operation
 * (1.03 us at 940 MHz). */
#include <criterion/criterion.h>
#include <string.h>

#include "base/err.h"
#include "study/op/op.h"

#define MAX_ARGS 5

static struct op_request make_request(const char *kind, const char *const *arg)
{
    struct op_request q = { .kind = kind, .arg = arg };

    while (q.n_args < MAX_ARGS && arg[q.n_args])
        q.n_args++;
    q.run.machine = "tpu-v3-1";
    return q;
}

struct composed {
    const char *kind;
    const char *arg[MAX_ARGS];
    size_t kernels;
    unsigned long bytes;
};

static const struct composed composed[] = {
    /* 2 MiB each: two read, one written, whatever the length of the chain */
    { "fusion", { "shape=1024x1024", "inputs=2", "chain=4" }, 1, 3 * 2097152 },
    /* x and y 8 MiB, w 2 MiB, bias 2 KiB; y goes through ReLU on its way out */
    { "dense", { "m=4096", "n=1024", "k=1024" }, 1, 44042240 },
    /* read three times and written once; 16 KiB of maxima and of sums written, read twice and once
     */
    { "softmax", { "shape=4096x1024" }, 3, 4 * 8388608 + (3 + 2) * 16384 },
    /* read three times, written once; sums, means (read twice), variances and factors, 16 KiB each;
     * gamma and beta */
    { "layer-norm", { "shape=4096x1024" }, 5, 4 * 8388608 + (2 + 3 + 2 + 2) * 16384 + 2 * 4096 },
    /* both ways, read twice; means and variances, gamma and beta */
    { "batch-norm", { "shape=32x64x56x56" }, 2, 3 * 12845056 + 4 * 256 + 2 * 256 },
    /* three times in, maxima and sums as above, labels, one number out */
    { "cross-entropy", { "shape=4096x1000" }, 3, 3 * 8192000 + 5 * 16384 + 16384 + 4 },
    { "argmax", { "shape=4096x1000", "dims=1" }, 1, 8192000 + 4 * 4096 },
    { "one-hot", { "shape=4096", "depth=128" }, 1, 4 * 4096 + 4096 * 256 },
    /* of the state only what is written over */
    { "dynamic-update-slice", { "shape=1024x4096", "with=1x4096" }, 1, 2 * 8192 },
    /* values of 8 MiB and indices of 256 KiB in; a table with rows of whole lanes, 25.6 MB, out
     * once, and copied into one of 12.8 MB with its rows along the lanes */
    { "segment-sum",
      { "rows=65536", "cols=64", "table=100000" },
      1,
      8388608 + 262144 + 2 * 25600000 + 12800000 },
    /* in any order: rows of 128 B as accesses of 512 B both ways besides */
    { "segment-sum",
      { "rows=65536", "cols=64", "table=100000", "sorted=0" },
      1,
      8388608 + 262144 + 2 * 25600000 + 12800000 + 2 * 65536 * 512 },
    /* a sorted gather reads no more than the table, or than its rows; the table is copied first */
    { "gather",
      { "rows=65536", "cols=64", "table=100000", "sorted=1" },
      1,
      8388608 + 262144 + 12800000 + 38400000 },
    { "gather",
      { "rows=1024", "cols=64", "table=100000", "sorted=1" },
      1,
      131072 + 4096 + 524288 + 38400000 },
    { "gather",
      { "rows=65536", "cols=64", "table=100000" },
      1,
      8388608 + 262144 + 65536 * 512 + 38400000 },
    { "gather", { "rows=65536", "cols=128", "table=100000" }, 1, 16777216 + 262144 + 65536 * 512 },
    /* rows of zeros and ones never leave the chip */
    { "segment-sum",
      { "rows=4096", "cols=64", "table=128", "lowering=one-hot" },
      1,
      4096 * 128 + 4096 * 4 + 128 * 128 },
};

Test(compose, moves_what_its_kernels_read_and_write)
{
    for (size_t i = 0; i < sizeof composed / sizeof *composed; i++) {
        struct op_request q = make_request(composed[i].kind, composed[i].arg);
        struct run_result r;
        struct err e;
        cr_assert_eq(op_run(&q, &r, &e), 0, "%s: %s", composed[i].kind, e.msg);
        cr_expect_eq(r.n_ops, composed[i].kernels, "row %zu, %s", i, composed[i].kind);
        cr_expect_eq(mpz_cmp_ui(r.phases[0].hbm_bytes, composed[i].bytes), 0,
                     "row %zu, %s: %lu bytes, not %lu", i, composed[i].kind,
                     mpz_get_ui(r.phases[0].hbm_bytes), composed[i].bytes);
        run_result_free(&r);
    }
}

static void keep_program(void *self, const char *name, const struct task_program *p,
                         const struct cap *cap)
{
    (void)name;
    (void)cap;
    *(struct task *)self = p->task[0];
}

static struct task lower_op(const char *kind, const char *const *arg)
{
    struct op_request q = make_request(kind, arg);
    struct task t;
    struct err e;

    cr_assert_eq(op_lower(&q, keep_program, &t, &e), 0, "%s", e.msg);
    return t;
}

Test(compose, rows_by_index_are_a_product_with_one_hot_rows)
{
    static const char *const arg[] = { "rows=4096", "cols=64", "table=128", "lowering=one-hot",
                                       NULL };
    struct task_gemm g = lower_op("segment-sum", arg).kernel.all.gemm;

    cr_expect(g.m == 128 && g.k == 4096 && g.n == 64 && g.useful == 128 * 4096 * 64);
    g = lower_op("gather", arg).kernel.all.gemm;
    cr_expect(g.m == 4096 && g.k == 128 && g.n == 64);
}

/* Three operations a turn, and an access of each row even of a small table. */
Test(compose, a_loop_pays_for_each_row)
{
    static const char *const arg[] = { "rows=1000", "cols=64", "table=128", "lowering=loop", NULL };
    static const char *const kernel[] = { "rows=1000", "cols=64", "table=128", NULL };

    for (int scatter = 0; scatter < 2; scatter++) {
        const char *kind = scatter ? "scatter" : "gather";
        struct task loop = lower_op(kind, arg), one = lower_op(kind, kernel);
        cr_expect_eq(loop.kernel.extra_cycles - one.kernel.extra_cycles, 1000 * 3 * 969, "%s",
                     kind);
        cr_expect_eq(loop.kernel.all.in.rows, 1000);
        cr_expect_eq(loop.kernel.all.out.rows, scatter ? 1000 : 0);
        cr_expect_eq(one.kernel.all.in.rows, 0);
    }
}

Test(compose, a_loop_beyond_the_clock_is_refused)
{
    static const char *const arg[] = { "rows=10000000000", "cols=64", "table=128", "lowering=loop",
                                       NULL };
    struct op_request q = make_request("gather", arg);
    struct run_result r;
    struct err e;

    cr_expect_eq(op_run(&q, &r, &e), -1);
    cr_expect_eq(e.code, ERR_FIT, "%s", e.msg);
}
