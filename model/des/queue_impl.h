/* queue_impl.h - data of the queue of timed notifications: its places, and buckets of entries in
 * chunks.
 *
 * queue.c has the algorithm.  Only model/des includes this file. */
#ifndef DES_QUEUE_IMPL_H
#define DES_QUEUE_IMPL_H

#include <string.h>

#include "des/des.h"

/* A notification in one word: the target, an event or a timer, and its stamp.  The entry is stale
 * unless the target still has that stamp. */
static inline uint64_t des_what(uint32_t target, uint32_t stamp)
{
    return (uint64_t)target << 32 | stamp;
}

static inline uint32_t des_target(uint64_t what)
{
    return (uint32_t)(what >> 32);
}

static inline uint32_t des_stamp(uint64_t what)
{
    return (uint32_t)what;
}

struct des_timed { /* 16 bytes */
    des_time when;
    uint64_t what;
};

#define CHUNK 32 /* entries; all but the last chunk of a bucket are full */

struct des_bucket { /* a chain of chunks, in the order of notification */
    uint32_t first, last, n;
    uint32_t skip; /* entries of the first chunk that were taken */
};

#define HEAD_MAX 16
#define HEAD_IN_PLACE UINT64_C(0xfedcba9876543210) /* the order in which place i is entry i */
#define NEAR_MAX 64
#define DIGIT_BITS 6
#define SLOTS (1 << DIGIT_BITS)
#define LEVELS 11 /* 11 digits of 6 bits hold any time */

struct des_queue {
    des_time same_when, flat_when; /* DES_NEVER: same, flat is empty */
    des_time limit;                /* an entry due before it is in head, near, flat or same */
    des_time head_limit;           /* one due before it is in head, flat or same */
    uint64_t order; /* digit i of 4 bits: the place in head of the i-th entry; then free places */
    uint64_t *same; /* entries due at same_when */
    uint64_t *now;  /* timers due now, which the evaluation walks in place */
    uint32_t n_same, n_now, n_head, n_near;
    des_time head_when[HEAD_MAX]; /* by place; DES_NEVER: free */
    uint64_t head_what[HEAD_MAX];
    des_time last;   /* the time inserted last; inserting it again opens `same` */
    bool mixed;      /* same holds more than timers of processes that wait for nothing else */
    bool firing;     /* due entries are being fired: the queue must not be swept */
    uint32_t n_far;  /* entries in the levels */
    uint32_t stale;  /* cancelled entries in the queue */
    bool fetch;      /* records are prefetched: there are too many for the caches */
    uint32_t levels; /* bit l: level l holds something */
    uint32_t free_chunk;
    uint32_t *next_chunk;         /* by chunk; 0: none */
    struct des_timed *chunks;     /* CHUNK entries each */
    des_time reference;           /* a time differs from it first in the digit of its level */
    struct des_bucket flat;       /* entries due at flat_when */
    uint64_t slots[LEVELS];       /* bit s: slot s of the level holds something */
    des_time near_when[NEAR_MAX]; /* latest first */
    uint64_t near_what[NEAR_MAX];
    struct des_bucket far[LEVELS][SLOTS];
};

/* Set the time before which an entry is of head: that of the first entry of near. */
static inline void des_queue_limit_head(struct des_queue *q)
{
    q->head_limit = q->n_near ? q->near_when[q->n_near - 1] : q->limit;
}

/* The places of the first entry of head and of the next one. */
static inline uint32_t des_head_first(const struct des_queue *q)
{
    return (uint32_t)q->order & (HEAD_MAX - 1);
}

static inline uint32_t des_head_second(const struct des_queue *q)
{
    return (uint32_t)q->order >> 4 & (HEAD_MAX - 1);
}

/* The place in head of its i-th entry. */
static inline uint32_t des_head_place(const struct des_queue *q, uint32_t i)
{
    return (uint32_t)(q->order >> 4 * i) & (HEAD_MAX - 1);
}

/* Move the entries of same to q->now, where no new entries arrive. */
static inline void des_queue_set_apart(struct des_queue *q)
{
    uint64_t *now = q->same;

    q->same = q->now;
    q->now = now;
    q->n_now = q->n_same;
    q->same_when = DES_NEVER;
    q->n_same = 0;
}

/* --- chunks and buckets ------------------------------------------------------------------- */

static inline void des_bucket_append(struct des_queue *q, struct des_bucket *b, struct des_timed t)
{
    uint32_t i = b->n % CHUNK;

    if (i == 0) {
        uint32_t id = q->free_chunk;
        q->free_chunk = q->next_chunk[id];
        q->next_chunk[id] = 0;
        if (b->n)
            q->next_chunk[b->last] = id;
        else
            b->first = id;
        b->last = id;
    }
    q->chunks[b->last * CHUNK + i] = t;
    b->n++;
}

static inline void des_bucket_release(struct des_queue *q, struct des_bucket *b)
{
    if (b->first) {
        q->next_chunk[b->last] = q->free_chunk;
        q->free_chunk = b->first;
    }
    *b = (struct des_bucket){ 0 };
}

/* Iterate over the entries `t` of a bucket. */
#define EACH(q, b, t)                                                                              \
    for (uint32_t id_ = (b)->first, i_ = (b)->skip; i_ < (b)->n;                                   \
         id_ = ++i_ % CHUNK ? id_ : (q)->next_chunk[id_])                                          \
        for (const struct des_timed *t = &(q)->chunks[id_ * CHUNK + i_ % CHUNK]; t; t = NULL)

/* Copy the first chunk of a bucket and free it: entries from b->skip (before the call) to the
 * returned end.  Since the chunk is free, its entries can be inserted elsewhere at once. */
static inline uint32_t des_bucket_pop(struct des_queue *q, struct des_bucket *b,
                                      struct des_timed copy[CHUNK])
{
    uint32_t id = b->first, n = b->n < CHUNK ? b->n : CHUNK;

    memcpy(copy, &q->chunks[id * CHUNK], n * sizeof *copy);
    b->first = q->next_chunk[id];
    b->n -= n;
    b->skip = 0;
    q->next_chunk[id] = q->free_chunk;
    q->free_chunk = id;
    return n;
}

/* --- near and the levels ------------------------------------------------------------------ */

/* Times and notifications are two arrays, and an entry comes as two words: loading 16 bytes that
 * were stored as two halves stalls. */
static inline void des_near_insert(struct des_queue *q, des_time when, uint64_t what)
{
    uint32_t i = q->n_near++;

    for (; i > 0 && q->near_when[i - 1] <= when; i--) {
        q->near_when[i] = q->near_when[i - 1];
        q->near_what[i] = q->near_what[i - 1];
    }
    q->near_when[i] = when;
    q->near_what[i] = what;
}

static inline uint32_t des_level_of(uint64_t difference)
{
    return (uint32_t)(63 - __builtin_clzll(difference | 1)) / DIGIT_BITS;
}

/* Insert at `level`; LEVELS: at the level of the entry's time. */
static inline void des_levels_insert(struct des_queue *q, struct des_timed t, uint32_t level)
{
    if (level == LEVELS)
        level = des_level_of(t.when ^ q->reference);
    unsigned slot = (unsigned)(t.when >> (DIGIT_BITS * level)) % SLOTS;

    des_bucket_append(q, &q->far[level][slot], t);
    q->n_far++;
    q->slots[level] |= UINT64_C(1) << slot;
    q->levels |= 1u << level;
}

#endif
