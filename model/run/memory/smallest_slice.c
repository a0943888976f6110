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

/* Usable bytes of a core of a machine and its chips; 0 if it is of another kind. */
static uint64_t find_capacity(const char *name, enum chip_kind kind, uint32_t *chips)
{
    struct machine_spec *m;
    struct err err;

    if (spec_load(&m, name, NULL, 0, &err) != 0)
        return 0;
    uint64_t capacity = m->kind == kind ? spec_usable(m) : 0;
    *chips = (uint32_t)spec_chips(m);
    spec_free(m);
    return capacity;
}

static void add_slice(struct run_slice **list, size_t *n, const char *name, enum chip_kind kind,
                      uint32_t chips, uint64_t capacity)
{
    MEMORY_ADD(*list, *n);
    struct run_slice *s = &(*list)[(*n)++];

    *s = (struct run_slice){ .chip = spec_kind_name[kind], .chips = chips, .capacity = capacity };
    snprintf(s->machine, sizeof s->machine, "%s", name);
}

/* Add the legal slices of a generation with fewer devices than `devices`, and the next one.  Cores
 * of all of them have the same memory: the smallest one is read. */
static void add_generation(struct run_slice **list, size_t *n, const char *generation,
                           enum chip_kind kind, uint64_t least, uint64_t devices)
{
    struct sizes_slice s;
    uint32_t chips;

    if (!sizes_after(generation, 0, &s))
        return;
    uint64_t capacity = find_capacity(s.name, kind, &chips);
    if (capacity < least || capacity == 0)
        return;
    add_slice(list, n, s.name, kind, s.chips, capacity);
    while (s.devices < devices && sizes_after(generation, s.number, &s))
        add_slice(list, n, s.name, kind, s.chips, capacity);
}

/* The machines of a kind of chip with at least `least` bytes for each core, the smallest first; *n
 * of them: those that no rule names (cards, nodes of CPUs), and the legal slices of all
 * generations up to the first with `devices` devices. */
static struct run_slice *list_slices(enum chip_kind kind, uint64_t least, uint64_t devices,
                                     size_t *n)
{
    struct run_slice *list = NULL;
    const char *generation, *box;
    uint64_t capacity;
    uint32_t chips;

    *n = 0;
    for (size_t i = 0; (generation = sizes_generation(i)); i++)
        if (sizes_are_boxes(generation) == (kind == CHIP_GPU)) /* or it is of another kind */
            add_generation(&list, n, generation, kind, least, devices);
    for (size_t i = 0; kind != CHIP_TPU && (box = catalog_box(i)); i++) {
        if (catalog_is_base(box))
            continue;
        capacity = find_capacity(box, kind, &chips);
        if (capacity >= least && capacity > 0)
            add_slice(&list, n, box, kind, chips, capacity);
    }
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
