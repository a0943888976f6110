#include "hw/net/chunks.h"

#include <stdlib.h>

#include "base/memory.h"

void chunks_put(struct chunks *q, const struct net_chunk *c)
{
    if (q->count == q->size) {
        uint32_t size = q->size ? 2 * q->size : 8;
        struct net_chunk *chunk = memory_zeroed(size, sizeof *chunk);
        for (uint32_t i = 0; i < q->count; i++)
            chunk[i] = q->chunk[(q->head + i) % q->size];
        free(q->chunk);
        *q = (struct chunks){ chunk, size, 0, q->count };
    }
    BUG_ON(q->size == 0);
    q->chunk[(q->head + q->count++) % q->size] = *c;
}

struct net_chunk *chunks_first(const struct chunks *q)
{
    BUG_ON(q->count == 0);
    return &q->chunk[q->head];
}

void chunks_drop(struct chunks *q)
{
    BUG_ON(q->count == 0);
    q->head = (q->head + 1) % q->size;
    q->count--;
}

void chunks_free(struct chunks *q)
{
    free(q->chunk);
    *q = (struct chunks){ 0 };
}
