/* meter.h - counts an amount while it moves: bytes of requests that a component serves one after
 * the other.
 *
 *      meter_begin ----- the amount moves evenly ----- meter_end
 *          from                                            to
 *
 * A report counts what has moved while it measured, so of a request under way at either end of that
 * time it counts a part, to the byte.  Timelines draw the same ramp (des_show_ramp), waves the
 * total of requests that are done.  So all of them agree, and none of them shows more than the
 * component can move. */
#ifndef HW_WIRES_METER_H
#define HW_WIRES_METER_H

#include "hw/wires/show.h"

struct meter {
    struct des_probes show;
    uint32_t row;     /* a total with ramps (SHOW_MOVED) */
    uint64_t *count;  /* a counter of the component's statistics; NULL: there is no meter */
    uint64_t moved;   /* since the beginning, by requests that are done */
    uint64_t not_yet; /* of the last request: left out of the counter at the last meter_finish */
    struct des_ramp ramp; /* the last request */
};

/* `peak`: the most that can move in a second. */
void meter_init(struct meter *m, struct des *sim, struct des_probes show, uint32_t row,
                uint64_t peak, uint64_t *count);
/* `amount` moves from `from`, which may be past, to `to`; not before the last request's end. */
void meter_begin(struct des *sim, struct meter *m, des_time from, des_time to, uint64_t amount);
/* It has moved. */
void meter_end(struct des *sim, struct meter *m);
/* `amount` moves in that time, which may be to come; nobody looks. */
void meter_pass(struct meter *m, des_time from, des_time to, uint64_t amount);
/* For component_reset_fn, when the counter is zero (several meters may share it), and
 * component_finish_fn: they count the part of the last request that lies in the measured time. */
void meter_reset(struct meter *m, des_time now);
void meter_finish(struct meter *m, des_time now);

#endif
