/* queue.c - the queue of timed notifications.  An entry is two words, by value.  It is in one of:
 *
 *   same  entries of one time, an array.  The first entry while it is empty sets its time, so
 *         timers that fall due together cost one append and one take each
 *   head  the next entries, at most 16, in places that they keep: `order` has their order as digits
 *         of one word, so an insertion moves nothing and has no branch
 *   near  those after head, at most 64, sorted; head and near have all entries while there are few
 *   flat  one bucket whose entries have one time
 *   far   eleven levels of 64 buckets (queue_levels.c)
 *
 * Every entry before `limit` is in head, near, flat or same, so an insertion there needs no look at
 * the levels.  Head is empty only if near is.
 *
 * A cancelled notification leaves a stale entry behind (queue_sweep.c).
 *
 * Entries of one time keep the order of notification: appending keeps it within a place, and of one
 * time the entries in flat are older than those in head, those older than the ones in near, and
 * those older than the ones in same. */
#include "des/des_impl.h"

#define CACHED 8192 /* so many process records stay in the caches without prefetching */
#define FETCH_AT 24 /* with so many entries left in head and near, the next ones are prefetched */

void des_queue_storage(struct des *sim)
{
    struct des_queue *q = &sim->queue;
    /* one entry per target, and as many stale entries and NEAR_MAX more before a sweep */
    uint32_t most = 2 * (sim->events.n + sim->processes.n + NEAR_MAX) + 2;
    uint32_t buckets = LEVELS * SLOTS + 1;
    /* the last chunk of every bucket may be partly empty; one more chunk during a sweep */
    uint32_t chunks = most / CHUNK + (most < buckets ? most : buckets) + 3;

    q->next_chunk = des_alloc(sim, chunks, sizeof *q->next_chunk);
    q->chunks = des_alloc(sim, (size_t)chunks * CHUNK, sizeof *q->chunks);
    for (uint32_t i = 1; i + 1 < chunks; i++)
        q->next_chunk[i] = i + 1;
    q->free_chunk = 1;
    q->same = des_alloc(sim, most, sizeof *q->same);
    q->now = des_alloc(sim, most, sizeof *q->now);
    q->same_when = q->flat_when = q->limit = q->head_limit = q->last = DES_NEVER;
    q->order = HEAD_IN_PLACE;
    for (uint32_t i = 0; i < HEAD_MAX; i++)
        q->head_when[i] = DES_NEVER;
    q->fetch = sim->processes.n > CACHED;
}

/* --- inserting ---------------------------------------------------------------------------- */

/* The number of entries of head that are due at `when` or before.  Where the next delay falls
 * cannot be predicted: this has no branch. */
static inline uint32_t rank_in_head(const struct des_queue *q, des_time when)
{
    const des_time *w = q->head_when;
    uint32_t a = 0, b = 0;

    a += when < w[0], b += when < w[8];
    a += when < w[1], b += when < w[9];
    a += when < w[2], b += when < w[10];
    a += when < w[3], b += when < w[11];
    a += when < w[4], b += when < w[12];
    a += when < w[5], b += when < w[13];
    a += when < w[6], b += when < w[14];
    a += when < w[7], b += when < w[15];
    return HEAD_MAX - a - b;
}

static inline void insert_head(struct des_queue *q, des_time when, uint64_t what)
{
    if (q->n_head == 0) {
        q->head_when[des_head_first(q)] = when;
        q->head_what[des_head_first(q)] = what;
        q->n_head = 1;
        return;
    }
    uint32_t bits = 4 * rank_in_head(q, when);
    uint64_t place = q->order >> 60, below = (UINT64_C(1) << bits) - 1;

    q->order = (q->order & below) | place << bits | (q->order & ~below) << 4;
    q->head_when[place] = when;
    q->head_what[place] = what;
    q->n_head++;
}

/* Move the last half of head, which is full, to near. */
static void halve_head(struct des *sim)
{
    struct des_queue *q = &sim->queue;

    if (q->n_near >= NEAR_MAX - HEAD_MAX / 2) /* one more may follow */
        des_levels_spill(sim);
    if (q->n_head < HEAD_MAX)
        return;
    for (; q->n_head > HEAD_MAX / 2; q->n_head--) {
        uint32_t place = des_head_place(q, q->n_head - 1);
        q->near_when[q->n_near] = q->head_when[place];
        q->near_what[q->n_near++] = q->head_what[place];
        q->head_when[place] = DES_NEVER;
    }
    des_queue_limit_head(q);
}

/* Insert an entry that is not of head, or into a head that is full. */
static __attribute__((noinline)) void insert_past_head(struct des *sim, des_time when,
                                                       uint64_t what)
{
    struct des_queue *q = &sim->queue;

    if (when < q->head_limit)
        halve_head(sim);
    else if (when < q->limit && q->n_near == NEAR_MAX)
        des_levels_spill(sim);
    if (when >= q->limit)
        des_levels_insert(q, (struct des_timed){ when, what }, LEVELS);
    else if (when >= q->head_limit)
        des_near_insert(q, when, what);
    else
        insert_head(q, when, what);
}

static void open_same(struct des_queue *q, des_time when, uint64_t what)
{
    q->same_when = when;
    q->mixed = false;
    q->same[q->n_same++] = what;
}

static bool is_empty(const struct des_queue *q)
{
    return (q->n_head | q->n_near | q->n_same | q->levels) == 0 && q->flat_when == DES_NEVER;
}

/* A timer that finds the queue empty opens `same`: others often follow with the same delay. */
void des_queue_insert_other(struct des *sim, des_time when, uint64_t what)
{
    struct des_queue *q = &sim->queue;

    if (when == q->last && q->same_when == DES_NEVER) {
        open_same(q, when, what);
        return;
    }
    q->last = when;
    if (when >= q->head_limit || unlikely(q->n_head == HEAD_MAX))
        insert_past_head(sim, when, what);
    else if (q->n_head == 0 && what >> 63 && is_empty(q))
        open_same(q, when, what);
    else
        insert_head(q, when, what);
}

/* --- taking ------------------------------------------------------------------------------- */

void des_queue_fetch(const struct des *sim)
{
    const struct des_queue *q = &sim->queue;
    uint32_t n = q->n_head, all = n + q->n_near;
    uint64_t what = 0;

    if (all == FETCH_AT && q->levels)
        des_levels_fetch(sim);
    if (n > DES_AHEAD)
        what = q->head_what[des_head_place(q, DES_AHEAD)];
    else if (all > DES_AHEAD)
        what = q->near_what[all - 1 - DES_AHEAD];
    if (what >> 63)
        __builtin_prefetch(sim->processes.at[des_target(what) & ~TARGET_TIMER].self, 1);
}

/* Drop stale entries from the front of a bucket of one time.  If none is left, set *when to never.
 */
static void drop_stale_of_bucket(struct des *sim, struct des_bucket *b, des_time *when)
{
    struct des_queue *q = &sim->queue;

    struct des_timed gone[CHUNK];

    for (const struct des_timed *t; b->skip < b->n;) {
        t = &q->chunks[b->first * CHUNK + b->skip];
        if (des_queue_is_pending(sim, t->when, t->what))
            return;
        q->stale--;
        if (++b->skip == CHUNK)
            des_bucket_pop(q, b, gone);
    }
    des_bucket_release(q, b);
    *when = DES_NEVER;
}

static void drop_stale(struct des *sim)
{
    struct des_queue *q = &sim->queue;

    while (q->n_head && !des_queue_is_pending(sim, q->head_when[des_head_first(q)],
                                              q->head_what[des_head_first(q)])) {
        des_head_pop(sim);
        q->stale--;
    }
    drop_stale_of_bucket(sim, &q->flat, &q->flat_when);
    while (q->n_same && !des_queue_is_pending(sim, q->same_when, q->same[q->n_same - 1])) {
        q->n_same--;
        q->stale--;
    }
    if (q->n_same == 0)
        q->same_when = DES_NEVER;
}

static inline des_time find_next_time(struct des *sim)
{
    struct des_queue *q = &sim->queue;

    for (;;) {
        if (unlikely(q->stale))
            drop_stale(sim);
        des_time next = q->head_when[des_head_first(q)];
        if (q->flat_when < next)
            next = q->flat_when;
        if (next != DES_NEVER || q->levels == 0 || q->same_when < des_levels_bound(q))
            return q->same_when < next ? q->same_when : next;
        des_levels_take(sim);
    }
}

des_time des_queue_next(struct des *sim)
{
    return find_next_time(sim);
}
