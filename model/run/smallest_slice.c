#include "run/smallest_slice.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

/* A candidate whose memory is less than this part of what the trace takes on another machine is not
 * lowered: dtypes that a compiler narrows make at most half of it. */
#define LEAST_PART 4

static uint64_t memory_of_core(const struct machine_spec *m)
{
    return m->hbm.capacity / m->slice.cores_per_chip;
}

static int compare_slices(const void *x, const void *y)
{
    const struct run_slice *a = x, *b = y;

    if (a->chips != b->chips)
        return a->chips < b->chips ? -1 : 1;
    if (a->capacity != b->capacity)
        return a->capacity < b->capacity ? -1 : 1;
    return strcmp(a->machine, b->machine);
}

/* The built-in slices with at least `least` bytes for each core, the smallest first; *n of them. */
static struct run_slice *list_slices(uint64_t least, size_t *n)
{
    struct run_slice *list = memory_zeroed(catalog_count(), sizeof *list);

    *n = 0;
    for (size_t i = 0; i < catalog_count(); i++) {
        struct machine_spec *m;
        struct err err;
        if (spec_load(&m, catalog_name(i), NULL, 0, &err) != 0)
            continue;
        if (memory_of_core(m) >= least) {
            struct run_slice *s = &list[(*n)++];
            snprintf(s->machine, sizeof s->machine, "%s", catalog_name(i));
            s->chips = (uint32_t)spec_chips(m);
            s->capacity = memory_of_core(m);
        }
        spec_free(m);
    }
    qsort(list, *n, sizeof *list, compare_slices);
    return list;
}

bool smallest_slice_find(const struct job *j, struct run_slice *s)
{
    size_t n;
    struct run_slice *list = list_slices(j->memory.total / LEAST_PART, &n);
    bool found = false;

    for (size_t i = 0; i < n && !found; i++) {
        struct footprint m;
        struct err err;
        if (job_footprint(j, list[i].machine, &m, &err) != 0 || m.total > list[i].capacity)
            continue;
        *s = list[i];
        s->peak = m.total;
        found = true;
    }
    free(list);
    return found;
}
