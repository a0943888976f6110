/* The shortcut of cmem.c where one core has the memory for itself: a request is served when it
 * comes, in bursts on the edges of the memory's clock. */
#include "base/arith.h"
#include "hw/core/cmem.h"

des_time cmem_serve(void *unit, const void *cmd, des_time at, struct unit_done *done)
{
    struct cmem *c = unit;
    const struct unit_feed *q = cmd;
    uint64_t bursts = arith_ceil_div(q->bytes, c->par.burst);
    des_time end = des_edge(des_edge_index(at, c->hz) + bursts, c->hz);

    meter_pass(&c->lane.meter, at, end, q->bytes);
    *done = (struct unit_done){ .cause = CAUSE_HBM };
    return end;
}
