/* queue.c - the queue of timed notifications.  An entry is two words, by value.  It is in one of:
 *
 *   same   entries of one time, an array.  The first entry while it is empty sets its time, so
 * timers that fall due together cost one append and one take each near   the next entries, at most
 * 64, sorted; all entries while there are few flat   one bucket whose entries have one time far
 * eleven levels of 64 buckets.  An entry is at the level of the highest digit, of 6 bits, in which
 * its time differs from the reference, in the bucket of its value of that digit
 *
 * When near is empty, the first bucket of the lowest level is taken: to near if it is small, as
 * flat if all its times are equal, else it is spread over the 64 buckets of the highest digit that
 * differs within it.  So an entry moves at most eleven times, whatever the delays are; two or three
 * times with the delays of real models.  Every entry before `limit` is in near, flat or same, so an
 * insertion into near needs no look at the levels.
 *
 * A cancelled notification leaves a stale entry behind (queue_sweep.c).
 *
 * Entries of one time keep the order of notification: appending keeps it within a place, and of one
 * time the entries in flat are older than those in near, and those older than the ones in same. */
#include "des/des_impl.h"

#define TAKE_MAX 40 /* entries of buckets that go to near at once */
#define CACHED 8192 /* so many process records stay in the caches without prefetching */
#define KEEP 24     /* entries that near keeps when it is full */

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
    q->same_when = q->flat_when = q->limit = q->last = DES_NEVER;
    q->fetch_at = sim->processes.n > CACHED ? 24 : 0;
}

/* --- inserting ---------------------------------------------------------------------------- */

static uint32_t level_of(uint64_t difference)
{
    return (uint32_t)(63 - __builtin_clzll(difference | 1)) / DIGIT_BITS;
}

/* Insert at `level`; LEVELS: at the level of the entry's time. */
static void insert_far(struct des_queue *q, struct des_timed t, uint32_t level)
{
    if (level == LEVELS)
        level = level_of(t.when ^ q->reference);
    unsigned slot = (unsigned)(t.when >> (DIGIT_BITS * level)) % SLOTS;

    des_bucket_append(q, &q->far[level][slot], t);
    q->n_far++;
    q->slots[level] |= UINT64_C(1) << slot;
    q->levels |= 1u << level;
}

/* Take a bucket out of its level. */
static struct des_bucket detach_bucket(struct des_queue *q, uint32_t level, uint32_t slot)
{
    struct des_bucket b = q->far[level][slot];

    q->far[level][slot] = (struct des_bucket){ 0 };
    q->n_far -= b.n;
    q->slots[level] &= ~(UINT64_C(1) << slot);
    if (q->slots[level] == 0)
        q->levels &= ~(1u << level);
    return b;
}

/* Insert all entries of a bucket, and leave it empty. */
static void spread_bucket(struct des_queue *q, struct des_bucket *b, uint32_t level)
{
    struct des_timed t[CHUNK];

    while (b->n) {
        uint32_t i = b->skip, n = des_bucket_pop(q, b, t);
        for (; i < n; i++)
            insert_far(q, t[i], level);
    }
}

/* Make the current time the reference.  It is before the reference only if a bucket was taken
 * before it was due.  Entries above the highest digit in which the two differ stay where they are.
 */
static void move_reference(struct des *sim)
{
    struct des_queue *q = &sim->queue;
    uint32_t below = level_of(sim->hot.now ^ q->reference);

    q->reference = sim->hot.now;
    for (uint32_t l = 0; l < below; l++) {
        for (uint64_t left = q->slots[l]; left; left &= left - 1) {
            unsigned slot = (unsigned)__builtin_ctzll(left);
            struct des_bucket b = detach_bucket(q, l, slot);
            spread_bucket(q, &b, LEVELS); /* to level `below`: they share its digit */
        }
    }
}

/* Move all but the first KEEP or so entries of near to the levels.  Entries of one time stay
 * together. */
static void spill_near(struct des *sim)
{
    struct des_queue *q = &sim->queue;
    uint32_t n = NEAR_MAX - KEEP;

    q->limit = q->near_when[n - 1];
    while (n < NEAR_MAX && q->near_when[n] == q->limit)
        n++;
    if (q->levels == 0)
        q->reference = sim->hot.now;
    else if (q->limit < q->reference)
        move_reference(sim);
    if (q->flat_when != DES_NEVER &&
        q->flat_when >= q->limit) { /* flat was taken before it was due */
        spread_bucket(q, &q->flat, LEVELS);
        q->flat_when = DES_NEVER;
    }
    for (uint32_t i = n; i-- > 0;) /* in the order of notification */
        insert_far(q, (struct des_timed){ q->near_when[i], q->near_what[i] }, LEVELS);
    q->n_near = NEAR_MAX - n;
    memmove(q->near_when, q->near_when + n, q->n_near * sizeof *q->near_when);
    memmove(q->near_what, q->near_what + n, q->n_near * sizeof *q->near_what);
}

/* Times and notifications are two arrays, and an entry comes as two words: loading 16 bytes that
 * were stored as two halves stalls. */
static inline void insert_near(struct des_queue *q, des_time when, uint64_t what)
{
    uint32_t i = q->n_near++;

    for (; i > 0 && q->near_when[i - 1] <= when; i--) {
        q->near_when[i] = q->near_when[i - 1];
        q->near_what[i] = q->near_what[i - 1];
    }
    q->near_when[i] = when;
    q->near_what[i] = what;
}

/* Insert an entry due at `limit` or later, or into a near that is full. */
static __attribute__((noinline)) void insert_past_near(struct des *sim, des_time when,
                                                       uint64_t what)
{
    struct des_queue *q = &sim->queue;

    if (when < q->limit)
        spill_near(sim);
    if (when >= q->limit)
        insert_far(q, (struct des_timed){ when, what }, LEVELS);
    else
        insert_near(q, when, what);
}

static void open_same(struct des_queue *q, des_time when, uint64_t what)
{
    q->same_when = when;
    q->mixed = false;
    q->same[q->n_same++] = what;
}

static bool is_empty(const struct des_queue *q)
{
    return (q->n_near | q->n_same | q->levels) == 0 && q->flat_when == DES_NEVER;
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
    if (when >= q->limit || unlikely(q->n_near == NEAR_MAX))
        insert_past_near(sim, when, what);
    else if (q->n_near == 0 && what >> 63 && is_empty(q))
        open_same(q, when, what);
    else
        insert_near(q, when, what);
}

/* --- taking ------------------------------------------------------------------------------- */

struct range {
    des_time min;
    uint64_t differ; /* the bits in which the times differ */
};

static struct range range_of(const struct des_queue *q, const struct des_bucket *b)
{
    uint64_t first = q->chunks[b->first * CHUNK].when;
    struct range r = { first, 0 };

    EACH (q, b, t) {
        r.differ |= t->when ^ first;
        r.min = t->when < r.min ? t->when : r.min;
    }
    return r;
}

static void prefetch_record(const struct des *sim, uint32_t target)
{
    if (target & TARGET_TIMER)
        __builtin_prefetch(&sim->processes.at[target & ~TARGET_TIMER], 1);
    else
        __builtin_prefetch(&sim->events.at[target], 1);
}

/* The time with the digits up to and including `level` set to zero. */
static des_time clear_digits(des_time t, uint32_t level)
{
    unsigned bits = DIGIT_BITS * (level + 1);

    return bits >= 64 ? 0 : t >> bits << bits;
}

static des_time start_of_slot(const struct des_queue *q, uint32_t level, unsigned slot)
{
    return clear_digits(q->reference, level) | (des_time)slot << (DIGIT_BITS * level);
}

/* Move the first buckets of a level to near: as many as have TAKE_MAX entries together. */
static void take_small_buckets(struct des *sim, uint32_t level)
{
    struct des_queue *q = &sim->queue;
    const struct des_bucket *far = q->far[level];
    unsigned last = (unsigned)__builtin_ctzll(q->slots[level]);
    uint64_t taken = 0;

    for (uint32_t n = 0; q->slots[level]; q->slots[level] &= q->slots[level] - 1) {
        unsigned slot = (unsigned)__builtin_ctzll(q->slots[level]);
        n += far[slot].n;
        if (n > TAKE_MAX)
            break;
        taken |= UINT64_C(1) << slot;
        last = slot;
        EACH (q, &far[slot], t)
            prefetch_record(sim, des_target(t->what));
    }
    if (q->slots[level] == 0)
        q->levels &= ~(1u << level);
    q->reference = start_of_slot(q, level, last);
    if (__builtin_add_overflow(q->reference, UINT64_C(1) << (DIGIT_BITS * level), &q->limit))
        q->limit = DES_NEVER;
    while (taken) { /* from the last bucket, so that an entry is sorted only among its own bucket */
        unsigned slot = 63 - (unsigned)__builtin_clzll(taken);
        taken ^= UINT64_C(1) << slot;
        EACH (q, &far[slot], t)
            insert_near(q, t->when, t->what);
        q->n_far -= far[slot].n;
        des_bucket_release(q, &q->far[level][slot]);
    }
}

/* Prefetch the records of the entries that the next take_small_buckets will move. */
void des_queue_fetch(const struct des *sim)
{
    const struct des_queue *q = &sim->queue;
    uint32_t level = (uint32_t)__builtin_ctz(q->levels), n = 0;

    for (uint64_t left = q->slots[level]; left; left &= left - 1) {
        const struct des_bucket *b = &q->far[level][__builtin_ctzll(left)];
        n += b->n;
        if (n > TAKE_MAX)
            break;
        EACH (q, b, t)
            prefetch_record(sim, des_target(t->what));
    }
}

/* Move the first entries of the levels to near or flat, which are empty. */
static void take_bucket(struct des *sim)
{
    struct des_queue *q = &sim->queue;

    for (;;) {
        uint32_t level = (uint32_t)__builtin_ctz(q->levels);
        unsigned slot = (unsigned)__builtin_ctzll(q->slots[level]);
        if (q->far[level][slot].n <= TAKE_MAX) {
            take_small_buckets(sim, level);
            break;
        }
        struct des_bucket b = detach_bucket(q, level, slot);
        struct range r = range_of(q, &b);
        if (r.differ == 0) {
            q->reference = q->flat_when = r.min;
            q->limit = r.min + 1;
            q->flat = b;
            break;
        }
        level = level_of(r.differ);
        q->reference = clear_digits(r.min, level);
        spread_bucket(q, &b, level);
    }
    if (q->levels == 0)
        q->limit = DES_NEVER;
}

/* A lower bound of the times in the levels. */
static des_time bound_of_far(const struct des_queue *q)
{
    uint32_t level = (uint32_t)__builtin_ctz(q->levels);

    return start_of_slot(q, level, (unsigned)__builtin_ctzll(q->slots[level]));
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

    while (q->n_near &&
           !des_queue_is_pending(sim, q->near_when[q->n_near - 1], q->near_what[q->n_near - 1])) {
        q->n_near--;
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
        des_time next = q->n_near ? q->near_when[q->n_near - 1] : DES_NEVER;
        if (q->flat_when < next)
            next = q->flat_when;
        if (next != DES_NEVER || q->levels == 0 || q->same_when < bound_of_far(q))
            return q->same_when < next ? q->same_when : next;
        take_bucket(sim);
    }
}

des_time des_queue_next(struct des *sim)
{
    return find_next_time(sim);
}

/* --- firing ------------------------------------------------------------------------------- */

static inline void fire_entry(struct des *sim, des_time when, uint64_t what)
{
    struct des_queue *q = &sim->queue;
    uint32_t target = des_target(what);

    if (unlikely(q->stale) && !des_queue_is_pending(sim, when, what)) {
        q->stale--;
    } else if (target & TARGET_TIMER) {
        des_fire_timer(sim, target & ~TARGET_TIMER);
    } else {
        sim->events.at[target].when = DES_NEVER;
        des_fire(sim, target);
    }
}

static void fire_flat(struct des *sim)
{
    struct des_queue *q = &sim->queue;
    struct des_bucket due = q->flat;

    q->flat = (struct des_bucket){ 0 };
    q->flat_when = DES_NEVER;
    EACH (q, &due, t)
        fire_entry(sim, t->when, t->what);
    des_bucket_release(q, &due);
}

static void fire_same(struct des *sim)
{
    struct des_queue *q = &sim->queue;

    des_queue_set_apart(q);
    for (uint32_t i = 0; i < q->n_now; i++)
        fire_entry(sim, sim->hot.now, q->now[i]);
}

/* Put the due timers on the run list as one item, RUN_NOW.  Their processes wait for nothing else,
 * so until their turn only des_kill and des_suspend can change them. */
static void walk_same(struct des *sim)
{
    des_queue_set_apart(&sim->queue);
    sim->run[sim->run_tail++ & sim->run_mask] = RUN_NOW;
}

bool des_queue_advance(struct des *sim, des_time until)
{
    struct des_queue *q = &sim->queue;
    des_time now = find_next_time(sim);
    uint64_t near[NEAR_MAX];
    uint32_t n = 0;

    if (now > until || now == DES_NEVER)
        return false;
    sim->hot.now = now;
    q->firing = true;
    while (q->n_near && q->near_when[q->n_near - 1] == now)
        near[n++] = q->near_what[--q->n_near];
    if (q->flat_when == now)
        fire_flat(sim);
    for (uint32_t i = 0; i < n; i++)
        fire_entry(sim, now, near[i]);
    if (q->same_when == now) {
        if (q->mixed || q->stale)
            fire_same(sim);
        else
            walk_same(sim);
    }
    q->firing = false;
    if (unlikely(q->stale) && des_queue_full_of_stale(q))
        des_queue_sweep(sim);
    return true;
}
