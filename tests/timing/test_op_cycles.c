/* One operation on one core, the cycle it is done, worked out by hand.
 *
 * The machine has round numbers: 1 GHz; HBM of 512 GB/s without losses, so that a burst of 2048 B
 * takes 4 cycles; 1000 cycles an operation and 100 a grid step; transfers start and signal in no
 * time; else a TPU v2. */
#include <criterion/criterion.h>
#include <string.h>

#include "base/err.h"
#include "base/exact.h"
#include "plain_hbm.h"
#include "study/op/op.h"

struct op_case {
    const char *kind, *arg[6];
    const char *set; /* besides those of the machine, or NULL */
    uint64_t cycles;
};

static void run_case(struct run_result *r, const struct op_case *c, const char *machine, bool round,
                     bool exact)
{
    const char *set[] = { PLAIN_COSTS,        "core.clock=1 GHz",      "hbm.bandwidth=512 GB/s",
                          "hbm.efficiency=1", "core.op_overhead=1 us", "core.step_overhead=100",
                          "dma.latency=0 s",  "dma.issue=0",           c->set };
    struct op_request q = { .kind = c->kind,
                            .arg = c->arg,
                            .run = { .machine = machine, .set = set, .exact = exact } };
    struct err e;

    q.run.n_set = round ? N_PLAIN_COSTS + 7 + (c->set != NULL) : 0;
    while (q.n_args < 6 && c->arg[q.n_args])
        q.n_args++;
    cr_assert_eq(op_run(&q, r, &e), 0, "%s", e.msg);
}

static const struct op_case by_hand[] = {
    /* the operation 1000, the grid step 100; 64 to load the weights, 128 rows, 255 to drain */
    { "matmul", { "m=128", "n=128", "k=128", "resident=lhs+rhs+out" }, NULL, 1547 },
    /* grid steps of 1000 cycles make it one: 1000; 65,536 B = 32 bursts = 128; 1000; 447 as above
     * make 2575; the next burst begins at 2576; 32,768 B = 16 bursts = 64 */
    { "matmul", { "m=128", "n=128", "k=128" }, "core.step_overhead=1000", 2640 },
    /* 2575 without a write; as the run to warm up ends there, the read waits a cycle for a burst */
    { "matmul", { "m=128", "n=128", "k=128", "resident=out" }, "core.step_overhead=1000", 2576 },
    /* half of it to read: 64 instead of 128; 2511, 2512, 2576 */
    { "matmul", { "m=128", "n=128", "k=128", "resident=lhs" }, "core.step_overhead=1000", 2576 },
    /* 1000; 1 burst = 4; 100; 1 register = 1 cycle make 1105; from 1108 on 1 burst = 4 */
    { "copy", { "shape=1024" }, NULL, 1112 },
    /* 64 MiB in all; at the 256 GB/s of a core with company 100 cycles are 25,600 B, and the root
     * of 67,108,864 / 25,600 is 51.2: 51 tiles each way of 657,930 B, padded to 658,432 B = 322
     * bursts = 1288 cycles: 1000 + 2 * 51 * 1288 = 132376.  Reads and writes take turns, so that
     * the last tile is read when nearly all is written: 136 cycles of its 100 + 161 HBM waits for
     * (worked out outside this program, turn by turn) */
    { "copy", { "shape=16777216" }, NULL, 132512 },
    /* both ends on chip: 1000; one grid step for no traffic, 100; 1024 registers, 2 a cycle */
    { "copy", { "shape=1024x1024", "resident=lhs+out" }, NULL, 1612 },
    /* from the common memory: 4 MiB are 1024 bursts at 5 TB/s / 4096 B.  The run to warm up ends at
     * 1940 ns, the grid step begins at 3040: edge 3711; edge 4735 is at 3878.9, so 3879 - 1940 */
    { "copy", { "shape=1024x1024", "resident=lhs+out" }, "cmem.capacity=16 MiB", 1939 },
    /* of 1000 cycles 200 are the latency of two transfers, which it does not have */
    { "copy", { "shape=1024x1024", "resident=lhs+out" }, "dma.latency=100 ns", 1412 },
    /* of a grid step's 100 cycles 18 start two */
    { "copy", { "shape=1024x1024", "resident=lhs+out" }, "dma.issue=9", 1594 },
    /* with both it is what it was: 800; 4; 100; 101 make 1005; from 1008 on 4 and 100 */
    { "copy", { "shape=1024" }, "dma.latency=100 ns", 1112 },
    { "copy", { "shape=1024" }, "dma.issue=9", 1112 },
    /* the stream starts after 800; the flags of the last read and the last write come 100 late, and
     * HBM waits for the first of them too */
    { "copy", { "shape=16777216" }, "dma.latency=100 ns", 132512 },
    /* 1000 + 100; 1024 registers of sums are 512 cycles of two ALUs, but 2048 loads */
    { "add", { "shape=1024x1024", "dtype=f32", "resident=lhs+rhs+out" }, NULL, 3148 },
    { "add", { "shape=1024x1024", "dtype=f32", "resident=lhs+rhs+out" }, "bundle.load=2", 2124 },
    /* 16 arrays of a tile each are done after 447 cycles, but share one push slot: 32 registers of
     * rows and weights each */
    { "matmul",
      { "m=128", "n=2048", "k=128", "dtype=f32", "resident=lhs+rhs+out" },
      "mxu.count=16",
      1612 },
    /* with 4 loads the 1024 stores are left */
    { "add", { "shape=1024x1024", "dtype=f32", "resident=lhs+rhs+out" }, "bundle.load=4", 2124 },
};

Test(op, cycles_by_hand_walked_and_folded)
{
    for (size_t i = 0; i < sizeof by_hand / sizeof *by_hand; i++)
        for (int exact = 0; exact < 2; exact++) {
            struct run_result r;
            run_case(&r, &by_hand[i], "tpu-v2-1", true, exact);
            cr_expect_eq(r.cycles_per_step, by_hand[i].cycles, "%s: %lu, expected %lu", r.trace,
                         r.cycles_per_step, by_hand[i].cycles);
            run_result_free(&r);
        }
}

static void expect_cycles(const struct run_result *r, enum cause cause, uint64_t cycles)
{
    mpq_t q;

    mpq_init(q);
    exact_ratio(q, cycles, 1000000000);
    cr_expect_eq(mpq_cmp(amounts_get(&r->cause, cause), q), 0, "cause %d: %g s", (int)cause,
                 mpq_get_d(amounts_get(&r->cause, cause)));
    mpq_clear(q);
}

Test(op, its_time_has_causes_and_the_largest_binds)
{
    struct run_result r;

    run_case(&r, &by_hand[1], "tpu-v2-1", true, false);
    expect_cycles(&r, CAUSE_LAUNCH, 2000);
    expect_cycles(&r, CAUSE_HBM, 128 + 1 + 64);
    expect_cycles(&r, CAUSE_MXU, 447);
    cr_expect_eq(r.bound_by, CAUSE_LAUNCH);
    cr_expect_eq(r.n_ops, 1);
    cr_expect_eq(mpz_cmp_ui(r.ops[0].flops, 4194304), 0); /* 2 * 128^3 */
    cr_expect_eq(mpz_cmp_ui(r.ops[0].hbm_bytes, 98304), 0);
    cr_expect_str_eq(r.trace, "matmul m=128 n=128 k=128 dtype=bf16");
    run_result_free(&r);

    run_case(&r, &by_hand[5], "tpu-v2-1", true, false);
    cr_expect_eq(r.bound_by, CAUSE_HBM);
    cr_expect_eq(mpz_cmp_ui(r.ops[0].hbm_bytes, 67108864), 0);
    run_result_free(&r);
}

static const struct op_case kinds[] = {
    { "matmul", { "m=300", "n=200", "k=100", "batch=3", "ta=1", "dtype=f32" }, NULL, 0 },
    { "matmul", { "m=256", "n=300", "k=700", "resident=rhs" }, NULL, 0 },
    { "conv", { "in=2x3x9x9", "filter=5x3x3x3", "window=stride=2x1,pad=1_0x0_0" }, NULL, 0 },
    { "conv-dgrad", { "in=2x3x9x9", "filter=5x3x3x3" }, NULL, 0 },
    { "conv-wgrad", { "in=2x3x9x9x9", "filter=5x3x3x3x2" }, NULL, 0 },
    { "add", { "shape=8x16x512" }, NULL, 0 },
    { "rng", { "shape=100x7" }, NULL, 0 },
    { "reduce", { "shape=8x128x100", "dims=0,2" }, NULL, 0 },
    { "pool", { "shape=2x3x8x8", "window=2x2,stride=2x2" }, NULL, 0 },
    { "sort", { "shape=8x100" }, NULL, 0 },
    { "top-k", { "shape=8x100", "k=10" }, NULL, 0 },
    { "upsample", { "shape=8x16x64", "to=16x32x64" }, NULL, 0 },
    { "gather", { "rows=200", "cols=64", "table=100000" }, NULL, 0 },
    { "scatter", { "rows=200", "cols=64", "table=100" }, NULL, 0 },
    { "adam", { "shape=100x100" }, NULL, 0 },
    { "all-reduce", { "bytes=64 KiB" }, NULL, 0 },
    { "reduce-scatter", { "bytes=64 KiB" }, NULL, 0 },
    { "all-gather", { "bytes=64 KiB" }, NULL, 0 },
    { "infeed", { "bytes=10 kB" }, NULL, 0 },
    { "outfeed", { "bytes=10 kB", "sync=1" }, NULL, 0 },
    { "host", { "time=20 us", "calls=2", "bytes=1 kB" }, NULL, 0 },
};

Test(op, shortcuts_change_nothing)
{
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        struct run_result folded, walked;
        run_case(&folded, &kinds[i], "tpu-v3-8", false, false);
        run_case(&walked, &kinds[i], "tpu-v3-8", false, true);
        cr_expect_gt(folded.cycles_per_step, 0);
        cr_expect_eq(folded.cycles_per_step, walked.cycles_per_step, "%s: %lu, walked %lu",
                     folded.trace, folded.cycles_per_step, walked.cycles_per_step);
        for (unsigned c = 0; c < N_CAUSES; c++)
            cr_expect_eq(mpq_cmp(amounts_get(&folded.cause, c), amounts_get(&walked.cause, c)), 0,
                         "%s", folded.trace);
        for (size_t f = 0; f < folded.n_figures; f++)
            cr_expect_eq(mpq_cmp(folded.figures[f].value, walked.figures[f].value), 0, "%s: %s",
                         folded.trace, folded.figures[f].column);
        run_result_free(&folded);
        run_result_free(&walked);
    }
}
