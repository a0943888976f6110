/* The machine of a profile: the one that the program was compiled for, or what the devices of the
 * profile say they are. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/plain.h"
#include "import/open.h"
#include "machine/spec/sizes.h"
#include "machine/spec/spec.h"
#include "study/profiled/profiled_impl.h"
#include "trace/trace.h"

/* Names that profilers, runtimes and XLA have for devices, without blanks and in small letters. */
static const struct {
    const char *type, *generation;
} types[] = {
    { "v2", "tpu-v2" },   { "v3", "tpu-v3" },   { "v4", "tpu-v4" },   { "v5lite", "tpu-v5e" },
    { "v5e", "tpu-v5e" }, { "v5", "tpu-v5p" },  { "v5p", "tpu-v5p" }, { "v6lite", "tpu-v6e" },
    { "v6e", "tpu-v6e" }, { "7x", "tpu-v7" },   { "v7x", "tpu-v7" },  { "v7", "tpu-v7" },
    { "8i", "tpu-v8i" },  { "v8i", "tpu-v8i" }, { "8t", "tpu-v8t" },  { "v8t", "tpu-v8t" },
};

/* "h100" of "h10080gbhbm3"; NULL: not known. */
static const char *find_gpu(const char *plain)
{
    static const char *const names[] = { "gb200", "h100", "h200", "a100", "b200" };

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strncmp(plain, names[i], strlen(names[i])) == 0)
            return names[i];
    return strncmp(plain, "teslav100", 9) == 0 || strncmp(plain, "v100", 4) == 0 ? "v100" : NULL;
}

/* "tpu-v6e" for "TPU v6 Lite"; NULL: not known. */
static const char *find_generation(const struct profile *f)
{
    char plain[32];
    size_t n = 0;

    if (!f || f->n_devices == 0)
        return NULL;
    for (const char *c = f->device[0].type; *c && n + 1 < sizeof plain; c++)
        if (!plain_is_blank(*c) && *c != '-')
            plain[n++] = plain_lower(*c);
    plain[n] = '\0';
    if (strncmp(plain, "nvidia", 6) == 0)
        return find_gpu(plain + 6);
    const char *own = strncmp(plain, "tpu", 3) == 0 ? plain + 3 : plain;
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (strcmp(types[i].type, own) == 0)
            return types[i].generation;
    return NULL;
}

/* Read the target of a compiled program from its header, and the devices that a trace is cut for, 0
 * if it does not say. */
static int read_target(const struct profiled *p, const char *file, struct trace_program *target,
                       uint64_t *cut, struct err *err)
{
    struct trace *t;

    if (import_open_memory(&t, file, p->text, p->text_size, false, err) != 0)
        return -1;
    *target = trace_head(t)->program;
    *cut = trace_head(t)->cores;
    trace_close(t);
    return 0;
}

/* The slice of a generation that has so many devices. */
static int find_slice(const struct profiled *p, const char *file, uint64_t devices, char *name,
                      size_t room, struct err *err)
{
    const char *generation = find_generation(p->profile);
    bool typed = p->profile && p->profile->n_devices > 0;
    const char *type = typed ? p->profile->device[0].type : "";
    struct sizes_slice s;

    if (!generation)
        return err_set(err, ERR_UNKNOWN,
                       "%.200s does not say which machine it was compiled for%s%.40s: expected "
                       "-m MACHINE",
                       file, *type ? ", and no machine has devices of type " : "", type);
    for (uint32_t n = 0; sizes_after(generation, n, &s); n = s.number)
        if (s.devices == devices) {
            snprintf(name, room, "%s", s.name);
            return 0;
        }
    return err_set(err, ERR_UNKNOWN,
                   "%.160s is for %" PRIu64 " devices of type %.40s, and no slice of %s has so "
                   "many: expected -m MACHINE",
                   file, devices, type, generation);
}

int profiled_load_machine(struct profiled *p, const struct run_request *q, struct err *err)
{
    struct trace_program target;
    char name[SIZES_NAME];
    uint64_t cut;

    if (q->machine)
        return spec_load(&p->spec, q->machine, q->set, q->n_set, err);
    if (read_target(p, q->trace, &target, &cut, err) != 0)
        return -1;
    if (*target.machine)
        return spec_load(&p->spec, target.machine, q->set, q->n_set, err);
    uint64_t devices = target.cores;
    if (!devices && target.given) /* a program that names no devices ran on one */
        devices = 1;
    else if (!devices && cut) /* a recording of one rank of several */
        devices = cut;
    else if (!devices && p->profile)
        devices = profile_devices(p->profile);
    if (find_slice(p, q->trace, devices, name, sizeof name, err) != 0)
        return -1;
    return spec_load(&p->spec, name, q->set, q->n_set, err);
}

char *profiled_generation(const struct profiled *p)
{
    const char *found = find_generation(p->profile);
    struct sizes_slice s;
    struct err err;

    if (!found && sizes_knows(p->spec->name) && sizes_find(&s, p->spec->name, &err) == 0)
        found = s.generation;
    if (!found)
        found = p->spec->name;
    return strncmp(found, "tpu-", 4) == 0 ? memory_format("TPU %s", found + 4) : memory_copy(found);
}
