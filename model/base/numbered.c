/* numbered.c - see numbered.h. */
#include "base/numbered.h"

#include <search.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

struct key {
    char *name;
    size_t number;
};

static int compare_names(const void *a, const void *b)
{
    const struct key *x = a, *y = b;

    return strcmp(x->name, y->name);
}

static void free_key(void *key)
{
    free(((struct key *)key)->name);
    free(key);
}

size_t numbered_find(struct numbered *x, const char *name)
{
    struct key *key = memory_zeroed(1, sizeof *key);

    *key = (struct key){ memory_copy(name), x->n };
    struct key **found = tsearch(key, &x->tree, compare_names);
    if (found && *found != key) {
        free_key(key);
        return (*found)->number;
    }
    if (!found)
        memory_end();
    return x->n++;
}

void numbered_clear(struct numbered *x)
{
    tdestroy(x->tree, free_key);
    *x = (struct numbered){ 0 };
}
