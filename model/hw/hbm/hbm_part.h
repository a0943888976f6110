/* hbm_part.h - what a part says about the transfers of a machine; shared by all chips with it.
 *
 * The time of a burst is counted in parts of the time that it takes in a lone stream in one
 * direction: HBM_FINE of them.  With r the cycles of an access in a mix of n streams over those in
 * a lone stream, walked once for each mix (hbm_mix.h), and r_i those that stream i takes alone,
 * a burst of stream i takes
 *
 *     r_i * n * r / (r_1 + ... + r_n)                           where streams are in each other's
 * way 1 + (r_i - 1) * (n * r - n) / (r_1 + ... + r_n - n)       where banks open beside others'
 * data
 *
 * so that a round of bursts takes n * r and none less than 1.  All is rounded once.  Where all
 * banks are refreshed at once mixes are walked without refreshes, which hold up everything alike.
 */
#ifndef HW_HBM_HBM_PART_H
#define HW_HBM_HBM_PART_H

#include "base/wide.h"
#include "hw/hbm/hbm_map.h"
#include "hw/hbm/hbm_mix.h"

#define HBM_FINE 65536

/* How many streams of each kind: 5 bits each. */
typedef u128 hbm_mix_key;

struct hbm_mixture {
    hbm_mix_key key;
    uint32_t cost[HBM_KINDS]; /* of a burst of each kind that is in it, in 1 / HBM_FINE */
    struct hbm_mixed *seen;   /* NULL: not walked yet */
    uint64_t accesses;        /* in which that was seen */
};

struct hbm_part {
    struct dram_params par;
    struct hbm_timing t;
    struct hbm_map map;
    uint32_t turn;               /* accesses of a channel in a turn */
    struct hbm_mixture *mixture; /* in the order in which they came up */
    uint32_t n_mixtures, room;
    uint64_t row_bytes; /* of the last row asked for */
    uint32_t row_kind;
};

/* The part of checked parameters, for transfers that take turns of so many bytes. */
void hbm_part_init(struct hbm_part *p, const struct dram_params *par, uint64_t turn_bytes);
void hbm_part_free(struct hbm_part *p);

static inline hbm_mix_key hbm_mix_one(uint32_t kind)
{
    return (hbm_mix_key)1 << 5 * kind;
}

/* Index of the mixture with this key, which is not 0; the first time it is walked. */
uint32_t hbm_part_mix(struct hbm_part *p, hbm_mix_key key);
/* The mixture with what was seen of it. */
const struct hbm_mixture *hbm_part_seen(struct hbm_part *p, uint32_t mixture);

/* Kind of rows of so many bytes; those of which more lies in a channel than a kind can say are
 * streams. */
uint32_t hbm_part_rows(struct hbm_part *p, uint64_t row_bytes, bool write);

#endif
