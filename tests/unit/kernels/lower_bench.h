/* lower_bench.h - a step lowered from text on a machine of round numbers: 1 GHz, 100 GB/s per core,
 * 100 cycles a step (10,000 B of streaming), 1 MiB of VMEM.  Its host copies a variable of up to
 * 1 MB in a message of 0.1 ms, or at 2 GB/s; memory for more than 4 MB is mapped at 10 GB/s. */
#ifndef UNIT_KERNELS_LOWER_BENCH_H
#define UNIT_KERNELS_LOWER_BENCH_H

#include <criterion/criterion.h>
#include <string.h>

#include "base/units.h"
#include "kernels/common/work.h"
#include "kernels/lower.h"
#include "passes/footprint.h"
#include "passes/narrow.h"

static const struct cap cap = {
    .replicas = 8,
    .core_hz = 1000000000,
    .halves = 1,
    .mxu_count = 1,
    .mxu_issue = 1000000000,
    .mxu = { 128, 1, 2, 257, ARRAY_EXPOSED, 2, 0 },
    .mxu_row_granule = 8,
    .vector_elements = 1024,
    .vector_alus = 2,
    .vector_slots = { 1, 1, 1, 8, 7, 40, 6 },
    .xlu_cycles = 12,
    .bundle = { 2, 1, 1, 1, 1, PPB_PER_ONE, 4 },
    .top_k = { .pieces = 128,
               .n = 4,
               .width = { { .keys = 4096, .most = 57 },
                          { .keys = 6400, .most = 98 },
                          { .keys = 32768, .most = 424, .whole = 216 },
                          { .keys = 65536, .most = 600, .whole = 260 } } },
    .xla.tap_loads = 3,
    .xla.tap_stores = 2,
    .sublanes = 8,
    .lanes = 128,
    .vmem_bytes = 1 << 20,
    .smem_bytes = 1 << 20,
    .hbm_bytes_per_s = 100000000000,
    .hbm_cores = 1,
    .dma_granule = 512,
    .xla.turn_bytes = 128 << 20,
    .step_cycles = 100,
    .variable = { 100000000000, 1000000, 2000000000, 4000000, 10000000000 },
    .net = { .mesh = { { 2, 2, 1 }, { false, false, false } },
             .cores_per_chip = 2,
             .latency_fs = 1000000000,
             .bytes_per_s = 62000000000 },
};

struct bench {
    struct trace *t;
    struct step step;
    struct task_program p;
    struct err err;
};

static inline int lower_text(struct bench *b, const char *tensors, const char *body,
                             const struct cap *c, bool narrow)
{
    char text[4096];

    snprintf(text, sizeof text,
             "cyclotron-trace 1\nworkload \"w\"\nsamples step=1\n"
             "dtype tensors=f32 matmul=bf16 activations=narrow\n%sstep {\n%s}\n",
             tensors, body);
    char *kept = strdup(text); /* the reader borrows it */
    cr_assert_eq(trace_open_memory(&b->t, "t", kept, strlen(kept), false, &b->err), 0, "%s",
                 b->err.msg);
    step_init(&b->step);
    cr_assert_eq(step_read_tensors(&b->step, b->t, &b->err), 0, "%s", b->err.msg);
    cr_assert_eq(step_read_next(&b->step, b->t, &b->err), 1, "%s", b->err.msg);
    if (narrow)
        narrow_step(&b->step, TRACE_BF16);
    int rc = lower_step(&b->p, &b->step, c, "t", &b->err);
    free(kept);
    return rc;
}

static inline void take_down(struct bench *b)
{
    lower_free(&b->p);
    step_free(&b->step);
    trace_close(b->t);
}

static inline uint64_t total_in(const struct task *t)
{
    return t->kernel.all.in.bytes + t->kernel.resident_in;
}

static inline uint64_t total_out(const struct task *t)
{
    return t->kernel.all.out.bytes + t->kernel.resident_out;
}

/* Sum over all grid steps of what each one takes. */
static inline struct task_grid_step sum_of_steps(const struct task *t)
{
    struct task_grid_step sum = { 0 };

    for (uint64_t i = 0; i < t->kernel.grid_steps; i++) {
        struct task_grid_step s = task_grid_step(&t->kernel, i);
        sum.in.bytes += s.in.bytes;
        sum.in.rows += s.in.rows;
        sum.out.bytes += s.out.bytes;
        for (int op = 0; op < N_VECTOR_OPS; op++)
            sum.vpu[op] += s.vpu[op];
        sum.xlu += s.xlu;
        sum.gemm.useful += s.gemm.useful;
        sum.gemm.m += s.gemm.b * s.gemm.m * s.gemm.n * s.gemm.k; /* all multiply-accumulates */
    }
    return sum;
}

#endif
