#include "kernels/common/gpu_cache.h"

#include <stdlib.h>

#include "base/memory.h"
#include "base/wide.h"

void gpu_cache_init(struct gpu_cache *c, uint32_t n, uint64_t room, bool warm)
{
    *c = (struct gpu_cache){ .room = room,
                             .warm = warm,
                             .last = memory_zeroed((size_t)n + 1, sizeof *c->last) };
}

void gpu_cache_free(struct gpu_cache *c)
{
    free(c->last);
    *c = (struct gpu_cache){ 0 };
}

static void pass_value(struct gpu_cache *c, uint32_t value, uint64_t bytes)
{
    c->passed += bytes;
    c->last[value] = c->passed;
}

uint64_t gpu_cache_read(struct gpu_cache *c, uint32_t value, uint64_t bytes)
{
    uint64_t since = c->passed - c->last[value], missed = bytes;

    if ((c->last[value] || c->warm) && since < c->room)
        missed = since + bytes > c->room ? since + bytes - c->room : 0;
    pass_value(c, value, bytes);
    return missed < bytes ? missed : bytes;
}

uint64_t gpu_cache_find(struct gpu_cache *c, uint32_t value, uint64_t bytes)
{
    uint64_t touched = c->passed - c->last[value] + bytes, missed = bytes;

    if ((c->last[value] || c->warm) && touched < c->room)
        missed = (uint64_t)((u128)bytes * touched / c->room);
    pass_value(c, value, bytes);
    return missed;
}

uint64_t gpu_cache_write(struct gpu_cache *c, uint32_t value, uint64_t bytes)
{
    pass_value(c, value, bytes);
    return c->warm && c->passed < c->room ? 0 : bytes;
}

void gpu_cache_hold(struct gpu_cache *c, uint32_t value, uint64_t bytes)
{
    pass_value(c, value, bytes);
}
