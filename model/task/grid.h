/* grid.h - a kernel of a GPU: a grid of thread blocks over its streaming multiprocessors (SMs).
 *
 * All blocks are alike.  An SM takes the next block when it is done with one, so the SM with the
 * most blocks, ceil(blocks / SMs), ends last.  A kernel is simulated in equal steps: step i reads
 * its part of the operands through the L2, computes, and writes its part of the result. */
#ifndef TASK_GRID_H
#define TASK_GRID_H

#include <stdbool.h>
#include <stdint.h>

/* clang-format off */
/*    enum     text       work of an SM, in cycles of its clock */
#define GRID_PIPES(P)                                                                              \
    P(TENSOR, "tensor", "matrix instructions in the tensor cores")                                 \
    P(FMA,    "fma",    "f32 and integer instructions in the CUDA cores")                          \
    P(F64,    "f64",    "f64 instructions")                                                        \
    P(SFU,    "sfu",    "special functions: exponentials, roots, divisions")                       \
    P(SMEM,   "smem",   "accesses to shared memory, and atomic additions")
/* clang-format on */

enum grid_pipe {
#define P(id, text, doc) GRID_##id,
    GRID_PIPES(P)
#undef P
        GRID_N_PIPES
};

/* Bytes of a kernel one way: those that cross the L2, and those of them that HBM moves. */
struct task_flow {
    uint64_t l2;
    uint64_t hbm;
};

struct task_grid {
    uint64_t steps;                /* in which it is simulated, at least 1 */
    uint64_t blocks;               /* thread blocks, at least 1 */
    uint64_t waves;                /* blocks of the SM with the most */
    uint64_t cycles[GRID_N_PIPES]; /* of that SM in each pipe, all blocks */
    uint64_t sm_cycles;            /* in which SMs have a block, of all SMs together */
    uint64_t fixed_cycles;         /* before its first step, besides what every kernel costs */
    uint64_t useful;               /* multiply-accumulates of a matrix product */
    uint32_t product_rate;         /* its speed, that of 16-bit products = 1; 0 counts as 1 */
    struct task_flow in, out;
    uint64_t host_fs; /* the host works so long before it launches the kernel */
    bool node;        /* a CUDA graph launches it with the kernel before it */
};

/* A step of it. */
struct task_grid_part {
    struct task_flow in, out;
    uint64_t cycles[GRID_N_PIPES], sm_cycles;
};

/* Step `i`: an even share of everything.  O(1). */
struct task_grid_part task_grid_part(const struct task_grid *g, uint64_t i);

/* The pipe that a step waits for: the one with the most cycles. */
enum grid_pipe task_grid_longest(const struct task_grid_part *p);

extern const char *const grid_pipe_name[GRID_N_PIPES]; /* in reports */

#endif
