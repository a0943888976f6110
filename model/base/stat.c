#include "base/stat.h"

#include <string.h>

const uint64_t *stat_counter(const struct stat_table *t, const void *counters, const char *name)
{
    for (size_t i = 0; i < t->n_rows; i++)
        if (t->rows[i].name && strcmp(t->rows[i].name, name) == 0)
            return (const uint64_t *)((const char *)counters + t->rows[i].num);
    return NULL;
}
