#include <stdlib.h>
#include <string.h>

#include "des/des_impl.h"

#define NAMES_BLOCK 65536

struct names {
    struct names *next;
    size_t used, size;
    char text[];
};

void *des_alloc(size_t n, size_t size)
{
    void *p = calloc(n ? n : 1, size);

    BUG_ON(!p);
    return p;
}

void *des_table_room(const struct des *sim, struct label l, void *at, size_t size, uint32_t n,
                     uint32_t *cap)
{
    if (sim->elaborated)
        des_label_bug(sim, l, "created after elaboration");
    if (n < *cap)
        return at;
    BUG_ON(n >= DELTA_BIT / 4); /* ids and queue positions keep the top bits free */
    uint32_t more = *cap ? 2 * *cap : 16;
    void *p = realloc(at, more * size);
    BUG_ON(!p);
    memset((char *)p + *cap * size, 0, (more - *cap) * size);
    *cap = more;
    return p;
}

const char *des_keep_name(struct des *sim, const char *prefix, const char *name)
{
    size_t head = strlen(prefix), tail = strlen(name), need = head + (head > 0) + tail + 1;
    struct names *b = sim->names;

    if (!b || b->size - b->used < need) {
        size_t size = need > NAMES_BLOCK ? need : NAMES_BLOCK;
        b = malloc(sizeof *b + size);
        BUG_ON(!b);
        *b = (struct names){ .next = sim->names, .size = size };
        sim->names = b;
    }
    char *copy = b->text + b->used, *p = copy;
    if (head > 0) {
        memcpy(p, prefix, head);
        p += head;
        *p++ = '.';
    }
    memcpy(p, name, tail + 1);
    b->used += need;
    return copy;
}

void des_free_names(struct des *sim)
{
    for (struct names *b = sim->names, *next; b; b = next) {
        next = b->next;
        free(b);
    }
}

struct label des_label(struct des *sim, struct des_module m, const char *name)
{
    if (m.id >= sim->modules.n && m.id != 0)
        des_handle_bug(sim, "module");
    if (*name == '\0' || strchr(name, '.'))
        des_bug(sim, m, "a name must not be empty or hold a dot: \"%s\"", name);
    return (struct label){ des_keep_name(sim, "", name), m.id };
}
