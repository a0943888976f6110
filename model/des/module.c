/* module.c - the module tree, names of objects, call-backs. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "des/des_impl.h"

static uint32_t hash_of_path(const char *s)
{
    uint32_t h = 2166136261u; /* FNV-1a */

    for (; *s; s++)
        h = (h ^ (unsigned char)*s) * 16777619u;
    return h;
}

/* The slot of the module with this path, or the free slot where it belongs. */
static uint32_t *find_slot(const struct des *sim, const char *path)
{
    uint32_t mask = sim->cap_hash - 1, i = hash_of_path(path) & mask;

    while (sim->module_hash[i] && strcmp(sim->modules.at[sim->module_hash[i]].path, path) != 0)
        i = (i + 1) & mask;
    return &sim->module_hash[i];
}

static void grow_hash(struct des *sim)
{
    if (2 * (sim->modules.n + 1) < sim->cap_hash)
        return;
    free(sim->module_hash);
    sim->memory -= sim->cap_hash * sizeof *sim->module_hash;
    sim->cap_hash = sim->cap_hash ? 2 * sim->cap_hash : 64;
    sim->module_hash = des_alloc(sim, sim->cap_hash, sizeof *sim->module_hash);
    for (uint32_t i = 1; i < sim->modules.n; i++)
        *find_slot(sim, sim->modules.at[i].path) = i;
}

struct des_module des_module_new(struct des *sim, struct des_module parent, const char *name)
{
    struct des_label l = des_label(sim, parent, name);
    const char *path =
        parent.id ? des_keep_name(sim, des_module_path(sim, parent), l.name) : l.name;

    grow_hash(sim);
    uint32_t *at = find_slot(sim, path);
    if (*at)
        des_misuse(sim, l, "des/name", "two modules of this name");
    uint32_t id = TABLE_ADD(sim, modules, l);
    sim->modules.at[id] = (struct des_module_record){ .path = path, .parent = parent.id };
    *at = id;
    return (struct des_module){ id };
}

const char *des_module_path(const struct des *sim, struct des_module m)
{
    if (m.id == 0)
        return "";
    return RECORD(sim, modules, m, "module")->path;
}

struct des_module des_module_find(const struct des *sim, const char *path)
{
    return (struct des_module){ sim->cap_hash ? *find_slot(sim, path) : 0 };
}

struct des_module des_module_parent(const struct des *sim, struct des_module m)
{
    return (struct des_module){ RECORD(sim, modules, m, "module")->parent };
}

/* --- names of all objects ----------------------------------------------------------------- */

struct des_label des_label_of(const struct des *sim, struct des_object x)
{
    switch (x.kind) {
    case DES_MODULE: return (struct des_label){ "", x.id };
    case DES_EVENT: (void)RECORD(sim, events, x, "event"); return sim->event_infos.at[x.id].label;
    case DES_LIST: return RECORD(sim, lists, x, "list")->label;
    case DES_PROCESS:
        (void)RECORD(sim, processes, x, "process");
        return sim->process_infos.at[x.id].label;
    case DES_CLOCK: return RECORD(sim, clocks, x, "clock")->label;
    case DES_SIGNAL: return RECORD(sim, signal_infos, x, "signal")->label;
    case DES_FIFO: return *RECORD(sim, fifo_labels, x, "FIFO");
    case DES_MUTEX: return *RECORD(sim, mutex_labels, x, "mutex");
    case DES_SEMAPHORE: return *RECORD(sim, semaphore_labels, x, "semaphore");
    case DES_CHANNEL: return RECORD(sim, channels, x, "channel")->label;
    case DES_IN:
    case DES_OUT:
    case DES_SIGNAL_IN:
    case DES_SIGNAL_OUT:
    case DES_PORT:
    case DES_EXPORT: return RECORD(sim, ports, x, "port")->label;
    case DES_PROBE: return RECORD(sim, probe_infos, x, "probe")->label;
    }
    des_handle_misuse(sim, "object");
}

struct des_module des_module_of(const struct des *sim, struct des_object x)
{
    return (struct des_module){ des_label_of(sim, x).module };
}

char *des_path(const struct des *sim, struct des_object x, char *buf, size_t size)
{
    struct des_label l = des_label_of(sim, x);
    const char *path = des_module_path(sim, (struct des_module){ l.module });

    snprintf(buf, size, "%s%s%s", path, *path && *l.name ? "." : "", l.name);
    return buf;
}

/* --- call-backs --------------------------------------------------------------------------- */

void des_on(struct des *sim, struct des_module m, enum des_phase phase, des_callback *call,
            void *self)
{
    struct des_label l = { "", m.id };
    uint32_t id = TABLE_ADD(sim, callbacks, l);

    sim->callbacks.at[id] = (struct des_callback_record){ call, self, phase, false };
}

void des_call_back(struct des *sim, enum des_phase phase)
{
    for (uint32_t i = 1; i < sim->callbacks.n; i++) { /* they may register more */
        struct des_callback_record c = sim->callbacks.at[i];
        if (c.phase != phase || c.called) /* by an elaboration that failed */
            continue;
        sim->callbacks.at[i].called = true;
        c.call(sim, c.self);
    }
}
