/* hbm_memory.h - all channels of a part, and the cycles they take for a load of traffic.
 *
 * Every channel starts in cycle 0 with closed banks and empty queues.  Without a window (`window`
 * of dram_params) each channel takes its accesses in order as fast as its queues have room,
 * whatever the other channels do.  With a window all accesses come in one order; as many as the
 * window holds look for room at once, so that full queues of some channels delay the others in the
 * end. */
#ifndef HW_HBM_HBM_MEMORY_H
#define HW_HBM_HBM_MEMORY_H

#include "hw/hbm/hbm_channel.h"
#include "hw/hbm/hbm_traffic.h"

struct hbm_memory {
    struct dram_params par;
    struct hbm_timing t;
    struct hbm_map map;
    uint32_t n_channels;
    struct hbm_channel *channel;
};

/* The result of a load. */
struct hbm_outcome {
    uint64_t cycles;  /* from 0 to the end of the last data */
    uint64_t walked;  /* accesses that were simulated one by one */
    bool statistical; /* an expectation, not a count of cycles */
};

/* The shortcut: hbm_memory_walk without walking states that recur (hbm_memory_fold.c). */
typedef void hbm_fold_fn(struct hbm_memory *m, const struct hbm_traffic *w,
                         struct hbm_outcome *out);
hbm_fold_fn hbm_memory_fold;

/* Errors: those of hbm_timing_init and hbm_map_init. */
int hbm_memory_init(struct hbm_memory *m, const struct dram_params *par, struct err *err);
void hbm_memory_free(struct hbm_memory *m);

/* Serve all of `w`, request by request.  Counters are left in the channels.  O(accesses). */
void hbm_memory_walk(struct hbm_memory *m, const struct hbm_traffic *w, struct hbm_outcome *out);
/* hbm_memory_walk, which calls `tell` now and then with the number of accesses served. */
typedef void hbm_tell(void *self, uint64_t served);
void hbm_memory_walk_told(struct hbm_memory *m, const struct hbm_traffic *w,
                          struct hbm_outcome *out, hbm_tell *tell, void *self);

/* --- for the shortcut --------------------------------------------------------------------- */

/* An access of the window that looks for room. */
struct hbm_seeker {
    struct hbm_access access;
    uint16_t next;
};

/* A run under way: one walk for all channels, or one of each. */
struct hbm_run {
    struct hbm_channel *channel; /* the first of those that share the walk */
    uint32_t n;
    struct hbm_walk walk;
    uint64_t *next; /* [n] cycle in which to step each */
    /* the places of the window, and lists of them by channel and direction */
    struct hbm_seeker *seeker; /* [window] */
    struct hbm_seekers {
        uint16_t head, tail;
    } * seekers; /* [n][2] */
    uint16_t free;
};
void hbm_run_init(struct hbm_run *r, struct hbm_memory *m, uint32_t channel,
                  const struct hbm_traffic *w);
void hbm_run_free(struct hbm_run *r);
/* Number of runs of a memory: 1 with a window, else one for each channel. */
uint32_t hbm_runs(const struct hbm_memory *m);
/* Go on to the last step before cycle `until`, or until all accesses are served.  Returns whether
 * any is left. */
bool hbm_run_until(struct hbm_run *r, uint64_t until);

/* The shortcut to a window of time that is watched: go on to a cycle before `until`, close to it if
 * states of the stream recur.  Returns the number of cycles that were jumped.  The run and its
 * channels do not count them: their cycle t is cycle t + that number. */
typedef uint64_t hbm_skip_fn(struct hbm_run *r, uint64_t until);
hbm_skip_fn hbm_run_skip;

#endif
