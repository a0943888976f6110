/* The work of all grid steps of a kernel together. */
#include "kernels/common/work.h"

#include <string.h>

struct task_grid_step lower_sum_work(const struct work *w)
{
    struct task_grid_step all = { .in = w->in,
                                  .out = w->out,
                                  .loads = w->loads,
                                  .stores = w->stores,
                                  .picked = w->picked,
                                  .xlu = w->xlu,
                                  .feed = w->fed };

    memcpy(all.vpu, w->vpu, sizeof all.vpu);
    return all;
}
