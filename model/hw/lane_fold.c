/* The shortcut of lane.c: edges are counted from the absolute index of the clock, so n units end on
 * the n-th edge whether each is visited or not.  With rests, edges at which work ends are counted:
 * of every `every` there are `takes` fewer, but for the first ones. */
#include "hw/lane.h"

/* Cycles before cycle `index` in which the lane works. */
static uint64_t worked(struct lane_rest r, uint64_t index)
{
    if (index < r.every)
        return index;
    uint64_t into = index % r.every;
    return index - (index / r.every - 1) * r.takes - (into < r.takes ? into : r.takes);
}

/* The first cycle before which it has worked in `cycles` cycles, at least 1. */
static uint64_t after(struct lane_rest r, uint64_t cycles)
{
    if (cycles <= r.every)
        return cycles;
    uint64_t works = r.every - r.takes, rounds = (cycles - r.every - 1) / works;
    return (rounds + 1) * r.every + r.takes + (cycles - r.every - rounds * works);
}

des_time lane_fold(const struct des *sim, struct des_clock clock, struct lane_rest rest,
                   uint64_t units)
{
    if (!rest.every || !units)
        return des_clock_delay(sim, clock, units);
    uint64_t index = des_clock_index(sim, clock);
    return des_clock_delay(sim, clock, after(rest, worked(rest, index) + units) - index);
}
