/* Kernels of compiled programs for SparseCores as tasks, on the machine of lower_bench.h. */
#include "lower_bench.h"

#define PLACES                                                                                     \
    "tensor %x f32[1024,1024]{1,0:T(8,128)} input\ntensor %w f32[1024,1024]{1,0:T(8,128)} "        \
    "weight\n"

#define SPARSE                                                                                     \
    "  %s f32[1000,25]{1,0:T(8,128)} = kernel-start(%x, %w) unit=sparsecore form=gather "          \
    "rows=1000 row-bytes=100 fetch=0+4096 store=102400 vector=add:100+exp:10 xlu=5\n"              \
    "  %r f32[1000,25]{1,0:T(8,128)} at %s = kernel-done(%s)\n"

Test(lower_sparse, kernels_of_sparsecores_run_on_the_core_that_has_none)
{
    struct bench b = { 0 };
    struct cap c = cap;

    c.sparsecores = 2;
    cr_assert_eq(lower_text(&b, PLACES, SPARSE, &c, false), 0, "%s", b.err.msg);
    const struct task *t = b.p.task;
    cr_expect_eq(t[0].kind, TASK_SPARSE);
    cr_expect_eq(t[0].async, TASK_START);
    cr_expect_eq(t[0].sparse.in.bytes, 4096);
    cr_expect_eq(t[0].sparse.in.rows, 1000);
    cr_expect_eq(t[0].sparse.in.row_bytes, 100, "padded by the SparseCore itself");
    cr_expect_eq(t[0].sparse.out.bytes, 102400);
    cr_expect_eq(t[0].sparse.operations, 100 + 7 * 10 + 5);
    cr_expect_eq(t[1].kind, TASK_SPARSE);
    cr_expect_eq(t[1].async, TASK_DONE);
    cr_expect_eq(b.p.notes.sparse_on_core, 0);
    take_down(&b);
    cr_assert_eq(lower_text(&b, PLACES, SPARSE, &cap, false), 0, "%s", b.err.msg);
    cr_expect_eq(b.p.task[0].kind, TASK_KERNEL);
    cr_expect_eq(b.p.task[0].async, TASK_SYNC);
    cr_expect_eq(b.p.task[0].kernel.all.in.rows, 1000);
    cr_expect_eq(b.p.task[1].kind, TASK_SCALAR, "nothing is left to wait for");
    cr_expect_eq(b.p.notes.sparse_on_core, 1);
    take_down(&b);
}

/* 1,000 rows of 100 B.  Only a scatter that writes rows reads them, too; one with sorted indices
 * reads them and adds them up. */
Test(lower_sparse, a_scatter_reads_the_rows_that_it_writes)
{
    static const struct {
        const char *form;
        uint64_t in, out;
    } rows[] = {
        { "form=gather", 1000, 0 },
        { "form=gather row-writes=1", 0, 1000 },
        { "form=scatter", 1000, 0 },
        { "form=scatter row-writes=1", 1000, 1000 },
    };
    struct cap c = cap;

    c.sparsecores = 2;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct bench b = { 0 };
        char body[512];
        snprintf(body, sizeof body,
                 "  %%s f32[1000,25]{1,0:T(8,128)} = kernel-start(%%x, %%w) unit=sparsecore %s "
                 "rows=1000 row-bytes=100 fetch=0+4096 store=4096\n"
                 "  %%r f32[1000,25]{1,0:T(8,128)} at %%s = kernel-done(%%s)\n",
                 rows[i].form);
        cr_assert_eq(lower_text(&b, PLACES, body, &c, false), 0, "%s", b.err.msg);
        const struct task_sparse *s = &b.p.task[0].sparse;
        cr_expect_eq(s->in.rows, rows[i].in, "%s: %lu", rows[i].form, s->in.rows);
        cr_expect_eq(s->out.rows, rows[i].out, "%s: %lu", rows[i].form, s->out.rows);
        cr_expect_eq(s->in.row_bytes, 100);
        cr_expect_eq(s->out.row_bytes, 100);
        take_down(&b);
    }
}

/* A kernel that states no bytes of a row moves no rows, whatever count it states. */
Test(lower_sparse, a_kernel_without_bytes_of_rows_moves_no_rows)
{
    static const char *const stated[] = { "form=vector", "form=gather rows=1000" };
    struct cap c = cap;

    c.sparsecores = 2;
    for (size_t i = 0; i < sizeof stated / sizeof *stated; i++) {
        struct bench b = { 0 };
        char body[512];
        snprintf(body, sizeof body,
                 "  %%s f32[1000,25]{1,0:T(8,128)} = kernel-start(%%x, %%w) unit=sparsecore %s "
                 "fetch=4096+0 store=4096 vector=add:100\n"
                 "  %%r f32[1000,25]{1,0:T(8,128)} at %%s = kernel-done(%%s)\n",
                 stated[i]);
        cr_assert_eq(lower_text(&b, PLACES, body, &c, false), 0, "%s", b.err.msg);
        const struct task_sparse *s = &b.p.task[0].sparse;
        cr_expect_eq(s->in.rows, 0, "%s: %lu", stated[i], s->in.rows);
        cr_expect_eq(s->out.rows, 0, "%s: %lu", stated[i], s->out.rows);
        take_down(&b);
    }
}
