#include "run/memory/smallest_slice.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "machine/spec/catalog.h"
#include "machine/spec/sizes.h"

/* A candidate whose memory is less than this part of what the trace takes on another machine is not
 * lowered: dtypes that a compiler narrows make at most half of it. */
#define LEAST_PART 4

static int compare_slices(const void *x, const void *y)
{
    const struct run_slice *a = x, *b = y;

    if (a->chips != b->chips)
        return a->chips < b->chips ? -1 : 1;
    if (a->capacity != b->capacity)
        return a->capacity < b->capacity ? -1 : 1;
    if (sizes_knows(a->machine) != sizes_knows(b->machine))
        return sizes_knows(a->machine) ? -1 : 1;
    return strcmp(a->machine, b->machine);
}

/* Add a slice of that kind of chip if its cores have `least` bytes.  Returns the bytes of a core,
 * 0 if it is of another kind. */
static uint64_t add_slice(struct run_slice **list, size_t *n, const char *name, enum chip_kind kind,
                          uint64_t least)
{
    struct machine_spec *m;
    struct err err;

    if (spec_load(&m, name, NULL, 0, &err) != 0)
        return 0;
    uint64_t capacity = m->kind == kind ? spec_usable(m) : 0;
    if (capacity >= least && capacity > 0) {
        MEMORY_ADD(*list, *n);
        struct run_slice *s = &(*list)[(*n)++];
        *s = (struct run_slice){ .chip = spec_kind_name[kind],
                                 .chips = (uint32_t)spec_chips(m),
                                 .capacity = capacity };
        snprintf(s->machine, sizeof s->machine, "%s", name);
    }
    spec_free(m);
    return capacity;
}

/* The machines of a kind of chip with at least `least` bytes for each core, the smallest first; *n
 * of them: those that no rule names (cards, nodes of CPUs), and the legal slices of all
 * generations. Cores of larger slices have no more memory, so of each generation those with fewer
 * devices than `devices` are listed, and the next one. */
static struct run_slice *list_slices(enum chip_kind kind, uint64_t least, uint64_t devices,
                                     size_t *n)
{
    struct run_slice *list = NULL;
    struct sizes_slice s;
    const char *generation, *box;

    *n = 0;
    for (size_t i = 0; (generation = sizes_generation(i)); i++) {
        if (sizes_are_boxes(generation) != (kind == CHIP_GPU))
            continue; /* reading a machine to see its kind would take longer */
        for (bool more = sizes_after(generation, 0, &s); more;
             more = s.devices < devices && sizes_after(generation, s.number, &s))
            if (add_slice(&list, n, s.name, kind, least) < (least ? least : 1))
                break;
    }
    for (size_t i = 0; kind != CHIP_TPU && (box = catalog_box(i)); i++)
        if (!catalog_is_base(box))
            add_slice(&list, n, box, kind, least);
    if (*n > 0)
        qsort(list, *n, sizeof *list, compare_slices);
    return list;
}

bool smallest_slice_find(const struct job *j, struct run_slice *s)
{
    size_t n;
    struct run_slice *list =
        list_slices(j->spec->kind, j->memory.total / LEAST_PART, spec_cores(j->spec), &n);
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
