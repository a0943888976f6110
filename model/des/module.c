#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "des/des_impl.h"

static uint32_t hash(const char *s)
{
    uint32_t h = 2166136261u; /* FNV-1a */

    for (; *s; s++)
        h = (h ^ (unsigned char)*s) * 16777619u;
    return h;
}

/* The slot of the module with this path, or the free slot where it belongs. */
static uint32_t *slot(const struct des *sim, const char *path)
{
    uint32_t mask = sim->cap_hash - 1, i = hash(path) & mask;

    while (sim->module_hash[i] && strcmp(sim->modules.at[sim->module_hash[i]].path, path) != 0)
        i = (i + 1) & mask;
    return &sim->module_hash[i];
}

static void grow_hash(struct des *sim)
{
    if (2 * (sim->modules.n + 1) < sim->cap_hash)
        return;
    free(sim->module_hash);
    sim->cap_hash = sim->cap_hash ? 2 * sim->cap_hash : 64;
    sim->module_hash = des_alloc(sim->cap_hash, sizeof *sim->module_hash);
    for (uint32_t i = 1; i < sim->modules.n; i++)
        *slot(sim, sim->modules.at[i].path) = i;
}

struct des_module des_module_new(struct des *sim, struct des_module parent, const char *name)
{
    struct label l = des_label(sim, parent, name);
    const char *path = des_keep_name(sim, des_module_path(sim, parent), l.name);

    grow_hash(sim);
    uint32_t *at = slot(sim, path);
    if (*at)
        des_bug(sim, parent, "two modules called \"%s\"", name);
    uint32_t id = TABLE_ADD(sim, modules, l);
    sim->modules.at[id] = (struct module){ path, parent.id };
    *at = id;
    return (struct des_module){ id };
}

const char *des_module_path(const struct des *sim, struct des_module m)
{
    if (m.id == 0)
        return "";
    return RECORD(sim, modules, m, "module")->path;
}

/* "BUG chip0.mxu0.cmd @ 12 fs: ", with whatever part of the path there is. */
static void print_place(const struct des *sim, uint32_t module, const char *name)
{
    const char *path = module && module < sim->modules.n ? sim->modules.at[module].path : "";

    fprintf(stderr, "BUG %s%s%s @ %llu fs: ", path, *path && *name ? "." : "",
            *path || *name ? name : "(root)", (unsigned long long)sim->now);
}

void des_bug(const struct des *sim, struct des_module m, const char *fmt, ...)
{
    va_list ap;

    print_place(sim, m.id, "");
    va_start(ap, fmt);
    vfprintf(stderr, fmt, ap);
    va_end(ap);
    fputc('\n', stderr);
    abort();
}

void des_label_bug(const struct des *sim, struct label l, const char *fmt, ...)
{
    va_list ap;

    print_place(sim, l.module, l.name);
    va_start(ap, fmt);
    vfprintf(stderr, fmt, ap);
    va_end(ap);
    fputc('\n', stderr);
    abort();
}

/* The one who made the mistake is the running process, if any. */
static struct label culprit(const struct des *sim)
{
    if (sim->current)
        return sim->process_labels.at[sim->current];
    return (struct label){ "", 0 };
}

void des_handle_bug(const struct des *sim, const char *what)
{
    des_label_bug(sim, culprit(sim), "a null or unknown %s", what);
}

void des_not_elaborated_bug(const struct des *sim)
{
    des_label_bug(sim, culprit(sim), "used before des_elaborate");
}
