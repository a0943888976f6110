/* The shortcut of mxu.c: nothing holds up a command once it streams, so its end is known at its
 * start. */
#include "hw/mxu.h"

struct systolic_span mxu_fold(struct mxu *m, uint64_t cycle)
{
    struct systolic_run run = mxu_run(m, cycle);
    struct systolic_span span;

    /* the result FIFO has room, so the array always finds its shortcut; if not, the rows do it */
    if (!systolic_fold(&m->array, &run, &span))
        span = systolic_walk(&m->array, &run);
    return span;
}
