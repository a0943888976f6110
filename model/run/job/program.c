#include "run/job/program.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "machine/spec/sizes.h"

/* "tpu-v3" of "tpu-v3-8"; false if it is not a slice of a generation. */
static bool generation_of(struct sizes_slice *s, const char *machine)
{
    struct err err;

    return sizes_knows(machine) && sizes_find(s, machine, &err) == 0;
}

static void name_slice(char *text, size_t room, const struct machine_spec *spec)
{
    struct sizes_slice s;

    if (!generation_of(&s, spec->name) || strncmp(s.generation, "tpu-", 4) != 0)
        return;
    const char *name = strcmp(s.generation, "tpu-v7") == 0 ? "tpu7x" : s.generation + 4;
    bool flat = s.mesh[2] == 1 && strcmp(name, "v4") != 0 && strcmp(name, "v5p") != 0 &&
                strcmp(name, "tpu7x") != 0;
    if (flat)
        snprintf(text, room, "%s:%" PRIu32 "x%" PRIu32, name, s.mesh[0], s.mesh[1]);
    else
        snprintf(text, room, "%s:%" PRIu32 "x%" PRIu32 "x%" PRIu32, name, s.mesh[0], s.mesh[1],
                 s.mesh[2]);
}

/* Boxes are called by their names. */
static void name_box(char *text, size_t room, const struct machine_spec *spec)
{
    if (strpbrk(spec->name, "/.") == NULL && strlen(spec->name) < room)
        snprintf(text, room, "%s", spec->name);
}

void program_topology(char *text, size_t room, const struct machine_spec *spec)
{
    static void (*const name[CHIP_N_KINDS])(
        char *text, size_t room,
        const struct machine_spec *spec) = { [CHIP_TPU] = name_slice, [CHIP_GPU] = name_box };

    *text = '\0';
    if (name[spec->kind])
        name[spec->kind](text, room, spec);
}

/* Programs whose devices are single cores of a megacore are divided as no slice of ours is. */
static bool has_single_cores(const struct trace_program *p, const struct sizes_slice *s)
{
    return !p->gpu && s->number > s->devices && !p->megacore;
}

bool program_machine(char *text, size_t room, const struct trace_header *head)
{
    const struct trace_program *p = &head->program;
    const char *known = *p->machine ? p->machine : p->topology;
    uint64_t devices = p->slices ? p->cores / p->slices : p->cores; /* of a slice */
    struct sizes_slice own, other;

    snprintf(text, room, "%s", p->machine);
    if (!*known || !devices || (generation_of(&own, known) && own.devices == devices))
        return *text != '\0';
    if (sizes_devices(&other, known, devices) && !has_single_cores(p, &other))
        snprintf(text, room, "%s", other.name);
    return *text != '\0';
}

/* True if the program was compiled for another architecture of GPUs, or for GPUs and not for this
 * kind of chip. */
static bool is_for_other(const struct trace_program *p, const struct machine_spec *spec)
{
    struct machine_spec *own;
    struct err err;

    if (!p->gpu || !trace_is_compiled(p))
        return false;
    if (spec->kind != CHIP_GPU)
        return true;
    if (!*p->machine || spec_load(&own, p->machine, NULL, 0, &err) != 0)
        return false;
    bool other = own->sm.capability != spec->sm.capability;
    spec_free(own);
    return other;
}

/* " (v3:2x2)", or nothing. */
static const char *in_brackets(char *text, size_t room, const char *topology)
{
    snprintf(text, room, *topology ? " (%s)" : "%s", topology);
    return text;
}

/* "traces/programs/gan3d.py:program batch=64": the source that the provenance of an imported
 * program names; FILE where it names none. */
static void name_source(char *text, size_t room, const struct trace_header *head)
{
    static const char before[] = "compiled from ";
    const char *at = strstr(head->provenance, before);

    at = at ? at + strlen(before) : "FILE";
    snprintf(text, room, "%.*s", (int)strcspn(at, ";"), at);
}

void program_command(char *text, size_t room, const struct trace_header *head,
                     const struct machine_spec *spec)
{
    char topology[32], source[PROGRAM_COMMAND / 2];

    *text = '\0';
    program_topology(topology, sizeof topology, spec);
    name_source(source, sizeof source, head);
    if (!head->program.given || !*topology)
        return;
    int n = snprintf(text, room, "scripts/compile %s --topology %s", source, topology);
    if (spec->dcn.slices > 1 && n >= 0 && (size_t)n < room)
        snprintf(text + n, room - (size_t)n, " --slices %" PRIu32, spec->dcn.slices);
}

/* A program for another number of devices: nothing but the compiler divides it anew. */
static int refuse_count(const struct trace_header *head, const struct machine_spec *spec,
                        const char *file, const char *command, struct err *err)
{
    const struct trace_program *p = &head->program;
    char where[48], joined[32] = "";

    in_brackets(where, sizeof where, p->topology);
    if (spec->dcn.slices > 1)
        snprintf(joined, sizeof joined, "%" PRIu32 " slices of ", spec->dcn.slices);
    return err_set(err, ERR_FIT,
                   "%s: compiled for %" PRIu64 " device%s%s, %s%s has %" PRIu32
                   ": the compiler has divided its work, which --retile does not change%s%s%s",
                   file, p->cores, p->cores == 1 ? "" : "s", where, joined, spec->name,
                   spec_cores(spec), *command ? "; compile it again: `" : "", command,
                   *command ? "`" : "");
}

/* Its collectives name slices, which is no matter of the compiler alone. */
static int refuse_slices(const struct trace_header *head, const struct machine_spec *spec,
                         const char *file, struct err *err)
{
    const struct trace_program *p = &head->program;

    return err_set(err, ERR_FIT,
                   "%s: compiled for %" PRIu64 " slices of %" PRIu64
                   " devices, and this is %s with %u: "
                   "--set dcn.slices=%" PRIu64 " on a slice of %" PRIu64,
                   file, p->slices, p->cores / p->slices, spec->name, spec->dcn.slices, p->slices,
                   p->cores / p->slices);
}

/* True if the simulator can cut the kernels anew: TPUs run them all, GPUs those of GPUs. */
static bool can_retile(const struct trace_program *p, const struct machine_spec *spec)
{
    return spec->kind == CHIP_TPU || (spec->kind == CHIP_GPU && p->gpu);
}

/* A program for another chip. */
static int refuse_chip(const struct trace_header *head, const struct machine_spec *spec,
                       const char *file, const char *command, struct err *err)
{
    const struct trace_program *p = &head->program;
    const char *own = *p->machine ? p->machine : "a GPU";
    char where[48];

    in_brackets(where, sizeof where, strcmp(p->topology, p->machine) == 0 ? "" : p->topology);
    if (!can_retile(p, spec))
        return err_set(err, ERR_FIT,
                       "%s: compiled for %s%s, not for %s, which --retile does not change%s%s%s",
                       file, own, where, spec->name, *command ? "; compile it again: `" : "",
                       command, *command ? "`" : "");
    return err_set(err, ERR_FIT,
                   "%s: compiled for %s%s, not for %s: %s%s%s--retile lets the simulator cut its "
                   "kernels for this machine",
                   file, own, where, spec->name, *command ? "compile it again, `" : "", command,
                   *command ? "`; or " : "");
}

int program_check(const struct trace_header *head, const struct machine_spec *spec, bool retile,
                  const char *file, struct err *err)
{
    const struct trace_program *p = &head->program;
    struct sizes_slice own, asked;
    char command[PROGRAM_COMMAND];

    if (!p->given)
        return 0;
    program_command(command, sizeof command, head, spec);
    if (p->slices > 1 && (p->slices != spec->dcn.slices || p->cores != spec_cores(spec)))
        return refuse_slices(head, spec, file, err);
    if (p->cores && p->cores != spec_cores(spec))
        return refuse_count(head, spec, file, command, err);
    bool other = is_for_other(p, spec);
    if (retile ||
        (!other && (!generation_of(&own, p->machine) || !generation_of(&asked, spec->name) ||
                    strcmp(own.generation, asked.generation) == 0)))
        return 0;
    return refuse_chip(head, spec, file, command, err);
}
