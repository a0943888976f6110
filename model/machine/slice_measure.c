/* Measuring: reset, finish and visit all components of the machine's list.
 *
 * Where a built chip stands for several, its components are visited once, with the number of those:
 * reports add up over all chips.  Links and network cards, which reports list one by one, are
 * visited for each of them, under the names that theirs would have. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "machine/slice.h"

/* --- reset and finish ---------------------------------------------------------------------- */

void slice_reset(struct slice *s)
{
    component_list_reset(&s->components, des_now(s->sim));
    s->launcher.step = 1; /* measured steps count from 1, whatever came before them */
}

void slice_finish(struct slice *s, des_time now, des_time since, des_time slow_since)
{
    uint32_t each = spec_cores_of_chip(s->spec), n;

    component_list_finish(&s->components, now, now - since);
    if (slow_since == since)
        return;
    for (uint32_t core = 0; core < s->cores; core++) {
        if (slice_number(s, core / each) != s->spec->fault.slow_chip)
            continue;
        const struct component *c = component_list_of(&s->components, SLICE_CORES, core, &n);
        for (uint32_t i = 0; i < n; i++)
            if (c[i].class->finish)
                c[i].class->finish(c[i].self, now, now - slow_since);
    }
}

/* --- statistics ---------------------------------------------------------------------------- */

struct visiting {
    struct slice *s;
    component_visit *visit;
    void *self;
};

struct units {
    uint32_t first, end;
};

/* The units of a group in all slices that the built ones stand for.  The client belongs to the last
 * host. */
static struct units units_of(const struct slice *s, enum slice_group group)
{
    bool whole = s->alike || s->chips == s->n_chips;
    uint32_t end_host = whole ? s->n_hosts : s->first_host + s->hosts;
    bool client = end_host == s->n_hosts;

    switch (group) {
    case SLICE_CORES:
        return (struct units){ s->first_core, whole ? s->n_cores : s->first_core + s->cores };
    case SLICE_CHIPS:
        return (struct units){ s->first_chip, whole ? s->n_chips : s->first_chip + s->chips };
    case SLICE_NICS: return (struct units){ 0, slice_joined(s) ? s->n_hosts : 0 };
    case SLICE_HOSTS: return (struct units){ s->first_host, end_host };
    case SLICE_STORAGES: /* the last is the client's */
        return (struct units){ s->first_host, end_host + client };
    case SLICE_CLIENT: return (struct units){ 0, client };
    case SLICE_LINKS: /* visit_links */
    case SLICE_N_GROUPS: break;
    }
    return (struct units){ 0, 0 };
}

/* Index of the built unit that stands for a unit. */
static uint32_t built_for(const struct slice *s, enum slice_group group, uint32_t unit)
{
    switch (group) {
    case SLICE_CORES: return slice_core(s, unit);
    case SLICE_CHIPS: return slice_chip(s, unit);
    case SLICE_NICS:
    case SLICE_HOSTS: return slice_host(s, unit);
    case SLICE_STORAGES: return unit < s->n_hosts ? slice_host(s, unit) : s->hosts;
    case SLICE_CLIENT:
    case SLICE_LINKS:
    case SLICE_N_GROUPS: break;
    }
    return unit;
}

/* The number in the names of its components: of a core, that of its chip. */
static uint32_t number_of_unit(const struct slice *s, enum slice_group group, uint32_t unit)
{
    return group == SLICE_CORES ? unit / spec_cores_of_chip(s->spec) : unit;
}

/* The first number in the name of a component becomes that of the unit it stands for. */
static const char *name_for(const struct slice *s, const struct component *c, uint32_t number,
                            char *buf, size_t size)
{
    const char *path = component_name(&s->components, c);
    size_t stem = strcspn(path, "0123456789");

    if (!s->alike || !path[stem])
        return path;
    const char *rest = path + stem + strspn(path + stem, "0123456789");
    snprintf(buf, size, "%.*s%u%s", (int)stem, path, number, rest);
    return buf;
}

static void visit_unit(const struct visiting *v, enum slice_group group, uint32_t unit,
                       uint64_t times)
{
    struct slice *s = v->s;
    char name[256];
    uint32_t n;
    const struct component *c =
        component_list_of(&s->components, group, built_for(s, group, unit), &n);

    for (uint32_t i = 0; i < n; i++) {
        const void *counters = component_counters(&c[i]);
        if (counters)
            v->visit(v->self, name_for(s, &c[i], number_of_unit(s, group, unit), name, sizeof name),
                     c[i].class->statistics, counters, times);
    }
}

/* Visit each built unit once, in the order of the first units that they stand for. */
static void visit_units(const struct visiting *v, enum slice_group group)
{
    struct units u = units_of(v->s, group);
    uint32_t *times = memory_zeroed(u.end - u.first, sizeof *times);

    for (uint32_t unit = u.first; unit < u.end; unit++)
        times[built_for(v->s, group, unit)]++;
    for (uint32_t unit = u.first; unit < u.end; unit++) {
        uint32_t *t = &times[built_for(v->s, group, unit)];
        if (group == SLICE_NICS)
            visit_unit(v, group, unit, 1);
        else if (*t)
            visit_unit(v, group, unit, *t);
        if (group != SLICE_NICS)
            *t = 0;
    }
    free(times);
}

/* Bytes that left a chip by a port, where all chips do what chip 0 does: sends along dimensions, by
 * the port, and sends to the next and to the previous chip of the round through all chips. */
static uint64_t sent_alike(const struct slice *s, uint32_t chip, uint32_t port)
{
    const struct ici *u = &s->chip[0].ici;
    const struct mesh *m = &s->mesh;
    uint32_t all = s->chips_of_slice, d = port / 2, to;

    chip %= all;
    to = mesh_neighbour(m, chip, port);
    uint64_t bytes = m->n[d] == 2 ? u->sent[0][2 * d] + u->sent[0][2 * d + 1] : u->sent[0][port];

    for (uint32_t by = 1; by<all; by += all> 2 ? all - 2 : 1) {
        uint32_t first = mesh_round(m, (mesh_place(m, 0) + by) % all);
        if (mesh_round(m, (mesh_place(m, chip) + by) % all) == to)
            bytes += u->sent[1][mesh_port(m, 0, first)];
    }
    return bytes;
}

/* Bytes that one link of the built chip could have moved; all its links are equal. */
static uint64_t capacity_alike(const struct slice *s)
{
    for (uint32_t port = 0; port < MESH_PORTS; port++)
        if (slice_linked(s, slice_number(s, 0), port))
            return s->link[port].st.capacity;
    return 0;
}

/* Links are named after the chips at both ends; one that is dead is none. */
static void visit_links(const struct visiting *v)
{
    struct slice *s = v->s;
    char name[SLICE_LINK_NAME];

    struct units chips = units_of(s, SLICE_CHIPS);

    for (uint32_t i = chips.first; i < chips.end; i++)
        for (uint32_t port = 0; port < MESH_PORTS; port++) {
            if (!slice_linked(s, i, port) ||
                fault_dead(&s->spec->fault, i, slice_neighbour(s, i, port)))
                continue;
            uint32_t built = s->alike ? images_port(&s->images, i % s->chips_of_slice, port) : port;
            struct link_stats *st = &s->link[slice_chip(s, i) * MESH_PORTS + built].st, alike;
            if (s->uniform) {
                /* chip 0 may lack this very port, but it has some */
                alike = (struct link_stats){ .capacity = capacity_alike(s),
                                             .bytes = sent_alike(s, i, port) };
                st = &alike;
            }
            v->visit(v->self, slice_link_name(s, i, port, name), &link_stat_table, st, 1);
        }
}

void slice_visit(struct slice *s, enum slice_group group, component_visit *visit, void *self)
{
    const struct visiting v = { s, visit, self };

    if (group == SLICE_LINKS)
        visit_links(&v);
    else
        visit_units(&v, group);
}
