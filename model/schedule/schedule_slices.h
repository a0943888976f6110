/* schedule_slices.h - collectives over several slices: within each slice over its links, then
 * between chips of the same place over the data centre's network, then within each slice again.
 *
 *      reduce-scatter   within the slice, then each chip's share along the slices
 *      all-gather       the same in reverse
 *      all-reduce       both, and so does a barrier
 *
 * Along N slices a share is divided into N chunks, which go round a ring in one direction (two
 * slices: each sends the other its half).  The network itself delays nobody, so a ring keeps every
 * card busy, and each chip sends 2 (N-1)/N of its share, which is the least possible.  A chunk from
 * another slice lands in HBM: it is written, read to be added, and the sum is written. */
#ifndef SCHEDULE_SCHEDULE_SLICES_H
#define SCHEDULE_SCHEDULE_SLICES_H

#include "schedule/schedule.h"

/* True for kinds that run over slices; and if s->algorithm can do its part within them. */
bool schedule_slices_kind(enum schedule_kind kind);
bool schedule_slices_fits(const struct schedule *s);

/* The functions schedule_*() for a schedule with outer.n > 1; chips are counted over all slices. */
uint32_t schedule_slices_steps(const struct schedule *s);
void schedule_slices_step(const struct schedule *s, uint32_t chip, uint32_t i,
                          struct schedule_step *out);
uint32_t schedule_slices_share(const struct schedule *s, uint32_t chip,
                               struct schedule_part out[SCHEDULE_MAX_PARTS]);
struct schedule_cost schedule_slices_cost(const struct schedule *s);
bool schedule_slices_uniform(const struct schedule *s);

/* Traffic of each chip between slices: `hops` steps one after the other, and the bytes and parts
 * that it sends in all of them; 0 within one slice. */
struct schedule_far {
    uint64_t hops, bytes, parts;
};
struct schedule_far schedule_far(const struct schedule *s);

/* The schedule within a slice, of the same buffer.  Its padding is not yet that of the whole
 * (schedule_padded). */
struct schedule schedule_inside(const struct schedule *s, enum schedule_kind kind);

#endif
