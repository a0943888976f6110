/* cpu_work.h - operations of a node of CPUs: what the files that make them share; private to
 * kernels.
 *
 * A framework runs each operation on the threads of one pool, the next when it is done (`eager`,
 * `graph`), or what a compiler has fused as one (`xla`).  cpu_lower.c decides which operations
 * there are and what they move, cpu_product.c what a product costs its cores, cpu_stream.c
 * everything else, cpu_work.c what follows from both: threads, pages, caches, sockets.  Which bytes
 * are in the last cache, gpu_cache.c says, of that cache. */
#ifndef KERNELS_CPU_CPU_WORK_H
#define KERNELS_CPU_CPU_WORK_H

#include "base/wide.h"
#include "kernels/common/lowering.h"

/* An operation before it is given to threads. */
struct cpu_work {
    u128 cycles;            /* of all cores together, of the clock of products */
    u128 units, unit;       /* a product: blocks, and cycles of each; 0: any share will do */
    u128 serial;            /* cycles of one thread alone */
    uint64_t bytes;         /* that its threads load and store, in caches or not */
    uint64_t read, written; /* of them by memory */
    uint64_t fresh;         /* bytes of results in pages that are mapped for it */
    uint64_t useful;        /* multiply-accumulates */
    uint64_t passes;        /* operations of the framework; 0 counts as 1 */
};

/* Bytes of operand i < step_n_operands(), and of result i, that an operation moves: all of it, or
 * what a kernel states: the part of a slice or update, the rows of a gather or scatter. */
uint64_t cpu_operand_bytes(const struct step *step, const struct step_op *op, uint32_t i);
uint64_t cpu_result_bytes(const struct step *step, const struct step_op *op, uint32_t i);

/* C[b,m,n] = A[b,m,k] B[b,k,n] of `element` bytes each: its blocks. */
void cpu_product(struct cpu_work *w, uint64_t b, uint64_t m, uint64_t n, uint64_t k,
                 uint32_t element, const struct cap_cpu *cpu);

/* Work of an operation without a product on the bytes that `w` says. */
void cpu_stream(struct cpu_work *w, const struct step *step, const struct step_op *op,
                const struct cap_cpu *cpu);

/* Divide `w` between threads: fills all of `p`. */
void cpu_divide(struct task_pool *p, const struct cpu_work *w, const struct cap *cap);

/* Operations of a node that CPUs run (cpu_lower.c). */
int cpu_lower(struct lowering *l, const struct step_node *n, uint32_t row);
/* A kernel that states its product, or its bytes, as an operation. */
int cpu_compiled(struct lowering *l, const struct step_node *n, const struct step_op *op,
                 uint32_t row);
/* ERR_FIT if a member is a kernel, or a copy, of a program that was compiled for a TPU. */
int cpu_check(struct lowering *l, const struct step_node *n);

#endif
