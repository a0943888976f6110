/* flow.h - arithmetic of flow control: in which cycle items pass, without moving them.
 *
 * A lane passes `width` items a cycle, in order.  Places belong to a FIFO: item i takes one when
 * item i - depth has given its own back.  Cycles count from 0. */
#ifndef HW_CORE_FLOW_H
#define HW_CORE_FLOW_H

#include <stdbool.h>
#include <stdint.h>

struct flow_lanes {
    uint32_t width; /* items a cycle */
    uint32_t used;  /* in `cycle`, the one of the last item */
    uint64_t cycle;
};

/* No item has passed; `width` items a cycle, at least 1. */
void flow_lanes_init(struct flow_lanes *l, uint32_t width);
/* Let the next item pass; returns the first cycle, `from` or later, that has room for it. */
uint64_t flow_lanes_pass(struct flow_lanes *l, uint64_t from);
/* No further item passes in the cycle of the last one. */
void flow_lanes_close(struct flow_lanes *l);

struct flow_places {
    uint32_t depth;     /* 0: as many as are needed */
    uint64_t *freed;    /* [depth] cycle in which the place was last given back */
    uint64_t put, back; /* items that took a place, places given back */
};

/* `freed` has room for `depth` cycles and is the caller's; its content does not matter.  With depth
 * 0 no item waits for a place, and `freed` is not used. */
void flow_places_init(struct flow_places *p, uint32_t depth, uint64_t *freed);
/* Is the cycle known in which the next item has a place?  False until a place is given back. */
bool flow_places_known(const struct flow_places *p);
/* The cycle in which the place of the next item was given back; 0 if it was never taken. */
uint64_t flow_places_from(const struct flow_places *p);
/* The cycle of the last flow_places_back; 0 before the first. */
uint64_t flow_places_last(const struct flow_places *p);
/* The next item takes its place. */
void flow_places_put(struct flow_places *p);
/* The oldest item gives its place back in `cycle`, which is not before that of the last call. */
void flow_places_back(struct flow_places *p, uint64_t cycle);

#endif
