/* hlo_arena.c - see hlo_arena.h.  Blocks double up to 1 MiB, so that a small module costs little
 * and a large one wastes little. */
#include "hlo/hlo_arena.h"

#include <stdlib.h>

#include "base/memory.h"

#define FIRST_BLOCK ((size_t)4 << 10)
#define LARGE_BLOCK ((size_t)1 << 20)

void *hlo_arena_take(struct hlo_arena *a, size_t bytes)
{
    bytes = (bytes + 7) & ~(size_t)7;
    if (a->n_blocks == 0 || bytes > a->size - a->used) {
        size_t size = a->n_blocks == 0        ? FIRST_BLOCK
                      : a->size < LARGE_BLOCK ? 2 * a->size
                                              : LARGE_BLOCK;
        if (size < bytes)
            size = bytes;
        MEMORY_ADD(a->block, a->n_blocks);
        a->block[a->n_blocks++] = memory_resize(NULL, size, 1);
        a->size = size;
        a->used = 0;
    }
    void *piece = (char *)a->block[a->n_blocks - 1] + a->used;
    a->used += bytes;
    return piece;
}

void hlo_arena_free(struct hlo_arena *a)
{
    for (size_t i = 0; i < a->n_blocks; i++)
        free(a->block[i]);
    free(a->block);
    *a = (struct hlo_arena){ 0 };
}
