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

void des_queue_sweep(struct des *sim)
{
    struct des_queue *q = &sim->queue;
    uint32_t n = 0;

    for (uint32_t i = 0; i < q->n_near; i++)
        if (des_queue_is_pending(sim, q->near_when[i], q->near_what[i])) {
            q->near_when[n] = q->near_when[i];
            q->near_what[n++] = q->near_what[i];
        }
    q->n_near = n;
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
    q->stale = 0;
}
