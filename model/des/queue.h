/* queue.h - the queue of what is pending, as data: its places, and buckets of entries in chunks.
 *
 * queue.c says how they are used.  Only model/des includes this file. */
#ifndef DES_QUEUE_H
#define DES_QUEUE_H

#include <string.h>

#include "des/des.h"

/* What is notified: a target, and the stamp by which the entry is known to be no stale one. */
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

struct des_bucket { /* a chain of chunks, first notified first */
    uint32_t first, last, n;
    uint32_t skip; /* entries that are gone, of the first chunk */
};

#define NEAR_MAX 64
#define DIGIT_BITS 6
#define SLOTS (1 << DIGIT_BITS)
#define LEVELS 11 /* 11 digits of 6 bits hold any time */

struct des_queue {
    des_time same_when, flat_when; /* DES_NEVER: empty */
    des_time limit;                /* what is due before it is near, or flat, or same */
    uint64_t *same;                /* all due at same_when */
    uint64_t *now;                 /* timers that are due, to be walked where they stand */
    uint32_t n_same, n_now, n_near;
    des_time last;     /* the time inserted last; the same again opens `same` */
    bool mixed;        /* same holds more than plain timers */
    bool firing;       /* what is due is gone through, so nothing may be swept out */
    uint32_t n_far;    /* in the levels */
    uint32_t stale;    /* entries that were cancelled */
    uint32_t fetch_at; /* when so many are near, the records of the next are fetched */
    uint32_t levels;   /* bit l: level l holds something */
    uint32_t free_chunk;
    uint32_t *next_chunk;         /* of each chunk, 0: none */
    struct des_timed *chunks;     /* CHUNK entries each */
    des_time reference;           /* what the levels are told apart by */
    struct des_bucket flat;       /* all due at flat_when */
    uint64_t slots[LEVELS];       /* bit s: slot s of the level holds something */
    des_time near_when[NEAR_MAX]; /* latest first */
    uint64_t near_what[NEAR_MAX];
    struct des_bucket far[LEVELS][SLOTS];
};

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

/* For each entry `t` of a bucket. */
#define EACH(q, b, t)                                                                              \
    for (uint32_t id_ = (b)->first, i_ = (b)->skip; i_ < (b)->n;                                   \
         id_ = ++i_ % CHUNK ? id_ : (q)->next_chunk[id_])                                          \
        for (const struct des_timed *t = &(q)->chunks[id_ * CHUNK + i_ % CHUNK]; t; t = NULL)

/* Take the next chunk out of a bucket, its first entry at b->skip; returns the end of what is in
 * it.  It is free at once, so that what is taken out can go where it was. */
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

#endif
