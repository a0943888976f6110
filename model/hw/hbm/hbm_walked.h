/* hbm_walked.h - mixes of the built-in memory parts that were walked before, so that a replay need
 * not: what hbm_mix_walk counts depends on the part, the turn and the mix alone.
 *
 * hbm_walked_rows.c is written by the suite hbm_walked of build/test-timing with UPDATE_MIXES=1;
 * the same test without it walks each mix again and compares.  A part with other parameters is not
 * found, and is walked. */
#ifndef HW_HBM_HBM_WALKED_H
#define HW_HBM_HBM_WALKED_H

#include "hw/hbm/hbm_part.h"

struct hbm_walked {
    uint64_t part;      /* hbm_walked_part() */
    uint64_t high, low; /* the key of the mix */
    uint64_t cycles;
    struct hbm_counts st;
};

/* Sorted by part, high, low. */
extern const struct hbm_walked hbm_walked_rows[];
extern const uint32_t hbm_walked_n;

/* A hash of the parameters of a channel and of the turn. */
uint64_t hbm_walked_part(const struct dram_params *one, uint32_t turn);
/* The row, or NULL.  O(log n). */
const struct hbm_walked *hbm_walked_find(uint64_t part, hbm_mix_key key);

#endif
