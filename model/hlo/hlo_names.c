/* hlo_names.c - see hlo_names.h. */
#include "hlo/hlo_names.h"

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "base/memory.h"

#define LEAST_SLOTS 64

static uint32_t hash_name(struct hlo_text name)
{
    return (uint32_t)XXH3_64bits(name.at, name.size);
}

static bool is_live(const struct hlo_names *t, uint32_t i)
{
    return t->slot[i].value > t->first;
}

static void put_name(struct hlo_names *t, uint32_t hash, uint32_t value)
{
    uint32_t i = hash & (t->cap - 1);

    while (is_live(t, i))
        i = (i + 1) & (t->cap - 1);
    t->slot[i] = (struct hlo_name_slot){ hash, value };
}

void hlo_names_begin(struct hlo_names *t, uint32_t first)
{
    t->first = first;
    t->n = 0;
}

uint32_t hlo_names_find(const struct hlo_names *t, const struct hlo_module *m, hlo_name_of *name_of,
                        struct hlo_text name)
{
    if (t->cap == 0)
        return HLO_NONE;
    uint32_t hash = hash_name(name);
    for (uint32_t i = hash & (t->cap - 1); is_live(t, i); i = (i + 1) & (t->cap - 1)) {
        if (t->slot[i].hash != hash)
            continue;
        struct hlo_text other = name_of(m, t->slot[i].value - 1);
        if (other.size == name.size && memcmp(other.at, name.at, name.size) == 0)
            return t->slot[i].value - 1;
    }
    return HLO_NONE;
}

void hlo_names_add(struct hlo_names *t, struct hlo_text name, uint32_t index)
{
    if (2 * t->n >= t->cap) {
        struct hlo_names old = *t;
        t->cap = old.cap ? 2 * old.cap : LEAST_SLOTS;
        t->slot = memory_zeroed(t->cap, sizeof *t->slot);
        for (uint32_t i = 0; i < old.cap; i++)
            if (is_live(&old, i))
                put_name(t, old.slot[i].hash, old.slot[i].value);
        free(old.slot);
    }
    put_name(t, hash_name(name), index + 1);
    t->n++;
}

void hlo_names_free(struct hlo_names *t)
{
    free(t->slot);
    *t = (struct hlo_names){ 0 };
}
