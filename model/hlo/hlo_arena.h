/* hlo_arena.h - memory of a module that is freed all at once: pieces that never move. */
#ifndef HLO_ARENA_H
#define HLO_ARENA_H

#include <stddef.h>
#include <stdint.h>

struct hlo_arena {
    void **block;
    size_t n_blocks;
    size_t used, size; /* bytes of the last block */
};

/* `bytes` bytes, aligned to 8, not initialised. */
void *hlo_arena_take(struct hlo_arena *a, size_t bytes);
void hlo_arena_free(struct hlo_arena *a);

#endif
