/* queue_levels.c - what of the queue (queue.c) is due later: eleven levels of 64 buckets.
 *
 * An entry is at the level of the highest digit, of 6 bits, in which its time differs from the
 * reference, in the bucket of its value of that digit.  When near is empty, the first bucket of the
 * lowest level is taken: to near if it is small, as flat if all its times are equal, else it is
 * spread over the 64 buckets of the highest digit that differs within it.  So an entry moves at
 * most eleven times, whatever the delays are; two or three times with the delays of real models. */
#include "des/des_impl.h"

#define TAKE_MAX 40 /* entries of buckets that go to near at once */
#define REFILL 15   /* entries that head is filled with */
#define KEEP 24     /* entries that near keeps when it is full */

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
            des_levels_insert(q, t[i], level);
    }
}

/* Make the current time the reference.  It is before the reference only if a bucket was taken
 * before it was due.  Entries above the highest digit in which the two differ stay where they are.
 */
static void move_reference(struct des *sim)
{
    struct des_queue *q = &sim->queue;
    uint32_t below = des_level_of(sim->hot.now ^ q->reference);

    q->reference = sim->hot.now;
    for (uint32_t l = 0; l < below; l++) {
        for (uint64_t left = q->slots[l]; left; left &= left - 1) {
            unsigned slot = (unsigned)__builtin_ctzll(left);
            struct des_bucket b = detach_bucket(q, l, slot);
            spread_bucket(q, &b, LEVELS); /* to level `below`: they share its digit */
        }
    }
}

/* Move the last entries of head, those due at `when`, to the levels. */
static void spill_head(struct des_queue *q, des_time when)
{
    uint32_t n = q->n_head, i = n;

    while (i > 0 && q->head_when[des_head_place(q, i - 1)] == when)
        i--;
    q->n_head = i;
    for (; i < n; i++) {
        uint32_t place = des_head_place(q, i);
        des_levels_insert(q, (struct des_timed){ when, q->head_what[place] }, LEVELS);
        q->head_when[place] = DES_NEVER;
    }
}

/* Entries of one time stay together. */
void des_levels_spill(struct des *sim)
{
    struct des_queue *q = &sim->queue;
    uint32_t n = q->n_near - KEEP, all = q->n_near;

    q->limit = q->near_when[n - 1];
    while (n < all && q->near_when[n] == q->limit)
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
    if (n == all) /* all have one time; those of head come first */
        spill_head(q, q->limit);
    for (uint32_t i = n; i-- > 0;) /* in the order of notification */
        des_levels_insert(q, (struct des_timed){ q->near_when[i], q->near_what[i] }, LEVELS);
    q->n_near = all - n;
    memmove(q->near_when, q->near_when + n, q->n_near * sizeof *q->near_when);
    memmove(q->near_what, q->near_what + n, q->n_near * sizeof *q->near_what);
    des_queue_limit_head(q);
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
            des_near_insert(q, t->when, t->what);
        q->n_far -= far[slot].n;
        des_bucket_release(q, &q->far[level][slot]);
    }
}

void des_levels_take(struct des *sim)
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
        level = des_level_of(r.differ);
        q->reference = clear_digits(r.min, level);
        spread_bucket(q, &b, level);
    }
    if (q->levels == 0)
        q->limit = DES_NEVER;
    des_queue_limit_head(q);
    if (q->n_near)
        des_queue_refill(sim);
}

des_time des_levels_bound(const struct des_queue *q)
{
    uint32_t level = (uint32_t)__builtin_ctz(q->levels);

    return start_of_slot(q, level, (unsigned)__builtin_ctzll(q->slots[level]));
}

void des_levels_fetch(const struct des *sim)
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

void des_queue_refill(struct des *sim)
{
    struct des_queue *q = &sim->queue;
    uint32_t n = q->n_near < REFILL ? q->n_near : REFILL;

    q->order = HEAD_IN_PLACE;
    q->n_head = n;
    q->n_near -= n;
    for (uint32_t i = 0; i < n; i++) {
        q->head_when[i] = q->near_when[q->n_near + n - 1 - i];
        q->head_what[i] = q->near_what[q->n_near + n - 1 - i];
    }
    des_queue_limit_head(q);
}
