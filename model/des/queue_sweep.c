/* queue_sweep.c - dropping stale entries from every place of the queue (queue.c).
 *
 * A cancelled notification leaves its entry in the queue.  When stale entries outnumber the others,
 * one pass over the whole queue drops them, so a cancellation costs O(1) amortised. */
#include "des/des_impl.h"

static void sweep_bucket(struct des *sim, struct des_bucket *b)
{
    struct des_queue *q = &sim->queue;
    struct des_bucket old = *b;
    struct des_timed t[CHUNK];

    *b = (struct des_bucket){ 0 };
    while (old.n) {
        uint32_t i = old.skip, n = des_bucket_pop(q, &old, t);
        for (; i < n; i++)
            if (des_queue_is_pending(sim, t[i].when, t[i].what))
                des_bucket_append(q, b, t[i]);
    }
}

static void sweep_head(struct des *sim)
{
    struct des_queue *q = &sim->queue;
    uint64_t kept = 0, dropped = 0;
    uint32_t n = 0, gone = 0;

    for (uint32_t i = 0; i < HEAD_MAX; i++) {
        uint64_t place = q->order >> 4 * i & (HEAD_MAX - 1);
        if (i < q->n_head && des_queue_is_pending(sim, q->head_when[place], q->head_what[place])) {
            kept |= place << 4 * n++;
        } else {
            q->head_when[place] = DES_NEVER;
            dropped |= place << 4 * gone++;
        }
    }
    q->n_head = n;
    q->order = n < HEAD_MAX ? kept | dropped << 4 * n : kept;
}

void des_queue_sweep(struct des *sim)
{
    struct des_queue *q = &sim->queue;
    uint32_t n = 0;

    sweep_head(sim);
    for (uint32_t i = 0; i < q->n_near; i++)
        if (des_queue_is_pending(sim, q->near_when[i], q->near_what[i])) {
            q->near_when[n] = q->near_when[i];
            q->near_what[n++] = q->near_what[i];
        }
    q->n_near = n;
    if (q->n_head == 0 && n)
        des_queue_refill(sim);
    n = 0;
    for (uint32_t i = 0; i < q->n_same; i++)
        if (des_queue_is_pending(sim, q->same_when, q->same[i]))
            q->same[n++] = q->same[i];
    q->n_same = n;
    if (n == 0)
        q->same_when = DES_NEVER;
    sweep_bucket(sim, &q->flat);
    if (q->flat.n == 0)
        q->flat_when = DES_NEVER;
    q->n_far = 0;
    for (uint32_t l = 0; l < LEVELS; l++) {
        for (uint64_t left = q->slots[l]; left; left &= left - 1) {
            unsigned s = (unsigned)__builtin_ctzll(left);
            sweep_bucket(sim, &q->far[l][s]);
            q->n_far += q->far[l][s].n;
            if (q->far[l][s].n == 0)
                q->slots[l] &= ~(UINT64_C(1) << s);
        }
        if (q->slots[l] == 0)
            q->levels &= ~(1u << l);
    }
    if (q->levels == 0)
        q->limit = DES_NEVER;
    des_queue_limit_head(q);
    q->stale = 0;
}
