/* work_pool.h - pieces of work that do not depend on each other, by several threads.  Each thread
 * takes the next piece; results go to places of their own, so they do not depend on the number of
 * threads. */
#ifndef BASE_THREADS_WORK_POOL_H
#define BASE_THREADS_WORK_POOL_H

#include <stddef.h>
#include <stdint.h>

struct work_pool {
    unsigned jobs; /* threads, at least 1; fewer if the system gives no more */
    size_t n;      /* pieces */
    void (*work)(void *self, size_t piece);
    void *self;
    /* called by the calling thread alone; NULL is allowed */
    void (*progress)(void *self, const char *what, uint64_t done, uint64_t all);
    void *progress_self;
    const char *what; /* the pieces, for progress: "runs" */
};

/* Do all pieces. */
void work_pool_run(const struct work_pool *q);

#endif
