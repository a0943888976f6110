/* task_pool.h - an operation on the cores of a CPU, which the threads of one pool share.
 *
 * A thread dispatches it and wakes the others.  Then, in equal steps, one thread alone does what
 * has no parallel form, all threads map fresh pages, and all compute: their instructions, what each
 * moves through its caches, what crosses between sockets and what memory moves overlap, and the
 * longest decides. */
#ifndef TASK_TASK_POOL_H
#define TASK_TASK_POOL_H

#include <stdbool.h>
#include <stdint.h>

/* clang-format off */
/*    enum     text       cycles of the core with the most work */
#define POOL_PARTS(P)                                                                              \
    P(SERIAL, "serial", "by one thread alone")                                                     \
    P(PAGES,  "pages",  "faults that map fresh pages")                                             \
    P(CORES,  "cores",  "instructions")                                                            \
    P(CACHE,  "cache",  "bytes between the core and its caches")                                   \
    P(NUMA,   "numa",   "bytes between the sockets")
/* clang-format on */

enum pool_part {
#define P(id, text, doc) POOL_##id,
    POOL_PARTS(P)
#undef P
        POOL_N_PARTS
};

struct task_pool {
    uint64_t steps;                /* in which it is simulated, at least 1 */
    uint32_t threads;              /* that share it, at least 1 */
    uint64_t cycles[POOL_N_PARTS]; /* of all steps */
    uint64_t read, written;        /* bytes that memory moves */
    uint64_t dispatch_fs;          /* until its threads begin */
    uint64_t useful;               /* multiply-accumulates of a matrix product */
};

/* Its i-th step: an even share of everything; the parts of all steps add up.  O(1). */
struct task_pool task_pool_step(const struct task_pool *p, uint64_t i);

/* The one that takes the most cycles, among the parts that overlap. */
enum pool_part task_pool_longest(const struct task_pool *p);

extern const char *const pool_part_name[POOL_N_PARTS]; /* in reports */

#endif
