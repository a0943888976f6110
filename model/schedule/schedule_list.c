#include "schedule/schedule_list.h"

#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/memory.h"
#include "schedule/schedule_axis.h"

/* --- the list ------------------------------------------------------------------------------ */

struct ranked {
    uint32_t core;
    uint64_t rank; /* the place of its chip in the round through all, then the core */
};

static int compare_ranks(const void *a, const void *b)
{
    const struct ranked *x = a, *y = b;

    return x->rank < y->rank ? -1 : x->rank > y->rank;
}

static uint32_t *new_table(uint32_t n, uint32_t value)
{
    uint32_t *t = memory_resize(NULL, n ? n : 1, sizeof *t);

    for (uint32_t i = 0; i < n; i++)
        t[i] = value;
    return t;
}

/* Put the cores of a group in the order of the round. */
static void order_group(struct schedule_list *l, const struct mesh *m, uint32_t g,
                        const uint32_t *core)
{
    uint32_t first = l->first[g], n = l->first[g + 1] - first;
    struct ranked *r = memory_resize(NULL, n ? n : 1, sizeof *r);

    for (uint32_t i = 0; i < n; i++) {
        uint64_t place = mesh_place(m, core[first + i] / l->per_chip);
        r[i] = (struct ranked){ core[first + i], place << 32 | core[first + i] };
    }
    qsort(r, n, sizeof *r, compare_ranks);
    for (uint32_t i = 0; i < n; i++) {
        l->core[first + i] = r[i].core;
        l->group[r[i].core] = g;
        l->at[r[i].core] = i;
    }
    l->source[g] = n ? l->at[core[first]] : 0;
    l->longest = n > l->longest ? n : l->longest;
    free(r);
}

/* The least chip of each group, and how many of its cores each of its chips has: the same for all;
 * 0: they differ. */
static uint32_t find_least(const struct schedule_list *l, uint32_t *least)
{
    uint32_t fan = 0;

    for (uint32_t g = 0; g < l->n_groups; g++) {
        least[g] = SCHEDULE_NOBODY;
        for (uint32_t i = l->first[g]; i < l->first[g + 1];) {
            uint32_t chip = l->core[i] / l->per_chip, n = 0;
            for (; i < l->first[g + 1] && l->core[i] / l->per_chip == chip; i++)
                n++;
            if (fan && n != fan)
                return 0;
            fan = n;
            least[g] = chip < least[g] ? chip : least[g];
        }
    }
    return fan;
}

/* The groups as those of chips: each chip's class is the least chip that it meets, and has to be
 * the same for all of its cores.  Fills l->chips and l->place; the size of a class, or 0. */
static uint32_t part_chips(struct schedule_list *l, const uint32_t *least)
{
    uint32_t chips = l->cores / l->per_chip, size = 0;
    uint32_t *class = new_table(chips, 0), *n = memory_zeroed(chips, sizeof *n);
    bool good = true;

    for (uint32_t c = 0; c < l->cores && good; c++) {
        uint32_t g = l->group[c];
        good = g != SCHEDULE_NOBODY;
        if (good && c % l->per_chip == 0)
            class[c / l->per_chip] = least[g];
        good = good && class[c / l->per_chip] == least[g];
    }
    for (uint32_t c = 0; c < chips && good; c++)
        n[class[c]]++;
    size = good ? n[class[0]] : 0;
    for (uint32_t c = 0, groups = 0; c < chips && size; c++) {
        if (class[c] == c && n[c] != size)
            size = 0;
        else if (class[c] == c)
            class[c] = groups++; /* from here on its group; a class begins with its least chip */
        else
            class[c] = class[class[c]];
    }
    memset(n, 0, chips * sizeof *n);
    for (uint32_t c = 0; c < chips && size; c++) {
        l->place[c] = class[c] * size + n[class[c]]++;
        l->chips[l->place[c]] = c;
    }
    free(class);
    free(n);
    return size;
}

static void find_boxes(struct schedule_list *l, const struct mesh *m)
{
    uint32_t *least = new_table(l->n_groups, 0), chips = l->cores / l->per_chip;
    struct mesh_group g;

    l->fan = find_least(l, least);
    l->chips = new_table(chips, 0);
    l->place = new_table(chips, 0);
    l->size = l->fan && l->per_chip % l->fan == 0 ? part_chips(l, least) : 0;
    l->boxed = l->size && mesh_group_listed(&g, m, l->size, l->chips, l->place);
    free(least);
}

static uint32_t find_way(const struct schedule_list *l, const struct mesh *m)
{
    uint32_t most = 0;

    for (uint32_t core = 0; core < l->cores; core++) {
        uint32_t next = core, g = l->pairs ? SCHEDULE_NOBODY : l->group[core];
        if (l->pairs && l->to[core] != SCHEDULE_NOBODY)
            next = l->to[core];
        if (g != SCHEDULE_NOBODY)
            next = l->core[l->first[g] + (l->at[core] + 1) % (l->first[g + 1] - l->first[g])];
        uint32_t links = mesh_distance(m, core / l->per_chip, next / l->per_chip);
        most = links > most ? links : most;
    }
    return most;
}

struct schedule_list *schedule_list_new(const struct mesh *m, uint32_t per_chip, bool pairs,
                                        const uint32_t *first, uint32_t n_lists,
                                        const uint32_t *core)
{
    struct schedule_list *l = memory_zeroed(1, sizeof *l);

    *l = (struct schedule_list){ .cores = mesh_size(m) * per_chip,
                                 .per_chip = per_chip,
                                 .pairs = pairs };
    if (pairs) {
        l->to = new_table(l->cores, SCHEDULE_NOBODY);
        l->from = new_table(l->cores, SCHEDULE_NOBODY);
        for (uint32_t i = 0; i < n_lists; i++) {
            l->to[core[first[i]]] = core[first[i] + 1];
            l->from[core[first[i] + 1]] = core[first[i]];
        }
        l->way = find_way(l, m);
        return l;
    }
    l->n_groups = n_lists;
    l->first = memory_resize(NULL, n_lists + 1, sizeof *l->first);
    memcpy(l->first, first, (n_lists + 1) * sizeof *first);
    l->core = new_table(first[n_lists], 0);
    l->source = new_table(n_lists, 0);
    l->group = new_table(l->cores, SCHEDULE_NOBODY);
    l->at = new_table(l->cores, 0);
    for (uint32_t g = 0; g < n_lists; g++)
        order_group(l, m, g, core);
    l->way = find_way(l, m);
    find_boxes(l, m);
    return l;
}

void schedule_list_free(struct schedule_list *l)
{
    if (l == NULL)
        return;
    uint32_t *const tables[] = { l->first, l->core, l->source, l->group, l->at,
                                 l->to,    l->from, l->chips,  l->place };
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
        free(tables[i]);
    free(l);
}

void schedule_list_use(struct schedule *s, struct schedule_list *l)
{
    uint32_t chips = mesh_size(&s->mesh);

    s->list = l;
    if (l->boxed) {
        BUG_ON(!mesh_group_listed(&s->group, &s->mesh, l->size, l->chips, l->place));
        return;
    }
    s->group = (struct mesh_group){ .size = chips, .stride = 1, .box = { .n = { chips, 1, 1 } } };
}
