/* gpu_cache.h - which values are in the L2 of a GPU when a kernel reads them.
 *
 * Values pass the L2 whole, in the order of the kernels.  One is there if no more bytes than the L2
 * keeps have passed since it last did, its own included; a part of it is, if it begins to be
 * replaced.  What a kernel writes is there for the next one; HBM gets all of it in the end. */
#ifndef KERNELS_COMMON_GPU_CACHE_H
#define KERNELS_COMMON_GPU_CACHE_H

#include <stdbool.h>
#include <stdint.h>

struct gpu_cache {
    uint64_t room;   /* bytes that it keeps */
    uint64_t passed; /* so far */
    bool warm; /* the kernel runs again and again: what was not read yet is there from before */
    uint64_t *last; /* [value] `passed` when it had last passed, with all its bytes; 0: never */
};

/* For `n` values. */
void gpu_cache_init(struct gpu_cache *c, uint32_t n, uint64_t room, bool warm);
void gpu_cache_free(struct gpu_cache *c);
/* A kernel reads or writes a value of so many bytes: how many of them HBM moves. */
uint64_t gpu_cache_read(struct gpu_cache *c, uint32_t value, uint64_t bytes);
uint64_t gpu_cache_write(struct gpu_cache *c, uint32_t value, uint64_t bytes);
/* Bytes that a read misses where lines are replaced by chance: if a share x of the L2 has passed
 * since the value's begin, 1 - x of it is still there. */
uint64_t gpu_cache_find(struct gpu_cache *c, uint32_t value, uint64_t bytes);
/* A value passes that is there whatever passed before, or stays there: HBM moves none of it. */
void gpu_cache_hold(struct gpu_cache *c, uint32_t value, uint64_t bytes);

#endif
