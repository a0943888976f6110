#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/exact.h"
#include "base/memory.h"
#include "base/quantity.h"
#include "report/timeline/perfetto_impl.h"

/* The kind of a device, as profilers write it, from the name of its module: "GPU0.gpu". */
static const char *kind_of(const char *path)
{
    static const char *const kinds[][2] = { { "gpu", "GPU" }, { "cpu", "CPU" } };
    const char *dot = strrchr(path, '.');

    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (strncmp(dot ? dot + 1 : path, kinds[i][0], 3) == 0)
            return kinds[i][1];
    return "TPU";
}

/* The group of a module: its parent, a device if a row of the module names its track. */
static uint64_t group_of(struct perfetto *p, struct des *sim, const struct track *t)
{
    struct des_module parent = { 0 };
    char name[300];

    if (t->module)
        parent = des_module_parent(sim, (struct des_module){ t->module });
    const char *path = parent.id ? des_module_path(sim, parent) : "machine";

    for (uint32_t i = p->n_groups; i-- > 0;) /* the last one as a rule */
        if (strcmp(p->group[i].name, path) == 0)
            return p->group[i].uuid;
    MEMORY_ADD(p->group, p->n_groups);
    struct group *g = &p->group[p->n_groups++];
    *g = (struct group){ memory_copy(path), ++p->last_uuid };
    if (t->row->track)
        snprintf(name, sizeof name, "/device:%s:%" PRIu32 " %s", kind_of(path), p->n_devices++,
                 path);
    else
        snprintf(name, sizeof name, "%s", path);
    perfetto_packet_process(&p->out, g->uuid, name);
    return g->uuid;
}

/* Intern the names of the states of a row, unless its list was interned before.  Returns the iid of
 * the name of state 0.  Other texts are interned when they first occur. */
static uint64_t intern_names(struct perfetto *p, const struct des_probe_row *row)
{
    uint64_t base;

    for (uint32_t i = 0; i < p->n_names; i++)
        if (p->names[i] == row->names)
            return (uint64_t)(i + 1) << 32;
    MEMORY_ADD(p->names, p->n_names);
    p->names[p->n_names++] = row->names;
    base = (uint64_t)p->n_names << 32;
    for (uint32_t i = 1; i < row->n_names; i++)
        perfetto_packet_name(&p->out, base + i, row->names[i]);
    return base;
}

/* True if the share of time in a state is drawn as a counter: for probes with names of states,
 * except on devices, whose slices show them. */
static bool has_share(const struct perfetto *p, uint32_t at)
{
    const struct track *t = &p->track[at];

    if (t->row->kind != DES_PROBE_STATE || strcmp(t->row->name, "state") != 0)
        return false;
    return at == 0 || p->track[at - 1].module != t->module || !p->track[at - 1].row->track;
}

static const char *local_name(struct des *sim, const struct track *t)
{
    const char *path = des_module_path(sim, (struct des_module){ t->module });
    const char *dot = strrchr(path, '.');

    return dot ? dot + 1 : path;
}

/* " (peak 900 GB/s)", " (of 16.8 MB)", or nothing where nobody knows. */
static void format_peak(char *buf, size_t size, const struct des_probe_row *row, uint64_t peak)
{
    bool rate = row->kind == DES_PROBE_TOTAL;
    char most[40], unit[24];
    EXACT_Q(q);

    buf[0] = '\0';
    if (!peak)
        return;
    snprintf(unit, sizeof unit, "%s%s", row->unit ? row->unit : "", rate ? "/s" : "");
    exact_ratio(q, peak, 1);
    quantity_format(most, sizeof most, q, unit, 4);
    snprintf(buf, size, " (%s %s)", rate ? "peak" : "of", most);
}

void perfetto_describe(struct perfetto *p, struct des *sim, uint32_t at)
{
    struct track *t = &p->track[at];
    const struct des_probe_row *row = t->row;
    const char *module = local_name(sim, t), *unit = row->unit ? row->unit : "";
    char name[400], rate[40], peak[80];
    bool state = strcmp(row->name, "state") == 0;

    if (row->kind == DES_PROBE_FLOW || row->detail)
        return;
    uint64_t group = group_of(p, sim, t);
    t->uuid = ++p->last_uuid;
    format_peak(peak, sizeof peak, row, des_probe_peak(sim, (struct des_probe){ t->probe }));
    snprintf(name, sizeof name, "%s%s%s%s", module, state ? "" : " ", state ? "" : row->name, peak);
    snprintf(rate, sizeof rate, "%s/s", unit);
    if (row->kind == DES_PROBE_TOTAL)
        perfetto_packet_track(&p->out, t->curve = t->uuid, group, at, name, rate);
    else
        perfetto_packet_track(&p->out, t->uuid, group, at, row->track ? row->track : name,
                              perfetto_is_slice(t) ? NULL : unit);
    if (row->kind == DES_PROBE_STATE)
        t->iid = intern_names(p, row);
    if (!has_share(p, at))
        return;
    snprintf(name, sizeof name, "%s busy", module);
    perfetto_packet_track(&p->out, t->curve = ++p->last_uuid, group, at, name, "%");
}
