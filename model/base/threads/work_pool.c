#include "base/threads/work_pool.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/memory.h"

struct pool {
    const struct work_pool *q;
    pthread_mutex_t lock;
    size_t next, done;
};

static void do_pieces(struct pool *pool, bool tells)
{
    const struct work_pool *q = pool->q;

    for (;;) {
        pthread_mutex_lock(&pool->lock);
        size_t i = pool->next++, done = pool->done;
        pthread_mutex_unlock(&pool->lock);
        if (i >= q->n)
            return;
        if (tells && q->progress)
            q->progress(q->progress_self, q->what, done, q->n);
        q->work(q->self, i);
        pthread_mutex_lock(&pool->lock);
        pool->done++;
        pthread_mutex_unlock(&pool->lock);
    }
}

static void *help_pool(void *pool)
{
    do_pieces(pool, false);
    return NULL;
}

void work_pool_run(const struct work_pool *q)
{
    struct pool pool = { .q = q };
    pthread_t *thread = memory_zeroed(q->jobs, sizeof *thread);
    unsigned n = 0;

    pthread_mutex_init(&pool.lock, NULL);
    /* if the system gives no more threads, fewer do the work */
    while (n + 1 < q->jobs && n + 1 < q->n &&
           pthread_create(&thread[n], NULL, help_pool, &pool) == 0)
        n++;
    do_pieces(&pool, true);
    while (n > 0)
        pthread_join(thread[--n], NULL);
    pthread_mutex_destroy(&pool.lock);
    free(thread);
}
