/* Operations of a trace on the Xeon node: which there are, what they move and who does them. */
#include "lower_bench.h"
#include "machine/spec/spec.h"

static struct cap cap_of(const char *setting)
{
    struct machine_spec *spec;
    struct cap c;
    struct err err;

    cr_assert_eq(spec_load(&spec, "xeon-6148", &setting, 1, &err), 0, "%s", err.msg);
    spec_cap(spec, &c);
    spec_free(spec);
    return c;
}

#define TENSORS "tensor %x f32[160,640,640] input\ntensor %m f32[160,640,1] input\n"
#define WHOLE UINT64_C(262144000) /* bytes of %x: 160 * 640 * 640 * 4 */
#define MASK UINT64_C(409600)     /* of %m */

static void lower_on_xeon(struct bench *b, const char *tensors, const char *body,
                          const char *setting)
{
    struct cap c = cap_of(setting);

    cr_assert_eq(lower_text(b, tensors, body, &c, false), 0, "%s", b->err.msg);
}

/* Two of three passes leave %x's size for the next: written and read again.  The result is in fresh
 * pages, so it is not read before it is written; an einsum's is too. */
Test(cpu_lower, each_pass_moves_the_longest_value)
{
    struct bench b;

    lower_on_xeon(&b, TENSORS, "%y f32[160,640,640] = elementwise(%x, %m) passes=3\n",
                  "framework.execution=graph");
    cr_assert_eq(b.p.n_tasks, 1);
    const struct task_pool *p = &b.p.task[0].pool;
    cr_expect_eq(b.p.task[0].kind, TASK_POOL);
    cr_expect_eq(p->threads, 40);
    cr_expect_eq(p->read, 3 * WHOLE + MASK);
    cr_expect_eq(p->written, 3 * WHOLE);
    cr_expect_eq(p->dispatch_fs, UINT64_C(94200000000), "3 * (1.4 + 6 * 5) us");
    /* 64,000 pages * 2 * 95 ns at 2.2 GHz */
    cr_expect_eq(p->cycles[POOL_PAGES], 26752000);
    /* 2.6 cycles, and 1.55 for each pass before, of 65,536,000 elements; 1.18 times the clock */
    cr_expect_float_eq((double)p->cycles[POOL_CORES], 65536000 * 5.7 / 1.18 / 40, 2);
    take_down(&b);
    lower_on_xeon(&b, TENSORS, "%y f32[160,640,640] = elementwise(%x, %m) passes=3 einsums=1\n",
                  "framework.execution=graph");
    cr_expect_eq(b.p.task[0].pool.cycles[POOL_PAGES], 2 * 26752000);
    take_down(&b);
    /* the last pass of three einsums writes the result itself */
    lower_on_xeon(&b, TENSORS, "%y f32[160,640,640] = elementwise(%x, %m) passes=3 einsums=3\n",
                  "framework.execution=graph");
    cr_expect_eq(b.p.task[0].pool.cycles[POOL_PAGES], 3 * 26752000);
    take_down(&b);
}

Test(cpu_lower, an_allocator_that_keeps_memory_faults_no_pages)
{
    struct bench b;

    lower_on_xeon(&b, TENSORS, "%y f32[160,640,640] = elementwise(%x, %m)\n",
                  "framework.fresh=0 B");
    cr_expect_eq(b.p.task[0].pool.cycles[POOL_PAGES], 0);
    cr_expect_eq(b.p.task[0].pool.read, 2 * WHOLE + MASK, "lines are read before they are written");
    take_down(&b);
}

Test(cpu_lower, a_compiler_fuses_members_and_passes)
{
    static const char body[] = "fusion %y {\n%a f32[160,640,640] = elementwise(%x) passes=4\n"
                               "%y f32[160,640,640] = elementwise(%a, %m) passes=2\n}\n";
    struct bench b;

    lower_on_xeon(&b, TENSORS, body, "framework.execution=graph");
    cr_expect_eq(b.p.n_tasks, 2);
    take_down(&b);
    lower_on_xeon(&b, TENSORS, body, "framework.execution=xla");
    cr_assert_eq(b.p.n_tasks, 1);
    cr_expect_eq(b.p.task[0].pool.read, WHOLE + MASK);
    cr_expect_eq(b.p.task[0].pool.written, WHOLE);
    take_down(&b);
}

/* 10.6 cycles of each of 102,400 * 256 elements at 1.18 times the clock. */
Test(cpu_lower, one_thread_scatters)
{
    struct bench b;

    lower_on_xeon(&b, "tensor %x f32[102400,256] input\ntensor %i s32[102400] input\n",
                  "%y f32[102400,256] = scatter(%x, %i) rows=102400 cols=256 table-rows=102400\n",
                  "framework.execution=graph");
    const struct task_pool *p = &b.p.task[0].pool;
    cr_expect_float_eq((double)p->cycles[POOL_SERIAL], 26214400 * 10.6 / 1.18, 2);
    cr_expect_eq(p->cycles[POOL_CORES], 0);
    cr_expect_eq(p->cycles[POOL_PAGES], 42915840, "25,600 pages of 0.762 us at 2.2 GHz, by itself");
    take_down(&b);
}

/* 13 * 6,400 comparisons of 15 cycles a row, at 1.18 times the clock: 1,057,627 cycles.  All 16
 * rows are work for 40 threads, but a thread takes a whole row. */
Test(cpu_lower, a_thread_sorts_whole_rows)
{
    struct bench b;

    lower_on_xeon(&b, "tensor %x s32[16,6400] input\n",
                  "%y s32[16,6400] = sort(%x) rows=16 cols=6400\n", "framework.execution=graph");
    cr_expect_eq(b.p.task[0].pool.threads, 40);
    cr_expect_eq(b.p.task[0].pool.cycles[POOL_CORES], 1057627);
    take_down(&b);
}

/* A kernel that no compiler has cut costs what the operation costs that it is. */
static uint64_t cycles_of(const char *body)
{
    struct bench b;

    lower_on_xeon(&b, "tensor %t f32[65536,64] input\ntensor %i s32[4096,1] input\n", body,
                  "framework.execution=graph");
    const struct task_pool *p = &b.p.task[0].pool;
    uint64_t cycles = p->cycles[POOL_CORES] + p->cycles[POOL_SERIAL];
    take_down(&b);
    return cycles;
}

/* 1.1 and 3.8 cycles of 4,194,304 elements at 1.18 times the clock. */
Test(cpu_lower, a_kernel_gathers_sorts_and_sums_as_operations_do)
{
    cr_expect_eq(
        cycles_of("%y f32[4096,64] = kernel(%t, %i) form=gather rows=4096 row-bytes=256\n"),
        cycles_of("%y f32[4096,64] = gather(%t, %i) rows=4096 cols=64\n"));
    cr_expect_eq(cycles_of("%y f32[65536,64] = kernel(%t) form=sort rows=65536 cols=64\n"),
                 cycles_of("%y f32[65536,64] = sort(%t) rows=65536 cols=64\n"));
    cr_expect_float_eq((double)cycles_of("%y f32[65536] = kernel(%t) form=vector "
                                         "pattern=reduction\n"),
                       4194304 * 1.1 / 1.18 / 40, 2);
    cr_expect_float_eq((double)cycles_of("%y f32[65536,64] = kernel(%t) form=vector "
                                         "vector=exp:4194304\n"),
                       4194304 * 3.8 / 1.18 / 40, 2);
}

/* 5.7 cycles of each element of a transpose, 1.55 of a copy. */
Test(cpu_lower, a_transpose_takes_more_than_a_copy)
{
    struct bench b;

    lower_on_xeon(&b, "tensor %x f32[4096,1024] input\n", "%y f32[1024,4096] = copy(%x)\n",
                  "framework.execution=graph");
    cr_expect_float_eq((double)b.p.task[0].pool.cycles[POOL_CORES], 4194304 * 5.7 / 1.18 / 40, 2);
    take_down(&b);
    lower_on_xeon(&b, "tensor %x f32[4096,1024] input\n", "%y f32[4096,512] = copy(%x)\n",
                  "framework.execution=graph");
    cr_expect_float_eq((double)b.p.task[0].pool.cycles[POOL_CORES], 4194304 * 1.55 / 1.18 / 40, 2);
    take_down(&b);
}

Test(cpu_lower, a_product_finds_its_operand_in_the_cache)
{
    struct bench b;

    lower_on_xeon(&b, "tensor %x f32[512,1024] input\ntensor %w f32[1024,1024] input\n",
                  "%a f32[512,1024] = elementwise(%x)\n%y f32[512,1024] = matmul(%a, %w)\n",
                  "framework.execution=graph");
    cr_assert_eq(b.p.n_tasks, 2);
    cr_expect_eq(b.p.task[1].pool.read, 1024 * 1024 * 4, "%%w alone");
    cr_expect_eq(b.p.task[1].pool.useful, UINT64_C(512) * 1024 * 1024);
    take_down(&b);
}

Test(cpu_lower, copies_in_the_background_are_refused)
{
    struct cap c = cap_of("framework.execution=graph");
    struct bench b;

    cr_expect_neq(lower_text(&b, "tensor %x f32[1024] input\n",
                             "%h f32[1024] = copy-start(%x)\n%y f32[1024] at %h = copy-done(%h)\n",
                             &c, false),
                  0);
    cr_expect_not_null(strstr(b.err.msg, "compiled for a TPU"), "%s", b.err.msg);
    take_down(&b);
}

/* 65,536,000 elements: 1.1 cycles where those of a sum lie side by side, else 3; 1.18 times the
 * clock. */
Test(cpu_lower, a_sum_along_the_last_dimension_is_one_of_rows)
{
    struct bench b;

    lower_on_xeon(&b, TENSORS, "%y f32[160] = reduce(%x) dims=1+2\n", "framework.fresh=0 B");
    cr_expect_float_eq((double)b.p.task[0].pool.cycles[POOL_CORES], 65536000 * 1.1 / 1.18 / 40, 2);
    take_down(&b);
    lower_on_xeon(&b, TENSORS, "%y f32[640] = reduce(%x) dims=0+1\n", "framework.fresh=0 B");
    cr_expect_float_eq((double)b.p.task[0].pool.cycles[POOL_CORES], 65536000 * 3.0 / 1.18 / 40, 2);
    take_down(&b);
}

/* 640 elements become 65,536,000, of 2.6 cycles each. */
Test(cpu_lower, a_result_longer_than_what_is_read_decides)
{
    struct bench b;

    lower_on_xeon(&b, "tensor %m f32[640] input\n", "%y f32[160,640,640] = elementwise(%m)\n",
                  "framework.fresh=0 B");
    cr_expect_float_eq((double)b.p.task[0].pool.cycles[POOL_CORES], 65536000 * 2.6 / 1.18 / 40, 2);
    take_down(&b);
}

#define STACK "tensor %s f32[64,1024,1024] state\ntensor %u f32[1,1024,1024] input\n"
#define PART UINT64_C(4194304) /* bytes of %u, a 64th of %s */

static void expect_moves(const char *tensors, const char *body, uint64_t read, uint64_t written)
{
    struct bench b;

    lower_on_xeon(&b, tensors, body, "framework.execution=xla");
    cr_assert_eq(b.p.n_tasks, 1);
    const struct task_pool *p = &b.p.task[0].pool;
    cr_expect_eq(p->read, read, "%llu", (unsigned long long)p->read);
    cr_expect_eq(p->written, written, "%llu", (unsigned long long)p->written);
    cr_expect_eq(p->cycles[POOL_PAGES], 0);
    take_down(&b);
}

/* A kernel that no compiler has cut moves the parts that it states: an update in place reads and
 * writes what is updated, a slice of a stack what is sliced. */
Test(cpu_lower, a_kernel_moves_the_parts_that_it_states)
{
    expect_moves(STACK,
                 "%d f32[64,1024,1024] at %s = kernel(%s, %u) form=copy fetch=0+4194304 "
                 "store=4194304\n",
                 PART, PART);
    expect_moves(STACK, "%d f32[1024,1024] = kernel(%s) form=copy fetch=4194304 store=4194304\n",
                 PART, PART);
}

/* 1,024 rows of 256 bytes of a table of a million; their numbers; the rows again as results. */
Test(cpu_lower, a_kernel_reads_the_rows_that_it_picks)
{
    expect_moves("tensor %t f32[1000000,64] input\ntensor %i s32[1024,1] input\n",
                 "%g f32[1024,64] = kernel(%t, %i) rows=1024 form=gather fetch=0+4096 "
                 "store=262144 row-bytes=256\n",
                 262144 + 4096, 262144);
}

/* 618,475,290,624 additions, as many as an eigendecomposition of 4,096 squared takes, on 40 cores
 * of 32 a cycle. */
Test(cpu_lower, a_kernel_takes_the_arithmetic_that_it_states)
{
    struct bench b;

    lower_on_xeon(&b, "tensor %x f32[4096,4096] input\n",
                  "%y f32[4096,4096] = kernel(%x) form=vector vector=add:618475290624\n",
                  "framework.execution=xla");
    cr_assert_eq(b.p.n_tasks, 1);
    cr_expect_eq(b.p.task[0].pool.threads, 40);
    cr_expect_eq(b.p.task[0].pool.cycles[POOL_CORES], (618475290624 / 32 + 39) / 40);
    take_down(&b);
}
