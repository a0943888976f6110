#include <stdlib.h>

#include "des/des_impl.h"

/* Pending notifications by time, each entry two words by value:
 *
 *   same   all for one time: whoever is first while it is empty sets the time, so that timers that
 *          fall due together cost an append and a take
 *   near   the next ones, at most 64, sorted; all there are while there are few
 *   flat   one bucket that turned out to hold a single time
 *   far    eleven levels of 64 buckets: an entry lies at the level of the highest digit, of 6 bits,
 *          in which its time differs from the reference, in the bucket of that digit
 *
 * When near is empty the first bucket of the lowest level is taken: into near if it is small, as
 * flat if its times are equal, else spread over the 64 buckets of the highest digit that differs
 * within it.  So an entry moves at most eleven times, whatever the delays are, and two or three
 * times with the delays of real models.  Everything before `limit` is near, flat or same, hence
 * near needs no look at the levels.
 *
 * A cancelled notification leaves its entry behind, stale; once they outnumber the others, all are
 * swept out.
 *
 * Order among equal times is that of notification: appends keep it, and of the three places flat
 * is older than near and near than same. */

#define TAKE_MAX 40 /* a bucket of so many goes to near at once */
#define KEEP 24     /* what near keeps when it is full */

/* --- chunks and buckets ------------------------------------------------------------------- */

static void append(struct queue *q, struct bucket *b, struct timed t)
{
    struct chunk *c = &q->chunks[b->last];

    if (b->last == 0 || c->n == CHUNK_MAX) {
        uint32_t id = q->free_chunk;
        c = &q->chunks[id];
        q->free_chunk = c->next;
        c->next = 0;
        c->n = 0;
        if (b->last)
            q->chunks[b->last].next = id;
        else
            b->first = id;
        b->last = id;
    }
    c->at[c->n++] = t;
    b->n++;
}

static void release(struct queue *q, struct bucket *b)
{
    if (b->last) {
        q->chunks[b->last].next = q->free_chunk;
        q->free_chunk = b->first;
    }
    *b = (struct bucket){ 0 };
}

void des_queue_storage(struct des *sim)
{
    struct queue *q = &sim->queue;
    uint32_t most = 2 * (sim->events.n + sim->processes.n) + NEAR_MAX;
    uint32_t buckets = LEVELS * SLOTS + 2;
    /* every bucket in use may end in a chunk with room left */
    uint32_t chunks = most / CHUNK_MAX + (most < buckets ? most : buckets) + 2;

    q->chunks = des_alloc(sim, chunks, sizeof *q->chunks);
    for (uint32_t i = 1; i + 1 < chunks; i++)
        q->chunks[i].next = i + 1;
    q->free_chunk = 1;
    q->same_when = q->flat_when = q->limit = DES_NEVER;
}

/* --- stale entries ------------------------------------------------------------------------ */

static bool pending(const struct des *sim, const struct timed *t)
{
    if (t->target & TARGET_TIMER) {
        const struct process *p = &sim->processes.at[t->target & ~TARGET_TIMER];
        return p->stamp == t->stamp && p->timer == t->when;
    }
    const struct event *e = &sim->events.at[t->target];
    return e->stamp == t->stamp && e->when == t->when;
}

static void sweep_bucket(struct des *sim, struct bucket *b)
{
    struct queue *q = &sim->queue;
    struct bucket old = *b;

    *b = (struct bucket){ 0 };
    for (uint32_t id = old.first, i = old.skip; id; i = 0) {
        struct chunk *c = &q->chunks[id];
        uint32_t next = c->next;
        struct chunk copy = *c; /* freed first: append may take it again */
        c->next = q->free_chunk;
        q->free_chunk = id;
        for (; i < copy.n; i++)
            if (pending(sim, &copy.at[i]))
                append(q, b, copy.at[i]);
        id = next;
    }
}

/* Drop all stale entries.  They are at most as many as the others, so each costs O(1). */
static void sweep(struct des *sim)
{
    struct queue *q = &sim->queue;
    uint32_t n = 0;

    for (uint32_t i = 0; i < q->n_near; i++)
        if (pending(sim, &q->near[i]))
            q->near[n++] = q->near[i];
    q->n_near = n;
    sweep_bucket(sim, &q->same);
    if (q->same.n == 0)
        q->same_when = DES_NEVER;
    sweep_bucket(sim, &q->flat);
    if (q->flat.n == 0)
        q->flat_when = DES_NEVER;
    for (uint32_t l = 0; l < LEVELS; l++) {
        for (uint64_t left = q->slots[l]; left; left &= left - 1) {
            unsigned s = (unsigned)__builtin_ctzll(left);
            sweep_bucket(sim, &q->far[l][s]);
            if (q->far[l][s].n == 0)
                q->slots[l] &= ~(UINT64_C(1) << s);
        }
        if (q->slots[l] == 0)
            q->levels &= ~(1u << l);
    }
    if (q->levels == 0)
        q->limit = DES_NEVER;
    q->stored = q->live;
}

void des_queue_forget(struct des *sim)
{
    struct queue *q = &sim->queue;

    q->live--;
    if (unlikely(q->stored > 2 * q->live + NEAR_MAX))
        sweep(sim);
}

/* --- inserting ---------------------------------------------------------------------------- */

static uint32_t level_of(uint64_t difference)
{
    return (uint32_t)(63 - __builtin_clzll(difference | 1)) / DIGIT_BITS;
}

/* Insert at this level; LEVELS: where the time belongs. */
static void far_insert(struct queue *q, struct timed t, uint32_t level)
{
    if (level == LEVELS)
        level = level_of(t.when ^ q->reference);
    unsigned slot = (unsigned)(t.when >> (DIGIT_BITS * level)) % SLOTS;

    append(q, &q->far[level][slot], t);
    q->slots[level] |= UINT64_C(1) << slot;
    q->levels |= 1u << level;
}

/* Insert a whole bucket. */
static void spread(struct queue *q, struct bucket *b, uint32_t level)
{
    for (uint32_t id = b->first; id; id = q->chunks[id].next)
        for (uint32_t i = 0; i < q->chunks[id].n; i++)
            far_insert(q, q->chunks[id].at[i], level);
    release(q, b);
}

/* Make `reference` smaller than all that is pending again. */
static void rebase(struct queue *q, des_time reference)
{
    struct bucket all = { 0 };

    for (uint32_t l = 0; l < LEVELS; l++) {
        for (; q->slots[l]; q->slots[l] &= q->slots[l] - 1) {
            struct bucket *b = &q->far[l][__builtin_ctzll(q->slots[l])];
            if (all.last)
                q->chunks[all.last].next = b->first;
            else
                all.first = b->first;
            all.last = b->last;
            *b = (struct bucket){ 0 };
        }
    }
    q->levels = 0;
    q->reference = reference;
    spread(q, &all, LEVELS);
}

/* Give all but the first of near to the levels; never a part of one time. */
static void spill(struct des *sim)
{
    struct queue *q = &sim->queue;
    uint32_t n = NEAR_MAX - KEEP;

    q->limit = q->near[n - 1].when;
    while (n < NEAR_MAX && q->near[n].when == q->limit)
        n++;
    if (q->levels == 0)
        q->reference = sim->now;
    else if (q->limit < q->reference) /* the levels were opened before they were due */
        rebase(q, sim->now);
    for (uint32_t i = n; i-- > 0;) /* first notified first */
        far_insert(q, q->near[i], LEVELS);
    q->n_near = NEAR_MAX - n;
    for (uint32_t i = 0; i < q->n_near; i++)
        q->near[i] = q->near[n + i];
}

static void near_insert(struct queue *q, struct timed t)
{
    uint32_t i = q->n_near++;

    for (; i > 0 && q->near[i - 1].when <= t.when; i--)
        q->near[i] = q->near[i - 1];
    q->near[i] = t;
}

void des_queue_insert(struct des *sim, des_time when, uint32_t target, uint32_t stamp)
{
    struct queue *q = &sim->queue;
    struct timed t = { when, target, stamp };

    q->live++;
    q->stored++;
    if (q->same_when == DES_NEVER)
        q->same_when = when;
    if (when == q->same_when) {
        append(q, &q->same, t);
    } else if (when < q->limit) {
        if (unlikely(q->n_near == NEAR_MAX)) {
            spill(sim);
            if (when >= q->limit) {
                far_insert(q, t, LEVELS);
                return;
            }
        }
        near_insert(q, t);
    } else {
        far_insert(q, t, LEVELS);
    }
}

/* --- taking ------------------------------------------------------------------------------- */

struct range {
    des_time min;
    uint64_t differ; /* the bits in which the times differ */
};

static struct range range_of(const struct queue *q, const struct bucket *b)
{
    uint64_t first = q->chunks[b->first].at[0].when;
    struct range r = { first, 0 };

    for (uint32_t id = b->first; id; id = q->chunks[id].next) {
        const struct chunk *c = &q->chunks[id];
        for (uint32_t i = 0; i < c->n; i++) {
            des_time when = c->at[i].when;
            r.differ |= when ^ first;
            r.min = when < r.min ? when : r.min;
        }
    }
    return r;
}

/* The first bucket of the lowest level: what is in it comes before all else in the levels. */
static struct bucket *first_far(struct queue *q, uint32_t *level, uint32_t *slot)
{
    *level = (uint32_t)__builtin_ctz(q->levels);
    *slot = (uint32_t)__builtin_ctzll(q->slots[*level]);
    return &q->far[*level][*slot];
}

/* Take a bucket out of its level. */
static struct bucket detach(struct queue *q, uint32_t level, uint32_t slot)
{
    struct bucket b = q->far[level][slot];

    q->far[level][slot] = (struct bucket){ 0 };
    q->slots[level] &= ~(UINT64_C(1) << slot);
    if (q->slots[level] == 0)
        q->levels &= ~(1u << level);
    return b;
}

static void prefetch(const struct des *sim, uint32_t target)
{
    if (target & TARGET_TIMER)
        __builtin_prefetch(&sim->processes.at[target & ~TARGET_TIMER], 1);
    else
        __builtin_prefetch(&sim->events.at[target], 1);
}

static void take_near(struct des *sim, struct bucket *b)
{
    struct queue *q = &sim->queue;

    for (uint32_t id = b->first; id; id = q->chunks[id].next)
        for (uint32_t i = 0; i < q->chunks[id].n; i++)
            prefetch(sim, q->chunks[id].at[i].target);
    for (uint32_t id = b->first; id; id = q->chunks[id].next)
        for (uint32_t i = 0; i < q->chunks[id].n; i++)
            near_insert(q, q->chunks[id].at[i]);
    release(q, b);
}

/* The time with the digits up to this level set to zero. */
static des_time above(des_time t, uint32_t level)
{
    unsigned bits = DIGIT_BITS * (level + 1);

    return bits >= 64 ? 0 : t >> bits << bits;
}

/* Bring the first of the levels into near or flat, which are empty. */
static void take(struct des *sim)
{
    struct queue *q = &sim->queue;

    for (;;) {
        uint32_t level, slot;
        struct range r = range_of(q, first_far(q, &level, &slot));
        struct bucket b = detach(q, level, slot);

        if (b.n > TAKE_MAX && r.differ) {
            level = level_of(r.differ);
            q->reference = above(r.min, level);
            spread(q, &b, level);
            continue;
        }
        if (b.n <= TAKE_MAX) {
            uint64_t size = UINT64_C(1) << (DIGIT_BITS * level);
            q->reference = r.min & ~(size - 1);
            if (__builtin_add_overflow(q->reference, size, &q->limit))
                q->limit = DES_NEVER;
            take_near(sim, &b);
        } else {
            q->reference = r.min;
            q->limit = r.min + 1;
            q->flat = b;
            q->flat_when = r.min;
        }
        if (q->levels == 0)
            q->limit = DES_NEVER;
        return;
    }
}

/* The first time that the levels can hold. */
static des_time far_bound(struct queue *q)
{
    uint32_t level, slot;

    first_far(q, &level, &slot);
    return above(q->reference, level) | (des_time)slot << (DIGIT_BITS * level);
}

/* Drop stale entries from the front of a bucket of one time, and the time with the last. */
static void clean_bucket(struct des *sim, struct bucket *b, des_time *when)
{
    struct queue *q = &sim->queue;

    while (b->n && !pending(sim, &q->chunks[b->first].at[b->skip])) {
        struct chunk *c = &q->chunks[b->first];
        q->stored--;
        b->n--;
        if (++b->skip < c->n)
            continue;
        struct bucket front = { .first = b->first, .last = b->first };
        b->first = c->next;
        b->skip = 0;
        if (b->first == 0)
            b->last = 0;
        release(q, &front);
    }
    if (b->n == 0)
        *when = DES_NEVER;
}

static void clean(struct des *sim)
{
    struct queue *q = &sim->queue;

    while (q->n_near && !pending(sim, &q->near[q->n_near - 1])) {
        q->n_near--;
        q->stored--;
    }
    clean_bucket(sim, &q->flat, &q->flat_when);
    clean_bucket(sim, &q->same, &q->same_when);
}

des_time des_queue_next(struct des *sim)
{
    struct queue *q = &sim->queue;

    for (;;) {
        if (unlikely(q->stored != q->live))
            clean(sim);
        des_time next = q->n_near ? q->near[q->n_near - 1].when : DES_NEVER;
        if (q->flat_when < next)
            next = q->flat_when;
        if (next != DES_NEVER || q->levels == 0 || q->same_when < far_bound(q))
            return q->same_when < next ? q->same_when : next;
        take(sim);
    }
}

/* --- firing ------------------------------------------------------------------------------- */

static void fire(struct des *sim, const struct timed *t)
{
    struct queue *q = &sim->queue;

    q->stored--;
    if (t->target & TARGET_TIMER) {
        uint32_t id = t->target & ~TARGET_TIMER;
        const struct process *p = &sim->processes.at[id];
        if (p->stamp != t->stamp || p->timer != t->when)
            return;
        q->live--;
        des_fire_timer(sim, id);
        return;
    }
    struct event *e = &sim->events.at[t->target];
    if (e->stamp != t->stamp || e->when != t->when)
        return;
    q->live--;
    e->when = DES_NEVER;
    des_fire(sim, t->target, false);
}

static void fire_bucket(struct des *sim, struct bucket *due)
{
    struct queue *q = &sim->queue;
    struct bucket b = *due;
    uint32_t i = b.skip;

    *due = (struct bucket){ 0 };
    for (uint32_t id = b.first; id; id = q->chunks[id].next, i = 0)
        for (; i < q->chunks[id].n; i++)
            fire(sim, &q->chunks[id].at[i]);
    release(q, &b);
}

bool des_queue_advance(struct des *sim, des_time until)
{
    struct queue *q = &sim->queue;
    des_time now = des_queue_next(sim);

    if (now > until || now == DES_NEVER)
        return false;
    sim->now = now;
    if (q->flat_when == now) {
        q->flat_when = DES_NEVER;
        fire_bucket(sim, &q->flat);
    }
    while (q->n_near && q->near[q->n_near - 1].when == now)
        fire(sim, &q->near[--q->n_near]);
    if (q->same_when == now) {
        q->same_when = DES_NEVER;
        fire_bucket(sim, &q->same);
    }
    return true;
}
