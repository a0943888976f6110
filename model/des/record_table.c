/* record_table.c - storage of the kernel: tables of records that grow until elaboration, names. */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/memory.h"
#include "des/des_impl.h"

#define NAMES_BLOCK 65536
#define LINE 64
#define LARGE ((size_t)2 << 20)

struct des_names {
    struct des_names *next;
    size_t used, size;
    char text[];
};

/* Large tables ask for large pages, because they are accessed at random. */
static void *allocate_lines(size_t bytes)
{
    void *p = memory_aligned(bytes, bytes < LARGE ? LINE : LARGE);

    if (bytes >= LARGE)
        (void)madvise(p, bytes, MADV_HUGEPAGE); /* a refusal only costs speed */
    return p;
}

void *des_alloc(struct des *sim, size_t n, size_t size)
{
    size_t bytes;

    BUG_ON(__builtin_mul_overflow(n, size, &bytes));
    void *p = allocate_lines(bytes);
    memset(p, 0, bytes);
    sim->memory += bytes;
    return p;
}

void *des_table_room(struct des *sim, struct des_label l, void *at, size_t size, uint32_t n,
                     uint32_t *cap)
{
    if (unlikely(sim->elaborated))
        des_misuse(sim, l, "des/elaborated", "created after elaboration");
    return des_table_grow(sim, at, size, n, cap);
}

void *des_table_grow(struct des *sim, void *at, size_t size, uint32_t n, uint32_t *cap)
{
    if (n < *cap)
        return at;
    BUG_ON(n >= ID_LIMIT);
    uint32_t more = *cap ? 2 * *cap : 16;
    void *p = allocate_lines(more * size);
    if (at)
        memcpy(p, at, n * size);
    memset((char *)p + n * size, 0, (more - n) * size);
    free(at);
    sim->memory += (more - *cap) * size;
    *cap = more;
    return p;
}

const char *des_keep_name(struct des *sim, const char *prefix, const char *name)
{
    size_t head = strlen(prefix), tail = strlen(name), need = head + (head > 0) + tail + 1;
    struct des_names *b = sim->names;

    if (!b || b->size - b->used < need) {
        size_t size = need > NAMES_BLOCK ? need : NAMES_BLOCK;
        b = memory_resize(NULL, sizeof *b + size, 1);
        *b = (struct des_names){ .next = sim->names, .size = size };
        sim->names = b;
        sim->memory += sizeof *b + size;
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
    for (struct des_names *b = sim->names, *next; b; b = next) {
        next = b->next;
        free(b);
    }
}

struct des_label des_label(struct des *sim, struct des_module m, const char *name)
{
    struct des_label l = { "", m.id };

    if (m.id >= sim->modules.n && m.id != 0)
        des_handle_misuse(sim, "module");
    if (*name == '\0' || strchr(name, '.'))
        des_misuse(sim, l, "des/name", "a name must not be empty or hold a dot: \"%s\"", name);
    l.name = des_keep_name(sim, "", name);
    return l;
}
