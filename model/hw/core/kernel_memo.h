/* kernel_memo.h - blocks of a kernel that repeat: part of the shortcut of a grid step.
 *
 * A block that finds the matrix units at rest takes them as many cycles as an equal one before it.
 * The cycles that are kept here give the times of its grid step.  The units hear of all repetitions
 * at once, before the next block that is none.  The last block of a kernel never is one, since it
 * drains the matrix units. */
#ifndef HW_CORE_KERNEL_MEMO_H
#define HW_CORE_KERNEL_MEMO_H

#include "task/task.h"
#include "task/use.h"

#define KERNEL_MAX_MXUS 16 /* matrix units of a core */
#define KERNEL_MEMOS 4     /* blocks that are kept */
#define KERNEL_WORKS 16    /* and works besides */

struct kernel_memo {
    struct task_gemm block;
    struct task_gemm part[KERNEL_MAX_MXUS];
    uint64_t last, sum;      /* cycles until the last unit is done; of all units together */
    uint64_t rest;           /* cycles until all are at rest */
    uint64_t slots[N_USES];  /* of all units */
    uint64_t repeats, start; /* that the units have not heard of; cycle in which the last began */
};

/* Cycles that a grid step takes for its work besides its block.  In one kernel they follow from
 * the block's shape, from which shares are the larger ones (task/task_walk.h), and from the rows
 * that it reads. */
struct kernel_cycles {
    bool known;
    bool vector; /* there is work of the vector unit */
    uint32_t shape, larger;
    uint64_t rows;
    uint64_t vpu, xlu, bundles;
};

struct kernel_memos {
    struct kernel_memo at[KERNEL_MEMOS];
    struct kernel_cycles cycles[KERNEL_WORKS]; /* by a hash */
    uint32_t n, next, hit; /* how many there are; the one to replace; the one found last */
    uint64_t rest;         /* cycle from which on the matrix units are at rest */
    uint64_t vpu, xlu;     /* cycles that these units have not heard of */
};

#endif
