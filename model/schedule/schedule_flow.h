/* schedule_flow.h - collectives of which only totals are kept: each chip sends its bytes to the
 * next one, and a share of them to the chip at its place in the next slice, all at once.
 *
 *      block     chips of a slice that take part, those of groups between each other's members
 *                among them: `group.size * group.stride` in a row, the last one next to the first
 *      steps     block - 1 empty ones in which chips of a block hear of each other, ceil(log2 N) in
 *                which N slices do, and one with all bytes
 *
 * The empty steps hold each chip until all chips of the collective have called it.  A permutation
 * has the last step alone: a chip waits only for the chip that sends to it. */
#ifndef SCHEDULE_SCHEDULE_FLOW_H
#define SCHEDULE_SCHEDULE_FLOW_H

#include "schedule/schedule_slices.h"

/* The functions schedule_*() of a schedule with flow.by. */
uint32_t schedule_flow_steps(const struct schedule *s);
void schedule_flow_step(const struct schedule *s, uint32_t chip, uint32_t i,
                        struct schedule_step *out);
bool schedule_flow_uniform(const struct schedule *s);
struct schedule_cost schedule_flow_cost(const struct schedule *s);
struct schedule_far schedule_flow_far(const struct schedule *s);

/* Steps between slices before the one with all bytes: ceil(log2(slices)). */
uint32_t schedule_flow_meetings(const struct schedule *s);

#endif
