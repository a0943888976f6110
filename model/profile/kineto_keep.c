/* Texts of a recording, each kept once. */
#include <string.h>

#include "base/memory.h"
#include "profile/kineto.h"

struct text_key {
    const struct kineto *k;
    const char *text;
    size_t n;
};

static bool is_same(const void *array, uint32_t position, const void *key)
{
    const struct text_key *t = key;
    const char *have = (const char *)array + t->k->place[position];

    return strncmp(have, t->text, t->n) == 0 && have[t->n] == '\0';
}

uint32_t kineto_keep(struct kineto *k, const char *text, size_t n)
{
    struct text_key key = { k, text, n };
    uint64_t hash = profile_index_hash(text, n, 0, 0);
    uint32_t at = profile_index_find(&k->index, hash, is_same, k->text, &key);

    if (at != PROFILE_INDEX_NONE)
        return at;
    if (k->n_text + n + 1 > k->cap_text) {
        k->cap_text = 2 * (k->n_text + n + 1);
        k->text = memory_resize(k->text, k->cap_text, 1);
    }
    memcpy(k->text + k->n_text, text, n);
    k->text[k->n_text + n] = '\0';
    MEMORY_GROW(k->place, k->n_places + 1, k->cap_places);
    k->place[k->n_places] = (uint32_t)k->n_text;
    k->n_text += n + 1;
    profile_index_add(&k->index, hash, k->n_places);
    return k->n_places++;
}
