/* flow.h - arithmetic of flow control: when things go through, without moving them.
 *
 * Lanes pass so many items a cycle, in order.  Places hold items of a FIFO: item i has one once
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

void flow_lanes_init(struct flow_lanes *l, uint32_t width);
/* The next item passes: in the first cycle from `from` on with a lane left for it. */
uint64_t flow_lanes_pass(struct flow_lanes *l, uint64_t from);
/* Nothing more passes in the cycle of the last item. */
void flow_lanes_close(struct flow_lanes *l);

struct flow_places {
    uint32_t depth;     /* 0: as many as are needed */
    uint64_t *freed;    /* [depth] cycle in which the place was last given back */
    uint64_t put, back; /* items that took a place, places given back */
};

/* `freed` has room for `depth` cycles and is the caller's; it need not be set.  Without a depth
 * nothing waits for a place and nothing is remembered. */
void flow_places_init(struct flow_places *p, uint32_t depth, uint64_t *freed);
/* Whether it is settled when the next item has a place: false while none was given back for it. */
bool flow_places_known(const struct flow_places *p);
/* The cycle in which the place of the next item was given back; 0 if nobody had it before. */
uint64_t flow_places_from(const struct flow_places *p);
/* The cycle in which the last place was given back; 0 if none was. */
uint64_t flow_places_last(const struct flow_places *p);
void flow_places_put(struct flow_places *p);
/* In order: `cycle` is not before that of the last one. */
void flow_places_back(struct flow_places *p, uint64_t cycle);

#endif
