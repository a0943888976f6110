/* hbm_mix.h - what transfers cost each other that memory serves side by side.
 *
 *      stream 0, 1, ... in turn  >--[ `turn` accesses each ]-->  a channel of hbm_channel.h
 *
 * A stream reads or writes accesses that follow each other from a place drawn at random, and after
 * a span of them from another; rows at random places are streams of short spans.  Where the arrays
 * of a program lie in a chip nobody published, so what comes out is a mean over places.  Walked
 * request by request, with the part's own map, queues and page policy. */
#ifndef HW_HBM_HBM_MIX_H
#define HW_HBM_HBM_MIX_H

#include "hw/hbm/hbm_channel.h"

/* A kind of stream, 2 * c + write: c = 0 is one that goes on, c = 1 + s rows at random places of
 * which 2^s accesses lie in one channel. */
#define HBM_MIX_ROWS 9
#define HBM_KINDS (2 * (1 + HBM_MIX_ROWS))

#define HBM_MIX_MAX 16 /* streams of a mix */

struct hbm_mix {
    uint32_t n;
    uint8_t kind[HBM_MIX_MAX];
};

struct hbm_mixed {
    uint64_t cycles; /* from the last command of what is skipped to the last one */
    struct hbm_counts st;
    struct hbm_bank_counts bank[HBM_MAX_BANKS];
};

static inline bool hbm_kind_writes(uint32_t kind)
{
    return kind & 1;
}

static inline bool hbm_kind_is_rows(uint32_t kind)
{
    return kind > 1;
}

/* How a mix is walked. */
struct hbm_mix_course {
    uint32_t turn, span; /* accesses of a stream in a turn, and from one place */
    uint64_t skip;       /* accesses before those that count */
    uint64_t accesses, seed;
};

/* Walk a mix of at least one stream on one channel of checked parameters. */
void hbm_mix_walk(const struct dram_params *par, const struct hbm_mix *mix,
                  const struct hbm_mix_course *course, struct hbm_mixed *out);

#endif
