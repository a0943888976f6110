/* hbm_traffic.h - loads of a memory: streams over arrays, or chunks at random places.
 *
 *     seq       n[i]                          copy    a[i], then b[i] written
 *     strided   n[i * stride]                 triad   b[i], c[i], then a[i] written
 *     random    a chunk of `size` bytes at a random multiple of its size
 *
 * A stream goes chunk by chunk of `size` bytes; copy and triad take their arrays in turn.  A chunk
 * is accesses in the order of their addresses.  After the last row a stream begins again at the
 * first.
 *
 * Streams recur: after a period of chunks every array is at the same place of other rows.  One
 * period is worked out for all channels, once, and then walked. */
#ifndef HW_HBM_HBM_TRAFFIC_H
#define HW_HBM_HBM_TRAFFIC_H

#include "hw/hbm/hbm_map.h"

enum hbm_pattern { HBM_SEQUENTIAL, HBM_COPY, HBM_TRIAD, HBM_RANDOM, HBM_STRIDED, HBM_N_PATTERNS };
extern const char *const hbm_pattern_name[HBM_N_PATTERNS]; /* as --pattern takes them */

struct hbm_load {
    enum hbm_pattern pattern;
    bool write;      /* seq, strided, random: writes instead of reads */
    uint64_t bytes;  /* moved in all; rounded up to whole chunks */
    uint64_t size;   /* of a chunk */
    uint64_t stride; /* strided: from chunk to chunk */
    uint64_t apart;  /* copy, triad: from array to array */
    uint64_t seed;   /* random */
};

struct hbm_access {
    uint32_t row; /* of a stream: from the row of the period */
    uint16_t channel;
    uint8_t bank;
    uint8_t write;
};

struct hbm_traffic {
    struct hbm_load load;
    const struct hbm_map *map;
    uint32_t channels, arrays, per_chunk; /* accesses of a chunk */
    uint64_t accesses;                    /* in all */
    /* streams: accesses of one period in order, and the same by channel */
    struct hbm_access *period;
    uint64_t n_period, row_step; /* row_step: rows from period to period */
    uint32_t *first;             /* [channels + 1] into `of` */
    uint32_t *of;                /* indices into `period`, channel by channel */
    uint64_t places;             /* random: chunks of the memory */
};

/* Errors: ERR_RANGE if a size is not a multiple of an access, or the period has more than 2^22
 * accesses.  O(period). */
int hbm_traffic_init(struct hbm_traffic *w, const struct hbm_load *load, const struct hbm_map *map,
                     const struct dram_params *par, struct err *err);
void hbm_traffic_free(struct hbm_traffic *w);

/* The position of a walk over all accesses in order, or over those of one channel. */
struct hbm_walk {
    const struct hbm_traffic *w;
    uint64_t left;         /* accesses; while there are any, `cur` is the next */
    struct hbm_access cur; /* with its row in full */
    uint64_t at, n;        /* streams: which access of the period is next, of how many */
    uint64_t periods;      /* streams: periods gone by */
    const uint32_t *of;    /* NULL: every access of the period */
    uint64_t state, place; /* random: generator, first access of the chunk at hand */
    uint32_t in_chunk, channel;
};

/* Walk all accesses in order, whatever their channel. */
void hbm_walk_all(struct hbm_walk *k, const struct hbm_traffic *w);
/* Walk the accesses of one channel.  Random chunks are drawn for each channel separately, and each
 * channel has an equal share of the accesses. */
void hbm_walk_channel(struct hbm_walk *k, const struct hbm_traffic *w, uint32_t channel);
/* Go on to the next access, if any is left. */
void hbm_walk_next(struct hbm_walk *k);
/* Go on by `periods` periods of a stream; more accesses than those must be left. */
void hbm_walk_skip(struct hbm_walk *k, uint64_t periods);

#endif
