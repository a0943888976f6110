#include "base/texts.h"

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "base/err.h"
#include "base/memory.h"

struct texts_block {
    struct texts_block *next;
    size_t room, used;
    char bytes[];
};

enum { FIRST_SLOTS = 64, BLOCK = 1 << 16 };

static uint32_t find_slot(const struct texts *t, const char *text)
{
    uint32_t i = (uint32_t)XXH64(text, strlen(text), 0) & (t->n_slots - 1);

    while (t->slot[i] && strcmp(t->slot[i], text) != 0)
        i = (i + 1) & (t->n_slots - 1);
    return i;
}

static void grow_slots(struct texts *t)
{
    struct texts old = *t;

    BUG_ON(t->n_slots > UINT32_MAX / 2);
    t->n_slots = t->n_slots ? 2 * t->n_slots : FIRST_SLOTS;
    t->slot = memory_zeroed(t->n_slots, sizeof *t->slot);
    for (uint32_t i = 0; i < old.n_slots; i++)
        if (old.slot[i])
            t->slot[find_slot(t, old.slot[i])] = old.slot[i];
    free(old.slot);
}

static const char *copy_text(struct texts *t, const char *text)
{
    size_t size = strlen(text) + 1;

    if (!t->blocks || size > t->blocks->room - t->blocks->used) {
        size_t room = size > BLOCK ? size : BLOCK;
        struct texts_block *b = memory_resize(NULL, sizeof *b + room, 1);
        *b = (struct texts_block){ .next = t->blocks, .room = room };
        t->blocks = b;
    }
    char *copy = t->blocks->bytes + t->blocks->used;
    t->blocks->used += size;
    return memcpy(copy, text, size);
}

const char *texts_keep(struct texts *t, const char *text)
{
    if (!text)
        return NULL;
    if (4 * (uint64_t)t->n >= 3 * (uint64_t)t->n_slots)
        grow_slots(t);
    uint32_t i = find_slot(t, text);
    if (!t->slot[i]) {
        t->slot[i] = copy_text(t, text);
        t->n++;
    }
    return t->slot[i];
}

const char *texts_take(struct texts *t, char *text)
{
    const char *kept = texts_keep(t, text);

    free(text);
    return kept;
}

void texts_free(struct texts *t)
{
    for (struct texts_block *b = t->blocks, *next; b; b = next) {
        next = b->next;
        free(b);
    }
    free(t->slot);
    *t = (struct texts){ 0 };
}
