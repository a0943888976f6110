/* Launches of kernels on a GPU, and the time that the host takes for them. */
#include "kernels/gpu/gpu.h"

#include "base/units.h"
#include "base/wide.h"

void gpu_add_kernel(struct lowering *l, uint32_t row, const struct task_grid *g, uint64_t host_fs,
                    uint64_t workspace)
{
    struct task *t = lowering_task(l, TASK_GRID, row);

    t->grid = *g;
    t->grid.host_fs = l->cap->alone ? 0 : host_fs;
    t->workspace = workspace;
}

/* Time of the host as a profiler recorded it, while the framework goes operation by operation. */
static uint64_t stated_time(const struct lowering *l, uint64_t otherwise)
{
    const struct cap_gpu *gpu = &l->cap->gpu;
    u128 stated = (u128)l->dispatch * gpu->call_fs / 100;

    if (!l->dispatch || !gpu->dispatch_fs)
        return otherwise;
    return stated > FS_PER_S ? FS_PER_S : stated > gpu->call_fs ? (uint64_t)stated : gpu->call_fs;
}

uint64_t gpu_host_time(const struct lowering *l)
{
    return stated_time(l, l->cap->gpu.dispatch_fs + l->cap->gpu.node_fs + l->cap->gpu.call_fs);
}

uint64_t gpu_call_time(const struct lowering *l)
{
    return stated_time(l, l->cap->gpu.call_fs);
}
