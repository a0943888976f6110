#include "base/threads/crew.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/memory.h"

enum { LOOKS = 4000 }; /* for work before a thread sleeps: some 10 to 100 us */

struct crew {
    /* number of the round, and of the next piece that nobody has taken: one word, so that a piece
     * is taken of the round at hand or not at all */
    _Atomic uint64_t next;
    _Atomic uint32_t n, done; /* pieces of the round, and those that are done */
    crew_work *work;
    void *self;

    pthread_mutex_t lock;
    pthread_cond_t wake;
    _Atomic uint32_t sleepers;
    _Atomic bool ends;
    pthread_t *thread;
    unsigned threads; /* besides the calling one */
};

static void pause_briefly(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#endif
}

/* Take the next piece of the round at hand; false: none is left. */
static bool take_piece(struct crew *c, uint32_t *piece)
{
    uint64_t next = atomic_load_explicit(&c->next, memory_order_acquire);

    do {
        *piece = (uint32_t)next;
        if (*piece >= atomic_load_explicit(&c->n, memory_order_acquire))
            return false;
    } while (!atomic_compare_exchange_weak_explicit(&c->next, &next, next + 1, memory_order_acq_rel,
                                                    memory_order_acquire));
    return true;
}

static bool do_pieces(struct crew *c)
{
    uint32_t piece;
    bool any = false;

    while (take_piece(c, &piece)) {
        any = true;
        c->work(c->self, piece);
        atomic_fetch_add_explicit(&c->done, 1, memory_order_release);
    }
    return any;
}

static bool has_work(const struct crew *c)
{
    return (uint32_t)atomic_load(&c->next) < atomic_load(&c->n);
}

/* Sleep until there is work, or the end. */
static void sleep_until_work(struct crew *c)
{
    pthread_mutex_lock(&c->lock);
    atomic_fetch_add(&c->sleepers, 1);
    while (!has_work(c) && !atomic_load(&c->ends))
        pthread_cond_wait(&c->wake, &c->lock);
    atomic_fetch_sub(&c->sleepers, 1);
    pthread_mutex_unlock(&c->lock);
}

static void *help_crew(void *self)
{
    struct crew *c = self;
    unsigned looked = 0;

    while (!atomic_load_explicit(&c->ends, memory_order_relaxed)) {
        if (do_pieces(c)) {
            looked = 0;
        } else if (++looked < LOOKS) {
            pause_briefly();
        } else {
            sleep_until_work(c);
            looked = 0;
        }
    }
    return NULL;
}

static void wake_crew(struct crew *c)
{
    pthread_mutex_lock(&c->lock);
    pthread_cond_broadcast(&c->wake);
    pthread_mutex_unlock(&c->lock);
}

void crew_run(struct crew *c, crew_work *work, void *self, uint32_t n)
{
    uint64_t round = (atomic_load_explicit(&c->next, memory_order_relaxed) >> 32) + 1;

    if (n == 0)
        return;
    c->work = work;
    c->self = self;
    atomic_store_explicit(&c->done, 0, memory_order_relaxed);
    /* nobody takes a piece meanwhile: as many as the last round had are taken already */
    atomic_store(&c->next, round << 32 | UINT32_MAX);
    atomic_store(&c->n, n);
    atomic_store(&c->next, (round + 1) << 32);
    if (atomic_load(&c->sleepers))
        wake_crew(c);
    do_pieces(c);
    /* whoever has taken the last pieces may wait for a processor */
    for (unsigned looked = 0; atomic_load_explicit(&c->done, memory_order_acquire) < n; looked++)
        if (looked < LOOKS)
            pause_briefly();
        else
            sched_yield();
}

struct crew *crew_new(unsigned threads)
{
    struct crew *c = memory_zeroed(1, sizeof *c);

    pthread_mutex_init(&c->lock, NULL);
    pthread_cond_init(&c->wake, NULL);
    c->thread = memory_zeroed(threads, sizeof *c->thread);
    while (c->threads + 1 < threads &&
           pthread_create(&c->thread[c->threads], NULL, help_crew, c) == 0)
        c->threads++;
    return c;
}

void crew_free(struct crew *c)
{
    if (!c)
        return;
    atomic_store(&c->ends, true);
    wake_crew(c);
    for (unsigned i = 0; i < c->threads; i++)
        pthread_join(c->thread[i], NULL);
    pthread_mutex_destroy(&c->lock);
    pthread_cond_destroy(&c->wake);
    free(c->thread);
    free(c);
}
