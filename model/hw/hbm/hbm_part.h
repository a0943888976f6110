/* hbm_part.h - what a burst costs when several transfers share a memory part.  All chips of a
 * machine share one struct hbm_part.
 *
 * Costs are in units of 1 / HBM_FINE of the time that a burst takes in a lone stream in one
 * direction.  Let n streams form a mix.  r is the cycles of an access in that mix over those in a
 * lone stream; each mix is walked once to find it (hbm_mix.h).  r_i is the same ratio for stream i
 * alone.  A burst of stream i then costs
 *
 *     r_i * n * r / (r_1 + ... + r_n)                        if n * r >= r_1 + ... + r_n:
 *                                                            the streams delay each other
 *
 *     1 + (r_i - 1) * (n * r - n) / (r_1 + ... + r_n - n)    otherwise: rows of one stream are
 *                                                            opened while another moves data
 *
 * so that a round of one burst each costs n * r, and no burst less than 1.  Each cost is rounded
 * once.  In a part that refreshes all banks at once, mixes are walked without refreshes: a refresh
 * delays every stream alike, and hbm.c adds it. */
#ifndef HW_HBM_HBM_PART_H
#define HW_HBM_HBM_PART_H

#include "base/wide.h"
#include "hw/hbm/hbm_map.h"
#include "hw/hbm/hbm_mix.h"

#define HBM_FINE 65536 /* units of a burst's time */

/* The number of streams of each kind in a mix: 5 bits per kind (hbm_mix.h). */
typedef u128 hbm_mix_key;

struct hbm_mixture {
    hbm_mix_key key;
    uint32_t cost[HBM_KINDS]; /* of a burst of each kind in the mix, in 1 / HBM_FINE */
    struct hbm_mixed *seen;   /* what the walk counted; NULL: not walked yet */
    uint64_t accesses;        /* that the walk served */
};

struct hbm_part {
    struct dram_params par;
    struct hbm_timing t;
    struct hbm_map map;
    uint64_t walked; /* the part in hbm_walked.h */
    uint32_t turn;   /* accesses of a channel in a turn */
    uint64_t faster; /* its own peak over that of the memory, at least 1, in 1 / HBM_FINE */
    struct hbm_mixture *mixture; /* in the order of their first use */
    uint32_t n_mixtures, room;
    uint32_t recent[64]; /* by a hash of the key, the mixture that was asked for last */
    uint64_t row_bytes;  /* the last argument of hbm_part_rows, */
    uint32_t row_kind;   /* and its result for reads */
};

/* `par` was checked by hbm_timing_init; transfers take turns of `turn_bytes` bytes.  A part whose
 * own peak is above `bytes_per_s`, that of the memory, does not let a lone stream go faster, but
 * serves mixes as fast as it can: r is divided by the ratio of both, down to 1. */
void hbm_part_init(struct hbm_part *p, const struct dram_params *par, uint64_t turn_bytes,
                   uint64_t bytes_per_s);
void hbm_part_free(struct hbm_part *p);

/* The mix of one stream of a kind; mixes are added. */
static inline hbm_mix_key hbm_mix_one(uint32_t kind)
{
    return (hbm_mix_key)1 << 5 * kind;
}

/* Where in p->recent a key has its place. */
static inline uint32_t hbm_part_place(hbm_mix_key key)
{
    return (uint32_t)(((uint64_t)key ^ (uint64_t)(key >> 64)) * UINT64_C(0x9e3779b97f4a7c15) >> 58);
}

/* Index of the mixture with this key, which is not 0.  The first call for a key walks the mix. */
uint32_t hbm_part_mix_other(struct hbm_part *p, hbm_mix_key key);
static inline uint32_t hbm_part_mix(struct hbm_part *p, hbm_mix_key key)
{
    uint32_t i = p->recent[hbm_part_place(key)];

    return i < p->n_mixtures && p->mixture[i].key == key ? i : hbm_part_mix_other(p, key);
}
/* Walk the mix, whether it was walked before or not. */
void hbm_part_walk(const struct hbm_part *p, hbm_mix_key key, struct hbm_mixed *out);
/* The mixture, with `seen` filled in but for its banks. */
const struct hbm_mixture *hbm_part_seen(struct hbm_part *p, uint32_t mixture);

/* The kind of stream (hbm_mix.h) that rows of `row_bytes` bytes at random places are.  Rows with
 * more accesses in a channel than any kind describes count as a stream that goes on. */
uint32_t hbm_part_rows(struct hbm_part *p, uint64_t row_bytes, bool write);

#endif
