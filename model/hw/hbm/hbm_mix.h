/* hbm_mix.h - what streams cost each other in one channel, found by walking them.
 *
 *      stream 0, 1, ... in turn  >--[ `turn` accesses each ]-->  a channel of hbm_channel.h
 *
 * A stream reads or writes consecutive accesses from a place drawn at random, and after a span of
 * them from another place.  Rows at random places are streams of short spans.  Nobody publishes
 * where a program's arrays lie in a chip, so a result is an average over random places.  The walk
 * is request by request, with the part's own address map, queues and page policy. */
#ifndef HW_HBM_HBM_MIX_H
#define HW_HBM_HBM_MIX_H

#include "hw/hbm/hbm_channel.h"

/* A kind of stream is 2 * c + write.  c = 0: a stream that goes on.  c = 1 + s: rows at random
 * places, each with 2^s accesses in one channel. */
#define HBM_MIX_ROWS 9
#define HBM_KINDS (2 * (1 + HBM_MIX_ROWS))

#define HBM_MIX_MAX 24 /* streams of a mix */

struct hbm_mix {
    uint32_t n;
    uint8_t kind[HBM_MIX_MAX];
};

struct hbm_mixed {
    uint64_t cycles; /* from the last skipped command to the last command */
    struct hbm_counts st;
    struct hbm_bank_counts bank[HBM_MAX_BANKS];
};

/* True if a stream of this kind writes. */
static inline bool hbm_kind_writes(uint32_t kind)
{
    return kind & 1;
}

/* True if a stream of this kind goes to rows at random places. */
static inline bool hbm_kind_is_rows(uint32_t kind)
{
    return kind > 1;
}

/* The walk of a mix. */
struct hbm_mix_course {
    uint32_t turn;     /* accesses of a stream before the next stream's turn */
    uint32_t span;     /* consecutive accesses of a stream before it goes on elsewhere */
    uint64_t skip;     /* accesses before counting begins */
    uint64_t accesses; /* that count */
    uint64_t seed;     /* of the places */
};

/* Walk a mix of at least one stream on one channel of `par`, which hbm_timing_init has checked.
 * O(skip + accesses). */
void hbm_mix_walk(const struct dram_params *par, const struct hbm_mix *mix,
                  const struct hbm_mix_course *course, struct hbm_mixed *out);

#endif
