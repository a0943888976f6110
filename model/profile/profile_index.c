/* profile_index.c - see profile_index.h. */
#include "profile/profile_index.h"

#include <stdlib.h>
#include <xxhash.h>

#include "base/memory.h"

uint64_t profile_index_hash(const char *name, size_t n, uint64_t a, uint64_t b)
{
    uint64_t numbers[2] = { a, b };

    return XXH64(name, n, XXH64(numbers, sizeof numbers, 0));
}

uint32_t profile_index_find(const struct profile_index *x, uint64_t hash, profile_index_same *same,
                            const void *array, const void *key)
{
    if (x->cap == 0)
        return PROFILE_INDEX_NONE;
    for (uint32_t i = (uint32_t)hash & (x->cap - 1);; i = (i + 1) & (x->cap - 1)) {
        const struct profile_index_slot *s = &x->slot[i];
        if (s->position == PROFILE_INDEX_NONE)
            return PROFILE_INDEX_NONE;
        if (s->hash == hash && same(array, s->position, key))
            return s->position;
    }
}

static void put_slot(struct profile_index *x, struct profile_index_slot slot)
{
    uint32_t i = (uint32_t)slot.hash & (x->cap - 1);

    while (x->slot[i].position != PROFILE_INDEX_NONE)
        i = (i + 1) & (x->cap - 1);
    x->slot[i] = slot;
}

static void grow_table(struct profile_index *x)
{
    struct profile_index old = *x;

    x->cap = old.cap ? 2 * old.cap : 64;
    x->slot = memory_zeroed(x->cap, sizeof *x->slot);
    for (uint32_t i = 0; i < x->cap; i++)
        x->slot[i].position = PROFILE_INDEX_NONE;
    for (uint32_t i = 0; i < old.cap; i++)
        if (old.slot[i].position != PROFILE_INDEX_NONE)
            put_slot(x, old.slot[i]);
    free(old.slot);
}

void profile_index_add(struct profile_index *x, uint64_t hash, uint32_t position)
{
    if (2 * x->n >= x->cap)
        grow_table(x);
    put_slot(x, (struct profile_index_slot){ hash, position });
    x->n++;
}

void profile_index_free(struct profile_index *x)
{
    free(x->slot);
    *x = (struct profile_index){ 0 };
}
