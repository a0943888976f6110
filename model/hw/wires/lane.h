/* lane.h - a server that does one unit of work on each edge of its clock, one request at a time.
 *
 * The base of the vector unit, XLU, common memory, links, network cards and PCIe: each says what a
 * unit is, which request is next and where the answer goes.  A request of n units that begins at
 * time t is done on the n-th edge after the first edge at or after t; requests back to back lose no
 * edge.  A lane shows its state and, where units are walked, how many are left.
 *
 * A lane that moves bytes has a meter: `take` sets what the request moves, evenly over its time. */
#ifndef HW_WIRES_LANE_H
#define HW_WIRES_LANE_H

#include "hw/wires/meter.h"

/* The shortcut: the delay of `units` units from now, fs, without walking them (lane_fold.c). */
typedef des_time lane_fold_fn(const struct des *sim, struct des_clock clock, uint64_t units);
lane_fold_fn lane_fold;

struct lane {
    struct des_clock clock;
    struct des_process serve;
    lane_fold_fn *fold; /* NULL: walk every unit */
    void *self;
    bool (*take)(struct des *sim, void *self, uint64_t *units); /* false: no request waits */
    bool (*finish)(struct des *sim, void *self);                /* false: no room for the answer */
    uint64_t left;                                              /* units of the request at hand */
    des_time folded;                                            /* its delay by the shortcut */
    struct des_probes show;
    struct meter meter; /* see lane_meter */
    uint64_t amount;    /* set by `take`: what the request at hand moves; 0: nothing is metered */
    des_time since;     /* set by `take`: it has moved from here on; 0: from now on */
};

/* Make the lane's clock of `hz`, its probes and its thread in module `m`.  `take` and `finish` are
 * called with `self`; the owner makes lane.serve sensitive to the ports that they use. */
void lane_init(struct lane *l, struct des *sim, struct des_module m, uint64_t hz,
               lane_fold_fn *fold, void *self,
               bool (*take)(struct des *sim, void *self, uint64_t *units),
               bool (*finish)(struct des *sim, void *self));
/* Give it a meter: probe `row` of `show` and a counter, of at most `peak` a second. */
void lane_meter(struct lane *l, struct des *sim, struct des_probes show, uint32_t row,
                uint64_t peak, uint64_t *count);

#endif
