/* Kernels that a framework without a compiler runs for one operation of a trace: one for each of
 * its passes, on a V100. */
#include "lower_bench.h"
#include "machine/spec/spec.h"

static struct cap cap_of(const char *machine, const char *setting)
{
    struct machine_spec *spec;
    struct cap c;
    struct err err;

    cr_assert_eq(spec_load(&spec, machine, &setting, 1, &err), 0, "%s", err.msg);
    spec_cap(spec, &c);
    spec_free(spec);
    return c;
}

#define TENSORS "tensor %x f32[160,640,640] input\ntensor %m f32[160,640,1] input\n"
#define WHOLE UINT64_C(262144000) /* bytes of %x: 160 * 640 * 640 * 4 */
#define MASK UINT64_C(409600)     /* of %m */

/* pair_dist of MLPF: five kernels; four read and write %x, the last reads the operands. */
Test(gpu_passes, each_pass_reads_and_writes_the_longest_value)
{
    struct cap c = cap_of("v100x1", "launch.framework=graph");
    struct bench b;

    cr_assert_eq(lower_text(&b, TENSORS,
                            "%y f32[160,640,640] = elementwise(%x, %m) passes=5 flops=327680000\n",
                            &c, false),
                 0, "%s", b.err.msg);
    cr_assert_eq(b.p.n_tasks, 5);
    for (uint32_t i = 0; i < 5; i++) {
        const struct task_grid *g = &b.p.task[i].grid;
        cr_expect_eq(b.p.task[i].kind, TASK_GRID);
        cr_expect_eq(g->blocks, 64000, "of 1,024 elements");
        /* the L2 moves streams at 0.65 of its rate: as many more bytes */
        cr_expect_eq(g->in.l2, (i < 4 ? WHOLE : WHOLE + MASK) * 1000 / 650);
        cr_expect_eq(g->out.l2, WHOLE * 1000 / 650);
        cr_expect_eq(b.p.task[i].workspace, WHOLE, "the value between two passes");
        cr_expect_eq(g->host_fs, (6 + 4) * FS_PER_US, "a node of the graph and a call for each");
    }
    cr_expect_eq(b.p.task[0].grid.in.hbm, WHOLE);
    take_down(&b);
}

/* A value of 1 MB stays in the 6 MiB of the L2 from one pass to the next. */
Test(gpu_passes, small_values_stay_in_the_cache_between_passes)
{
    struct cap c = cap_of("v100x1", "launch.framework=graph");
    struct bench b;

    cr_assert_eq(lower_text(&b, "tensor %x f32[512,512] input\n",
                            "%y f32[512,512] = elementwise(%x) passes=3\n", &c, false),
                 0, "%s", b.err.msg);
    cr_assert_eq(b.p.n_tasks, 3);
    cr_expect_eq(b.p.task[0].grid.in.hbm + b.p.task[0].grid.out.hbm, 0);
    cr_expect_eq(b.p.task[2].grid.out.hbm, 512 * 512 * 4, "the result goes to memory");
    take_down(&b);
}

/* 102,400 products of 640 x 1 by 1 x 1: five blocks of 128 threads each, 65,536,000 multiplications
 * over 80 SMs of 64 at 0.915 of their rate, 108 at all of it; 0.85 us for each of 6,400 and 4,741
 * blocks of an SM at 1.53 and 1.41 GHz. */
Test(gpu_passes, an_einsum_without_a_sum_is_a_batch_of_vectors_by_numbers)
{
    static const struct {
        const char *machine;
        uint64_t cycles, time;
    } row[] = { { "v100x1", 12800 * 1000 / 915, 8323200 }, { "a100x1", 9482, 5682088 } };
    struct bench b;

    for (int i = 0; i < 2; i++) {
        struct cap c = cap_of(row[i].machine, "launch.framework=graph");
        cr_assert_eq(lower_text(&b, TENSORS,
                                "%y f32[160,640,640] = elementwise(%x, %m) passes=3 einsums=1\n",
                                &c, false),
                     0, "%s", b.err.msg);
        cr_assert_eq(b.p.n_tasks, 3);
        const struct task_grid *g = &b.p.task[0].grid;
        cr_expect_eq(g->blocks, 512000);
        cr_expect_eq(g->useful, UINT64_C(65536000));
        cr_expect_eq(g->cycles[GRID_FMA], row[i].cycles);
        cr_expect_eq(g->cycles[GRID_SMEM], row[i].time);
        cr_expect_eq(g->cycles[GRID_TENSOR], 0);
        take_down(&b);
    }
}

Test(gpu_passes, a_compiler_fuses_them)
{
    struct cap c = cap_of("v100x1", "launch.framework=xla");
    struct bench b;

    cr_assert_eq(lower_text(&b, TENSORS,
                            "fusion %y {\n%a f32[160,640,640] = elementwise(%x) passes=4\n"
                            "%y f32[160,640,640] = elementwise(%a, %m) passes=2 einsums=1\n}\n",
                            &c, false),
                 0, "%s", b.err.msg);
    cr_assert_eq(b.p.n_tasks, 1);
    take_down(&b);
}

/* A radix sort counts all digits, and then takes 8 bits of a key at a time and moves all of it each
 * time, at 0.7 of HBM's rate and 0.65 of the L2's: f32 in 4 kernels, 262,144,000 bytes each way,
 * bf16 in 2, of half as many bytes. */
Test(gpu_passes, a_sort_moves_its_keys_once_for_each_byte_of_them)
{
    static const struct {
        const char *tensor, *line;
        uint32_t kernels;
        uint64_t moved;
    } row[] = {
        { "tensor %k f32[102400,640] input\n",
          "%s f32[102400,640] = sort(%k) rows=102400 cols=640\n", 5, UINT64_C(262144000) },
        { "tensor %k bf16[102400,640] input\n",
          "%s bf16[102400,640] = sort(%k) rows=102400 cols=640\n", 3, UINT64_C(131072000) },
    };
    struct cap c = cap_of("v100x1", "launch.framework=graph");
    struct bench b;

    for (int i = 0; i < 2; i++) {
        cr_assert_eq(lower_text(&b, row[i].tensor, row[i].line, &c, false), 0, "%s", b.err.msg);
        cr_assert_eq(b.p.n_tasks, row[i].kernels);
        cr_expect_eq(b.p.task[0].grid.in.hbm, row[i].moved);
        cr_expect_eq(b.p.task[0].grid.out.hbm, 0);
        for (uint32_t k = 1; k < row[i].kernels; k++) {
            const struct task_grid *g = &b.p.task[k].grid;
            cr_expect_eq(g->in.hbm, row[i].moved * 1000 / 700, "row %d: %lu", i, g->in.hbm);
            cr_expect_eq(g->out.hbm, row[i].moved * 1000 / 700, "row %d: %lu", i, g->out.hbm);
            cr_expect_eq(g->in.l2, row[i].moved * 1000 / 650, "row %d: %lu", i, g->in.l2);
            cr_expect_eq(g->out.l2, row[i].moved * 1000 / 650, "row %d: %lu", i, g->out.l2);
        }
        take_down(&b);
    }
}

/* 2^16 keys of XLA are 15 kernels, 2^12 one: 1 + 2 + 3 + 4 + 5. */
Test(gpu_passes, a_sort_of_a_compiler_is_bitonic)
{
    struct cap c = cap_of("v100x1", "launch.framework=xla");
    struct bench b;

    cr_assert_eq(lower_text(&b, "tensor %k f32[65536] input\n",
                            "%s f32[65536] = sort(%k) rows=1 cols=65536\n", &c, false),
                 0, "%s", b.err.msg);
    cr_expect_eq(b.p.n_tasks, 15);
    take_down(&b);
    cr_assert_eq(lower_text(&b, "tensor %k f32[16,4096] input\n",
                            "%s f32[16,4096] = sort(%k) rows=16 cols=4096\n", &c, false),
                 0, "%s", b.err.msg);
    cr_expect_eq(b.p.n_tasks, 1);
    take_down(&b);
}

/* An operand of one element is written over 1,000,000: nothing but writes, at HBM's full rate. */
Test(gpu_passes, a_fill_writes)
{
    struct cap c = cap_of("h100-sxm-80gb", "launch.framework=eager");
    struct bench b;

    cr_assert_eq(
        lower_text(&b, "tensor %k f32[1] input\n", "%s f32[1000000] = copy(%k)\n", &c, false), 0,
        "%s", b.err.msg);
    cr_assert_eq(b.p.n_tasks, 1);
    cr_expect_eq(b.p.task[0].grid.in.hbm, 4);
    cr_expect_eq(b.p.task[0].grid.out.hbm, 4000000);
    cr_expect_lt(b.p.task[0].grid.cycles[GRID_FMA], 200, "no least time of an element");
    take_down(&b);
}

#define NORM                                                                                       \
    "fusion %y library=1 {\n%s f32[1000] = reduce(%x) dims=1\n"                                    \
    "%q f32[1000,2048] = elementwise(%x)\n%v f32[1000] = reduce(%q) dims=1\n"                      \
    "%y f32[1000,2048] = elementwise(%x, %s, %v)\n}\n"

/* A norm of 1,000 rows of 2,048: one kernel, which reads its operand once and makes two passes over
 * its 2,048,000 elements, each of the time of HBM for 3.73 B: 4,096,000 * 3.73 B / 819.7 GB/s,
 * which refreshes leave, are 28,516 cycles of 1,530 MHz. */
Test(gpu_passes, a_norm_of_rows_is_one_kernel_of_the_library)
{
    struct cap c = cap_of("v100x1", "launch.framework=eager");
    struct bench b;

    cr_assert_eq(lower_text(&b, "tensor %x f32[1000,2048] input\n", NORM, &c, false), 0, "%s",
                 b.err.msg);
    cr_assert_eq(b.p.n_tasks, 1);
    const struct task_grid *g = &b.p.task[0].grid;
    cr_expect_eq(g->in.l2, UINT64_C(8192000) * 1000 / 650);
    cr_expect_eq(g->in.hbm, UINT64_C(8192000) * 1000 / 680);
    cr_expect_eq(g->cycles[GRID_FMA], 28516);
    take_down(&b);
}

/* The least time of an element is one of HBM: on a chip with the constants of another, twice as
 * fast where HBM is. */
Test(gpu_passes, the_least_time_of_an_element_follows_the_memory)
{
    static const char *const set[] = { "hbm.bandwidth=900 GB/s", "hbm.bandwidth=1800 GB/s" };
    uint64_t cycles[2];

    for (int i = 0; i < 2; i++) {
        struct cap c = cap_of("v100x1", set[i]);
        struct bench b;
        cr_assert_eq(lower_text(&b, "tensor %x f32[1000,2048] input\n", NORM, &c, false), 0, "%s",
                     b.err.msg);
        cycles[i] = b.p.task[0].grid.cycles[GRID_FMA];
        take_down(&b);
    }
    cr_expect_eq(cycles[0], 28516);
    cr_expect_eq(cycles[1], 14258);
}

/* Without library=1 each of its operations is a kernel. */
Test(gpu_passes, a_fusion_that_is_in_no_library_is_several)
{
    struct cap c = cap_of("v100x1", "launch.framework=eager");
    struct bench b;
    char text[512] = NORM;

    memmove(strstr(text, "library=1"), "         ", 9);
    cr_assert_eq(lower_text(&b, "tensor %x f32[1000,2048] input\n", text, &c, false), 0, "%s",
                 b.err.msg);
    cr_expect_eq(b.p.n_tasks, 4);
    take_down(&b);
}

/* The largest of each row, the sum of exponentials below it, a division: rows of 1,024 are held,
 * and stream as contiguous values do; of 2,048 there are three passes, 6,144,000 elements of 3.73 B
 * each, at 0.68 of that rate. */
Test(gpu_passes, a_softmax_holds_short_rows)
{
    static const struct {
        const char *x, *text;
        uint64_t hbm, cycles;
    } row[] = {
        { "tensor %x f32[1000,1024] input\n",
          "fusion %y library=1 {\n%m f32[1000] = reduce(%x) dims=1\n"
          "%e f32[1000,1024] = elementwise(%x, %m) fn=exponential\n"
          "%s f32[1000] = reduce(%e) dims=1\n"
          "%y f32[1000,1024] = elementwise(%e, %s) fn=divide\n}\n",
          4096000, 800 },
        { "tensor %x f32[1000,2048] input\n",
          "fusion %y library=1 {\n%m f32[1000] = reduce(%x) dims=1\n"
          "%e f32[1000,2048] = elementwise(%x, %m) fn=exponential\n"
          "%s f32[1000] = reduce(%e) dims=1\n"
          "%y f32[1000,2048] = elementwise(%e, %s) fn=divide\n}\n",
          UINT64_C(8192000) * 1000 / 680, 42774 },
    };
    struct cap c = cap_of("v100x1", "launch.framework=eager");
    struct bench b;

    for (int i = 0; i < 2; i++) {
        cr_assert_eq(lower_text(&b, row[i].x, row[i].text, &c, false), 0, "%s", b.err.msg);
        cr_assert_eq(b.p.n_tasks, 1);
        cr_expect_eq(b.p.task[0].grid.in.hbm, row[i].hbm, "row %d", i);
        cr_expect_eq(b.p.task[0].grid.cycles[GRID_FMA], row[i].cycles, "row %d: %d", i,
                     (int)b.p.task[0].grid.cycles[GRID_FMA]);
        take_down(&b);
    }
}

/* Sums over all but the channels cross rows: their operand is read again for the second pass. */
Test(gpu_passes, a_norm_across_rows_reads_again)
{
    struct cap c = cap_of("v100x1", "launch.framework=eager");
    struct bench b;

    cr_assert_eq(lower_text(&b, "tensor %x f32[64,32,1000] input\n",
                            "fusion %y library=1 {\n%s f32[32] = reduce(%x) dims=0+2\n"
                            "%y f32[64,32,1000] = elementwise(%x, %s)\n}\n",
                            &c, false),
                 0, "%s", b.err.msg);
    cr_assert_eq(b.p.n_tasks, 1);
    cr_expect_eq(b.p.task[0].grid.in.l2, UINT64_C(2) * 8192000 * 1000 / 650);
    take_down(&b);
}

/* 2^30 additions of 80 SMs: 64 of f32 a cycle each, 32 of f64. */
Test(gpu_passes, wide_elements_have_a_unit_of_their_own)
{
    struct cap c = cap_of("v100x1", "launch.framework=graph");
    struct bench b;

    cr_assert_eq(lower_text(&b, "tensor %x f32[1024,1024] input\n",
                            "%y f32[1024,1024] = elementwise(%x) flops=1073741824\n", &c, false),
                 0, "%s", b.err.msg);
    cr_expect_eq(b.p.task[0].grid.cycles[GRID_FMA], 209716);
    cr_expect_eq(b.p.task[0].grid.cycles[GRID_F64], 0);
    take_down(&b);
    cr_assert_eq(lower_text(&b, "tensor %x f64[1024,1024] input\n",
                            "%y f64[1024,1024] = elementwise(%x) flops=1073741824\n", &c, false),
                 0, "%s", b.err.msg);
    cr_expect_eq(b.p.task[0].grid.cycles[GRID_F64], 419431);
    take_down(&b);
}

/* 4,096 rows of 128 bytes of a table of 8 MiB, and their indices: (524,288 + 16,384) / 0.7. */
Test(gpu_passes, a_gather_reads_rows_and_not_its_table)
{
    struct cap c = cap_of("v100x1", "launch.framework=graph");
    struct bench b;

    cr_assert_eq(lower_text(&b, "tensor %t f32[65536,32] input\ntensor %i s32[4096] input\n",
                            "%y f32[4096,32] = gather(%t, %i)\n", &c, false),
                 0, "%s", b.err.msg);
    cr_expect_eq(b.p.task[0].grid.in.hbm, 772388);
    take_down(&b);
}

/* 131,072 elements, however many rows the table has that nobody asks for. */
Test(gpu_passes, a_gather_takes_no_time_for_the_rest_of_its_table)
{
    static const char *const table[] = { "tensor %t f32[8192,32] input\n",
                                         "tensor %t f32[1048576,32] input\n" };
    struct cap c = cap_of("h100x1", "launch.framework=graph");
    uint64_t cycles[2];
    struct bench b;

    for (int i = 0; i < 2; i++) {
        char tensors[100];
        snprintf(tensors, sizeof tensors, "%stensor %%i s32[4096] input\n", table[i]);
        cr_assert_eq(lower_text(&b, tensors, "%y f32[4096,32] = gather(%t, %i)\n", &c, false), 0,
                     "%s", b.err.msg);
        cr_expect_eq(b.p.task[0].grid.blocks, 128, "of 1,024 elements");
        cycles[i] = b.p.task[0].grid.cycles[GRID_FMA];
        take_down(&b);
    }
    cr_expect_eq(cycles[0], cycles[1]);
}
