/* lane.h - a server that does one unit of work on each edge of its clock, one request at a time.
 *
 * The base of the vector unit, XLU, common memory, links and PCIe: they decide what a unit is, what
 * comes next and where the answer goes.  A request of n units that starts at time t is done on the
 * n-th edge after the first edge at or after t; back-to-back requests lose no edge.  A lane shows
 * its state, and the units left where they are walked. */
#ifndef HW_WIRES_LANE_H
#define HW_WIRES_LANE_H

#include "hw/wires/show.h"

/* The shortcut: delay of `units` units from now, without walking them (lane_fold.c). */
typedef des_time lane_fold_fn(const struct des *sim, struct des_clock clock, uint64_t units);
lane_fold_fn lane_fold;

struct lane {
    struct des_clock clock;
    struct des_process serve;
    lane_fold_fn *fold; /* NULL: walk every unit */
    void *self;
    bool (*take)(struct des *sim, void *self, uint64_t *units); /* false: nothing to do */
    bool (*finish)(struct des *sim, void *self);                /* false: no room for the answer */
    uint64_t left;
    des_time folded; /* how long the shortcut says that it takes */
    struct des_probes show;
};

/* Make the lane's thread inside module `m`.  The owner makes lane.serve sensitive to its ports. */
void lane_init(struct lane *l, struct des *sim, struct des_module m, uint64_t hz,
               lane_fold_fn *fold, void *self,
               bool (*take)(struct des *sim, void *self, uint64_t *units),
               bool (*finish)(struct des *sim, void *self));

#endif
