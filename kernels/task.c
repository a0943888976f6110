#include "kernels/task.h"

static uint64_t ceil_div(uint64_t a, uint64_t b)
{
    return (a + b - 1) / b;
}

/* Part i of `count` of an extent dealt out in whole granules, the remainder to the first parts. */
static uint64_t part(uint64_t extent, uint64_t granule, uint32_t i, uint32_t count)
{
    uint64_t granules = ceil_div(extent, granule);
    uint64_t begin = granules * i / count * granule, end = granules * (i + 1) / count * granule;

    if (end > extent)
        end = extent;
    return end > begin ? end - begin : 0;
}

struct task_gemm task_share(const struct task_gemm *g, enum task_split how, uint32_t i,
                            uint32_t count, uint32_t granule, uint32_t size)
{
    struct task_gemm s = *g;

    switch (how) {
    case TASK_SPLIT_M: s.m = part(g->m, granule, i, count); break;
    case TASK_SPLIT_K: s.k = part(g->k, size, i, count); break;
    case TASK_SPLIT_N: s.n = part(g->n, size, i, count); break;
    case TASK_SPLIT_B: s.b = part(g->b, 1, i, count); break;
    }
    if (s.b == 0 || s.m == 0 || s.k == 0 || s.n == 0)
        return (struct task_gemm){ 0 };
    /* useful work is spread like the work itself; differences telescope, so the sum is exact */
    __extension__ typedef unsigned __int128 u128;
    uint64_t all = how == TASK_SPLIT_M   ? g->m
                   : how == TASK_SPLIT_K ? g->k
                   : how == TASK_SPLIT_N ? g->n
                                         : g->b;
    uint64_t unit = how == TASK_SPLIT_M ? granule : how == TASK_SPLIT_B ? 1 : size;
    uint64_t before = 0;
    for (uint32_t j = 0; j < i; j++)
        before += part(all, unit, j, count);
    uint64_t mine = part(all, unit, i, count);
    s.useful = (uint64_t)((u128)g->useful * (before + mine) / all) -
               (uint64_t)((u128)g->useful * before / all);
    return s;
}

uint64_t task_stream_cycles(const struct task_gemm *g, uint32_t granule, uint32_t size,
                            uint32_t load_cycles)
{
    uint64_t rows = ceil_div(g->m, granule) * granule;

    return g->b * ceil_div(g->k, size) * ceil_div(g->n, size) * (load_cycles + rows);
}
