/* schedule_slices.h - collectives over several slices: within each over its links, between chips of
 * the same place over the data centre's network, within again.
 *
 *      reduce-scatter   within the slice, then each chip's share along the slices
 *      all-gather       the same in reverse
 *      all-reduce       both, and so does a barrier
 *
 * Along the slices a share is parted in as many chunks as there are, which go round a ring one way
 * (two slices: each sends the other its half).  The network between holds nobody up, so a ring
 * leaves no card idle, and each chip sends 2 (N-1)/N of its share, as little as can be.  What comes
 * from another slice lands in HBM: it is written, read to be added, and the sum written. */
#ifndef SCHEDULE_SCHEDULE_SLICES_H
#define SCHEDULE_SCHEDULE_SLICES_H

#include "schedule/schedule.h"

/* Kinds that run over slices, and whether s->algorithm does its part within them. */
bool schedule_slices_kind(enum schedule_kind kind);
bool schedule_slices_fits(const struct schedule *s);

/* As schedule_*() of a schedule with outer.n > 1; chips are counted over all slices. */
uint32_t schedule_slices_steps(const struct schedule *s);
void schedule_slices_step(const struct schedule *s, uint32_t chip, uint32_t i,
                          struct schedule_step *out);
uint32_t schedule_slices_share(const struct schedule *s, uint32_t chip,
                               struct schedule_part out[SCHEDULE_MAX_PARTS]);
struct schedule_cost schedule_slices_cost(const struct schedule *s);
bool schedule_slices_uniform(const struct schedule *s);

/* What each chip does between slices: steps one after the other, and in all of them the bytes it
 * sends and the parts they go in; all 0 within one slice. */
struct schedule_far {
    uint64_t hops, bytes, parts;
};
struct schedule_far schedule_far(const struct schedule *s);

/* The schedule within a slice, of the same buffer: what its buffer is a multiple of is to be that
 * of the whole. */
struct schedule schedule_inside(const struct schedule *s, enum schedule_kind kind);

#endif
