/* scope.c - see scope.h. */
#include "trace/scope.h"

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "base/memory.h"
#define CHUNK 256u

static uint32_t hash_of(const char *name)
{
    return (uint32_t)XXH64(name, strlen(name), 0);
}

struct scope_tensor *scope_at(const struct scope *s, uint32_t id)
{
    BUG_ON(id / CHUNK >= s->n_chunks);
    return &s->chunk[id / CHUNK][id % CHUNK];
}

void scope_free(struct scope *s)
{
    for (uint32_t i = 0; i < s->n_chunks * CHUNK; i++) {
        free((char *)(uintptr_t)scope_at(s, i)->tensor.name);
        free(scope_at(s, i)->start.in);
    }
    for (uint32_t i = 0; i < s->n_chunks; i++)
        free(s->chunk[i]);
    free(s->chunk);
    free(s->index);
    *s = (struct scope){ 0 };
}

/* The place of `name` in the index, or the free place where it belongs. */
static uint32_t find_place(const struct scope *s, const char *name, uint32_t hash)
{
    uint32_t mask = s->n_index - 1, i = hash & mask;

    for (; s->index[i]; i = (i + 1) & mask) {
        const struct scope_tensor *t = scope_at(s, s->index[i] - 1);
        if (t->hash == hash && strcmp(t->tensor.name, name) == 0)
            break;
    }
    return i;
}

struct scope_tensor *scope_find(const struct scope *s, const char *name, uint32_t *id)
{
    if (s->n_index == 0)
        return NULL;
    uint32_t i = find_place(s, name, hash_of(name));
    if (!s->index[i])
        return NULL;
    *id = s->index[i] - 1;
    return scope_at(s, *id);
}

/* Names enter the index in the order of their ids, here too: scope_cut relies on it. */
static void grow_index(struct scope *s)
{
    s->n_index = s->n_index ? 2 * s->n_index : 64;
    free(s->index);
    s->index = memory_zeroed(s->n_index, sizeof *s->index);
    for (uint32_t id = 0; id < s->n; id++)
        s->index[find_place(s, scope_at(s, id)->tensor.name, scope_at(s, id)->hash)] = id + 1;
}

static void grow_chunks(struct scope *s)
{
    MEMORY_GROW(s->chunk, s->n_chunks + 1, s->cap_chunks);
    s->chunk[s->n_chunks++] = memory_zeroed(CHUNK, sizeof **s->chunk);
}

struct scope_tensor *scope_push(struct scope *s, const char *name, uint32_t *id)
{
    size_t size = strlen(name) + 1;

    BUG_ON(s->n == SCOPE_MAX);
    if (2 * (s->n + 1) > s->n_index)
        grow_index(s);
    if (s->n == s->n_chunks * CHUNK)
        grow_chunks(s);
    *id = s->n;
    struct scope_tensor *t = scope_at(s, *id);
    struct scope_start kept = { .in = t->start.in, .cap_in = t->start.cap_in };
    char *copy = memory_resize((char *)(uintptr_t)t->tensor.name, size, 1);
    memcpy(copy, name, size);
    *t = (struct scope_tensor){
        .tensor.name = copy, .hash = hash_of(name), .root = *id, .start = kept
    };
    uint32_t place = find_place(s, copy, t->hash);
    BUG_ON(s->index[place]);
    s->index[place] = *id + 1;
    s->n++;
    return t;
}

void scope_cut(struct scope *s, uint32_t height)
{
    /* names leave in reverse order, so no later name was placed past the place that is freed */
    while (s->n > height) {
        const struct scope_tensor *t = scope_at(s, s->n - 1);
        s->index[find_place(s, t->tensor.name, t->hash)] = 0;
        s->n--;
    }
}

const char *scope_nearest(const struct scope *s, const char *name)
{
    const char **names = memory_zeroed(s->n, sizeof *names);
    unsigned n = 0;

    for (uint32_t id = 0; id < s->n; id++)
        if (scope_at(s, id)->defined)
            names[n++] = scope_at(s, id)->tensor.name;
    const char *best = err_nearest(name, names, n);
    free(names);
    return best;
}
